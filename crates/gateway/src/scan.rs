//! One pass over the text of `input`: its size when written again, its depth, and forbidden keys.
//!
//! The text is known to be valid JSON, so the pass needs no tree, no stack and no allocation.

use model::json::string_end;
use std::borrow::Cow;
use std::ops::Range;

/// Keys that no input may have, at any depth.
const FORBIDDEN: [&str; 3] = ["__proto__", "constructor", "prototype"];

/// What a byte between the strings is.
const BLANK: u8 = 1;
const OPENS: u8 = 2;
const CLOSES: u8 = 4;

const KINDS: [u8; 256] = {
    let mut kinds = [0; 256];
    let all = [(b" \t\n\r" as &[u8], BLANK), (b"{[", OPENS), (b"}]", CLOSES)];
    let mut kind = 0;
    while kind < all.len() {
        let mut at = 0;
        while at < all[kind].0.len() {
            kinds[all[kind].0[at] as usize] = all[kind].1;
            at += 1;
        }
        kind += 1;
    }
    kinds
};

/// What the pass found.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Scan {
    /// Bytes of the value written again without white space and needless escapes.
    pub(crate) size: usize,
    /// Levels of objects and arrays; the root is level 1.
    pub(crate) depth: usize,
    /// The first forbidden key.
    pub(crate) forbidden: Option<&'static str>,
}

/// Looks at valid JSON. Between strings nothing depends on what a byte is: to guess that wrong is what takes time.
pub(crate) fn scan(json: &str) -> Scan {
    let bytes = json.as_bytes();
    let mut found = Scan::default();
    let (mut at, mut level) = (0, 0usize);
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        if byte == b'"' {
            let (end, escaped) = string_end(bytes, at).unwrap_or((bytes.len(), false));
            let (text, length) = (at..end, end - at);
            found.size += 2 + if escaped { written_size(&json[text.clone()]) } else { length };
            at = end + 1;
            if (escaped || may_be_forbidden(length)) && found.forbidden.is_none() && is_key(bytes, at) {
                found.forbidden = forbidden(&json[text], escaped);
            }
            continue;
        }
        let is = |kind: u8| usize::from(KINDS[usize::from(byte)] & kind != 0);
        found.size += 1 - is(BLANK);
        level = level.wrapping_add(is(OPENS)).wrapping_sub(is(CLOSES));
        found.depth = found.depth.max(level);
    }
    found
}

/// A key that an object in valid JSON has twice, at any depth. Readers differ in which of the two counts, so what a
/// hook has looked at need not be what a server does.
pub fn repeated(json: &str) -> Option<Cow<'_, str>> {
    let bytes = json.as_bytes();
    // The keys of every object that is open, one after the other, and of those around the innermost, where theirs begin.
    let (mut keys, mut around) = (Vec::with_capacity(FEW), Vec::new());
    let (mut own, mut at) = (Own::default(), 0);
    while let Some(byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'"' => {
                let (start, (end, escaped)) = (at, string_end(bytes, at).unwrap_or((bytes.len(), false)));
                at = end + 1;
                if !is_key(bytes, at) {
                    continue;
                }
                let key = Key::new(json, start..end, escaped);
                if own.may_have(&key) && keys.len() - own.start < FEW {
                    let mut others = keys[own.start..].iter();
                    if others.any(|other: &Key| other.is(&key, json)) {
                        return Some(key.text(json));
                    }
                }
                own.marks |= key.mark();
                keys.push(key);
            }
            b'{' => around.push(std::mem::replace(&mut own, Own { start: keys.len(), marks: 0 })),
            b'}' => {
                if let Some(twice) = twice(json, &keys[own.start..]) {
                    return Some(twice);
                }
                keys.truncate(own.start);
                own = around.pop().unwrap_or_default();
            }
            _ => {}
        }
    }
    None
}

/// Up to so many keys of one object each is held against all before it; more are sorted when all are there.
const FEW: usize = 32;

/// The keys of the object that is looked at.
#[derive(Default)]
struct Own {
    /// Where they begin.
    start: usize,
    /// Which marks they have.
    marks: u64,
}

impl Own {
    /// Whether the key may be one of them. Mostly it is not.
    fn may_have(&self, key: &Key) -> bool {
        self.marks & key.mark() != 0
    }
}

/// A key of an object that is open.
struct Key {
    place: Range<usize>,
    /// The same for those that read the same.
    sum: u64,
}

