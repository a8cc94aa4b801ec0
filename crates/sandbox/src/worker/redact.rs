//! `redact`: replaces what matches patterns, with an engine whose time grows only with the text.

use super::tape::{unescaped, with_signs, without_signs};
use super::writer::{quote, quoted};
use memchr::memchr2;
use regex::{NoExpand, Regex, RegexBuilder};
use std::rc::Rc;

/// Letters and digits of mail addresses. Beyond ASCII they are of alphabets that leave spaces between words: in others
/// an address would take the text around it along.
macro_rules! letters {
    () => {
        r"A-Za-z0-9\u{C0}-\u{D6}\u{D8}-\u{F6}\u{F8}-\u{24F}\u{300}-\u{52F}\u{1E00}-\u{1FFF}"
    };
}

/// An address of IPv4, without what stands before it.
macro_rules! ipv4 {
    () => {
        r"(?:(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])\.){3}(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])(?-u:\b)"
    };
}

const CARD: &str = r"(?-u:\b)[3-6][0-9]{3}(?:[ -]?[0-9]{4}){2}[ -]?[0-9]{1,7}(?-u:\b)|(?-u:\b)3[47][0-9]{2}[ -]?[0-9]{6}[ -]?[0-9]{5}(?-u:\b)|(?-u:\b)2(?:22[1-9]|2[3-9][0-9]|[3-6][0-9]{2}|7[01][0-9]|720)(?:[ -]?[0-9]{4}){3}(?-u:\b)";

/// The patterns that have names.
const NAMED: [(&str, &str); 5] = [
    (
        "email",
        concat!(
            "[_",
            letters!(),
            r"][._%+\-",
            letters!(),
            "]*@[",
            letters!(),
            r"](?:[.\-",
            letters!(),
            "]*[",
            letters!(),
            r"])?\.(?:[A-Za-z]{2,24}(?-u:\b)|[\u{370}-\u{52F}]{2,24})"
        ),
    ),
    ("creditCard", CARD),
    ("jwt", r"(?-u:\b)eyJ[A-Za-z0-9_\-]{5,}\.eyJ[A-Za-z0-9_\-]{5,}\.[A-Za-z0-9_\-]*"),
    (
        "apiKey",
        r"(?-u:\b)(?:sk|pk|rk)[-_](?:live[-_]|test[-_]|proj[-_]|ant[-_])?[A-Za-z0-9_\-]{16,}|(?-u:\b)gh[pousr]_[A-Za-z0-9]{30,}|(?-u:\b)github_pat_[A-Za-z0-9_]{30,}|(?-u:\b)xox[abeprs]-[A-Za-z0-9\-]{10,}|(?-u:\b)A(?:KIA|SIA)[A-Z0-9]{16}(?-u:\b)|(?-u:\b)AIza[A-Za-z0-9_\-]{35}|(?-u:\b)glpat-[A-Za-z0-9_\-]{20,}|(?-u:\b)npm_[A-Za-z0-9]{30,}",
    ),
    (
        "ipAddress",
        concat!(
            r"(?-u:\b)",
            ipv4!(),
            // IPv6 that ends with such an address.
            r"|(?:(?-u:\b)(?:[0-9A-Fa-f]{1,4}:){1,5}:|::)(?:[0-9A-Fa-f]{1,4}:){0,5}",
            ipv4!(),
            r"|(?-u:\b)(?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}(?-u:\b)|(?-u:\b)(?:[0-9A-Fa-f]{1,4}:){1,6}(?::[0-9A-Fa-f]{1,4}){1,6}(?-u:\b)|(?-u:\b)(?:[0-9A-Fa-f]{1,4}:){2,7}:|::[Ff]{4}(?::[0-9A-Fa-f]{1,4}){2,3}(?-u:\b)|::1(?-u:\b)"
        ),
    ),
];

