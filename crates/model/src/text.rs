//! Text for messages: one line, bounded, and near misses of a name; and text that is nearly JSON.

use std::borrow::Cow;

const SHOWN_MAX: usize = 80;

/// `text` on one line, control characters escaped, cut when it is long.
pub fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN_MAX) {
        Some((end, _)) => on_one_line(&text[..end]) + "…",
        None => on_one_line(text),
    }
}

/// `text` on one line, control characters escaped.
pub fn on_one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') {
            line.extend(c.escape_default());
        } else {
            line.push(c);
        }
    }
    line
}

/// The one of `known` that was probably meant by `word`.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |text: &str| text.to_lowercase().replace(['_', '-'], "");
    let word = plain(word);
    let allowed = 1 + word.len() / 4;
    // A long word is no typo, and comparing it would cost its square.
    if word.len() > 60 {
        return None;
    }
    let near = known.into_iter().map(|candidate| (distance(&word, &plain(candidate)), candidate));
    near.filter(|(steps, _)| *steps <= allowed.min(2)).min_by_key(|(steps, _)| *steps).map(|(_, c)| c)
}

/// Insertions, deletions and replacements that lead from `a` to `b`.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let step = (diagonal + usize::from(x != *y)).min(row[j] + 1).min(row[j + 1] + 1);
            diagonal = std::mem::replace(&mut row[j + 1], step);
        }
    }
    row[b.len()]
}

/// Bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut digits = vec![0; 2 * bytes.len()];
    for (pair, byte) in digits.chunks_exact_mut(2).zip(bytes) {
        pair[0] = DIGITS[usize::from(byte >> 4)];
        pair[1] = DIGITS[usize::from(byte & 15)];
    }
    // Digits are text.
    String::from_utf8(digits).unwrap_or_default()
}

/// JSON text with U+FFFD in the place of every escape that is half of a surrogate pair, such as one of an emoji that was
/// cut in two.
pub fn whole_pairs(written: &str) -> Cow<'_, str> {
    let unit = |text: &str| u16::from_str_radix(text.strip_prefix("\\u")?.get(..4)?, 16).ok();
    let (mut out, mut done, mut at) = (String::new(), 0, 0);
    while let Some(start) = written[at..].find('\\').map(|found| at + found) {
        let rest = &written[start..];
        at = match (unit(rest), rest.get(6..).and_then(unit)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => start + 12,
            (Some(0xD800..=0xDFFF), _) => {
                out.extend([&written[done..start], "\\ufffd"]);
                done = start + 6;
                done
            }
            // Behind what is escaped, also where that is longer than a byte.
            _ => start + 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
        };
    }
    if done == 0 { written.into() } else { (out + &written[done..]).into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_is_one_bounded_line() {
        assert_eq!(shown("a\nb\tc"), "a\\nb\\tc");
        assert_eq!(shown(&"x".repeat(500)).chars().count(), SHOWN_MAX + 1);
        assert_eq!(shown(&"é".repeat(SHOWN_MAX)), "é".repeat(SHOWN_MAX));
        assert_eq!(on_one_line(&"\r".repeat(100)), "\\r".repeat(100));
    }

    #[test]
    fn halves_of_pairs_are_replaced_and_nothing_else() {
        for (text, expected) in [
            (r#""a\ud83d""#, r#""a\ufffd""#),
            (r#"["\ude00\ud83d\ude00\ud83d"]"#, r#"["\ufffd\ud83d\ude00\ufffd"]"#),
            (r#""\\ud83d \" \u00e9""#, r#""\\ud83d \" \u00e9""#),
            ("\\é\\ud83", "\\é\\ud83"),
        ] {
            assert_eq!(whole_pairs(text), expected);
        }
    }

    #[test]
    fn a_near_miss_is_recognised_and_a_far_one_is_not() {
        let known = ["command", "envs", "env", "timeout", "healthCheckInterval"];
        for (word, expected) in [
            ("comand", Some("command")),
            ("evns", Some("envs")),
            ("Timeout", Some("timeout")),
            ("health_check_interval", Some("healthCheckInterval")),
            ("cwd", None),
            ("description", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, known), expected, "{word}");
        }
    }
}
