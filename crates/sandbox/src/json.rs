//! A text that is known to be JSON.

use serde_json::value::RawValue;
use std::ops::Deref;

/// A JSON text that was looked through once, and need not be again.
#[derive(Clone, Debug)]
pub struct Json(Box<RawValue>);

impl Json {
    /// The text, as whoever asks for JSON takes it.
    pub fn raw(&self) -> &RawValue {
        &self.0
    }
}

impl Deref for Json {
    type Target = str;

    fn deref(&self) -> &str {
        self.0.get()
    }
}

impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        self.0.get() == other.0.get()
    }
}

impl TryFrom<String> for Json {
    type Error = serde_json::Error;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        RawValue::from_string(text).map(Self)
    }
}

impl From<Json> for Box<RawValue> {
    fn from(json: Json) -> Self {
        json.0
    }
}
