//! A list that is kept as it was written, next to what the gateway reads of it.

use super::WorkflowError;
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

    /// Reads what the gateway needs of an item that stands at `path`.
    fn read(value: Value, path: &str) -> Result<Self, WorkflowError>;
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
    let Value::Array(values) = serde_json::from_str(text).map_err(unreadable)? else {
        return Err(WorkflowError::new(list, format!("{list} must be an array")));
    };
    let read = |(i, value)| T::read(value, &format!("{list}[{i}]"));
    let items = values.into_iter().enumerate().map(read).collect::<Result<_, _>>()?;
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
    use super::*;

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
