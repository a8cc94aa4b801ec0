//! What a session remembers, as one step sees and changes it.

use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The memory of a session with the changes of one step, which are kept when the step succeeds.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    base: Arc<Map<String, Value>>,
    changes: BTreeMap<String, Option<Value>>,
}

impl Memory {
    /// The memory as it is recorded.
    pub fn new(base: impl Into<Arc<Map<String, Value>>>) -> Self {
        Self { base: base.into(), changes: BTreeMap::new() }
    }

    /// What is remembered under a key.
    pub fn get(&self, key: &str) -> Option<&Value> {
        match self.changes.get(key) {
            Some(change) => change.as_ref(),
            None => self.base.get(key),
        }
    }

    /// Remembers something.
    pub fn set(&mut self, key: impl Into<String>, value: impl Into<Value>) {
        self.changes.insert(key.into(), Some(value.into()));
    }

    /// Forgets something.
    pub fn remove(&mut self, key: &str) {
        self.changes.insert(key.to_owned(), None);
    }

    /// All of it.
    pub fn to_map(&self) -> Map<String, Value> {
        let mut all = (*self.base).clone();
        apply(&mut all, &self.changes, &[]);
        all
    }

    /// The text of all of it.
    pub(crate) fn text(&self) -> String {
        let text = match self.changes.is_empty() {
            true => serde_json::to_string(&*self.base),
            false => serde_json::to_string(&self.to_map()),
        };
        text.expect("a map of JSON values")
    }

    /// Takes over a whole memory that a script left behind.
    pub(crate) fn replace(&mut self, mut all: Map<String, Value>) {
        let before = self.to_map();
        for key in before.keys() {
            match all.remove(key) {
                None => self.remove(key),
                Some(value) if before.get(key) != Some(&value) => self.set(key.clone(), value),
                Some(_) => {}
            }
        }
        for (key, value) in all {
            self.set(key, value);
        }
    }

    /// What the step remembers anew.
    pub(crate) fn changed(&self) -> impl Iterator<Item = &Value> {
        self.changes.values().flatten()
    }

    /// What the step changed; `None` stands for what it forgot.
    pub(crate) fn into_changes(self) -> BTreeMap<String, Option<Value>> {
        self.changes
    }
}

/// Brings changes into a memory. In those that were read from a record, null may stand for either; `nulls` are the
/// keys of which it is the value.
pub(crate) fn apply(
    memory: &mut Map<String, Value>,
    changes: &BTreeMap<String, Option<Value>>,
    nulls: &[String],
) {
    for (key, change) in changes {
        match change {
            Some(value) => _ = memory.insert(key.clone(), value.clone()),
            None if nulls.contains(key) => _ = memory.insert(key.clone(), Value::Null),
            None => _ = memory.shift_remove(key),
        }
    }
}

/// The keys whose value is null.
pub(crate) fn nulls(changes: &BTreeMap<String, Option<Value>>) -> Vec<String> {
    let null = |(_, change): &(&String, &Option<Value>)| *change == &Some(Value::Null);
    changes.iter().filter(null).map(|(key, _)| key.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn map(value: &Value) -> Map<String, Value> {
        value.as_object().cloned().expect("an object")
    }

    #[test]
    fn only_what_differs_is_a_change() {
        let mut memory = Memory::new(map(&json!({"a": 1, "b": 2, "c": 3})));
        memory.replace(map(&json!({"a": 1, "b": 5, "d": null})));
        assert_eq!(memory.get("b"), Some(&json!(5)));
        assert_eq!(memory.get("c"), None);
        let changes = memory.into_changes();
        assert_eq!(serde_json::to_value(&changes).expect("plain"), json!({"b": 5, "c": null, "d": null}));
        let mut all = map(&json!({"a": 1, "b": 2, "c": 3}));
        apply(&mut all, &changes, &[]);
        assert_eq!(Value::Object(all), json!({"a": 1, "b": 5, "d": null}));
    }

    #[test]
    fn what_is_null_is_told_from_what_was_forgotten_after_it_was_read_again() {
        let changes = BTreeMap::from([("a".to_owned(), Some(Value::Null)), ("b".to_owned(), None)]);
        let nulls = nulls(&changes);
        let text = serde_json::to_string(&changes).expect("plain");
        let read = serde_json::from_str(&text).expect("the same");
        let mut all = map(&json!({"b": 2}));
        apply(&mut all, &read, &nulls);
        assert_eq!(Value::Object(all), json!({"a": null}));
    }
}
