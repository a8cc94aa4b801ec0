//! A list that is kept as it was written, next to what the gateway reads of it.

use super::WorkflowError;
use super::members::{Members, Seen};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// A JSON list as it was written, apart from blanks between tokens, and the items in it.
#[derive(Clone)]
pub struct Written<T> {
    text: Arc<RawValue>,
    items: Arc<[T]>,
}

/// Something that stands in a [`Written`] list.
pub(super) trait Item: Sized {
    /// The name of the list.
    const LIST: &'static str;

    /// The members that the gateway looks at.
    const MEMBERS: [&'static str; 4];

    /// Reads what the gateway needs of an item that stands at `path`, of those members in their order.
    fn read(members: [Option<Value>; 4], path: &str) -> Result<Self, WorkflowError>;
}

impl<T> Written<T> {
    /// The text.
    pub fn text(&self) -> &str {
        self.text.get()
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
    let read = |(i, members): (usize, Members<T>)| {
        let place = format!("{list}[{i}]");
        let no_object = || WorkflowError::new(&place, format!("{place} must be a JSON object"));
        T::read(members.0.ok_or_else(no_object)?, &place)
    };
    let items = members.into_iter().enumerate().map(read).collect::<Result<_, _>>()?;
    let raw = RawValue::from_string(compact(text)).map_err(unreadable)?;
    Ok(Written { text: raw.into(), items })
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
        self.text.serialize(serializer)
    }
}

impl<'de, T: Item> Deserialize<'de> for Written<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Box::<RawValue>::deserialize(deserializer)?;
        parse(text.get()).map_err(serde::de::Error::custom)
    }
}

/// JSON without the blanks between its tokens. A line break there would end a line of a log or an event.
fn compact(text: &str) -> String {
    let (mut quoted, mut escaped) = (false, false);
    let is_blank = |c: char| {
        let blank = !quoted && matches!(c, ' ' | '\n' | '\r' | '\t');
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ => {}
        }
        blank
    };
    // What stands between two blanks goes over as a whole.
    text.split(is_blank).collect()
}

#[cfg(test)]
mod tests {
    use super::super::Node;
    use super::*;

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
            assert_eq!(compact(text), expected);
        }
    }
}
