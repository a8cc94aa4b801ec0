//! The names of the members that the worker makes and reads itself, as the engine keeps names: what is looked for by a
//! text must be found among all names first.

use rquickjs::atom::Atom;
use rquickjs::{Ctx, Persistent, Result};
use std::rc::Rc;

/// One of the names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Name {
    Request,
    Method,
    Params,
    Response,
    Metadata,
    Shared,
    Variables,
    Memory,
    Context,
    Error,
}

/// All of them, each in its place.
const ALL: [(Name, &str); 10] = [
    (Name::Request, "request"),
    (Name::Method, "method"),
    (Name::Params, "params"),
    (Name::Response, "response"),
    (Name::Metadata, "metadata"),
    (Name::Shared, "shared"),
    (Name::Variables, "variables"),
    (Name::Memory, "memory"),
    (Name::Context, "context"),
    (Name::Error, "error"),
];

/// All names.
#[derive(Clone)]
pub(crate) struct Names<'js>(Rc<Vec<Atom<'js>>>);

impl<'js> Names<'js> {
    pub(crate) fn new(ctx: &Ctx<'js>) -> Result<Self> {
        let atom = |(_, text): &(Name, &str)| Atom::from_str(ctx.clone(), text);
        Ok(Self(Rc::new(ALL.iter().map(atom).collect::<Result<_>>()?)))
    }

    pub(crate) fn get(&self, name: Name) -> Atom<'js> {
        self.0[name as usize].clone()
    }

    pub(crate) fn keep(self, ctx: &Ctx<'js>) -> KeptNames {
        KeptNames(Persistent::save(ctx, self.0))
    }
}

/// All names, for later.
pub(crate) struct KeptNames(Persistent<Rc<Vec<Atom<'static>>>>);

impl KeptNames {
    pub(crate) fn restore<'js>(&self, ctx: &Ctx<'js>) -> Result<Names<'js>> {
        self.0.clone().restore(ctx).map(Names)
    }
}

/// What a member is called whose name the worker is told.
#[derive(Clone)]
pub(crate) struct Label {
    pub(crate) text: String,
    atom: Persistent<Atom<'static>>,
}

impl Label {
    pub(crate) fn new(ctx: &Ctx<'_>, text: String) -> Result<Self> {
        let atom = Persistent::save(ctx, Atom::from_str(ctx.clone(), &text)?);
        Ok(Self { text, atom })
    }

    pub(crate) fn atom<'js>(&self, ctx: &Ctx<'js>) -> Result<Atom<'js>> {
        self.atom.clone().restore(ctx)
    }
}

impl PartialEq for Label {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

#[cfg(test)]
mod tests {
    use super::ALL;

    #[test]
    fn every_name_stands_in_its_place() {
        for (at, (name, text)) in ALL.into_iter().enumerate() {
            assert_eq!((name as usize, format!("{name:?}").to_lowercase()), (at, text.to_owned()));
        }
    }
}
