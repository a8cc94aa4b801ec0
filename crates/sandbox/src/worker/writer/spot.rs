//! Where in the whole a value stands.

use rquickjs::atom::Atom;
use rquickjs::{Ctx, Result};

/// What the value is called in what holds it.
#[derive(Clone, Copy)]
pub(super) enum Key<'a, 'js> {
    /// Nothing holds it.
    None,
    Name(&'a Atom<'js>),
    Item(usize),
}

impl<'js> Key<'_, 'js> {
    pub(super) fn atom(self, ctx: &Ctx<'js>) -> Result<Atom<'js>> {
        match self {
            Key::None => Atom::from_str(ctx.clone(), ""),
            Key::Name(name) => Ok(name.clone()),
            Key::Item(index) => Atom::from_str(ctx.clone(), &index.to_string()),
        }
    }
}

/// How deep a value stands, and its key there.
#[derive(Clone, Copy)]
pub(super) struct Spot<'a, 'js> {
    pub(super) depth: usize,
    pub(super) key: Key<'a, 'js>,
}

impl<'js> Spot<'_, 'js> {
    /// The place of the whole.
    pub(super) const fn root() -> Self {
        Spot { depth: 0, key: Key::None }
    }

    /// The place of a value inside of this one.
    pub(super) fn inside<'a>(self, key: Key<'a, 'js>) -> Spot<'a, 'js> {
        Spot { depth: self.depth + 1, key }
    }
}
