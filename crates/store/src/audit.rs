//! The area of the audit log: entries are added, read and forgotten when they are old, and never changed.
//!
//! Entries form a chain. The hash of each covers its number, its content and the hash of the one before, so an entry
//! that was changed, taken out or put in shows.

use crate::{Backend, Error};
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// The hash before the first entry.
pub(crate) const FIRST: &str = "";

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditDraft {
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// What kind of thing, such as `call` or `change`.
    pub kind: String,
    /// Who did it.
    pub who: String,
    /// What it was done to, such as `server/tool` or a path.
    pub subject: String,
    /// The rest, as JSON text.
    pub body: String,
}

/// The same, with its place in the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEntry {
    /// Its number; the first is 1, and none is left out.
    pub number: u64,
    /// What happened.
    pub draft: AuditDraft,
    /// The hash of the entry before.
    pub previous: String,
    /// Its own.
    pub hash: String,
}

impl AuditDraft {
    /// The same as the next entry after one of that number and hash.
    pub fn after(self, number: u64, hash: &str) -> AuditEntry {
        let (number, previous) = (number + 1, hash.to_owned());
        let hash = seal(number, &self, &previous);
        AuditEntry { number, draft: self, previous, hash }
    }
}

impl AuditEntry {
    /// Whether its hash is that of its content.
    pub fn is_sound(&self) -> bool {
        self.hash == seal(self.number, &self.draft, &self.previous)
    }

    /// Whether it comes right after another one.
    pub fn follows(&self, before: &AuditEntry) -> bool {
        self.number == before.number + 1 && self.previous == before.hash
    }
}

/// Every part is counted, so that no two entries have the same text.
pub(crate) fn seal(number: u64, draft: &AuditDraft, previous: &str) -> String {
    let AuditDraft { at, kind, who, subject, body } = draft;
    let mut hash = Sha256::new();
    for part in [previous, &number.to_string(), &at.to_string(), kind, who, subject, body] {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    model::text::hex(&hash.finalize())
}

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

/// How many entries are checked at a time.
const CHUNK: usize = 500;

/// Which entries are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditFilter {
    /// Those of this kind.
    pub kind: Option<String>,
    /// Those of this client.
    pub who: Option<String>,
    /// Those done to this.
    pub subject: Option<String>,
}

impl AuditFilter {
    pub(crate) fn fits(&self, draft: &AuditDraft) -> bool {
        let same = |wanted: &Option<String>, found: &str| wanted.as_deref().is_none_or(|text| text == found);
        same(&self.kind, &draft.kind) && same(&self.who, &draft.who) && same(&self.subject, &draft.subject)
    }
}

/// The audit log.
pub struct Audit<'a>(pub(crate) &'a Backend);

impl Audit<'_> {
    /// Adds entries at the end of the chain, all or none, whoever else adds some at the same time.
    pub async fn append(&self, drafts: Vec<AuditDraft>) -> Result<(), Error> {
        self.append_all(drafts.into()).await
    }

    /// The same with entries that the caller goes on holding.
    pub async fn append_all(&self, drafts: Arc<[AuditDraft]>) -> Result<(), Error> {
        match self.0 {
            Backend::Memory(memory) => memory.append_audit(&drafts),
            Backend::Sqlite(sqlite) => sqlite.append_audit(drafts).await,
            Backend::Postgres(postgres) => postgres.append_audit(&drafts).await,
            Backend::Redis(redis) => redis.append_audit(&drafts).await,
        }
    }

    /// Lets the chain of a log that never had an entry go on after one of that number and hash.
    pub(crate) async fn begin(&self, number: u64, hash: &str) -> Result<(), Error> {
        match self.0 {
            Backend::Memory(memory) => memory.begin_audit(number, hash),
            Backend::Sqlite(sqlite) => sqlite.begin_audit(number, hash).await,
            Backend::Postgres(postgres) => postgres.begin_audit(number, hash).await,
            Backend::Redis(redis) => redis.begin_audit(number, hash).await,
        }
    }

    /// At most `limit` entries that fit, newest first; with `before` those with a smaller number.
    pub async fn list(
        &self,
        filter: &AuditFilter,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<AuditEntry>, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.list_audit(filter, before, limit),
            Backend::Sqlite(sqlite) => sqlite.list_audit(filter.clone(), before, limit).await,
            Backend::Postgres(postgres) => postgres.list_audit(filter, before, limit).await,
            Backend::Redis(redis) => redis.list_audit(filter, before, limit).await,
        }
    }

    /// At most `limit` entries with a greater number, oldest first.
    pub async fn after(&self, number: u64, limit: usize) -> Result<Vec<AuditEntry>, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.audit_after(number, limit),
            Backend::Sqlite(sqlite) => sqlite.audit_after(number, limit).await,
            Backend::Postgres(postgres) => postgres.audit_after(number, limit).await,
            Backend::Redis(redis) => redis.audit_after(number, limit).await,
        }
    }

    /// The number and the hash of the last entry ever added; 0 when there was none.
    pub async fn end(&self) -> Result<(u64, String), Error> {
        match self.0 {
            Backend::Memory(memory) => memory.audit_end(),
            Backend::Sqlite(sqlite) => sqlite.audit_end().await,
            Backend::Postgres(postgres) => postgres.audit_end().await,
            Backend::Redis(redis) => redis.audit_end().await,
        }
    }

    /// Reads the chain from its oldest entry to its end. One that was changed, taken out or put in is
    /// [`Error::Broken`].
    pub async fn verify(&self) -> Result<Verified, Error> {
        let (mut count, mut last) = (0, None::<AuditEntry>);
        loop {
            let entries = self.after(last.as_ref().map_or(0, |last| last.number), CHUNK).await?;
            if entries.is_empty() {
                break;
            }
            for entry in entries {
                if !entry.is_sound() || last.as_ref().is_some_and(|last| !entry.follows(last)) {
                    return Err(Error::Broken(entry.number));
                }
                (count, last) = (count + 1, Some(entry));
            }
        }
        let (number, hash) = self.end().await?;
        // Old entries may be gone, even all of them; the end of the chain may not. It may have grown meanwhile.
        match last {
            Some(last) if last.number < number => Err(Error::Broken(last.number + 1)),
            Some(last) if last.number == number && last.hash != hash => Err(Error::Broken(number)),
            _ => Ok(Verified { count, number, hash }),
        }
    }

    /// Forgets what happened before `before`, in milliseconds since 1970, from the oldest on and up to the first that
    /// is younger. Says how many went.
    pub async fn trim(&self, before: i64) -> Result<u64, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.trim_audit(before),
            Backend::Sqlite(sqlite) => sqlite.trim_audit(before).await,
            Backend::Postgres(postgres) => postgres.trim_audit(before).await,
            Backend::Redis(redis) => redis.trim_audit(before).await,
        }
    }
}
