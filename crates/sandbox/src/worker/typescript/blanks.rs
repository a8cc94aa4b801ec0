//! A text in which some places become blanks, so that everything else stays in its line and column.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// What is to become of a text.
#[derive(Default)]
pub(super) struct Blanks {
    /// What goes, in any order.
    gone: Vec<Range<usize>>,
    /// Where each of those begins, by its end; the latest, where several end there.
    begins: HashMap<usize, usize>,
    /// What stands in the place of the character that begins here.
    put: BTreeMap<usize, char>,
}

impl Blanks {
    /// Takes this part away.
    pub(super) fn take(&mut self, part: Range<usize>) {
        if !part.is_empty() {
            self.begins.insert(part.end, part.start);
            self.gone.push(part);
        }
    }

    /// Puts a character into the place of the one that begins there.
    pub(super) fn put(&mut self, at: usize, character: char) {
        self.put.insert(at, character);
    }

    /// Where a part that goes begins, of those that end here.
    pub(super) fn begins_of(&self, end: usize) -> Option<usize> {
        self.begins.get(&end).copied()
    }

    /// The text without what goes; nothing where all of it stays.
    pub(super) fn apply(mut self, text: &str) -> Option<String> {
        if self.gone.is_empty() && self.put.is_empty() {
            return None;
        }
        self.gone.sort_unstable_by_key(|part| part.start);
        let mut gone = self.gone.into_iter().peekable();
        let mut until = 0;
        let mut out = String::with_capacity(text.len());
        for (at, character) in text.char_indices() {
            while let Some(part) = gone.next_if(|part| part.start <= at) {
                until = until.max(part.end);
            }
            out.push(match self.put.get(&at) {
                Some(other) => *other,
                None if at < until && !ends_line(character) => ' ',
                None => character,
            });
        }
        Some(out)
    }
}

/// Whether a character ends a line in JavaScript.
pub(super) fn ends_line(character: char) -> bool {
    matches!(character, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_leaves_one_blank_for_each_character_and_all_lines() {
        let text = "a: «é\n»b;";
        let mut blanks = Blanks::default();
        blanks.take(text.find(':').expect("there")..text.find('b').expect("there"));
        blanks.take(2..4);
        blanks.put(1, ';');
        assert_eq!(blanks.begins_of(text.find('b').expect("there")), Some(1));
        assert_eq!(blanks.apply(text).as_deref(), Some("a;   \n b;"));
        assert_eq!(Blanks::default().apply(text), None);
    }
}