/// What begins and ends with a digit, so that an underscore beside it is no part of it. To the matcher it belongs to
/// the word, so these are looked for once more without underscores.
const DIGITS: [(&str, &str); 2] = [("creditCard", CARD), ("ipAddress", concat!(r"(?-u:\b)", ipv4!()))];

/// What stands in the place of an underscore then: as long, part of no word, and in none of those patterns.
const BLANK: &str = "\u{1}";

/// The fewest digits that a pattern with a name takes for something.
const FEWEST: usize = 13;

/// Matches nothing, for a list without patterns.
const NOTHING: &str = r"[^\s\S]";

/// What replaces a match when the script does not say.
pub(crate) const REPLACEMENT: &str = "[redacted]";

/// How many compiled patterns are kept, and how large each may be.
const KEPT: usize = 16;
const LARGEST: usize = 1 << 20;

/// How many patterns one call may name, and how long their texts may be together.
pub(crate) const MOST_PATTERNS: usize = 64;
const LONGEST: usize = 16 << 10;

/// How many patterns are looked for each by itself; more than that would be slower than all at once.
const MOST_APART: usize = 3;

/// One pattern of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Pattern {
    /// A name, or else a regular expression.
    Text(String),
    /// A regular expression of the script's own engine: its source and flags.
    Expression(String, String),
}

/// All that have a name.
pub(crate) fn all() -> Vec<Pattern> {
    NAMED.iter().map(|(name, _)| Pattern::Text((*name).to_owned())).collect()
}

/// The patterns that were compiled before, the latest last.
#[derive(Debug, Default)]
pub(crate) struct Patterns {
    // A copy of an expression would begin with an empty cache, so it is shared.
    kept: Vec<(String, Rc<Matcher>)>,
}

/// The patterns of a call, compiled.
#[derive(Debug)]
pub(crate) struct Matcher {
    /// All of them, as alternatives of one.
    all: Regex,
    /// Each for itself, where they are several: one alone is found much faster than one of many.
    each: Vec<Regex>,
    /// Those of them that an underscore does not hide.
    digits: Option<Regex>,
    /// The shortest number that may be one of them.
    fewest: usize,
}

impl Patterns {
    /// What finds all these patterns.
    pub(crate) fn find(&mut self, patterns: &[Pattern]) -> Result<Rc<Matcher>, String> {
        let parts = parts(patterns)?;
        let source = parts.join("|");
        if source.len() > LONGEST {
            return Err("the patterns of redact are too long".to_owned());
        }
        if let Some(at) = self.kept.iter().position(|(kept, _)| *kept == source) {
            let found = self.kept.remove(at);
            self.kept.push(found);
        } else {
            let matcher =
                Matcher::new(&source, &parts, patterns).map_err(|error| explain(patterns, &error))?;
            if self.kept.len() >= KEPT {
                self.kept.remove(0);
            }
            self.kept.push((source, Rc::new(matcher)));
        }
        self.kept.last().map(|(_, matcher)| Rc::clone(matcher)).ok_or_else(String::new)
    }
}

/// Has the matcher look at the system, which it does once, while it still can.
pub(crate) fn warm() {
    let regex = compile("[ab]+c").map(|regex| regex.is_match("abac"));
    debug_assert_eq!(regex, Ok(true));
}

fn compile(source: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(source).size_limit(LARGEST).dfa_size_limit(LARGEST).nest_limit(100).build()
}

/// The expression of each pattern.
fn parts(patterns: &[Pattern]) -> Result<Vec<String>, String> {
    if patterns.len() > MOST_PATTERNS {
        return Err(format!("redact takes at most {MOST_PATTERNS} patterns"));
    }
    if patterns.is_empty() {
        return Ok(vec![NOTHING.to_owned()]);
    }
    patterns.iter().map(single).collect()
}