impl Key {
    fn new(json: &str, place: Range<usize>, escaped: bool) -> Self {
        let sum = match escaped {
            true => sum(unescaped(&json[place.clone()]).as_bytes(), 0),
            false => sum(&json.as_bytes()[..place.end], place.start),
        };
        Self { place, sum }
    }

    /// One bit, by its sum.
    const fn mark(&self) -> u64 {
        const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
        1 << (self.sum.wrapping_mul(SPREAD) >> 58)
    }

    fn text<'a>(&self, json: &'a str) -> Cow<'a, str> {
        let text = &json[self.place.clone()];
        if text.contains('\\') { unescaped(text) } else { text.into() }
    }

    fn is(&self, other: &Self, json: &str) -> bool {
        self.sum == other.sum && self.text(json) == other.text(json)
    }
}

/// One of two keys that are the same, of an object that has many.
fn twice<'a>(json: &'a str, keys: &[Key]) -> Option<Cow<'a, str>> {
    if keys.len() <= FEW {
        return None;
    }
    let mut texts: Vec<_> = keys.iter().map(|key| key.text(json)).collect();
    texts.sort_unstable();
    texts.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0].clone())
}

/// A number that differs for most texts that differ: of the one from `start` to the end.
fn sum(bytes: &[u8], start: usize) -> u64 {
    let text = &bytes[start..];
    let length = text.len() as u64;
    match (text.first_chunk(), bytes.last_chunk()) {
        (Some(first), Some(last)) => {
            u64::from_le_bytes(*first).rotate_left(7) ^ u64::from_le_bytes(*last) ^ length
        }
        // What stands before a short text is shifted out.
        (None, Some(last)) if length > 0 => u64::from_le_bytes(*last) >> (64 - 8 * length) | length << 56,
        _ => text.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte)) | length << 56,
    }
}

/// The text of a string as it reads.
fn unescaped(text: &str) -> Cow<'_, str> {
    serde_json::from_str::<String>(&format!("\"{text}\"")).map_or_else(|_| text.into(), Cow::Owned)
}

/// Only a key is followed by a colon.
fn is_key(bytes: &[u8], after: usize) -> bool {
    let rest = bytes.get(after..).unwrap_or_default();
    rest.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':')
}

/// Whether there is a forbidden key of this length.
const fn may_be_forbidden(length: usize) -> bool {
    matches!(length, 9 | 11)
}

fn forbidden(text: &str, escaped: bool) -> Option<&'static str> {
    if !escaped {
        return FORBIDDEN.into_iter().find(|key| *key == text);
    }
    let plain = unescaped(text);
    FORBIDDEN.into_iter().find(|key| *key == plain)
}

/// Bytes of a string's text with escapes when it is written again: an escape that is not needed becomes its character.
fn written_size(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut size, mut at) = (0, 0);
    while at < bytes.len() {
        let (read, written) = match (bytes[at], bytes.get(at + 1)) {
            (b'\\', Some(b'u')) => unicode_escape(text, at),
            (b'\\', Some(b'/')) => (2, 1),
            (b'\\', Some(_)) => (2, 2),
            _ => (1, 1),
        };
        at += read;
        size += written;
    }
    size
}

