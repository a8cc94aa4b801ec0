//! Values that must not be shown.

use super::{CUT, escapes};
use aho_corasick::{AhoCorasick, AhoCorasickKind};
use std::ops::Range;

const MASK: &str = "***";
/// The shortest piece of a secret of several lines that is masked by itself.
const PIECE: usize = 4;

/// The longest piece by which a secret is found.
const ANCHOR: usize = 8;

/// Values that must not be shown.
pub(super) struct Secrets {
    /// In order, so that those that begin alike stand together.
    values: Vec<Secret>,
    /// The bytes with which a value may begin in a text.
    begins: [bool; 256],
    /// Finds the anchors of all values; `None` where one has none.
    anchors: Option<AhoCorasick>,
    /// Pieces too short to be masked inside of a line.
    short: Vec<String>,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Secret {
    value: String,
    /// How many characters it has.
    length: usize,
}

impl Secret {
    fn new(value: String) -> Self {
        Self { length: value.chars().count(), value }
    }

    fn first(&self) -> Option<u8> {
        self.value.bytes().next()
    }

    /// What stands before its first letters and digits, and the first of these. They need no escapes.
    fn anchor(&self) -> Option<(&str, &str)> {
        let start = self.value.find(|one: char| one.is_ascii_alphanumeric())?;
        let (before, rest) = self.value.split_at(start);
        let end = rest.find(|one: char| !one.is_ascii_alphanumeric()).unwrap_or(rest.len());
        Some((before, &rest[..end.min(ANCHOR)]))
    }

    /// Where it may begin if its anchor is at `at`.
    fn starts(&self, at: usize) -> Range<usize> {
        let before = self.anchor().map_or("", |(before, _)| before);
        let first = at.saturating_sub(before.chars().count() * escapes::WIDEST);
        first..(at + 1).saturating_sub(before.len())
    }
}

impl Secrets {
    /// Takes the values that can be recognised: not empty, not mere white space.
    ///
    /// Of a value with several lines, such as a key file, each line counts, because lines are all that
    /// is ever looked at. A short one counts where it is the whole line.
    pub(super) fn new(secrets: Vec<String>) -> Self {
        let (mut values, mut short) = (Vec::new(), Vec::new());
        for secret in secrets.into_iter().filter(|secret| !secret.trim().is_empty()) {
            if secret.contains(['\n', '\r']) {
                let pieces = secret.split(['\n', '\r']).map(str::trim).filter(|piece| !piece.is_empty());
                for piece in pieces {
                    match piece.len() < PIECE {
                        true => short.push(piece.to_owned()),
                        false => values.push(Secret::new(piece.to_owned())),
                    }
                }
            }
            // What is no line has it as a whole.
            values.push(Secret::new(secret));
        }
        values.sort();
        values.dedup();
        let mut begins = [false; 256];
        // Any of them may begin with an escape.
        for byte in values.iter().filter_map(Secret::first).chain([b'\\']) {
            begins[usize::from(byte)] = true;
        }
        Self { anchors: anchors(&values), values, begins, short }
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.values.is_empty() && self.short.is_empty()
    }

    /// The most bytes that one takes: six for a character that is escaped.
    pub(super) fn longest(&self) -> usize {
        self.values.iter().map(|secret| 6 * secret.value.len()).max().unwrap_or(0)
    }

    /// The text with every secret masked that has at least `shortest` characters, cut to `limit` bytes. A secret that
    /// begins before the cut is masked as a whole; secrets that overlap are masked as one.
    pub(super) fn mask(&self, text: &str, limit: usize, shortest: usize) -> String {
        if self.short.iter().any(|piece| piece == text.trim() && piece.chars().count() >= shortest) {
            return MASK.to_owned();
        }
        let mut shown = Shown { text: String::with_capacity(text.len().min(limit)), limit };
        let mut at = 0;
        for secret in self.find(text, shortest) {
            // A position in the text never runs ahead of what the child wrote by more than the limit
            // allows, so a secret that begins here is not cut in half.
            if !shown.add(text, at..secret.start) || !shown.add_mask(secret.start) {
                return shown.cut();
            }
            at = secret.end;
        }
        match shown.add(text, at..text.len()) {
            true => shown.text,
            false => shown.cut(),
        }
    }

    /// Where secrets stand in the text; those that overlap are one, and those that only touch are two.
    fn find(&self, text: &str, shortest: usize) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        if self.values.is_empty() {
            return found;
        }
        for hit in self.anchors.iter().flat_map(|anchors| anchors.find_overlapping_iter(text)) {
            let secret = &self.values[hit.pattern()];
            if secret.length >= shortest {
                let ends = |start| Some(start..escapes::end(text, start, &secret.value)?);
                let may_begin = |at: &usize| text.is_char_boundary(*at);
                found.extend(secret.starts(hit.start()).filter(may_begin).filter_map(ends));
            }
        }
        for places in self.unanchored(text) {
            let may_begin = |at: &usize| self.begins[usize::from(text.as_bytes()[*at])];
            let ends = |start| Some(start..self.end(text, start, shortest)?);
            found.extend(places.filter(may_begin).filter_map(ends));
        }
        found.sort_by_key(|secret| secret.start);
        found.dedup_by(|next, secret| {
            let overlap = next.start < secret.end;
            if overlap {
                secret.end = secret.end.max(next.end);
            }
            overlap
        });
        found
    }