fn single(pattern: &Pattern) -> Result<String, String> {
    match pattern {
        Pattern::Text(text) => {
            let named = NAMED.iter().find(|(name, _)| name == text);
            Ok(format!("(?:{})", named.map_or(text.as_str(), |(_, source)| source)))
        }
        Pattern::Expression(source, flags) => {
            let mut kept = String::new();
            for flag in flags.chars() {
                match flag {
                    'i' | 'm' | 's' => kept.push(flag),
                    // These say where and how often to look, or what the engine does anyway.
                    'g' | 'u' | 'y' | 'd' => {}
                    other => return Err(format!("redact does not know the flag '{other}'")),
                }
            }
            Ok(if kept.is_empty() { format!("(?:{source})") } else { format!("(?{kept}:{source})") })
        }
    }
}

/// Says which pattern is wrong, and how.
fn explain(patterns: &[Pattern], error: &regex::Error) -> String {
    let culprit = patterns.iter().find_map(|pattern| {
        let (Pattern::Text(text) | Pattern::Expression(text, _)) = pattern;
        compile(&single(pattern).ok()?).err().map(|error| (text, error))
    });
    let (text, error) = culprit.map_or((String::new(), error.to_string()), |(text, error)| {
        (text.chars().take(80).collect(), error.to_string())
    });
    let reason = error.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
    let hint = "redact matches in linear time, so look-around and back-references are not available";
    format!("redact cannot use the pattern '{text}': {reason} ({hint})")
}

impl Matcher {
    fn new(source: &str, parts: &[String], patterns: &[Pattern]) -> Result<Self, regex::Error> {
        let several = (2..=MOST_APART).contains(&parts.len());
        let apart = if several { parts } else { &[] };
        let each = apart.iter().map(|part| compile(part)).collect::<Result<_, _>>()?;
        let named = |name: &str| patterns.iter().any(|it| matches!(it, Pattern::Text(text) if text == name));
        let digits = DIGITS.iter().filter(|(name, _)| named(name));
        let digits = digits.map(|(_, source)| *source).collect::<Vec<_>>().join("|");
        let digits = if digits.is_empty() { None } else { Some(compile(&digits)?) };
        let is_named =
            |it: &Pattern| matches!(it, Pattern::Text(text) if NAMED.iter().any(|(name, _)| name == text));
        let fewest = if patterns.iter().all(is_named) { FEWEST } else { 0 };
        Ok(Self { all: compile(source)?, each, digits, fewest })
    }

    /// Replaces every match in a text. Nothing when there is none.
    pub(crate) fn replace(&self, text: &str, replacement: &str) -> Option<String> {
        let replaced = self.replace_words(text, replacement);
        let Some(digits) = &self.digits else { return replaced };
        let so_far = replaced.as_deref().unwrap_or(text);
        if memchr::memchr(b'_', so_far.as_bytes()).is_none() {
            return replaced;
        }
        let plain = so_far.replace('_', BLANK);
        let (mut out, mut at) = (String::new(), 0);
        for found in digits.find_iter(&plain) {
            out.push_str(&so_far[at..found.start()]);
            out.push_str(replacement);
            at = found.end();
        }
        if at > 0 { Some(out + &so_far[at..]) } else { replaced }
    }

    fn replace_words(&self, text: &str, replacement: &str) -> Option<String> {
        if !self.each.is_empty() && !self.each.iter().any(|one| one.is_match(text)) {
            return None;
        }
        self.replace_apart(text, replacement).or_else(|| {
            match self.all.replace_all(text, NoExpand(replacement)) {
                std::borrow::Cow::Borrowed(_) => None,
                std::borrow::Cow::Owned(replaced) => Some(replaced),
            }
        })
    }

    /// Whether a number, as it is written, holds a match. What only begins behind the point is a fraction.
    pub(crate) fn finds_number(&self, number: &str) -> bool {
        let is_whole = |at: usize| at == 0 || number.as_bytes()[at - 1] != b'.';
        number.len() >= self.fewest && self.all.find_iter(number).any(|found| is_whole(found.start()))
    }

