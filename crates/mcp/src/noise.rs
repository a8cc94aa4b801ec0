//! How much the log says of what a server sends that is no message: of a while the first few, and later how many more
//! there were. A server that sends nothing else must not fill the disk.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Within this time …
const WHILE: Duration = Duration::from_secs(10);

/// … so many have a line of their own.
const TOLD_MAX: u32 = 10;

/// What was sent that is no message.
#[derive(Default)]
pub(crate) struct Noise(Mutex<Option<Spell>>);

struct Spell {
    since: Instant,
    told: u32,
    untold: u64,
}

impl Noise {
    /// One more came. Where the log is to tell it: how many came before it that the log did not tell.
    pub(crate) fn one_more(&self, now: Instant) -> Option<u64> {
        let mut spell = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let spell = spell.get_or_insert(Spell { since: now, told: 0, untold: 0 });
        if now.saturating_duration_since(spell.since) >= WHILE {
            (spell.since, spell.told) = (now, 0);
        }
        if spell.told == TOLD_MAX {
            spell.untold += 1;
            return None;
        }
        spell.told += 1;
        Some(std::mem::take(&mut spell.untold))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_flood_the_first_few_are_told_and_then_how_many_there_were() {
        let (noise, began) = (Noise::default(), Instant::now());
        let told = |seconds, count| -> Vec<u64> {
            (0..count).filter_map(|_| noise.one_more(began + Duration::from_secs(seconds))).collect()
        };
        assert_eq!(told(0, 3), [0; 3]);
        assert_eq!(told(9, 100_000), [0; 7]);
        assert_eq!(told(10, 2), [99_993, 0]);
        assert_eq!(told(19, 9), [0; 8]);
        assert_eq!(told(3600, 1), [1]);
    }
}
