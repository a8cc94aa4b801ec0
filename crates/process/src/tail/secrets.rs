//! Values that must not be shown.

use super::{CUT, escapes};

const MASK: &str = "***";
/// The shortest piece of a secret of several lines that is masked by itself.
const PIECE: usize = 4;

/// Values that must not be shown, the longest first.
pub(super) struct Secrets {
    values: Vec<String>,
    /// Pieces too short to be masked inside of a line.
    short: Vec<String>,
}

impl Secrets {
    /// Takes the values that can be recognised: not empty, not mere white space.
    ///
    /// Of a value with several lines, such as a key file, each line counts, because lines are all that
    /// is ever looked at. A short one counts where it is the whole line.
    pub(super) fn new(secrets: Vec<String>) -> Self {
        let (mut values, mut short) = (Vec::new(), Vec::new());
        for secret in secrets {
            if secret.contains(['\n', '\r']) {
                let pieces = secret.split(['\n', '\r']).map(str::trim).filter(|piece| !piece.is_empty());
                for piece in pieces {
                    let kept = if piece.len() < PIECE { &mut short } else { &mut values };
                    kept.push(piece.to_owned());
                }
                // What is no line has it as a whole.
                values.push(secret);
            } else if !secret.trim().is_empty() {
                values.push(secret);
            }
        }
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        values.dedup();
        Self { values, short }
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.values.is_empty() && self.short.is_empty()
    }

    /// The most bytes that one takes: six for a character that is escaped.
    pub(super) fn longest(&self) -> usize {
        self.values.first().map_or(0, |value| 6 * value.len())
    }

    /// Those of at least `shortest` characters that may stand in the text. Letters and digits need no escapes, so that
    /// a text without those of a secret is one without the secret.
    fn near(&self, text: &str, shortest: usize) -> Vec<&str> {
        let long = |value: &&str| value.chars().count() >= shortest;
        let pieces = |value: &&str| {
            value.split(|one: char| !one.is_ascii_alphanumeric()).all(|piece| text.contains(piece))
        };
        self.values.iter().map(String::as_str).filter(long).filter(pieces).collect()
    }

    /// The text with every secret masked that has at least `shortest` characters, cut to `limit` bytes. A secret that
    /// begins before the cut is masked as a whole; secrets that overlap are masked as one.
    pub(super) fn mask(&self, text: &str, limit: usize, shortest: usize) -> String {
        if self.short.iter().any(|piece| piece == text.trim() && piece.chars().count() >= shortest) {
            return MASK.to_owned();
        }
        let near = self.near(text, shortest);
        if near.is_empty() && text.len() <= limit {
            return text.to_owned();
        }
        let mut shown = String::with_capacity(text.len().min(limit));
        let mut at = 0;
        while let Some(next) = text[at..].chars().next() {
            let end = end(&near, text, at);
            let piece = if end > at { MASK } else { &text[at..at + next.len_utf8()] };
            // A position in the text never runs ahead of what the child wrote by more than the limit
            // allows, so a secret that begins here is not cut in half.
            if at >= limit || shown.len() + piece.len() > limit {
                let room = limit.saturating_sub(CUT.len());
                shown.truncate(shown.floor_char_boundary(room));
                shown.push_str(CUT);
                break;
            }
            shown.push_str(piece);
            at = end.max(at + next.len_utf8());
        }
        shown
    }
}

/// Where the secret that begins at `at` ends, together with all that overlap it; `at` if none does.
fn end(secrets: &[&str], text: &str, at: usize) -> usize {
    let mut end = at;
    let mut from = at;
    while from <= end {
        if text.is_char_boundary(from) {
            let ends = secrets.iter().filter_map(|value| escapes::end(text, from, value));
            end = ends.fold(end, usize::max);
        }
        from += 1;
        // Secrets that only touch are two.
        if from >= end {
            break;
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_of_several_short_lines_is_one_where_lines_are_not_all_there_is() {
        let secrets = Secrets::new(vec!["pin-7\n4481x\nq9zz".to_owned()]);
        assert_eq!(secrets.mask("it is pin-7\n4481x\nq9zz!", usize::MAX, 6), "it is ***!");
    }

    fn check(secrets: &[&str], text: &str, expected: &str) {
        let secrets = Secrets::new(secrets.iter().map(|&secret| secret.into()).collect());
        assert_eq!(secrets.mask(text, 40, 0), expected, "{text}");
    }

    #[test]
    fn every_secret_is_masked_wherever_it_stands() {
        check(&["abc"], "abc xabcx ab", "*** x***x ab");
        check(&["abc", "abcdef"], "abcdef abc", "*** ***");
        check(&["abc", "bcd"], "abcd", "***");
        check(&["abc"], "abcabc", "******");
        check(&["", " "], "a b", "a b");
        check(&["ключ"], "мой ключ!", "мой ***!");
        check(&["-----BEGIN\nline one\nx\n"], "-----BEGIN / line one / x", "*** / *** / x");
        check(&["two\nlines-secret"], "lines-secret, two", "***, two");
        check(&["two\nlines-secret"], "two", "***");
        check(&["{\n  \"a\": 1\n}"], "  }\r", "***");
        check(&[r#"a"b\c"#], r#"{"k":"a\"b\\c"} a"b\c"#, r#"{"k":"***"} ***"#);
        check(&["a\nb"], r#""a\nb" a"#, r#""***" a"#);
        check(&["s3\"-é"], r#"{"k":"s3\"-\u00e9"}"#, r#"{"k":"***"}"#);
        check(&["s3\"-é"], r#"{"k":"{\"k\":\"s3\\\"-é\"}"}"#, r#"{"k":"{\"k\":\"***\"}"}"#);
    }

    #[test]
    fn what_is_too_short_can_be_left_out() {
        let secrets =
            Secrets::new(["1", "false", "ключик", "abc123", "a\nfive5\nsix456"].map(str::to_owned).into());
        let masked = |text: &str| secrets.mask(text, usize::MAX, 6);
        assert_eq!(masked("1 is false: abc1234 ключик"), "1 is false: ***4 ***");
        assert_eq!((masked("a"), masked("five5 six456")), ("a".into(), "five5 ***".into()));
    }

    #[test]
    fn a_text_is_cut_at_the_limit() {
        check(&[], &"x".repeat(40), &"x".repeat(40));
        check(&[], &"x".repeat(41), &format!("{}…", "x".repeat(37)));
    }
}
