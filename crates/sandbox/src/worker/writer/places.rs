//! Where the members of an object stand in the original, by their names.

use super::super::tape::{Kind, Tape, says, unescaped};
use rquickjs::atom::Atom;
use std::collections::HashMap;

/// The name of a member; half a surrogate pair has no text.
pub(super) struct Name<'js> {
    pub(super) atom: Atom<'js>,
    pub(super) string: rquickjs::String<'js>,
    pub(super) text: Option<String>,
}

/// Where the members of an object stand in the original.
pub(super) struct Places {
    nodes: Vec<Option<usize>>,
    /// Whether the original has these members and no others.
    pub(super) complete: bool,
}

impl Places {
    pub(super) fn find(tape: Option<&Tape<'_>>, original: Option<usize>, names: &[Name<'_>]) -> Self {
        let (Some(tape), Some(node)) = (tape, original) else { return Self::none() };
        if tape.kind(node) != Kind::Object {
            return Self::none();
        }
        let members: Vec<usize> = tape.inside(node).collect();
        let says_so = |(name, at): (&Name<'_>, &usize)| {
            name.text.as_deref().is_some_and(|name| says(tape.key(*at), name))
        };
        if members.len() == names.len() && names.iter().zip(&members).all(says_so) {
            return Self { nodes: members.into_iter().map(Some).collect(), complete: true };
        }
        // Another order, other members, or one name twice: of these the last one counts.
        let written = members.iter().filter_map(|&at| Some((unescaped(tape.key(at))?, at)));
        let by_name: HashMap<String, usize> = written.collect();
        let nodes: Vec<_> = names.iter().map(|name| by_name.get(name.text.as_deref()?).copied()).collect();
        let all = nodes.iter().all(Option::is_some) && nodes.len() == by_name.len();
        let readable = members.iter().all(|&at| unescaped(tape.key(at)).is_some());
        Self { nodes, complete: all && readable }
    }

    const fn none() -> Self {
        Self { nodes: Vec::new(), complete: false }
    }

    pub(super) fn of(&self, index: usize) -> Option<usize> {
        self.nodes.get(index).copied().flatten()
    }
}
