//! A list that is kept as it was written, next to what the gateway reads of it.

use super::WorkflowError;
use super::members::{Members, Seen};
use serde::de::MapAccess;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A JSON list as it was written, apart from blanks between tokens, and the items in it.
#[derive(Clone)]
pub struct Written<T> {
    text: Arc<Text>,
    items: Arc<[T]>,
}

/// The text of a list. That of one who is still drawing is never asked for, and left as it is.
struct Text {
    given: Mutex<String>,
    /// The same without blanks, once somebody asked for it.
    compact: OnceLock<Box<RawValue>>,
}

/// Something that stands in a [`Written`] list.
pub(super) trait Item: Sized {
    /// The name of the list.
    const LIST: &'static str;

    /// The members that the gateway looks at.
    const MEMBERS: [&'static str; 4];

    /// Those members, as far as they were read.
    type Parts: Default;

    /// Reads the member at that place among them.
    fn member<'de, M: MapAccess<'de>>(
        parts: &mut Self::Parts,
        at: usize,
        map: &mut M,
    ) -> Result<(), M::Error>;

    /// Makes the item of its members; its place in the list is for errors.
    fn read(parts: Self::Parts, place: usize) -> Result<Self, WorkflowError>;
}

/// The error that the member of the item at that place is no text, or an empty one.
pub(super) fn no_string<T: Item>(place: usize, key: &str) -> WorkflowError {
    WorkflowError::at(&format!("{}[{place}]", T::LIST), key, "must be a string that is not empty")
}

impl<T> Written<T> {
    /// The text.
    pub fn text(&self) -> &str {
        self.raw().get()
    }

    fn raw(&self) -> &RawValue {
        let Text { given, compact } = &*self.text;
        compact.get_or_init(|| {
            let given = std::mem::take(&mut *given.lock().unwrap_or_else(PoisonError::into_inner));
            let text = without_blanks(&given).unwrap_or(given);
            RawValue::from_string(text).expect("what was read is JSON")
        })
    }
}

/// Reads and checks the text of a list.
pub(super) fn parse<T: Item>(text: &str) -> Result<Written<T>, WorkflowError> {
    let list = T::LIST;
    let unreadable = |error| WorkflowError::new(list, format!("{list} cannot be read: {error}"));
    if !text.trim_start().starts_with('[') {
        serde_json::from_str::<Seen>(text).map_err(unreadable)?;
        return Err(WorkflowError::new(list, format!("{list} must be an array")));
    }
    let members: Vec<Members<T>> = serde_json::from_str(text).map_err(unreadable)?;
    let read = |(place, members): (usize, Members<T>)| {
        let no_object = || {
            let path = format!("{list}[{place}]");
            WorkflowError::new(&path, format!("{path} must be a JSON object"))
        };
        T::read(members.0.ok_or_else(no_object)?, place)
    };
    let items = members.into_iter().enumerate().map(read).collect::<Result<_, _>>()?;
    let text = Text { given: Mutex::new(text.to_owned()), compact: OnceLock::new() };
    Ok(Written { text: text.into(), items })
}

impl<T> Deref for Written<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.items
    }
}

impl<T> PartialEq for Written<T> {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

/// Scripts may hold secrets and are long, so only the number of items is shown.
impl<T> fmt::Debug for Written<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{} items]", self.items.len())
    }
}

impl<T> Serialize for Written<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.raw().serialize(serializer)
    }
}

impl<'de, T: Item> Deserialize<'de> for Written<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Box::<RawValue>::deserialize(deserializer)?;
        parse(text.get()).map_err(serde::de::Error::custom)
    }
}

/// JSON without the blanks between its tokens, where there are any. A line break there would end a line of a log or an
/// event.
fn without_blanks(text: &str) -> Option<String> {
    let mut blank = first_blank(text)?;
    let (mut compact, mut rest) = (String::with_capacity(text.len()), text);
    // What stands between two blanks goes over as a whole.
    loop {
        compact.push_str(&rest[..blank]);
        rest = rest[blank..].trim_start_matches([' ', '\n', '\r', '\t']);
        match first_blank(rest) {
            Some(next) => blank = next,
            None => return Some(compact + rest),
        }
    }
}

