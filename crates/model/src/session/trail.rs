//! A list that only grows.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ops::Index;
use std::sync::Arc;

/// Entries in one piece.
const PIECE: usize = 16;

/// A list that only grows, and whose copies share what they have in common: a copy costs about the same however long
/// the list is.
#[derive(Debug)]
pub struct Trail<T> {
    /// The entries in pieces of equal length, but for the last ones.
    full: Arc<Vec<Arc<[Arc<T>]>>>,
    rest: Vec<Arc<T>>,
}

impl<T> Trail<T> {
    /// Adds an entry at the end.
    pub fn push(&mut self, entry: impl Into<Arc<T>>) {
        self.rest.push(entry.into());
        if self.rest.len() == PIECE {
            Arc::make_mut(&mut self.full).push(std::mem::take(&mut self.rest).into());
        }
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.full.len() * PIECE + self.rest.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The entry at a position.
    pub fn get(&self, at: usize) -> Option<&Arc<T>> {
        match self.full.get(at / PIECE) {
            Some(piece) => piece.get(at % PIECE),
            None => self.rest.get(at - self.full.len() * PIECE),
        }
    }

    /// The last entry.
    pub fn last(&self) -> Option<&Arc<T>> {
        self.get(self.len().checked_sub(1)?)
    }

    /// All entries, from the first on.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Arc<T>> + Clone {
        self.full.iter().flat_map(|piece| piece.iter()).chain(&self.rest)
    }

    /// The entries from a position on.
    pub fn after(&self, first: usize) -> Vec<Arc<T>> {
        (first..self.len()).filter_map(|at| self.get(at)).cloned().collect()
    }
}

impl<T> Default for Trail<T> {
    fn default() -> Self {
        Self { full: Arc::default(), rest: Vec::new() }
    }
}

impl<T> Clone for Trail<T> {
    fn clone(&self) -> Self {
        Self { full: Arc::clone(&self.full), rest: self.rest.clone() }
    }
}

impl<T: PartialEq> PartialEq for Trail<T> {
    fn eq(&self, other: &Self) -> bool {
        // Entries that are shared need not be read.
        let same = |one: &Arc<T>, other: &Arc<T>| Arc::ptr_eq(one, other) || one == other;
        self.len() == other.len() && self.iter().zip(other.iter()).all(|(one, other)| same(one, other))
    }
}

impl<T> Index<usize> for Trail<T> {
    type Output = T;

    fn index(&self, at: usize) -> &T {
        self.get(at).expect("a position in the list")
    }
}

impl<T> FromIterator<T> for Trail<T> {
    fn from_iter<I: IntoIterator<Item = T>>(entries: I) -> Self {
        let mut trail = Self::default();
        entries.into_iter().for_each(|entry| trail.push(entry));
        trail
    }
}

impl<T: Serialize> Serialize for Trail<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Trail<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(|entries: Vec<T>| entries.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_a_list_at_every_length() {
        let (mut trail, mut list) = (Trail::default(), Vec::new());
        for n in 0..100_usize {
            assert_eq!((trail.len(), trail.is_empty()), (n, n == 0));
            assert_eq!(trail.last().map(|last| **last), list.last().copied());
            assert!(trail.get(n).is_none());
            let copy = trail.clone();
            trail.push(n);
            list.push(n);
            assert_eq!((copy.len(), trail[n]), (n, n), "a copy stays as it was");
            assert_ne!(copy, trail);
            let all = |trail: &Trail<usize>| trail.iter().map(|one| **one).collect::<Vec<_>>();
            assert_eq!(all(&trail), list);
            let back: Vec<usize> = trail.iter().rev().map(|one| **one).collect();
            assert_eq!(back, list.iter().rev().copied().collect::<Vec<_>>());
            let after: Vec<usize> = trail.after(n / 2).iter().map(|one| **one).collect();
            assert_eq!(after, list[n / 2..]);
            let text = serde_json::to_string(&trail).expect("JSON");
            assert_eq!(text, serde_json::to_string(&list).expect("JSON"));
            assert_eq!(serde_json::from_str::<Trail<usize>>(&text).expect("JSON"), trail);
        }
        assert!(trail.after(100).is_empty());
    }

    #[test]
    fn copies_share_what_they_have_in_common() {
        let trail: Trail<usize> = (0..100).collect();
        let copy = trail.clone();
        assert!(Arc::ptr_eq(&trail.full, &copy.full));
        assert!(trail.iter().zip(copy.iter()).all(|(one, other)| Arc::ptr_eq(one, other)));
    }
}
