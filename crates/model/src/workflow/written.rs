//! A list that is kept as it was written, next to what the gateway reads of it.

use super::WorkflowError;
use serde::de::DeserializeOwned;
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

    /// The members that the gateway looks at. Whatever they are, they can be read.
    type Parts: DeserializeOwned;

    /// Reads what the gateway needs of an item that stands at `path`.
    fn read(parts: Self::Parts, path: &str) -> Result<Self, WorkflowError>;
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
    // Mostly they are objects with each member once, and nothing but what is looked at is kept of them.
    let parts: Vec<T::Parts> = serde_json::from_str(text).or_else(|_| slowly::<T>(text))?;
    let read = |(i, parts)| T::read(parts, &format!("{list}[{i}]"));
    let items = parts.into_iter().enumerate().map(read).collect::<Result<_, _>>()?;
    let raw = RawValue::from_string(compact(text)).map_err(unreadable::<T>)?;
    Ok(Written { text: raw.into(), items })
}

/// Reads any list, and tells what is wrong with others.
fn slowly<T: Item>(text: &str) -> Result<Vec<T::Parts>, WorkflowError> {
    let list = T::LIST;
    let Value::Array(values) = serde_json::from_str(text).map_err(unreadable::<T>)? else {
        return Err(WorkflowError::new(list, format!("{list} must be an array")));
    };
    let parts = |(i, value): (usize, Value)| match value {
        Value::Object(_) => serde_json::from_value(value).map_err(unreadable::<T>),
        _ => Err(WorkflowError::new(&format!("{list}[{i}]"), format!("{list}[{i}] must be a JSON object"))),
    };
    values.into_iter().enumerate().map(parts).collect()
}

fn unreadable<T: Item>(error: serde_json::Error) -> WorkflowError {
    WorkflowError::new(T::LIST, format!("{} cannot be read: {error}", T::LIST))
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
            // A member that stands twice, which the quick way does not take: the last one counts.
            (r#"[{"id":"a","id":"b","type":"t"},{"id":"c","type":"u","data":{}}]"#, "b:t c:u"),
            (r#"[{"id":"a","type":"t"},7]"#, "nodes[1] must be a JSON object"),
            (r#"[{"id":"a","type":"t"},["b","u",null,null]]"#, "nodes[1] must be a JSON object"),
            (r#"[{"id":7,"type":"t"}]"#, "nodes[0].id must be a string that is not empty"),
            (r#"[{"id":"a","type":"t","data":[]}]"#, "nodes[0].data must be a JSON object"),
            (r#"{"id":"a"}"#, "nodes must be an array"),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
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