/// Where the first blank stands that is in no string. Text begins outside of strings.
fn first_blank(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 0;
    loop {
        at += bytes[at..].iter().position(|byte| matches!(byte, b'"' | b' ' | b'\n' | b'\r' | b'\t'))?;
        if bytes[at] != b'"' {
            return Some(at);
        }
        at = past_string(bytes, at + 1)?;
    }
}

/// Which item of a list has something below this many levels; the list itself is the first.
pub(super) fn below(text: &str, levels: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut at, mut depth, mut place) = (0, 0_usize, 0);
    while let Some(byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'"' => at = past_string(bytes, at)?,
            b'{' | b'[' if depth == levels => return Some(place),
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b',' if depth == 1 => place += 1,
            _ => {}
        }
    }
    None
}

/// Where the text goes on after a string that begins there.
fn past_string(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += memchr::memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes[at] == b'"' {
            return Some(at + 1);
        }
        at += 2;
    }
}

#[cfg(test)]
mod tests {
    use super::super::Node;
    use super::*;
    use serde_json::Value;

    #[test]
    fn whatever_a_list_holds_it_is_read_alike() {
        let read = |text: &str| match parse::<Node>(text) {
            Ok(nodes) => {
                nodes.iter().map(|node| format!("{}:{}", node.id, node.kind)).collect::<Vec<_>>().join(" ")
            }
            Err(error) => error.to_string(),
        };
        for (text, expected) in [
            (r#"[{"id":"a","type":"t"},{"type":"u","id":"b","more":{"id":1}}]"#, "a:t b:u"),
            // Of a member that stands twice the last one counts.
            (r#"[{"id":"a","id":"b","type":"t"},{"id":"c","type":"u","data":{}}]"#, "b:t c:u"),
            (r#"[{"id":"a","type":"t"},7]"#, "nodes[1] must be a JSON object"),
            (r#"[{"id":"a","type":"t"},["b","u",null,null]]"#, "nodes[1] must be a JSON object"),
            (r#"[{"id":7,"type":"t"}]"#, "nodes[0].id must be a string that is not empty"),
            (r#"[{"id":"a","type":"t","data":[]}]"#, "nodes[0].data must be a JSON object"),
            (r#"[{"id":"a"},7]"#, "nodes[0].type must be a string that is not empty"),
            (r#"{"id":"a"}"#, "nodes must be an array"),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
        // What nobody looks at must be JSON that can be read too, and the words are those of a tree.
        for text in [
            r#"[{"id":"a","type":"t","more":[1e999]}]"#,
            r#"[{"id":"a","type":"t","\ud800":1}]"#,
            "[{]",
            "7 7",
        ] {
            let error = serde_json::from_str::<Value>(text).expect_err("no JSON");
            assert_eq!(read(text), format!("nodes cannot be read: {error}"));
        }
        let deep = format!(r#"[{{"id":"a","type":"t","more":{}}}]"#, "[".repeat(126) + &"]".repeat(126));
        assert!(read(&deep).starts_with("nodes cannot be read: recursion limit exceeded"), "{}", read(&deep));
        let less = format!(r#"[{{"id":"a","type":"t","more":{}}}]"#, "[".repeat(125) + &"]".repeat(125));
        assert_eq!(read(&less), "a:t");
    }

    #[test]
    fn blanks_go_between_tokens_and_stay_inside_strings() {
        for (text, expected) in [
            ("[ 1 ,\n\t2.50 ]\r\n", "[1,2.50]"),
            (r#"[ "a b" , " \" c\\" , " d" ]"#, r#"["a b"," \" c\\"," d"]"#),
            ("[\" 鍵 \" , 1E2]", "[\" 鍵 \",1E2]"),
        ] {
            assert_eq!(without_blanks(text).as_deref(), Some(expected));
            assert_eq!(without_blanks(expected), None, "{expected}");
        }
    }
}
