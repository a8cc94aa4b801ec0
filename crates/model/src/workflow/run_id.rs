//! The name of a run.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// The name of one run. Later runs have greater ones, so that a store needs no other order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RunId(i64);

/// How many bits tell the runs of one millisecond apart.
const SERIAL: u32 = 20;

impl RunId {
    /// The name of a run that began at `now`, in milliseconds since 1970. `serial` tells those of the same
    /// millisecond apart; its lower bits count.
    pub const fn new(now: i64, serial: u32) -> Self {
        Self(Self::first_of(now).0 | (serial as i64 & ((1 << SERIAL) - 1)))
    }

    /// The least name that a run of this moment can have.
    pub const fn first_of(now: i64) -> Self {
        let most = i64::MAX >> SERIAL;
        let now = if now < 0 {
            0
        } else if now > most {
            most
        } else {
            now
        };
        Self(now << SERIAL)
    }

    /// The number, as stores keep it.
    pub const fn number(self) -> i64 {
        self.0
    }

    /// The name of that number.
    pub const fn of(number: i64) -> Self {
        Self(number)
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// The text is not the name of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("is not the id of a run")]
pub struct NotARun;

impl FromStr for RunId {
    type Err = NotARun;

    fn from_str(text: &str) -> Result<Self, NotARun> {
        let plain = text.len() == 16 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        let number = if plain { i64::from_str_radix(text, 16).ok() } else { None };
        number.map(Self).ok_or(NotARun)
    }
}

impl Serialize for RunId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for RunId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_runs_have_greater_ids_and_ids_read_back() {
        let (early, late) = (RunId::new(1_763_164_800_000, u32::MAX), RunId::new(1_763_164_800_001, 0));
        assert!(early < late);
        assert!(RunId::first_of(1_763_164_800_000) <= early);
        for id in [early, late, RunId::new(-1, 7), RunId::new(i64::MAX, 7)] {
            assert_eq!(id.to_string().parse(), Ok(id));
            assert_eq!(RunId::of(id.number()), id);
        }
        for wrong in
            ["", "x", "0000000000000001 ", "+000000000000001", "00000000000000001", "ffffffffffffffff"]
        {
            assert_eq!(wrong.parse::<RunId>(), Err(NotARun), "{wrong}");
        }
    }
}
