//! Rust source without its comments and literals, so that a check sees code and only code.

/// The same text with every comment, string and character blanked; offsets and lines stay.
pub(crate) fn code(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end = at + skipped(&bytes[at..], at.checked_sub(1).map(|before| bytes[before]));
        for byte in &mut out[at..end] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
        at = end.max(at + 1);
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// How many bytes at the start of `rest` are a comment or a literal.
fn skipped(rest: &[u8], before: Option<u8>) -> usize {
    let word_goes_on = before.is_some_and(is_word);
    match rest {
        [b'/', b'/', ..] => rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len()),
        [b'/', b'*', ..] => block_comment(rest),
        [b'"', ..] => quoted(rest),
        [b'\'', ..] => character(rest),
        [b'r', b'"' | b'#', ..] if !word_goes_on => raw(rest, 1),
        [b'b' | b'c', b'r', b'"' | b'#', ..] if !word_goes_on => raw(rest, 2),
        _ => 0,
    }
}

fn block_comment(rest: &[u8]) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at + 1 < rest.len() {
        match &rest[at..at + 2] {
            b"/*" => depth += 1,
            b"*/" => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

fn quoted(rest: &[u8]) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// A character literal; a lifetime or a label is code.
fn character(rest: &[u8]) -> usize {
    let close = |from: usize| rest.iter().skip(from).position(|&b| b == b'\'').map_or(0, |n| from + n + 1);
    match rest.get(1) {
        Some(b'\\') => close(3),
        Some(first) => {
            let width = (first.leading_ones() as usize).max(1);
            if rest.get(1 + width) == Some(&b'\'') { width + 2 } else { 0 }
        }
        None => 0,
    }
}

/// A raw string whose hashes begin at `start`; a raw identifier is code.
fn raw(rest: &[u8], start: usize) -> usize {
    let hashes = rest[start..].iter().take_while(|&&b| b == b'#').count();
    let open = start + hashes;
    if rest.get(open) != Some(&b'"') {
        return 0;
    }
    let close: Vec<u8> = std::iter::once(b'"').chain(std::iter::repeat_n(b'#', hashes)).collect();
    let body = &rest[open + 1..];
    let end = body.windows(close.len()).position(|window| window == close);
    end.map_or(rest.len(), |n| open + 1 + n + close.len())
}

/// Whether a byte can be part of a name.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// Every offset where `pattern` stands in `code` and is not part of a longer name.
pub(crate) fn places<'a>(code: &'a str, pattern: &'a str) -> impl Iterator<Item = usize> + 'a {
    let bytes = code.as_bytes();
    let edge = |inside: Option<u8>, outside: Option<&u8>| {
        !(inside.is_some_and(is_word) && outside.is_some_and(|&b| is_word(b)))
    };
    code.match_indices(pattern).map(|(at, _)| at).filter(move |&at| {
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        edge(pattern.bytes().next(), before) && edge(pattern.bytes().last(), bytes.get(at + pattern.len()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_blank_and_code_stays() {
        for (text, expected) in [
            ("a // b\nc", "a     \nc"),
            ("a /* b /* c */ d */ e", "a                   e"),
            (r#"f("x // y", z)"#, "f(        , z)"),
            (r#"f("a\"b", c)"#, "f(      , c)"),
            (r##"r#"a "b" c"# d"##, "             d"),
            (r#"br"x" y"#, "      y"),
            ("r#type b", "r#type b"),
            ("'a' b", "    b"),
            (r"'\'' b", "     b"),
            (r"'\u{61}' b", "         b"),
            ("'日' b", "      b"),
            ("fn f<'a>(x: &'a str)", "fn f<'a>(x: &'a str)"),
            ("'\"' x \"y\"", "    x    "),
            ("car\"\"", "car  "),
        ] {
            assert_eq!(code(text), expected, "{text}");
        }
    }

    #[test]
    fn a_pattern_is_found_as_a_whole_name_only() {
        assert_eq!(places("foo! xfoo! foo!()", "foo!").collect::<Vec<_>>(), [0, 11]);
        assert_eq!(places("bar_code bar { bars", "bar").collect::<Vec<_>>(), [9]);
    }
}
