//! Holds a value against the original text, and writes only from where they differ.

use super::super::state::Text;
use super::super::tape::{DEEPEST, Kind, Tape, plain_numbers, says, unescaped};
use super::places::engine_string;
use super::{DEEP, Key, LARGE, Moved, Spot, Trouble, Writer, Wrote, length, quote};
use rquickjs::atom::Atom;
use rquickjs::object::Filter;
use rquickjs::{Array, Error, Object, Value};

/// How far an array's items are looked for behind where they stood, when some were taken out.
const SHIFTS: usize = 64;

impl<'js> Writer<'_, 'js> {
    /// Writes a value and copies the original in its place when it says the same.
    pub(super) fn value(
        &mut self,
        value: &Value<'js>,
        original: Option<usize>,
        spot: Spot<'_, 'js>,
    ) -> Result<Wrote, Trouble> {
        self.value_or_same(Some(value), original, spot)
    }

    /// The same with a member that may stand closed.
    pub(super) fn value_or_same(
        &mut self,
        value: Option<&Value<'js>>,
        original: Option<usize>,
        spot: Spot<'_, 'js>,
    ) -> Result<Wrote, Trouble> {
        let wrote = value.map_or(Ok(Wrote::Same), |value| self.merge(value, original, spot))?;
        if let (Wrote::Same, Some(node), Some(tape)) = (wrote, original, &self.original) {
            self.text.push_str(tape.text(node));
        }
        Ok(wrote)
    }

    /// The value of a member, or nothing when it still stands closed in its old place.
    pub(super) fn member(
        &self,
        object: &Object<'js>,
        key: Atom<'js>,
        original: Option<usize>,
    ) -> Result<Option<Value<'js>>, Trouble> {
        let closed = self.source.zip(original).and_then(|(text, node)| self.levels.find(text, node));
        Ok(match closed {
            Some(member) => self.levels.seek(self.ctx, member, || object.get(key))?,
            None => Some(object.get(key)?),
        })
    }

    /// Writes a value only when it says something else than the original.
    fn merge(
        &mut self,
        value: &Value<'js>,
        original: Option<usize>,
        spot: Spot<'_, 'js>,
    ) -> Result<Wrote, Trouble> {
        self.count()?;
        if spot.depth > DEEPEST {
            return Err(Trouble::TooMuch(DEEP));
        }
        let (Some(node), Some(tape)) = (original, self.original.clone()) else {
            return self.fresh(value, original, spot);
        };
        let text = tape.text(node);
        let same = match tape.kind(node) {
            Kind::Null => value.is_null(),
            Kind::True => value.as_bool() == Some(true),
            Kind::False => value.as_bool() == Some(false),
            Kind::Number => match (value.as_int(), value.as_number()) {
                (Some(int), _) if text.parse() == Ok(int) => true,
                (_, Some(number)) => text.parse() == Ok(number),
                _ => false,
            },
            Kind::String => match value.as_string().map(rquickjs::String::to_string) {
                Some(Ok(content)) if says(&text[1..text.len() - 1], &content) => true,
                Some(Ok(content)) => {
                    quote(&content, &mut self.text);
                    return Ok(Wrote::Other);
                }
                Some(Err(Error::Utf8(_))) => self.says_to_the_engine(value, text)?,
                Some(Err(_)) => return Err(Trouble::Thrown),
                None => false,
            },
            Kind::Array => match value.as_array() {
                Some(array) if self.is_plain(value) => return self.merge_items(&tape, array, node, spot),
                _ => false,
            },
            Kind::Object => match value.as_object() {
                Some(object) if !value.is_array() && self.is_plain(value) => {
                    return self.merge_members(&tape, object, node, spot);
                }
                _ => false,
            },
        };
        if same { Ok(Wrote::Same) } else { self.fresh(value, original, spot) }
    }

    /// An array that has at least the items of the original: as long as they are the same, nothing is
    /// written; at the first other one everything before it is copied at once.
    fn merge_items(
        &mut self,
        tape: &Tape<'_>,
        array: &Array<'js>,
        node: usize,
        spot: Spot<'_, 'js>,
    ) -> Result<Wrote, Trouble> {
        let length = length(array)?;
        if tape.inside(node).count() > length {
            return self.array(array, Some(node), spot).map(|()| Wrote::Other);
        }
        let begin = self.text.len();
        let mut items = tape.inside(node);
        let (mut before, mut other, mut moved) = (None, false, None);
        for index in 0..length {
            let item = items.next();
            let start = self.text.len();
            let value = array.get(index)?;
            let wrote = self.merge(&value, item, spot.inside(Key::Item(index)))?;
            if wrote == Wrote::Other {
                if !other {
                    match self.plan(array, Some(node))? {
                        // It was only changed in its places, as it is read here.
                        Some(plan) if plan.is_still(tape.inside(node).count()) => {}
                        Some(plan) => {
                            self.text.truncate(begin);
                            return self.planned(array, Some(node), spot, Some(&plan)).map(|()| Wrote::Other);
                        }
                        None => moved = Moved::new(self.ctx, tape, node, index),
                    }
                }
                if let Some(at) = moved.as_mut().and_then(|moved| moved.find(self.ctx, &value)) {
                    self.text.truncate(start);
                    self.copy(tape.inside(node).start + at)?;
                }
            }
            let written = self.text.split_off(start);
            if wrote != Wrote::Same && !other {
                other = true;
                self.text.push_str(tape.until(node, before));
            }
            if other {
                if index > 0 {
                    self.text.push(',');
                }
                self.text.push_str(match (wrote, item) {
                    (Wrote::Same, Some(item)) => tape.text(item),
                    (Wrote::Nothing, _) => "null",
                    _ => &written,
                });
            }
            before = item;
        }
        if other {
            self.text.push(']');
        }
        Ok(if other { Wrote::Other } else { Wrote::Same })
    }

    /// An object whose members begin with those of the original in the same order; the same way as items.
    fn merge_members(
        &mut self,
        tape: &Tape<'_>,
        object: &Object<'js>,
        node: usize,
        spot: Spot<'_, 'js>,
    ) -> Result<Wrote, Trouble> {
        let keys = object.own_keys::<Atom<'js>>(Filter::new().string().enum_only());
        if tape.inside(node).count() > keys.len() {
            return self.object(object, Some(node), spot);
        }
        let begin = self.text.len();
        let mut members = tape.inside(node);
        let (mut before, mut any, mut other) = (None, false, false);
        for key in keys {
            let key = key?;
            let member = members.next();
            if member.is_some_and(|member| !self.is_named(&key, tape.key(member))) {
                self.text.truncate(begin);
                return self.object(object, Some(node), spot);
            }
            let value = self.member(object, key.clone(), member)?;
            if value.as_ref().is_some_and(Value::is_function) && self.is_named(&key, "toJSON") {
                self.text.truncate(begin);
                return self.foreign(object.as_value(), spot.key);
            }
            let start = self.text.len();
            let merged = value.map(|value| self.merge(&value, member, spot.inside(Key::Name(&key))));
            let wrote = merged.unwrap_or(Ok(Wrote::Same))?;
            if wrote == Wrote::Nothing && member.is_none() {
                continue;
            }
            let written = self.text.split_off(start);
            if wrote != Wrote::Same && !other {
                other = true;
                self.text.push_str(tape.until(node, before));
            }
            if other && wrote != Wrote::Nothing {
                if any {
                    self.text.push(',');
                }
                match member {
                    Some(member) => self.text.extend(["\"", tape.key(member), "\""]),
                    None => self.string(&key.to_js_string()?)?,
                }
                self.text.push(':');
                self.text.push_str(match (wrote, member) {
                    (Wrote::Same, Some(member)) => tape.text(member),
                    _ => &written,
                });
            }
            any |= wrote != Wrote::Nothing;
            before = member;
        }
        if other {
            self.text.push('}');
        }
        Ok(if other { Wrote::Other } else { Wrote::Same })
    }

    /// Where an item stands in the original now that some were taken out: not far behind, or as expected.
    pub(super) fn behind(
        &mut self,
        item: &Value<'js>,
        was: &[usize],
        expected: usize,
        spot: Spot<'_, 'js>,
    ) -> Result<usize, Trouble> {
        let (end, values) = (self.text.len(), self.values);
        for (at, node) in was.iter().enumerate().skip(expected).take(SHIFTS) {
            let wrote = self.merge(item, Some(*node), spot.inside(Key::Item(at)))?;
            self.text.truncate(end);
            self.values = values;
            if wrote == Wrote::Same {
                return Ok(at);
            }
        }
        Ok(expected)
    }

    /// Whether a key is the one that is written so. The engine keeps every name once, so this compares two
    /// numbers.
    fn is_named(&self, key: &Atom<'js>, written: &str) -> bool {
        let name = match written.contains('\\').then(|| unescaped(written)) {
            None => Atom::from_str(self.ctx.clone(), written).ok(),
            Some(Some(plain)) => Atom::from_str(self.ctx.clone(), &plain).ok(),
            Some(None) => engine_string(self.ctx, written)
                .and_then(|string| Atom::from_value(self.ctx.clone(), string.as_value()).ok()),
        };
        name.is_some_and(|name| name == *key)
    }

    /// Writes what is nested too deeply to be held against the original: as it was, or as the engine writes it, where
    /// that leaves the numbers of the original as they are.
    pub(super) fn deep(
        &self,
        value: &Value<'js>,
        original: Option<(&Text, usize)>,
    ) -> Result<(Wrote, String), Trouble> {
        match original {
            Some((text, 0)) if self.is_still(value, text.as_str()) => {
                return Ok((Wrote::Same, text.as_str().to_owned()));
            }
            Some((text, _)) if !plain_numbers(text.as_str()) => return Err(Trouble::TooMuch(DEEP)),
            _ => {}
        }
        let written = self.ctx.json_stringify(value.clone());
        match written.and_then(|text| text.map(|text| text.to_string()).transpose()) {
            Ok(Some(text)) if text.len() > self.bounds.bytes => Err(Trouble::TooMuch(LARGE)),
            Ok(Some(text)) => Ok((Wrote::Other, text)),
            Ok(None) => Ok((Wrote::Nothing, String::new())),
            Err(_) => {
                self.ctx.catch();
                Err(Trouble::TooMuch(DEEP))
            }
        }
    }

    /// Whether a value that cannot be written is what the original says.
    fn is_still(&self, value: &Value<'js>, original: &str) -> bool {
        self.says_to_the_engine(value, original).unwrap_or_else(|_| {
            self.ctx.catch();
            false
        })
    }

    /// Whether the engine makes the same of the original, for halves of surrogate pairs.
    fn says_to_the_engine(&self, value: &Value<'js>, original: &str) -> Result<bool, Trouble> {
        let written =
            |value: Value<'js>| self.ctx.json_stringify(value)?.map(|text| text.to_string()).transpose();
        Ok(written(value.clone())? == written(self.ctx.json_parse(original)?)?)
    }
}
