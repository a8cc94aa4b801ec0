//! One pass over the text of `input`: its size when written again, its depth, and forbidden keys.
//!
//! The text is known to be valid JSON, so the pass needs no tree, no stack and no allocation.

use memchr::memchr2;
use std::borrow::Cow;
use std::ops::Range;

/// Keys that no input may have, at any depth.
const FORBIDDEN: [&str; 3] = ["__proto__", "constructor", "prototype"];

/// Up to which length a string is looked through byte by byte, which is quicker for short ones.
const SHORT: usize = 24;

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

/// Looks at valid JSON.
pub(crate) fn scan(json: &str) -> Scan {
    let bytes = json.as_bytes();
    let mut found = Scan::default();
    let (mut at, mut level) = (0, 0usize);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => {
                let (end, escaped) = string_end(bytes, at + 1);
                let text = &json[at + 1..end];
                found.size += 2 + if escaped { written_size(text) } else { text.len() };
                at = end + 1;
                if found.forbidden.is_none() && is_key(bytes, at) {
                    found.forbidden = forbidden(text, escaped);
                }
                continue;
            }
            b' ' | b'\t' | b'\n' | b'\r' => {
                at += 1;
                continue;
            }
            b'{' | b'[' => {
                level += 1;
                found.depth = found.depth.max(level);
            }
            b'}' | b']' => level = level.saturating_sub(1),
            _ => {}
        }
        found.size += 1;
        at += 1;
    }
    found
}

/// A key that an object in valid JSON has twice, at any depth. Readers differ in which of the two counts, so what a
/// hook has looked at need not be what a server does.
pub(crate) fn repeated(json: &str) -> Option<Cow<'_, str>> {
    let bytes = json.as_bytes();
    // The keys of every object that is open, one after the other, and where those of each begin.
    let (mut keys, mut open) = (Keys { json, places: Vec::new(), sums: Vec::new() }, Vec::new());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'{' => open.push(keys.sums.len()),
            b'}' => {
                let own = open.pop().unwrap_or(0);
                if let Some(twice) = keys.twice(own) {
                    return Some(twice);
                }
                keys.places.truncate(own);
                keys.sums.truncate(own);
            }
            b'"' => {
                let (start, (end, escaped)) = (at, string_end(bytes, at));
                at = end + 1;
                if is_key(bytes, at)
                    && let Some(twice) = keys.add(start..end, escaped, open.last().copied().unwrap_or(0))
                {
                    return Some(twice);
                }
            }
            _ => {}
        }
    }
    None
}

/// Up to so many keys of one object each is held against all before it; more are sorted when all are there.
const FEW: usize = 32;

/// Keys of objects that are open.
struct Keys<'a> {
    json: &'a str,
    places: Vec<Range<usize>>,
    /// Of the same keys, what is the same for those that read the same.
    sums: Vec<u64>,
}

impl<'a> Keys<'a> {
    fn text(&self, place: &Range<usize>) -> Cow<'a, str> {
        let text = &self.json[place.clone()];
        if text.contains('\\') { unescaped(text) } else { text.into() }
    }

    /// Adds a key of the object whose keys begin at `own`, and gives it back if that has it.
    fn add(&mut self, place: Range<usize>, escaped: bool, own: usize) -> Option<Cow<'a, str>> {
        let sum = match escaped {
            true => sum(self.text(&place).as_bytes()),
            false => sum(self.json[place.clone()].as_bytes()),
        };
        let before = &self.sums[own..];
        if before.len() < FEW && before.contains(&sum) {
            let text = self.text(&place);
            if self.places[own..].iter().any(|other| self.text(other) == text) {
                return Some(text);
            }
        }
        self.places.push(place);
        self.sums.push(sum);
        None
    }

    /// One of two that are the same, of an object that has many.
    fn twice(&self, own: usize) -> Option<Cow<'a, str>> {
        let many = self.places.get(own..).filter(|keys| keys.len() > FEW)?;
        let mut texts: Vec<_> = many.iter().map(|place| self.text(place)).collect();
        texts.sort_unstable();
        texts.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0].clone())
    }
}

/// A number that differs for most keys that differ.
fn sum(key: &[u8]) -> u64 {
    let length = key.len() as u64;
    match (key.first_chunk::<8>(), key.last_chunk::<8>()) {
        (Some(first), Some(last)) => {
            u64::from_le_bytes(*first).rotate_left(7) ^ u64::from_le_bytes(*last) ^ length
        }
        _ => key.iter().fold(length, |sum, byte| sum << 8 | u64::from(*byte)),
    }
}

/// The text of a string as it reads.
fn unescaped(text: &str) -> Cow<'_, str> {
    serde_json::from_str::<String>(&format!("\"{text}\"")).map_or_else(|_| text.into(), Cow::Owned)
}

/// The position of the closing quote of a string whose text starts at `from`, and whether there are escapes in it.
fn string_end(bytes: &[u8], from: usize) -> (usize, bool) {
    let (mut at, mut escaped) = (from, false);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return (at, escaped),
            b'\\' => {
                escaped = true;
                at += 2;
            }
            _ if at < from + SHORT => at += 1,
            _ => at += memchr2(b'"', b'\\', &bytes[at..]).unwrap_or(bytes.len() - at),
        }
    }
    (bytes.len(), escaped)
}

/// Only a key is followed by a colon.
fn is_key(bytes: &[u8], after: usize) -> bool {
    let rest = bytes.get(after..).unwrap_or_default();
    rest.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':')
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
        fn no_text_makes_it_panic(text in "\\PC*") {
            scan(&text);
        }
    }
}
