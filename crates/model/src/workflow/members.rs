//! The members of an object that are looked at. The others are read and dropped: no tree is built of them, and they are
//! held to the same rules as if one were.

use super::written::Item;
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::fmt;
use std::marker::PhantomData;

/// What an item holds where it is an object. Of a member that stands twice the last one counts.
pub(super) struct Members<T>(pub(super) Option<[Option<Value>; 4]>, PhantomData<T>);

/// Any JSON.
pub(super) struct Seen;

impl<'de, T: Item> Deserialize<'de> for Members<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Look(&T::MEMBERS)).map(|members| Self(members, PhantomData))
    }
}

impl<'de> Deserialize<'de> for Seen {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Look(&[])).map(|_| Self)
    }
}

/// Looks at the members of these names.
struct Look<'a>(&'a [&'static str]);

impl<'de> Visitor<'de> for Look<'_> {
    type Value = Option<[Option<Value>; 4]>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let mut members = [const { None }; 4];
        while let Some(at) = map.next_key_seed(Name(self.0))? {
            match at {
                Some(at) => members[at] = Some(map.next_value()?),
                None => _ = map.next_value::<Seen>()?,
            }
        }
        Ok(Some(members))
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut list: S) -> Result<Self::Value, S::Error> {
        while list.next_element::<Seen>()?.is_some() {}
        Ok(None)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }
}

/// Which of these names a name is.
struct Name<'a>(&'a [&'static str]);

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Name<'_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Self::Value, E> {
        Ok(self.0.iter().position(|member| *member == name))
    }
}