    /// The same in a string as JSON writes it, without quotes; what it becomes is given with quotes. Half a surrogate
    /// pair has no text: it is looked at as a sign that is no letter, and stays where no match holds it.
    fn replace_written(&self, written: &str, replacement: &str) -> Option<String> {
        if memchr::memchr(b'\\', written.as_bytes()).is_none() {
            return self.replace(written, replacement).map(|text| quoted(&text));
        }
        if let Some(content) = unescaped(written) {
            return self.replace(&content, replacement).map(|text| quoted(&text));
        }
        self.replace(&with_signs(written), replacement).map(|text| without_signs(&quoted(&text)))
    }

    /// The same with what each pattern finds for itself: the leftmost match counts, and of those that begin at the
    /// same place the first, as it is with alternatives. Matches without text are left to those.
    fn replace_apart(&self, text: &str, replacement: &str) -> Option<String> {
        let mut next: Vec<_> = self.each.iter().map(|one| one.find(text)).collect();
        let (mut out, mut at) = (String::new(), 0);
        while let Some(found) = next.iter().flatten().min_by_key(|found| found.start()) {
            if found.is_empty() {
                return None;
            }
            out.push_str(&text[at..found.start()]);
            out.push_str(replacement);
            at = found.end();
            for (one, next) in self.each.iter().zip(&mut next) {
                if next.is_some_and(|next| next.start() < at) {
                    *next = one.find_at(text, at);
                }
            }
        }
        (at > 0).then(|| out + &text[at..])
    }
}

/// Replaces every match in a JSON text: in strings, in the names of members, and numbers as a whole.
pub(crate) fn json(matcher: &Matcher, json: &str, replacement: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(start) = memchr::memchr(b'"', rest.as_bytes()) {
        let Some(end) = closing(rest, start + 1) else { break };
        numbers(matcher, &rest[..start], replacement, &mut out);
        match matcher.replace_written(&rest[start + 1..end], replacement) {
            Some(replaced) => out.push_str(&replaced),
            None => out.push_str(&rest[start..=end]),
        }
        rest = &rest[end + 1..];
    }
    numbers(matcher, rest, replacement, &mut out);
    out
}

/// Replaces numbers in what stands between strings.
fn numbers(matcher: &Matcher, text: &str, replacement: &str, out: &mut String) {
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c == '-' || c.is_ascii_digit()) {
        let is_part = |c: char| matches!(c, '0'..='9' | '-' | '+' | '.' | 'e' | 'E');
        let end = rest[start..].find(|c| !is_part(c)).map_or(rest.len(), |length| start + length);
        out.push_str(&rest[..start]);
        match matcher.finds_number(&rest[start..end]) {
            true => quote(replacement, out),
            false => out.push_str(&rest[start..end]),
        }
        rest = &rest[end..];
    }
    out.push_str(rest);
}

/// Where the string ends whose content begins at `at`.
fn closing(text: &str, mut at: usize) -> Option<usize> {
    loop {
        at += memchr2(b'"', b'\\', text.as_bytes().get(at..)?)?;
        if text.as_bytes()[at] == b'"' {
            return Some(at);
        }
        at += 2;
    }
}

#[cfg(test)]
mod tests {
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
        check(
            &["creditCard"],
            "4111 1111 1111 1111 or 378282246310005 or 5500-0000-0000-0004",
            "* or * or *",
        );
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
        check(
            &["apiKey", "email"],
            "user_pk_constraint_name_long a_b@c.org",
            "user_pk_constraint_name_long *",
        );
    }

    #[test]
    fn keys_numbers_and_halves_of_pairs_are_looked_at_too() {
        let default = Patterns::default().find(&all()).unwrap();
        for (text, expected) in [
            (
                r#"{"a@b.io":{"card": 4111111111111111,"n":[1,-2.50]}}"#,
                r#"{"*":{"card": "*","n":[1,-2.50]}}"#,
            ),
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
}
