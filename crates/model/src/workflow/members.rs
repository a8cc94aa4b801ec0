//! The members of an object that are looked at. The others are read and dropped: no tree is built of them, and they are
//! held to the same rules as if one were.

use super::written::Item;
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::fmt;
use std::marker::PhantomData;

/// What an item holds where it is an object. Of a member that stands twice the last one counts.
pub(super) struct Members<T: Item>(pub(super) Option<T::Parts>);

/// A text, or nothing where something else stands.
#[derive(Default)]
pub(super) struct Word(pub(super) Option<String>);

/// Where an editor shows something: an object with the numbers `x` and `y`, or nothing where something else stands.
#[derive(Default)]
pub(super) struct Place(pub(super) Option<(f64, f64)>);

/// Any JSON.
pub(super) struct Seen;

impl<'de, T: Item> Deserialize<'de> for Members<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Look(Parts::<T>(PhantomData))).map(Self)
    }
}

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Look(Text)).map(Self)
    }
}

impl<'de> Deserialize<'de> for Place {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let [x, y] = deserializer.deserialize_any(Look(Axes))?;
        Ok(Self(x.zip(y)))
    }
}

impl<'de> Deserialize<'de> for Seen {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Look(())).map(|()| Self)
    }
}

/// What is wanted of a value. Where it is something else, nothing was found, and it was read all the same.
trait Wanted: Sized {
    type Found: Default;

    fn text(self, _text: &str) -> Self::Found {
        Self::Found::default()
    }

    fn number(self, _number: f64) -> Self::Found {
        Self::Found::default()
    }

    /// The members that are wanted of an object.
    const NAMES: &'static [&'static str] = &[];

    /// Reads the member at that place among the names.
    fn member<'de, M: MapAccess<'de>>(_: &mut Self::Found, _at: usize, map: &mut M) -> Result<(), M::Error> {
        map.next_value::<Seen>().map(drop)
    }

    /// What was found where there is an object, before its members.
    fn object(self) -> Self::Found {
        Self::Found::default()
    }
}

impl Wanted for () {
    type Found = ();
}

struct Text;

impl Wanted for Text {
    type Found = Option<String>;

    fn text(self, text: &str) -> Self::Found {
        Some(text.to_owned())
    }
}

struct Number;

impl Wanted for Number {
    type Found = Option<f64>;

    fn number(self, number: f64) -> Self::Found {
        Some(number)
    }
}

struct Axes;

impl Wanted for Axes {
    type Found = [Option<f64>; 2];
    const NAMES: &'static [&'static str] = &["x", "y"];

    fn member<'de, M: MapAccess<'de>>(
        found: &mut Self::Found,
        at: usize,
        map: &mut M,
    ) -> Result<(), M::Error> {
        found[at] = map.next_value_seed(Look(Number))?;
        Ok(())
    }
}

struct Parts<T>(PhantomData<T>);

impl<T: Item> Wanted for Parts<T> {
    type Found = Option<T::Parts>;
    const NAMES: &'static [&'static str] = &T::MEMBERS;

    fn member<'de, M: MapAccess<'de>>(
        found: &mut Self::Found,
        at: usize,
        map: &mut M,
    ) -> Result<(), M::Error> {
        T::member(found.get_or_insert_default(), at, map)
    }

    fn object(self) -> Self::Found {
        Some(T::Parts::default())
    }
}

/// Reads a value for the sake of what is wanted of it.
struct Look<W>(W);

impl<'de, W: Wanted> DeserializeSeed<'de> for Look<W> {
    type Value = W::Found;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, W: Wanted> Visitor<'de> for Look<W> {
    type Value = W::Found;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let mut found = self.0.object();
        while let Some(at) = map.next_key_seed(Name(W::NAMES))? {
            match at {
                Some(at) => W::member(&mut found, at, &mut map)?,
                None => _ = map.next_value::<Seen>()?,
            }
        }
        Ok(found)
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut list: S) -> Result<Self::Value, S::Error> {
        while list.next_element::<Seen>()?.is_some() {}
        Ok(W::Found::default())
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Self::Value, E> {
        Ok(W::Found::default())
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Self::Value, E> {
        Ok(self.0.number(number as f64))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Self::Value, E> {
        Ok(self.0.number(number as f64))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Self::Value, E> {
        Ok(self.0.number(number))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(self.0.text(text))
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(W::Found::default())
    }
}

/// Which of these names a name is.
struct Name(&'static [&'static str]);

impl<'de> DeserializeSeed<'de> for Name {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Name {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Self::Value, E> {
        Ok(self.0.iter().position(|member| *member == name))
    }
}
