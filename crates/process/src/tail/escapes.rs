//! A value as a text may have it that is JSON, or JSON inside of JSON: with escapes.

/// The most bytes that a character takes of which nothing is disguised: two halves, each with as many backslashes as
/// the depth asks for.
pub(super) const WIDEST: usize = 18;
/// How often a text may have been put into JSON, one inside of the other.
const DEPTH: usize = 3;

/// Where the value ends that begins at `at`, however it is written; `None` if it does not stand there.
pub(super) fn end(text: &str, at: usize, value: &str) -> Option<usize> {
    // Up to the first backslash every depth says the same; most places are none, and to see that must cost little.
    let both = text.as_bytes()[at..].iter().zip(value.as_bytes());
    let plain = both.take_while(|(one, wanted)| one == wanted && **one != b'\\').count();
    if plain == value.len() {
        return Some(at + plain);
    }
    if text.as_bytes().get(at + plain) != Some(&b'\\') {
        return None;
    }
    let (at, rest) = (at + plain, &value[plain..]);
    let ends = (0..=DEPTH).filter_map(|depth| {
        let next = |at, wanted| said(text, at, depth).filter(|(one, _)| *one == wanted).map(|(_, next)| next);
        rest.chars().try_fold(at, next)
    });
    ends.max()
}

/// What the backslash at `at` may begin: itself, or what it is the escape of.
pub(super) fn firsts(text: &str, at: usize) -> impl Iterator<Item = char> {
    let escaped =
        (1..=DEPTH).map(move |depth| said(text, at, depth)).find(|said| !matches!(said, Some(('\\', _))));
    let escaped = escaped.flatten().map(|(one, _)| one);
    std::iter::once('\\').chain(escaped)
}

/// Where a letter or digit is written as an escape, or the backslash of one. Where there is none, they all stand as they
/// are.
pub(super) fn disguises(text: &str) -> impl Iterator<Item = usize> {
    let code = |at: usize| u8::from_str_radix(text.get(at..at + 2)?, 16).ok();
    let is_plain = move |at: usize| code(at).is_some_and(|one| one.is_ascii_alphanumeric() || one == b'\\');
    text.match_indices("\\u00").map(|(at, _)| at).filter(move |at| is_plain(at + 4))
}

/// The character at `at` of a text that was put into JSON so many times, and where the next begins.
fn said(text: &str, at: usize, depth: usize) -> Option<(char, usize)> {
    let Some(outer) = depth.checked_sub(1) else {
        let one = text.get(at..)?.chars().next()?;
        return Some((one, at + one.len_utf8()));
    };
    let (one, next) = said(text, at, outer)?;
    if one != '\\' {
        return Some((one, next));
    }
    let (sign, next) = said(text, next, outer)?;
    let plain = match sign {
        'u' => return coded(text, next, outer),
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        // No other letter is an escape.
        other if other.is_ascii_alphanumeric() => return None,
        other => other,
    };
    Some((plain, next))
}

/// The character whose code begins at `at`, behind `\u`; it may be of two halves.
fn coded(text: &str, at: usize, depth: usize) -> Option<(char, usize)> {
    let (first, next) = unit(text, at, depth)?;
    if let Some(one) = char::from_u32(first.into()) {
        return Some((one, next));
    }
    let (_, next) = said(text, next, depth).filter(|(one, _)| *one == '\\')?;
    let (_, next) = said(text, next, depth).filter(|(one, _)| *one == 'u')?;
    let (second, next) = unit(text, next, depth)?;
    let one = char::decode_utf16([first, second]).next()?.ok()?;
    Some((one, next))
}

fn unit(text: &str, at: usize, depth: usize) -> Option<(u16, usize)> {
    (0..4).try_fold((0, at), |(unit, at), _| {
        let (digit, next) = said(text, at, depth)?;
        Some((unit << 4 | u16::try_from(digit.to_digit(16)?).ok()?, next))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_found_however_often_it_was_put_into_json() {
        let value = "s3\"cr\\e\tt-é😀/";
        let mut text = value.to_owned();
        for _ in 0..=DEPTH {
            assert_eq!(end(&text, 0, value), Some(text.len()), "{text}");
            let quoted = serde_json::Value::from(text).to_string();
            text = quoted[1..quoted.len() - 1].to_owned();
        }
        for text in [r#"s3\"cr\\e\tt-\u00e9\ud83d\ude00\/"#, r#"\u00733\u0022cr\\e\u0009t-\u00E9😀/"#] {
            assert_eq!(end(text, 0, value), Some(text.len()), "{text}");
        }
        for text in ["", "s3", r#"s3\"cr\\e\tt-\u00e"#, r"s3\", r"\u", r"\ud83d\n", r"s3\u002"] {
            assert_eq!(end(text, 0, value), None, "{text}");
        }
    }
}
