//! A value as a text may have it that is JSON, or JSON inside of JSON: with escapes.

/// How often a text may have been put into JSON, one inside of the other.
const DEPTH: usize = 3;

/// Where the value ends that begins at `at`, however it is written; `None` if it does not stand there.
pub(super) fn end(text: &str, at: usize, value: &str) -> Option<usize> {
    // Most places are none; to see that must cost little.
    let byte = text.as_bytes().get(at)?;
    if *byte != b'\\' && value.as_bytes().first() != Some(byte) {
        return None;
    }
    let ends = (0..=DEPTH).filter_map(|depth| {
        let next = |at, wanted| said(text, at, depth).filter(|(one, _)| *one == wanted).map(|(_, next)| next);
        value.chars().try_fold(at, next)
    });
    ends.max()
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
