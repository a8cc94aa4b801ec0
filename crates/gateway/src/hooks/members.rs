//! A JSON object whose values are kept as they are written.

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use std::fmt;

/// The members of an object, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Members(Vec<(String, Box<RawValue>)>);

impl Members {
    /// The text of a value.
    pub(super) fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| value.get())
    }

    /// Puts a value in its place, or at the end.
    pub(super) fn set(&mut self, key: &str, value: Box<RawValue>) {
        match self.0.iter_mut().find(|(name, _)| name == key) {
            Some((_, old)) => *old = value,
            None => self.0.push((key.to_owned(), value)),
        }
    }

    /// Adds a value, given as JSON text, where there is none.
    pub(super) fn or_insert(&mut self, key: &str, value: impl FnOnce() -> String) {
        if self.get(key).is_none()
            && let Ok(value) = RawValue::from_string(value())
        {
            self.set(key, value);
        }
    }

    /// All but these.
    pub(super) fn without(&self, keys: &[&str]) -> Self {
        Self(self.0.iter().filter(|(name, _)| !keys.contains(&name.as_str())).cloned().collect())
    }

    /// The object again.
    pub(super) fn to_raw(&self) -> Box<RawValue> {
        to_raw_value(self).expect("names and JSON texts")
    }
}

impl Serialize for Members {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = Members;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = Members::default();
                while let Some((name, value)) = map.next_entry::<String, Box<RawValue>>()? {
                    members.set(&name, value);
                }
                Ok(members)
            }
        }

        deserializer.deserialize_map(Object)
    }
}
