//! What scripts changed, as records show it.

use crate::Ran;
use std::borrow::Cow;

/// The most bytes of a text that are shown.
const SHOWN: usize = 64 << 10;

/// A text, or what stands in the place of one that is too long to show.
pub fn short(text: &str) -> Cow<'_, str> {
    if text.len() <= SHOWN { text.into() } else { format!("{{\"omittedBytes\":{}}}", text.len()).into() }
}

/// The texts that are others now, by their names: a JSON object.
pub(crate) fn shown(texts: [(&str, Option<&str>); 4]) -> String {
    let member = |(name, text): (&str, Option<&str>)| text.map(|text| format!("\"{name}\":{}", short(text)));
    let members: Vec<String> = texts.into_iter().filter_map(member).collect();
    format!("{{{}}}", members.join(","))
}

impl Ran {
    /// What the steps changed, all in all: a JSON object.
    pub fn changes(&self) -> String {
        shown([
            ("params", self.params.as_deref()),
            ("response", self.response.as_deref()),
            ("shared", self.shared.as_deref()),
            ("variables", self.variables.as_deref()),
        ])
    }
}
