//! What the patterns with names find, and how matches are replaced.

use super::*;

fn check(patterns: &[&str], input: &str, expected: &str) {
    let patterns: Vec<Pattern> = patterns.iter().map(|text| Pattern::Text((*text).to_owned())).collect();
    let result = Patterns::default().find(&patterns).unwrap().replace(input, "*");
    assert_eq!(result.as_deref().unwrap_or(input), expected, "{patterns:?}");
}

#[test]
fn names_find_what_they_name() {
    check(&["email"], "to Ann.B+x@mail.example.org, ok", "to *, ok");
    check(&["email"], "not@local and a@b", "not@local and a@b");
    check(&["creditCard"], "4111 1111 1111 1111 or 378282246310005 or 5500-0000-0000-0004", "* or * or *");
    check(&["creditCard"], "order 12345678 of 2024", "order 12345678 of 2024");
    check(&["jwt"], "Bearer eyJhbGciOi.eyJzdWIiOi.c2ln-_", "Bearer *");
    check(&["apiKey"], "sk-proj-abcdefghij0123456789 AKIAABCDEFGHIJKLMNOP", "* *");
    check(&["apiKey"], &format!("ghp_{} sketch-book", "a".repeat(36)), "* sketch-book");
    check(&["ipAddress"], "10.0.0.1, 256.1.1.1, fe80::1:2, v1.2.3", "*, 256.1.1.1, *, v1.2.3");
    check(
        &["ipAddress"],
        "[::1]:80, 2001:db8::/32, at 12:30:45, std::fmt, ::10",
        "[*]:80, */32, at 12:30:45, std::fmt, ::10",
    );
    check(&NAMED.map(|(name, _)| name), "a@b.io at 10.0.0.1", "* at *");
    check(&[], "a@b.io at 10.0.0.1", "a@b.io at 10.0.0.1");
}

#[test]
fn names_find_what_is_written_in_other_ways_and_nothing_like_it() {
    check(&["email"], "an jürgen@müller.de und иван@почта.рф!", "an * und *!");
    check(&["email"], "連絡先はa@b.ioです、-x@y.org.", "連絡先は*です、-*.");
    check(&["email"], "foo@1.0.beta1 ünd@örtlich a×b@c", "foo@1.0.beta1 ünd@örtlich a×b@c");
    check(&["creditCard"], "2223003122003222 2720-9900 0000 0007 2221000000000009", "* * *");
    check(
        &["creditCard"],
        "2024010112304500 2220999999999999 2721000000000000 22230031220032225",
        "\
        2024010112304500 2220999999999999 2721000000000000 22230031220032225",
    );
    check(&["creditCard"], "card_4111111111111111_4111111111111111_x", "card_*_*_x");
    check(
        &["creditCard"],
        "v_4111_1111_1111_1111 a4111111111111111 id_12345678",
        "\
        v_4111_1111_1111_1111 a4111111111111111 id_12345678",
    );
    check(&["ipAddress"], "x_10.0.0.1_y ::ffff:0:0 ::ffff:10.0.0.1 64:ff9b::10.0.0.1", "x_*_y * * *");
    check(&["ipAddress"], "db:10.0.0.1 a::b_c std::fmt ::face", "db:* a::b_c std::fmt ::face");
    check(&["apiKey", "email"], "user_pk_constraint_name_long a_b@c.org", "user_pk_constraint_name_long *");
}

#[test]
fn keys_numbers_and_halves_of_pairs_are_looked_at_too() {
    let default = Patterns::default().find(&all()).unwrap();
    for (text, expected) in [
        (r#"{"a@b.io":{"card": 4111111111111111,"n":[1,-2.50]}}"#, r#"{"*":{"card": "*","n":[1,-2.50]}}"#),
        (
            "[0.5555555555555556,1763164800000000,5e300,-4111111111111111]",
            r#"[0.5555555555555556,1763164800000000,5e300,"*"]"#,
        ),
        (r#"["\ud800 a@b.io \uDFFF\ud83d\ude00\"",1]"#, "[\"\\ud800 * \\udfff😀\\\"\",1]"),
        (r#"["\ud800 nothing"]"#, r#"["\ud800 nothing"]"#),
    ] {
        assert_eq!(json(&default, text, "*"), expected);
    }
    let own = Patterns::default().find(&[Pattern::Text("a.b|^15$".to_owned())]).unwrap();
    assert_eq!(json(&own, r#"["xa\udc00b\udc00",15,150]"#, "*"), r#"["x*\udc00","*",150]"#);
}

#[test]
fn a_replacement_is_taken_literally() {
    let matcher = Patterns::default().find(&[Pattern::Text("(b)".to_owned())]).unwrap();
    assert_eq!(matcher.replace("abc", "$1").as_deref(), Some("a$1c"));
    let replaced = json(&matcher, r#"{"b": "ab\"b", "c":["b\n", 1]}"#, "\"");
    assert_eq!(replaced, r#"{"\"": "a\"\"\"", "c":["\"\n", 1]}"#);
}

#[test]
fn flags_and_faults_are_told() {
    let find = |source: &str, flags: &str| {
        Patterns::default().find(&[Pattern::Expression(source.to_owned(), flags.to_owned())])
    };
    assert_eq!(find("^a\\/B$", "gim").unwrap().replace("x\nA/b\n", "").as_deref(), Some("x\n\n"));
    assert!(find("a(?=b)", "").unwrap_err().contains("look-around"));
    assert!(find("(?:a{1000}){1000}", "").unwrap_err().contains("size limit"));
    assert!(find("a", "v").is_err() && find("(", "").is_err());
}

#[test]
fn what_stands_between_odd_ends_of_lines_is_found() {
    for (source, text) in [
        (r"^\s*\w+$", "a\u{2028}secret\u{2028}x"),
        (r"^secret\s", "a\u{2028}secret\u{2029}x"),
        (r"\Wsecret$", "a\u{2029}secret\u{2028}x"),
        (r"[^a]secret$", "a\u{2028}secret"),
        (r"^[^\n]*secret$", "a\u{2028}secret\u{2028}x"),
    ] {
        let pattern = Pattern::Expression(source.to_owned(), "m".to_owned());
        let shown = Patterns::default().find(&[pattern]).unwrap().replace(text, "#").unwrap_or_default();
        assert!(shown.contains('#') && !shown.contains("secret"), "{source}: {shown:?}");
    }
}

proptest::proptest! {
    #[test]
    fn patterns_apart_find_what_alternatives_find(
        chosen in proptest::collection::vec(0usize..8, 1..5),
        text in "[ab1 .é]{0,24}",
    ) {
        let some = ["a+", "ab", "\\bb", "[0-9]a?", "b*", "a.b", "\\b1\\b", "é|^a"];
        let patterns: Vec<Pattern> = chosen.iter().map(|at| Pattern::Text(some[*at].to_owned())).collect();
        let matcher = Patterns::default().find(&patterns).unwrap();
        let expected = matcher.all.replace_all(&text, NoExpand("*")).into_owned();
        proptest::prop_assert_eq!(matcher.replace(&text, "*").unwrap_or_else(|| text.clone()), expected);
    }
}
