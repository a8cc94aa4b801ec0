//! Writes a value of a script as JSON text, by the rules of `JSON.stringify`.
//!
//! Where the original text is given, every part that says the same as the original in the same place is
//! copied from it byte for byte: number texts, key order and escapes that nobody touched stay. Reading a
//! value runs code of the script (getters, traps, `toJSON`), so the deadline is armed all the while.

mod alike;
mod merge;
mod moved;
mod places;
mod spot;

use super::levels::{Levels, plain};
use super::state::Text;
use super::tape::{Kind, Tape, outline};
use alike::Plan;
use moved::Moved;
use places::{Name, Places};
use rquickjs::atom::{Atom, PredefinedAtom};
use rquickjs::object::Filter;
use rquickjs::{Array, Ctx, Error, Object, Value};
use spot::{Key, Spot};
use std::time::Instant;

/// How many values one text may hold.
const MOST_VALUES: usize = 1_000_000;

/// What is said of one that holds more.
const MANY: &str = "it holds too many values";

/// What is said of one that is nested deeper than a text may be.
const DEEP: &str = "it is circular or nested too deeply";

/// What is said of one that is longer than it may be.
const LARGE: &str = "it is too large";

/// How many bytes of a string are looked at in one go.
const BLOCK: usize = 32;

/// Why there is no text.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// The script threw, or was interrupted; the exception is pending.
    Thrown,
    /// A value that JSON does not have.
    NotJson(&'static str),
    /// Past a limit of the output.
    TooMuch(&'static str),
    /// The time is up.
    Late,
}

impl From<Error> for Trouble {
    fn from(_: Error) -> Self {
        Trouble::Thrown
    }
}

/// What became of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrote {
    /// The same as the original.
    Same,
    /// Something else.
    Other,
    /// Nothing: JSON leaves such a value out.
    Nothing,
}

/// The limits of one text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// The most bytes.
    pub(crate) bytes: usize,
    /// When it must be done.
    pub(crate) deadline: Instant,
}

/// The prototypes of plain values.
#[derive(Clone)]
pub(crate) struct Plain<'js> {
    pub(crate) object: Object<'js>,
    pub(crate) array: Object<'js>,
}

pub(crate) struct Writer<'a, 'js> {
    ctx: &'a Ctx<'js>,
    plain: &'a Plain<'js>,
    original: Option<Tape<'a>>,
    source: Option<&'a Text>,
    levels: &'a Levels,
    bounds: Bounds,
    values: usize,
    looks: usize,
    text: String,
}

/// Writes a value. Without an original, which is a place in a text, everything is new.
pub(crate) fn write<'js>(
    value: &Value<'js>,
    original: Option<(&Text, usize)>,
    plain: &Plain<'js>,
    levels: &Levels,
    bounds: Bounds,
) -> Result<(Wrote, String), Trouble> {
    let source = original.map(|(text, _)| text);
    let tape = source.and_then(Text::tape);
    let root = original.and_then(|(_, node)| tape.as_ref().map(|_| node));
    let was = root.and_then(|node| tape.as_ref().map(|tape| tape.text(node)));
    let mut writer = Writer {
        ctx: value.ctx(),
        plain,
        original: tape,
        source,
        levels,
        bounds,
        values: 0,
        looks: 0,
        text: String::with_capacity(256),
    };
    let wrote = match writer.value(value, root, Spot::root()) {
        Err(Trouble::TooMuch(DEEP)) => return writer.deep(value, original),
        wrote => wrote?,
    };
    writer.count()?;
    let same = wrote == Wrote::Same || was == Some(&*writer.text);
    Ok((if same { Wrote::Same } else { wrote }, writer.text))
}

