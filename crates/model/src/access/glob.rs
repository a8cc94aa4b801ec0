//! Patterns for names: `*` stands for any characters, `?` for one.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A pattern for names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(value_type = String)]
pub struct Glob(String);

impl Glob {
    /// A pattern as it is written.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// As it is written.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Whether it fits a name, letter by letter.
    pub fn fits(&self, name: &str) -> bool {
        fits(self.0.as_bytes(), name.as_bytes())
    }
}

/// Walks both once; after a mismatch the last `*` takes one character more, so no input costs more than the product
/// of the lengths.
fn fits(pattern: &[u8], name: &[u8]) -> bool {
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p + 1, n));
                p += 1;
            }
            Some(&c) if c == b'?' || c == name[n] => {
                p += 1;
                n += 1;
            }
            _ => match star {
                Some((after, taken)) => {
                    star = Some((after, taken + 1));
                    (p, n) = (after, taken + 1);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == b'*')
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
