//! Patterns for names: `*` stands for any characters, `?` for one.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A pattern for names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(from = "String", into = "String")]
#[schema(value_type = String)]
pub struct Glob(Pattern);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Pattern {
    text: String,
    shape: Shape,
}

/// Nearly all patterns are simple, and every call is held against some.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// A name.
    Name,
    /// One `*`, at this byte.
    Star(usize),
    /// Anything else.
    Other,
}

impl Glob {
    /// A pattern as it is written.
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        let mut wild = text.bytes().enumerate().filter(|(_, byte)| matches!(byte, b'*' | b'?'));
        let shape = match (wild.next(), wild.next()) {
            (None, _) => Shape::Name,
            (Some((at, b'*')), None) => Shape::Star(at),
            _ => Shape::Other,
        };
        Self(Pattern { text, shape })
    }

    /// As it is written.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// Whether it fits a name, letter by letter.
    pub fn fits(&self, name: &str) -> bool {
        let Pattern { text, shape } = &self.0;
        match *shape {
            Shape::Name => text == name,
            Shape::Star(at) => {
                name.len() + 1 >= text.len()
                    && name.starts_with(&text[..at])
                    && name.ends_with(&text[at + 1..])
            }
            Shape::Other => fits(text, name),
        }
    }
}

impl From<String> for Glob {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl From<Glob> for String {
    fn from(glob: Glob) -> Self {
        glob.0.text
    }
}

/// Walks both once; after a mismatch the last `*` takes one character more, so no input costs more than the product
/// of the lengths.
fn fits(pattern: &str, name: &str) -> bool {
    let (mut pattern, mut name) = (pattern.chars(), name.chars());
    // What follows the last `*`, and what is left of the name once that has taken its share.
    let mut star = None;
    loop {
        let rest = name.clone();
        match (pattern.next(), name.next()) {
            (Some('*'), _) => {
                star = Some((pattern.clone(), rest.clone()));
                name = rest;
            }
            (Some('?'), Some(_)) => {}
            (Some(c), Some(n)) if c == n => {}
            (None, None) => return true,
            (_, None) => return false,
            _ => match &mut star {
                Some((after, taken)) => {
                    taken.next();
                    (pattern, name) = (after.clone(), taken.clone());
                }
                None => return false,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_characters_and_a_question_mark_for_one() {
        for (pattern, name, expected) in [
            ("a", "a", true),
            ("a", "ab", false),
            ("a", "A", false),
            ("*", "", true),
            ("*", "anything", true),
            ("get-*", "get-user", true),
            ("get-*", "forget-user", false),
            ("*-user", "get-user", true),
            ("*a*b", "xaxbxaxb", true),
            ("*a*b", "xaxbxaxbx", false),
            ("?", "", false),
            ("?b", "ab", true),
            ("a**c", "abc", true),
            ("", "", true),
            ("", "a", false),
            ("git/*", "git/push", true),
            ("[a]", "a", false),
            ("?", "é", true),
            ("??", "é", false),
            ("caf?", "café", true),
            ("*?語", "日本語", true),
            ("*é", "ê", false),
        ] {
            assert_eq!(Glob::new(pattern).fits(name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn a_pattern_full_of_stars_is_still_quick() {
        let pattern = Glob::new("*a".repeat(50));
        assert!(!pattern.fits(&"a".repeat(49)));
        assert!(pattern.fits(&"a".repeat(2000)));
    }
}
