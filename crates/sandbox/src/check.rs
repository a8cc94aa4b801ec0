//! Whether scripts compile.

use crate::pool::{Errand, Lost, Trouble};
use crate::sandbox::{GRACE, Sandbox, crashed, no_worker};
use crate::wire::{self, Reply};
use crate::{Rank, ScriptError};
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

/// How long a script may take to compile when it is checked.
const CHECK: Duration = Duration::from_secs(5);

/// The most scripts that are checked in one go, and the most bytes of them, unless one alone has more: others may
/// wait for the worker.
const CHECKED: usize = 512;
const CHECKED_BYTES: usize = 256 << 10;

/// The part of the time for one script that many may take together, before each is checked alone.
pub(crate) const TOGETHER: u32 = 5;

/// The most bytes that are said of one script.
const SAID: usize = 4096;

/// How many scripts are known to compile, at most.
const KNOWN: usize = 16 << 10;

/// Which scripts have compiled, by their hashes. An editor has a graph validated at every change, and most of its
/// scripts are as they were.
#[derive(Default)]
pub(crate) struct Compiled {
    hashes: HashSet<u64>,
    key: RandomState,
}

impl Compiled {
    /// The hashes of all of these; and those that are not known, each once and with its hash.
    fn sift<'a>(&self, sources: &[&'a str]) -> (Vec<u64>, Vec<(u64, &'a str)>) {
        let hashes: Vec<u64> = sources.iter().map(|source| self.key.hash_one(source)).collect();
        let mut seen = HashSet::with_capacity(hashes.len());
        let is_new = |(hash, _): &(u64, &str)| !self.hashes.contains(hash) && seen.insert(*hash);
        let new = hashes.iter().copied().zip(sources.iter().copied()).filter(is_new).collect();
        (hashes, new)
    }

    fn add(&mut self, hash: u64) {
        if self.hashes.len() >= KNOWN {
            self.hashes.clear();
        }
        self.hashes.insert(hash);
    }
}

impl Sandbox {
    /// Compiles a script in the form in which it runs, without running it.
    pub async fn check(&self, source: &str) -> Result<(), ScriptError> {
        self.check_all(&[source]).await.remove(0)
    }

    /// The same with many scripts; what came of each, in their order. One that stands there more than once is compiled
    /// once, and one that has compiled before is known.
    pub async fn check_all(&self, sources: &[&str]) -> Vec<Result<(), ScriptError>> {
        let (hashes, new) = self.compiled().sift(sources);
        // Two workers share what is more than one gets in one go.
        let texts: Vec<&str> = new.iter().map(|(_, source)| *source).collect();
        let at_once = first(&texts).len() == texts.len();
        let (one, other) = texts.split_at(if at_once { texts.len() } else { texts.len() / 2 });
        let (mut results, others) = tokio::join!(self.check_new(one), self.check_new(other));
        results.extend(others);
        let mut compiled = self.compiled();
        let mut wrong = HashMap::new();
        for ((hash, _), result) in new.into_iter().zip(results) {
            match result {
                Ok(()) => compiled.add(hash),
                Err(error) => _ = wrong.insert(hash, error),
            }
        }
        hashes.iter().map(|hash| wrong.get(hash).cloned().map_or(Ok(()), Err)).collect()
    }

    fn compiled(&self) -> MutexGuard<'_, Compiled> {
        self.compiled.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn check_new(&self, sources: &[&str]) -> Vec<Result<(), ScriptError>> {
        let mut results = Vec::with_capacity(sources.len());
        // With a worker that was lost it is not known at which script: those are checked one by one.
        let mut alone = 0;
        while results.len() < sources.len() {
            let rest = &sources[results.len()..];
            let some = if alone > 0 { &rest[..1] } else { first(rest) };
            alone = usize::saturating_sub(alone, 1);
            match self.check_some(some).await {
                Ok(checked) => results.extend(checked),
                Err(Trouble::Nobody(error)) => {
                    results.resize(sources.len(), Err(no_worker(error)));
                }
                Err(Trouble::Lost(_)) if some.len() > 1 => alone = some.len(),
                Err(Trouble::Lost(Lost::Late)) => results.push(Err(ScriptError::timeout())),
                Err(Trouble::Lost(_)) => results.push(Err(crashed())),
            }
        }
        results
    }

    /// Has one worker compile some scripts. It leaves those after one that took too long.
    async fn check_some(&self, sources: &[&str]) -> Result<Vec<Result<(), ScriptError>>, Trouble> {
        let errand = Errand {
            message: &|number, _, writer| wire::check(writer, number, sources, CHECK),
            most: sources.len() * SAID,
            cost: u32::MAX,
            patience: CHECK + CHECK / TOGETHER + GRACE,
            limit: CHECK,
            rank: Rank::Work,
        };
        match self.pool.exchange(&errand).await? {
            (Reply::Checked(checked), _) if checked.fits(sources.len()) => Ok(checked.results),
            (_, line) => {
                let lost = wire::Malformed.into();
                self.pool.expel(&line, &lost);
                Err(Trouble::Lost(lost))
            }
        }
    }
}

/// The scripts that are checked in one go.
fn first<'a>(sources: &'a [&'a str]) -> &'a [&'a str] {
    let mut room = CHECKED_BYTES;
    let fits = |source: &&&str| {
        let enough = room >= source.len();
        room = room.saturating_sub(source.len());
        enough
    };
    let count = sources.iter().take(CHECKED).take_while(fits).count();
    &sources[..count.max(1).min(sources.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_checked_in_one_go_is_bounded() {
        let small = vec!["return"; 2 * CHECKED];
        assert_eq!(first(&small).len(), CHECKED);
        let long = "x".repeat(CHECKED_BYTES);
        assert_eq!(first(&["a", "b", &long, "c"]).len(), 2);
        assert_eq!(first(&[&long, "c"]).len(), 1);
        let longer = "x".repeat(CHECKED_BYTES + 1);
        assert_eq!(first(&[&longer, "c"]).len(), 1, "one alone goes whatever its size");
    }

    #[test]
    fn what_compiled_is_known_and_not_without_end() {
        let mut compiled = Compiled::default();
        compiled.add(compiled.key.hash_one("return 1"));
        let (hashes, new) = compiled.sift(&["return 1", "return 2", "return 1", "return 2", "return 3"]);
        assert_eq!(new.iter().map(|(_, source)| *source).collect::<Vec<_>>(), ["return 2", "return 3"]);
        assert_eq!((hashes.len(), hashes[1] == hashes[3], hashes[0] == hashes[1]), (5, true, false));
        (0..2 * KNOWN).for_each(|n| compiled.add(n as u64));
        assert!(compiled.hashes.len() <= KNOWN);
    }
}