    /// Where a secret may begin whose anchor is not to be seen: everywhere if one has none, else before a disguise.
    fn unanchored(&self, text: &str) -> Vec<Range<usize>> {
        if self.anchors.is_none() {
            return std::iter::once(0..text.len()).collect();
        }
        let reach = self.values.iter().map(|secret| secret.length * escapes::WIDEST).max().unwrap_or(0);
        let mut places: Vec<Range<usize>> = Vec::new();
        for at in escapes::disguises(text) {
            let start = at.saturating_sub(reach);
            match places.last_mut().filter(|last| last.end >= start) {
                Some(last) => last.end = at + 1,
                None => places.push(start..at + 1),
            }
        }
        places
    }

    /// Where the longest secret ends that begins at `at`.
    fn end(&self, text: &str, at: usize, shortest: usize) -> Option<usize> {
        let long = |secret: &&Secret| secret.length >= shortest;
        let ends = |secret: &Secret| escapes::end(text, at, &secret.value);
        let longest = |byte| self.beginning(byte).iter().filter(long).filter_map(ends).max();
        match *text.as_bytes().get(at)? {
            b'\\' => escapes::firsts(text, at).filter_map(|one| longest(first_byte(one))).max(),
            byte => longest(byte),
        }
    }

    /// Those that begin with that byte.
    fn beginning(&self, byte: u8) -> &[Secret] {
        if !self.begins[usize::from(byte)] {
            return &[];
        }
        let rest = &self.values[self.values.partition_point(|secret| secret.first() < Some(byte))..];
        &rest[..rest.partition_point(|secret| secret.first() == Some(byte))]
    }
}

/// What finds the anchors of the values, each under the number of its value. It is small rather than fast: every server
/// has one.
fn anchors(values: &[Secret]) -> Option<AhoCorasick> {
    let anchors: Option<Vec<&str>> = values.iter().map(|secret| Some(secret.anchor()?.1)).collect();
    let anchors = anchors.filter(|anchors| !anchors.is_empty());
    AhoCorasick::builder().kind(Some(AhoCorasickKind::ContiguousNFA)).build(anchors?).ok()
}

fn first_byte(one: char) -> u8 {
    one.encode_utf8(&mut [0; 4]).as_bytes()[0]
}

/// What is shown of a text.
struct Shown {
    text: String,
    limit: usize,
}

impl Shown {
    /// Adds a piece of the text as it is. Whether there was room for all of it.
    fn add(&mut self, text: &str, piece: Range<usize>) -> bool {
        // The last character to be shown is the one across the limit, in the text and in what is shown.
        let end = piece.end.min(text.ceil_char_boundary(self.limit)).max(piece.start);
        let room = piece.start.saturating_add(self.limit - self.text.len());
        let end = end.min(text.floor_char_boundary(room));
        self.text.push_str(&text[piece.start..end]);
        end == piece.end
    }

    /// Adds the mask of a secret that begins at `start`. Whether there was room for it.
    fn add_mask(&mut self, start: usize) -> bool {
        let fits = start < self.limit && self.text.len() + MASK.len() <= self.limit;
        if fits {
            self.text.push_str(MASK);
        }
        fits
    }

    fn cut(mut self) -> String {
        let room = self.limit.saturating_sub(CUT.len());
        self.text.truncate(self.text.floor_char_boundary(room));
        self.text.push_str(CUT);
        self.text
    }
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
        check(&["Abc😀"], r#"\u0041bc\uD83D\ude00 Ab\u0063\ud83d\uDE00"#, "*** ***");
        check(&["a/Abc"], r#"{\"k\":\"a\\/\\u0041bc\"}"#, r#"{\"k\":\"***\"}"#);
        check(&["\n\n"], r"a\n\nb", r"a\n\nb");
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

    /// Looks at every place for every secret.
    fn plainly(secrets: &Secrets, text: &str, limit: usize) -> String {
        let end = |at: usize| {
            let ends = secrets.values.iter().filter_map(|secret| escapes::end(text, at, &secret.value));
            ends.max().filter(|_| text.is_char_boundary(at))
        };
        let (mut shown, mut at) = (String::new(), 0);
        while let Some(next) = text[at..].chars().next() {
            let mut whole = end(at);
            let mut from = at + 1;
            while whole.is_some_and(|whole| from < whole) {
                whole = whole.max(text.is_char_boundary(from).then(|| end(from)).flatten());
                from += 1;
            }
            let piece = if whole.is_some() { MASK } else { &text[at..at + next.len_utf8()] };
            if at >= limit || shown.len() + piece.len() > limit {
                shown.truncate(shown.floor_char_boundary(limit.saturating_sub(CUT.len())));
                return shown + CUT;
            }
            shown.push_str(piece);
            at = whole.unwrap_or(at + next.len_utf8());
        }
        shown
    }

    #[test]
    fn nothing_is_passed_over_and_nothing_else_is_masked() {
        const PIECES: [&str; 12] =
            ["a", "b", "ab", "é", "😀", "\\", "\"", "\\u0061", "\\u00e9", "\\ud83d\\ude00", "/", " "];
        let mut state = 7_usize;
        let mut below = |most: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % most
        };
        let mut some = |most: usize| -> String { (0..=below(most)).map(|_| PIECES[below(12)]).collect() };
        for _ in 0..20_000 {
            let secrets = Secrets::new(vec![some(3), some(3), some(5)]);
            let text = some(24);
            for limit in [usize::MAX, 20, 2] {
                let values: Vec<&str> = secrets.values.iter().map(|secret| secret.value.as_str()).collect();
                assert_eq!(
                    secrets.mask(&text, limit, 0),
                    plainly(&secrets, &text, limit),
                    "{values:?} in {text}, {limit}"
                );
            }
        }
    }
}
