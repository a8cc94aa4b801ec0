//! Words that are looked for in every message.

use memchr::memmem::{FindIter, Finder};
use std::sync::OnceLock;

/// A word to look for. What is known of it before the search is found out once: most texts are short, and that would
/// take longer than the search itself.
pub struct Word {
    text: &'static str,
    finder: OnceLock<Finder<'static>>,
}

impl Word {
    /// That word.
    pub const fn new(text: &'static str) -> Self {
        Self { text, finder: OnceLock::new() }
    }

    /// The word itself.
    pub const fn text(&self) -> &'static str {
        self.text
    }

    /// Whether it stands anywhere in there.
    pub fn is_in(&self, bytes: &[u8]) -> bool {
        self.finder().find(bytes).is_some()
    }

    /// Everywhere it stands in there.
    pub fn all_in<'a>(&'a self, bytes: &'a [u8]) -> FindIter<'a, 'a> {
        self.finder().find_iter(bytes)
    }

    fn finder(&self) -> &Finder<'static> {
        self.finder.get_or_init(|| Finder::new(self.text))
    }
}