impl<'js> Writer<'_, 'js> {
    /// Whether it is an array or an object as literals make them.
    fn is_plain(&self, value: &Value<'js>) -> bool {
        let Some(object) = value.as_object() else { return false };
        if value.is_proxy() || value.is_function() {
            return false;
        }
        match object.get_prototype() {
            None => !value.is_array(),
            Some(prototype) if value.is_array() => prototype == self.plain.array,
            Some(prototype) => prototype == self.plain.object,
        }
    }

    fn fresh(
        &mut self,
        value: &Value<'js>,
        original: Option<usize>,
        spot: Spot<'_, 'js>,
    ) -> Result<Wrote, Trouble> {
        if let Some(number) = value.as_number() {
            self.number(value, number)?;
        } else if let Some(string) = value.as_string() {
            self.string(string)?;
        } else if let Some(yes) = value.as_bool() {
            self.text.push_str(if yes { "true" } else { "false" });
        } else if value.is_null() {
            self.text.push_str("null");
        } else if value.is_big_int() {
            return Err(Trouble::NotJson("a BigInt cannot be written as JSON"));
        } else if !value.is_object() || value.is_function() {
            return Ok(Wrote::Nothing);
        } else if !self.is_plain(value) {
            return self.foreign(value, spot.key);
        } else if let Some(array) = value.as_array() {
            self.array(array, original, spot)?;
        } else if let Some(object) = value.as_object() {
            return self.object(object, original, spot);
        }
        Ok(Wrote::Other)
    }

    /// Counts a value that is written.
    fn count(&mut self) -> Result<(), Trouble> {
        self.values += 1;
        if self.values > MOST_VALUES {
            return Err(Trouble::TooMuch(MANY));
        }
        if self.text.len() > self.bounds.bytes {
            return Err(Trouble::TooMuch(LARGE));
        }
        self.look()
    }

    /// Looks at the clock now and then.
    fn look(&mut self) -> Result<(), Trouble> {
        self.looks += 1;
        if self.looks.is_multiple_of(256) && Instant::now() >= self.bounds.deadline {
            return Err(Trouble::Late);
        }
        Ok(())
    }

    fn number(&mut self, value: &Value<'js>, number: f64) -> Result<(), Trouble> {
        if !number.is_finite() {
            self.text.push_str("null");
        } else if number.fract() == 0.0 && number.abs() < 1e15 {
            use std::fmt::Write;
            // Writing to a string does not fail.
            let _ = write!(self.text, "{}", number as i64);
        } else {
            self.stringified(value)?;
        }
        Ok(())
    }

    fn string(&mut self, string: &rquickjs::String<'js>) -> Result<(), Trouble> {
        match string.to_string() {
            Ok(content) => quote(&content, &mut self.text),
            // Half a surrogate pair: the engine writes it with an escape.
            Err(Error::Utf8(_)) => self.stringified(string.as_value())?,
            Err(_) => return Err(Trouble::Thrown),
        }
        Ok(())
    }

    fn array(
        &mut self,
        array: &Array<'js>,
        original: Option<usize>,
        spot: Spot<'_, 'js>,
    ) -> Result<(), Trouble> {
        let plan = self.plan(array, original)?;
        self.planned(array, original, spot, plan.as_ref())
    }

    /// An array of which it is known where its items stood, where that is in doubt.
    fn planned(
        &mut self,
        array: &Array<'js>,
        original: Option<usize>,
        spot: Spot<'_, 'js>,
        plan: Option<&Plan>,
    ) -> Result<(), Trouble> {
        let (was, length) = (self.items_of(original), length(array)?);
        let shifted = was.len() > length;
        let mut moved = original
            .filter(|_| plan.is_none())
            .and_then(|node| Moved::new(self.ctx, self.original.as_ref()?, node, 0));
        let mut expected = 0;
        self.text.push('[');
        for index in 0..length {
            if index > 0 {
                self.text.push(',');
            }
            let item: Value<'js> = array.get(index)?;
            if let Some(at) = moved.as_mut().and_then(|moved| moved.find(self.ctx, &item)) {
                self.copy(was[at])?;
                expected = at + 1;
                continue;
            }
            if let Some(plan) = plan {
                expected = plan.place(index);
            } else if shifted && item.is_object() && moved.is_none() {
                expected = self.behind(&item, &was, expected, spot)?;
            }
            let place = was.get(expected).copied();
            if self.value(&item, place, spot.inside(Key::Item(index)))? == Wrote::Nothing {
                self.text.push_str("null");
            }
            expected += 1;
        }
        self.text.push(']');
        Ok(())
    }

    /// Writes what stands in a place of the original.
    fn copy(&mut self, node: usize) -> Result<(), Trouble> {
        if let Some(tape) = &self.original {
            self.text.push_str(tape.text(node));
        }
        self.count()
    }

    fn items_of(&self, original: Option<usize>) -> Vec<usize> {
        match (original, self.original.as_ref()) {
            (Some(node), Some(tape)) if tape.kind(node) == Kind::Array => tape.inside(node).collect(),
            _ => Vec::new(),
        }
    }

    fn names(&self, object: &Object<'js>) -> Result<Vec<Name<'js>>, Trouble> {
        let keys = object.own_keys::<Atom<'js>>(Filter::new().string().enum_only());
        keys.map(|key| {
            let atom = key?;
            let string = atom.to_js_string()?;
            let text = string.to_string().ok();
            Ok(Name { atom, string, text })
        })
        .collect()
    }

    /// An object with members in another order than the original, or without some of them.
    fn object(
        &mut self,
        object: &Object<'js>,
        original: Option<usize>,
        spot: Spot<'_, 'js>,
    ) -> Result<Wrote, Trouble> {
        let start = self.text.len();
        let names = self.names(object)?;
        let tape = self.original.clone();
        let places = Places::find(self.ctx, tape.as_ref(), original, names);
        let mut same = places.complete;
        self.text.push('{');
        for (name, place) in &places.members {
            let value = self.member(object, name.atom.clone(), *place)?;
            let is_function = value.as_ref().is_some_and(Value::is_function);
            if name.text.as_deref() == Some("toJSON") && is_function {
                self.text.truncate(start);
                return self.foreign(object.as_value(), spot.key);
            }
            let before = self.text.len();
            if before > start + 1 {
                self.text.push(',');
            }
            match (tape.as_ref().zip(*place), &name.text) {
                (Some((tape, node)), _) => self.text.extend(["\"", tape.key(node), "\""]),
                (None, Some(text)) => quote(text, &mut self.text),
                (None, None) => self.stringified(name.string.as_value())?,
            }
            self.text.push(':');
            let wrote = self.value_or_same(value.as_ref(), *place, spot.inside(Key::Name(&name.atom)))?;
            if wrote == Wrote::Nothing {
                self.text.truncate(before);
            }
            same &= wrote == Wrote::Same;
        }
        self.text.push('}');
        if same {
            self.text.truncate(start);
            return Ok(Wrote::Same);
        }
        Ok(Wrote::Other)
    }

    /// What is not plain is left to the engine: dates, instances of classes, proxies, `toJSON`. That is told the key, so
    /// the value is written as the only member of an object, and taken out.
    fn foreign(&mut self, value: &Value<'js>, key: Key<'_, 'js>) -> Result<Wrote, Trouble> {
        let key = key.atom(self.ctx)?;
        let holder = Object::new(self.ctx.clone())?;
        holder.set_prototype(None)?;
        holder.prop(key.clone(), plain(value.clone()))?;
        let Some(whole) = self.ctx.json_stringify(holder)? else { return Ok(Wrote::Nothing) };
        let whole = whole.to_string()?;
        let name = self.ctx.json_stringify(key.to_js_string()?)?.map(|name| name.to_string()).transpose()?;
        let before = name.map_or(0, |name| name.len()) + "{:".len();
        let Some(text) = whole.get(before..whole.len() - 1) else { return Ok(Wrote::Nothing) };
        // The engine's own text has no outline only when it is too deep.
        outline(text).ok_or(Trouble::TooMuch(DEEP))?;
        self.text.push_str(text);
        Ok(Wrote::Other)
    }

    fn stringified(&mut self, value: &Value<'js>) -> Result<(), Trouble> {
        if let Some(text) = self.ctx.json_stringify(value.clone())? {
            self.text.push_str(&text.to_string()?);
        }
        Ok(())
    }
}

