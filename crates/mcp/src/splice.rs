//! Changing single members of a JSON object without touching the rest of its text.

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::ops::Range;

/// Whether an object may have a member of that name, which is far cheaper to say than where it stands. A letter of a
/// name may be written as an escape.
pub fn mentions(object: &str, name: &str) -> bool {
    let holds = |word: &str| memchr::memmem::find(object.as_bytes(), word.as_bytes()).is_some();
    holds(name) || holds("\\u")
}

/// Where the value of a member of an object stands in its text; the last one wins, as for most readers.
pub fn member_at(object: &str, name: &str) -> Option<Range<usize>> {
    let [at] = members_at(object, [name]);
    at
}

/// The same for several members in one pass over the text.
pub fn members_at<const N: usize>(object: &str, names: [&str; N]) -> [Option<Range<usize>>; N] {
    find_members(object, names, false)
}

/// The same for members that must be there only once: one that is there twice is none.
pub fn only_members_at<const N: usize>(object: &str, names: [&str; N]) -> [Option<Range<usize>>; N] {
    find_members(object, names, true)
}

/// Whether an object has a member of that name twice. The name is looked for as text first, so that a long object is
/// read only where it may be so.
pub fn repeats(object: &str, name: &str) -> bool {
    let bytes = object.as_bytes();
    let plain = memchr::memmem::find_iter(bytes, name).nth(1).is_some();
    // A plain letter may be written as an escape, which nobody does who has nothing to hide.
    let is_plain = |at: usize| matches!(bytes.get(at + 4), Some(b'2'..=b'7'));
    (plain || memchr::memmem::find_iter(bytes, b"\\u00").any(is_plain))
        && member_at(object, name).is_some()
        && only_members_at(object, [name]) == [None]
}

fn find_members<const N: usize>(object: &str, names: [&str; N], once: bool) -> [Option<Range<usize>>; N] {
    struct Find<'n, const N: usize>([&'n str; N], bool);

    impl<'de, const N: usize> Visitor<'de> for Find<'_, N> {
        type Value = [Option<&'de RawValue>; N];

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let (mut found, mut twice) = ([None; N], [false; N]);
            while let Some(Key(key)) = map.next_key()? {
                match self.0.iter().position(|name| *name == key) {
                    Some(at) => twice[at] |= found[at].replace(map.next_value()?).is_some(),
                    None => _ = map.next_value::<IgnoredAny>()?,
                }
            }
            found
                .iter_mut()
                .zip(twice)
                .filter(|(_, twice)| self.1 && *twice)
                .for_each(|(one, _)| *one = None);
            Ok(found)
        }
    }

    struct Key<'a>(Cow<'a, str>);

    impl<'de> Deserialize<'de> for Key<'de> {
        fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
            #[derive(serde::Deserialize)]
            struct Text<'a>(#[serde(borrow)] Cow<'a, str>);
            Text::deserialize(from).map(|Text(text)| Key(text))
        }
    }

    let mut reader = serde_json::Deserializer::from_str(object);
    let found = reader.deserialize_map(Find(names, once)).unwrap_or([None; N]);
    found.map(|value| {
        // The value borrows from the text, so its place is the distance between the two.
        let value = value?.get();
        let start = value.as_ptr() as usize - object.as_ptr() as usize;
        Some(start..start + value.len())
    })
}

/// The members of an object: names as they read, values as they were written.
pub fn members(object: &str) -> Vec<(String, &str)> {
    struct All;

    impl<'de> Visitor<'de> for All {
        type Value = Vec<(String, &'de RawValue)>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut found = Vec::new();
            while let Some(entry) = map.next_entry()? {
                found.push(entry);
            }
            Ok(found)
        }
    }

    let mut reader = serde_json::Deserializer::from_str(object);
    let found = reader.deserialize_map(All).unwrap_or_default();
    found.into_iter().map(|(name, value)| (name, value.get())).collect()
}

/// A text with some places replaced.
pub struct Splice<'a> {
    text: &'a str,
    changes: Vec<(Range<usize>, Cow<'a, [u8]>)>,
}

impl<'a> Splice<'a> {
    /// A text that is not changed yet.
    pub fn new(text: &'a str) -> Self {
        Self { text, changes: Vec::new() }
    }

    /// Puts `with` in the place of a range. Ranges do not overlap.
    pub fn replace(&mut self, at: Range<usize>, with: impl Into<Cow<'a, [u8]>>) {
        self.changes.push((at, with.into()));
    }

    /// Puts members (without braces, such as `"a":1`) first into the object that begins at `at`.
    pub fn insert_members(&mut self, at: usize, members: &str) {
        let after = at + 1;
        let empty = self.text[after..].trim_start().starts_with('}');
        let separator = if empty { "" } else { "," };
        self.changes.push((after..after, format!("{members}{separator}").into_bytes().into()));
    }

    /// Writes the text with its changes; line breaks between tokens are left out.
    pub fn write(mut self, out: &mut Vec<u8>) {
        self.changes.sort_by_key(|(at, _)| at.start);
        let mut from = 0;
        for (at, with) in &self.changes {
            write_line(&self.text[from..at.start], out);
            out.extend_from_slice(with);
            from = at.end;
        }
        write_line(&self.text[from..], out);
    }
}

/// A raw line break can only stand between tokens, where it means nothing but would end a line.
fn write_line(text: &str, out: &mut Vec<u8>) {
    match memchr::memchr2(b'\n', b'\r', text.as_bytes()).is_some() {
        false => out.extend_from_slice(text.as_bytes()),
        true => out.extend(text.bytes().filter(|byte| !matches!(byte, b'\n' | b'\r'))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_is_found_by_its_name_at_the_top_only() {
        let text = r#" { "a" : {"name":1} , "n\u0061me" : "x y" } "#;
        assert_eq!(member_at(text, "name").map(|at| &text[at]), Some(r#""x y""#));
        assert_eq!(member_at(text, "a").map(|at| &text[at]), Some(r#"{"name":1}"#));
        assert_eq!(member_at(text, "b"), None);
        assert_eq!(member_at("[1]", "a"), None);
        assert_eq!(member_at(r#"{"a":1,"a":2}"#, "a"), Some(11..12));
        assert_eq!(members_at(r#"{"a":1,"b":2}"#, ["b", "c", "a"]), [Some(11..12), None, Some(5..6)]);
    }

    #[test]
    fn everything_that_is_not_replaced_stays_as_it_was() {
        let text = "{ \"name\":\"a\",\n \"n\": 1.0e5 , \"_meta\":{ } }";
        let mut splice = Splice::new(text);
        let meta = member_at(text, "_meta").expect("there");
        splice.insert_members(meta.start, r#""k":1"#);
        splice.replace(member_at(text, "name").expect("there"), br#""b""#.as_slice());
        let mut out = Vec::new();
        splice.write(&mut out);
        assert_eq!(String::from_utf8(out).expect("text"), r#"{ "name":"b", "n": 1.0e5 , "_meta":{"k":1 } }"#);
    }
}
