//! Whether the chain of the audit log holds.

use super::{Audit, AuditEntry, CHUNK, TRIM};
use crate::Error;

/// A chain that holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// How many entries there are.
    pub count: u64,
    /// The number of the last one ever added; 0 when there was none.
    pub number: u64,
    /// Its hash.
    pub hash: String,
}

/// A log that is read while others add to it.
pub(super) trait Log {
    /// At most `limit` entries with a greater number, oldest first.
    async fn after(&self, number: u64, limit: usize) -> Result<Vec<AuditEntry>, Error>;

    /// The number and the hash of the last entry ever added; 0 when there was none.
    async fn end(&self) -> Result<(u64, String), Error>;
}

impl Log for Audit<'_> {
    async fn after(&self, number: u64, limit: usize) -> Result<Vec<AuditEntry>, Error> {
        Audit::after(self, number, limit).await
    }

    async fn end(&self) -> Result<(u64, String), Error> {
        Audit::end(self).await
    }
}

/// Reads the chain from its oldest entry to its end.
pub(super) async fn verify(log: &impl Log) -> Result<Verified, Error> {
    let (mut count, mut last) = (0, None::<AuditEntry>);
    let (mut before, mut forgotten) = (None, Place::default());
    let end = loop {
        // Before a look that finds nothing, and after all that found something: what is added between the two is found.
        let (number, hash) = log.end().await?;
        let entries = log.after(last.as_ref().map_or(0, |last| last.number), CHUNK).await?;
        if entries.is_empty() {
            break Place { number, hash };
        }
        for entry in entries {
            if !entry.is_sound() || last.as_ref().is_some_and(|last| !entry.follows(last)) {
                return Err(Error::Broken(entry.number));
            }
            before.get_or_insert_with(|| Place::before(&entry));
            forgotten = forgotten.max(Place::forgotten(&entry));
            (count, last) = (count + 1, Some(entry));
        }
    };
    // The end of the chain may not be gone, nor what says where it is: an entry is never there without it.
    match last {
        Some(last) if last.number < end.number => return Err(Error::Broken(last.number + 1)),
        Some(last) if last.number > end.number => return Err(Error::Broken(end.number + 1)),
        Some(last) if last.hash != end.hash => return Err(Error::Broken(end.number)),
        _ => {}
    }
    let Place { number, hash } = end.clone();
    // Those before the first must have been forgotten: an entry says so, and it was not among them.
    let before = before.unwrap_or(end);
    if before.number > 0 && before != forgotten && before.number >= forgotten.number {
        return Err(Error::Broken(before.number));
    }
    Ok(Verified { count, number, hash })
}

/// An entry by its number and its hash, whether it is still there or not.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    number: u64,
    hash: String,
}

impl Place {
    fn before(entry: &AuditEntry) -> Self {
        Self { number: entry.number - 1, hash: entry.previous.clone() }
    }

    /// Up to where others are forgotten, if that is what an entry says.
    fn forgotten(entry: &AuditEntry) -> Self {
        if entry.draft.kind != TRIM {
            return Self::default();
        }
        let body: serde_json::Value = serde_json::from_str(&entry.draft.body).unwrap_or_default();
        let hash = body["hash"].as_str().unwrap_or_default().to_owned();
        Self { number: body["number"].as_u64().unwrap_or_default(), hash }
    }
}

#[cfg(test)]
mod tests {
    use super::super::AuditDraft;
    use super::*;
    use std::cell::Cell;

    /// A log to which an entry is added whenever it is looked at so, as long as there are any.
    struct Growing {
        entries: Vec<AuditEntry>,
        there: Cell<usize>,
        grows: Look,
        /// How many of them are gone from its end.
        gone: usize,
    }

    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Look {
        After,
        End,
    }

    impl Growing {
        fn new(count: i64, grows: Look, gone: usize) -> Self {
            let mut entries = Vec::<AuditEntry>::new();
            for at in 0..count {
                let [kind, who, subject, body] = ["call", "me", "s/t", "{}"].map(str::to_owned);
                let draft = AuditDraft { at, kind, who, subject, body };
                let (number, hash) = entries.last().map_or((0, ""), |last| (last.number, &*last.hash));
                entries.push(draft.line().after(number, hash));
            }
            Self { entries, there: Cell::new(1), grows, gone }
        }

        /// Those that are there by now.
        fn seen(&self, look: Look) -> &[AuditEntry] {
            let more = usize::from(look == self.grows);
            self.there.set((self.there.get() + more).min(self.entries.len()));
            &self.entries[..self.there.get()]
        }
    }

    impl Log for Growing {
        async fn after(&self, number: u64, limit: usize) -> Result<Vec<AuditEntry>, Error> {
            let there = self.seen(Look::After);
            let left = &there[..there.len().min(self.entries.len() - self.gone)];
            Ok(left.iter().filter(|entry| entry.number > number).take(limit).cloned().collect())
        }

        async fn end(&self) -> Result<(u64, String), Error> {
            Ok(self
                .seen(Look::End)
                .last()
                .map_or_else(Default::default, |last| (last.number, last.hash.clone())))
        }
    }

    #[tokio::test]
    async fn a_chain_that_grows_while_it_is_read_holds_unless_its_end_is_gone() {
        for (count, grows) in [(1, Look::End), (2, Look::End), (8, Look::End), (8, Look::After)] {
            let verified = verify(&Growing::new(count, grows, 0)).await.expect("it holds");
            assert_eq!(verified.count, verified.number, "{count}, {grows:?}");
            assert_eq!(verified.number, count.unsigned_abs(), "what came meanwhile is read too");
        }
        let broken = verify(&Growing::new(8, Look::End, 3)).await.expect_err("it does not hold");
        assert!(matches!(broken, Error::Broken(6)), "{broken}");
    }
}