/// Bytes read and bytes written for the `\u` escape at `at`; a pair of surrogates counts as one.
fn unicode_escape(text: &str, at: usize) -> (usize, usize) {
    let unit = |at: usize| text.get(at + 2..at + 6).and_then(|hex| u32::from_str_radix(hex, 16).ok());
    let next_is_escape = text.get(at + 6..at + 8) == Some("\\u");
    match (unit(at), next_is_escape.then(|| unit(at + 6)).flatten()) {
        (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => (12, 4),
        (Some(0xD800..=0xDFFF), _) => (6, 6),
        (Some(0x08 | 0x09 | 0x0A | 0x0C | 0x0D | 0x22 | 0x5C), _) => (6, 2),
        (Some(0x00..=0x1F), _) => (6, 6),
        (Some(unit), _) => (6, char::from_u32(unit).map_or(6, char::len_utf8)),
        (None, _) => (6, 6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(json: &str, size: usize, depth: usize, forbidden: Option<&str>) {
        let found = scan(json);
        assert_eq!((found.size, found.depth, found.forbidden), (size, depth, forbidden), "{json}");
    }

    #[test]
    fn no_forbidden_key_is_of_another_length() {
        assert!(FORBIDDEN.iter().all(|key| may_be_forbidden(key.len())));
    }

    #[test]
    fn size_depth_and_keys_are_found_in_one_pass() {
        check("{}", 2, 1, None);
        check(" { \"a\" : [ 1 , { } ] } ", r#"{"a":[1,{}]}"#.len(), 3, None);
        check(r#"{"a":"the constructor of __proto__"}"#, 36, 1, None);
        check(r#"{"constructor":1}"#, 17, 1, Some("constructor"));
        check(r#"{"a":[{"b":{"prototype" :1}}]}"#, 29, 4, Some("prototype"));
        check(r#"{"a":"\"__proto__\":1"}"#, 23, 1, None);
        check(r#"{"\u005f_proto__":1}"#, 15, 1, Some("__proto__"));
        check(
            r#"{"a":"\u00e9\u65e5\ud83d\ude00\/\n\u000a\u0001\ud800"}"#,
            8 + 2 + 3 + 4 + 1 + 2 + 2 + 6 + 6,
            1,
            None,
        );
        check(r#"{"a":"[{[{"}"#, 12, 1, None);
    }

    #[test]
    fn a_key_that_stands_twice_in_one_object_is_found() {
        for (json, expected) in [
            (r#"{"a":1,"b":{"a":1},"c":[{"a":1},{"a":2}]}"#, None),
            (r#"{"a":1,"a":1}"#, Some("a")),
            (r#"{"x":[1,{"b":{},"a":1, "b" :2}]}"#, Some("b")),
            (r#"{"a":{"c":1},"b":2,"a":3}"#, Some("a")),
            (r#"{"name":1,"n\u0061me":2}"#, Some("name")),
            (r#"{"a":"a","b":"\"b\":1","c":"{}"}"#, None),
            (r#"{"":1,"":2}"#, Some("")),
            (r#"{"a long key, the first":1,"a long key, the worst":2,"a long key, no first":3}"#, None),
            (
                r#"{"a long key, the first":1,"a long key, the worst":2,"a long key, the first":3}"#,
                Some("a long key, the first"),
            ),
            (r#"{"a":[{"a":1}],"b":{"b":{"c":1},"a":2}}"#, None),
            ("[]", None),
        ] {
            assert_eq!(repeated(json).as_deref(), expected, "{json}");
        }
        let many: Vec<String> = (0..40).map(|n| format!("\"k{}\":1", n % 39)).collect();
        assert_eq!(repeated(&format!("{{{}}}", many.join(","))).as_deref(), Some("k0"));
        let many: Vec<String> = (0..40).map(|n| format!("\"k{n}\":{{\"k{n}\":1}}")).collect();
        assert_eq!(repeated(&format!("{{{}}}", many.join(","))), None);
        let deep = format!("{}{}{}", r#"{"a":"#.repeat(500), r#"{"b":1,"b":2}"#, "}".repeat(500));
        assert_eq!(repeated(&deep).as_deref(), Some("b"));
    }

    proptest::proptest! {
        #[test]
        fn the_size_is_what_a_serialiser_would_write(
            text in proptest::collection::vec(proptest::char::any(), 0..20),
            number in proptest::num::i64::ANY,
            depth in 1usize..20,
        ) {
            let text: String = text.into_iter().collect();
            let mut value = serde_json::json!({ "key": text, "n": number });
            for _ in 1..depth {
                value = serde_json::json!([value]);
            }
            let pretty = serde_json::to_string_pretty(&value).expect("json");
            let found = scan(&pretty);
            proptest::prop_assert_eq!(found.size, serde_json::to_string(&value).expect("json").len());
            proptest::prop_assert_eq!(found.depth, depth);
        }

        #[test]
        fn a_key_stands_twice_exactly_when_a_reader_finds_it_twice(
            keys in proptest::collection::vec(("[ab]{0,2}|[ab]{7,10}|same key [0-9]", 0..3_u8), 0..40),
        ) {
            let written = |(key, how): &(String, u8)| match how {
                // The last letter with an escape.
                1 if !key.is_empty() => {
                    let (rest, last) = key.split_at(key.len() - 1);
                    format!("\"{rest}\\u{:04x}\": {{}}", last.as_bytes()[0])
                }
                2 => format!("\"{key}\" :[\"{key}\",{{\"{key}\":1}}]"),
                _ => format!("\"{key}\":1"),
            };
            let json = format!("[{{{}}}]", keys.iter().map(written).collect::<Vec<_>>().join(","));
            let different: std::collections::HashSet<_> = keys.iter().map(|(key, _)| key).collect();
            proptest::prop_assert_eq!(repeated(&json).is_some(), different.len() < keys.len(), "{}", json);
        }

        #[test]
        fn no_text_makes_it_panic(text in "\\PC*") {
            scan(&text);
        }
    }
}
