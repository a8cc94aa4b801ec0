//! Finds the items of an array again that stand in other places than they did.
//!
//! An item that a script only moved keeps its text, and with it numbers that the engine would write otherwise. Items are
//! known by what the engine writes of them, so this costs time; it is done only where a number could be lost.

use super::super::tape::Tape;
use super::alike;
use rquickjs::{Ctx, Value};
use std::collections::{HashMap, VecDeque};

/// The items of an original array that are not found yet.
pub(super) struct Moved {
    /// By what the engine writes of them: where they stand, in order.
    places: HashMap<String, VecDeque<usize>>,
    /// The place behind the one that was found last.
    next: usize,
}

impl Moved {
    /// The items from the place `from` on; nothing where none of them could lose anything.
    pub(super) fn new(ctx: &Ctx<'_>, tape: &Tape<'_>, node: usize, from: usize) -> Option<Self> {
        let mut places: HashMap<String, VecDeque<usize>> = HashMap::new();
        if !is_odd(tape.text(node)) {
            return None;
        }
        for (at, item) in tape.inside(node).enumerate().skip(from) {
            let Ok(value) = ctx.json_parse(tape.text(item)) else {
                ctx.catch();
                continue;
            };
            if let Some(text) = written(ctx, &value) {
                places.entry(text).or_default().push_back(at);
            }
        }
        (!places.is_empty()).then_some(Self { places, next: from })
    }

    /// Where an item stood. Of several that say the same it is the next one, so that what is left stays in order.
    pub(super) fn find<'js>(&mut self, ctx: &Ctx<'js>, item: &Value<'js>) -> Option<usize> {
        let places = self.places.get_mut(&written(ctx, item)?)?;
        let ahead = places.partition_point(|at| *at < self.next);
        let found = places.remove(if ahead < places.len() { ahead } else { 0 })?;
        self.next = found + 1;
        Some(found)
    }
}

/// What the engine writes of a value that may hold a number.
fn written<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Option<String> {
    if value.is_number() || value.is_object() { alike::written(ctx, value) } else { None }
}

/// Whether a text may hold a number that the engine would write otherwise: with a point or an exponent, with more digits
/// than it keeps, or a negative zero.
fn is_odd(text: &str) -> bool {
    let (mut digits, mut before) = (0, 0);
    for byte in text.bytes() {
        match byte {
            b'0'..=b'9' => digits += 1,
            b'.' | b'e' | b'E' if digits > 0 => return true,
            _ => digits = 0,
        }
        if digits > 15 || (before == b'-' && byte == b'0') {
            return true;
        }
        before = byte;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::is_odd;

    #[test]
    fn numbers_that_the_engine_writes_otherwise_are_odd() {
        for odd in ["[1.0]", "[1e2]", "{\"a\":12345678901234567}", "[-0]", "[2E-1]"] {
            assert!(is_odd(odd), "{odd}");
        }
        for plain in ["[1,-20,123456789012345]", "[\"a.e\",true,null]", "{}"] {
            assert!(!is_odd(plain), "{plain}");
        }
    }
}
