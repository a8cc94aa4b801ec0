//! Where the members of an object stand in the original, by their names.

use super::super::tape::{Kind, Tape, says, unescaped};
use rquickjs::Ctx;
use rquickjs::atom::Atom;
use std::collections::HashMap;

/// The name of a member; half a surrogate pair has no text.
pub(super) struct Name<'js> {
    pub(super) atom: Atom<'js>,
    pub(super) string: rquickjs::String<'js>,
    pub(super) text: Option<String>,
}

impl Name<'_> {
    /// Whether the engine puts it before those that are none, by its number.
    fn is_number(&self) -> bool {
        let text = self.text.as_deref().unwrap_or_default();
        text.parse::<u32>().is_ok_and(|number| number.to_string() == text)
    }
}

/// The members of an object and where they stand in the original: in its order, and those that are new behind.
pub(super) struct Places<'js> {
    pub(super) members: Vec<(Name<'js>, Option<usize>)>,
    /// Whether the original has these members and no others.
    pub(super) complete: bool,
}

impl<'js> Places<'js> {
    pub(super) fn find(
        ctx: &Ctx<'js>,
        tape: Option<&Tape<'_>>,
        original: Option<usize>,
        names: Vec<Name<'js>>,
    ) -> Self {
        let (Some(tape), Some(node)) = (tape, original) else { return Self::none(names) };
        if tape.kind(node) != Kind::Object {
            return Self::none(names);
        }
        let nodes: Vec<usize> = tape.inside(node).collect();
        let says_so = |(name, at): (&Name<'_>, &usize)| {
            name.text.as_deref().is_some_and(|name| says(tape.key(*at), name))
        };
        if nodes.len() == names.len() && names.iter().zip(&nodes).all(says_so) {
            return Self {
                members: names.into_iter().zip(nodes.into_iter().map(Some)).collect(),
                complete: true,
            };
        }
        // Another order, other members, or one name twice: of these the last one counts.
        let (mut by_text, mut by_escape) = (HashMap::new(), HashMap::new());
        for at in nodes {
            match unescaped(tape.key(at)) {
                Some(text) => by_text.insert(text, at),
                None => by_escape.insert(engine_string(ctx, tape.key(at)).and_then(|it| escaped(&it)), at),
            };
        }
        let placed = |name: Name<'js>| {
            let at = match &name.text {
                Some(text) => by_text.get(text),
                None => by_escape.get(&escaped(&name.string)),
            };
            let at = at.copied();
            (name, at)
        };
        let mut members: Vec<_> = names.into_iter().map(placed).collect();
        let complete =
            members.len() == by_text.len() + by_escape.len() && members.iter().all(|(_, at)| at.is_some());
        // The engine puts names that are numbers first, wherever they stood. An order that a script made stays.
        let place = |(_, at): &(Name<'js>, Option<usize>)| at.unwrap_or(usize::MAX);
        if members.iter().filter(|(name, _)| !name.is_number()).map(place).is_sorted() {
            members.sort_by_key(place);
        }
        Self { members, complete }
    }

    fn none(names: Vec<Name<'js>>) -> Self {
        Self { members: names.into_iter().map(|name| (name, None)).collect(), complete: false }
    }
}

/// The string that the engine reads in what is written, without quotes.
pub(super) fn engine_string<'js>(ctx: &Ctx<'js>, written: &str) -> Option<rquickjs::String<'js>> {
    let string = ctx.json_parse(format!("\"{written}\"")).inspect_err(|_| drop(ctx.catch()));
    string.ok()?.into_string()
}

/// A string as the engine writes it, which tells all strings apart.
fn escaped(string: &rquickjs::String<'_>) -> Option<String> {
    let ctx = string.ctx();
    let text = ctx.json_stringify(string.clone()).and_then(|text| text.map(|it| it.to_string()).transpose());
    text.inspect_err(|_| drop(ctx.catch())).ok()?
}