/// The length of an array that could be written. The binding's own ends the process where it does not fit into an `i32`.
pub(crate) fn length(array: &Array<'_>) -> Result<usize, Trouble> {
    let length: f64 = array.as_object().get(PredefinedAtom::Length)?;
    if length > MOST_VALUES as f64 { Err(Trouble::TooMuch(MANY)) } else { Ok(length as usize) }
}

/// Where the first byte stands that is written with an escape. Many are looked at in one go.
fn special(bytes: &[u8]) -> Option<usize> {
    let is_special = |byte: &u8| *byte < 0x20 || *byte == b'"' || *byte == b'\\';
    let is_clean = |block: &&[u8]| !block.iter().fold(false, |found, byte| found | is_special(byte));
    let start = (BLOCK * bytes.chunks(BLOCK).take_while(is_clean).count()).min(bytes.len());
    bytes[start..].iter().position(is_special).map(|at| start + at)
}

/// A text as JSON.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    quote(text, &mut out);
    out
}

/// Writes a string with quotes and escapes.
pub(crate) fn quote(content: &str, out: &mut String) {
    out.push('"');
    let mut rest = content;
    while let Some(at) = special(rest.as_bytes()) {
        out.push_str(&rest[..at]);
        match rest.as_bytes()[at] {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            byte => {
                use std::fmt::Write;
                // Writing to a string does not fail.
                let _ = write!(out, "\\u{byte:04x}");
            }
        }
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
    out.push('"');
}
