//! Promises that were rejected while nothing waited for them. Without a word they would be failures that nobody sees:
//! what most often leads to one is a forgotten `await`.

use super::helpers;
use super::realm::Realm;
use super::state::State;
use crate::Level;
use rquickjs::runtime::RejectionTracker;
use rquickjs::{Ctx, Function, Persistent, Value};
use std::cell::RefCell;
use std::rc::Rc;

/// How many of them one execution tells.
const MOST: usize = 16;

type Kept = Persistent<Value<'static>>;

/// The promises, each with what it was rejected with.
#[derive(Default)]
pub(crate) struct Unheard(RefCell<Vec<(Kept, Kept)>>);

impl Unheard {
    fn add<'js>(&self, ctx: &Ctx<'js>, promise: Value<'js>, reason: Value<'js>) {
        let mut all = self.0.borrow_mut();
        if all.len() < MOST {
            all.push((Persistent::save(ctx, promise), Persistent::save(ctx, reason)));
        }
    }

    /// Somebody listens to this one.
    pub(crate) fn hear<'js>(&self, ctx: &Ctx<'js>, promise: &Value<'js>) {
        let mut all = self.0.borrow_mut();
        let is_it = |(its, _): &(Kept, Kept)| its.clone().restore(ctx).is_ok_and(|its| its == *promise);
        let heard = all.iter().position(is_it).map(|at| all.remove(at));
        drop(all);
        // Freed here, when nothing is borrowed any more.
        drop(heard);
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.borrow().is_empty()
    }

    /// Forgets all of them.
    pub(crate) fn take(&self) -> Vec<(Kept, Kept)> {
        self.0.take()
    }
}

/// What the engine tells of promises that are rejected, and of those that somebody listens to later.
pub(crate) fn tracker(state: Rc<State>) -> RejectionTracker {
    Box::new(move |ctx, promise, reason, heard| {
        if heard {
            state.unheard.hear(&ctx, &promise);
        } else if state.live.get() {
            state.unheard.add(&ctx, promise, reason);
        }
    })
}

/// Writes to the console which promises of an execution were rejected with nobody listening. Its verdict stands, so no code
/// of its script runs here.
pub(crate) fn tell<'js>(realm: &Realm, ctx: &Ctx<'js>, factory: &Function<'js>) {
    let state = &realm.state;
    for (_, reason) in state.unheard.take() {
        let Ok(reason) = reason.restore(ctx) else { continue };
        let error = realm.placed(ctx, factory, realm.held_by(ctx, &reason));
        // Without time or memory nothing can be looked at.
        if state.tripped.get() || realm.heap.refused() {
            return;
        }
        let place =
            error.line.zip(error.column).map(|(line, column)| format!(" (line {line}, column {column})"));
        let place = place.unwrap_or_default();
        let text = format!("a promise was rejected and nothing waited for it: {}{place}", error.message);
        helpers::write(state, Level::Warn, text);
    }
}
