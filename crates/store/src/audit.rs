//! The area of the audit log: entries are added, read and forgotten when they are old, and never changed.
//!
//! Entries form a chain. The hash of each covers its number, its content and the hash of the one before, so an entry
//! that was changed, taken out or put in shows. Before old ones are forgotten an entry says up to where, so that others
//! cannot be taken from the beginning unseen.

mod batch;
mod verify;

pub use batch::{AuditBatch, AuditBody, AuditLines};
pub use verify::Verified;

use crate::{Backend, Error, clock};
use model::access::Digest;
use std::sync::Arc;

/// The hash before the first entry.
pub(crate) const FIRST: &str = "";

/// The kind of an entry that says which are forgotten.
const TRIM: &str = "trim";

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

/// The same without a memory of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AuditLine<'a> {
    pub(crate) at: i64,
    pub(crate) kind: &'a str,
    pub(crate) who: &'a str,
    pub(crate) subject: &'a str,
    pub(crate) body: &'a str,
}

impl AuditDraft {
    pub(crate) fn line(&self) -> AuditLine<'_> {
        let Self { at, kind, who, subject, body } = self;
        AuditLine { at: *at, kind, who, subject, body }
    }
}

impl<'a> AuditLine<'a> {
    /// Everything but the time.
    pub(crate) fn texts(self) -> [&'a str; 4] {
        let Self { at: _, kind, who, subject, body } = self;
        [kind, who, subject, body]
    }

    /// The next entry after one of that number and hash.
    pub(crate) fn after(self, number: u64, hash: &str) -> AuditEntry {
        let mut chain = Chain::after(number, hash);
        chain.add(self);
        let [kind, who, subject, body] = self.texts().map(str::to_owned);
        let draft = AuditDraft { at: self.at, kind, who, subject, body };
        AuditEntry { number: chain.number, draft, previous: hash.to_owned(), hash: chain.hash }
    }
}

impl AuditEntry {
    /// Whether its hash is that of its content.
    pub fn is_sound(&self) -> bool {
        let Some(before) = self.number.checked_sub(1) else { return false };
        let mut chain = Chain::after(before, &self.previous);
        chain.add(self.draft.line());
        self.hash == chain.hash
    }

    /// Whether it comes right after another one.
    pub fn follows(&self, before: &AuditEntry) -> bool {
        self.number == before.number + 1 && self.previous == before.hash
    }
}

/// The end of a chain, to which entries are added one after the other.
#[derive(Debug)]
pub(crate) struct Chain {
    /// The number of the last one.
    pub(crate) number: u64,
    /// Its hash.
    pub(crate) hash: String,
    /// The room for what is hashed.
    room: Vec<u8>,
}

impl Chain {
    pub(crate) fn after(number: u64, hash: &str) -> Self {
        Self { number, hash: hash.to_owned(), room: Vec::new() }
    }

    /// Goes on with an entry. Every part is counted, so that no two entries have the same text.
    pub(crate) fn add(&mut self, line: AuditLine<'_>) {
        self.number += 1;
        let (number, at) = (self.number.to_string(), line.at.to_string());
        let [kind, who, subject, body] = line.texts();
        self.room.clear();
        for part in [&self.hash, &*number, &at, kind, who, subject, body] {
            self.room.extend_from_slice(&(part.len() as u64).to_le_bytes());
            self.room.extend_from_slice(part.as_bytes());
        }
        self.hash = Digest::of(&self.room).hex();
    }
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
        let mut batch = AuditBatch::default();
        batch.extend(drafts);
        self.append_all(batch.complete().into()).await
    }

    /// The same with entries that the caller goes on holding.
    pub async fn append_all(&self, batch: Arc<AuditLines>) -> Result<(), Error> {
        match self.0 {
            Backend::Memory(memory) => memory.append_audit(&batch),
            Backend::Sqlite(sqlite) => sqlite.append_audit(batch).await,
            Backend::Postgres(postgres) => Box::pin(postgres.append_audit(&batch)).await,
            Backend::Redis(redis) => Box::pin(redis.append_audit(&batch)).await,
        }
    }

    /// Lets the chain of a log that never had an entry go on after one of that number and hash.
    pub(crate) async fn begin(&self, number: u64, hash: &str) -> Result<(), Error> {
        match self.0 {
            Backend::Memory(memory) => memory.begin_audit(number, hash),
            Backend::Sqlite(sqlite) => sqlite.begin_audit(number, hash).await,
            Backend::Postgres(postgres) => Box::pin(postgres.begin_audit(number, hash)).await,
            Backend::Redis(redis) => Box::pin(redis.begin_audit(number, hash)).await,
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
            Backend::Postgres(postgres) => Box::pin(postgres.list_audit(filter, before, limit)).await,
            Backend::Redis(redis) => Box::pin(redis.list_audit(filter, before, limit)).await,
        }
    }

    /// At most `limit` entries with a greater number, oldest first.
    pub async fn after(&self, number: u64, limit: usize) -> Result<Vec<AuditEntry>, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.audit_after(number, limit),
            Backend::Sqlite(sqlite) => sqlite.audit_after(number, limit).await,
            Backend::Postgres(postgres) => Box::pin(postgres.audit_after(number, limit)).await,
            Backend::Redis(redis) => Box::pin(redis.audit_after(number, limit)).await,
        }
    }

    /// The number and the hash of the last entry ever added; 0 when there was none.
    pub async fn end(&self) -> Result<(u64, String), Error> {
        match self.0 {
            Backend::Memory(memory) => memory.audit_end(),
            Backend::Sqlite(sqlite) => sqlite.audit_end().await,
            Backend::Postgres(postgres) => Box::pin(postgres.audit_end()).await,
            Backend::Redis(redis) => Box::pin(redis.audit_end()).await,
        }
    }

    /// Reads the chain from its oldest entry to its end. One that was changed, taken out or put in is
    /// [`Error::Broken`].
    pub async fn verify(&self) -> Result<Verified, Error> {
        verify::verify(self).await
    }

    /// Forgets what happened before `before`, in milliseconds since 1970, from the oldest on and up to the first that
    /// is younger. Says how many went, after an entry that says up to where.
    pub async fn trim(&self, before: i64) -> Result<u64, Error> {
        let Some(old) = self.last_before(before).await? else { return Ok(0) };
        let body = format!(r#"{{"number":{},"hash":"{}"}}"#, old.number, old.hash);
        let (at, kind, subject) = (clock::now().max(before), TRIM.to_owned(), "audit".to_owned());
        self.append(vec![AuditDraft { at, kind, who: model::PRODUCT.to_owned(), subject, body }]).await?;
        match self.0 {
            Backend::Memory(memory) => memory.trim_audit(before),
            Backend::Sqlite(sqlite) => sqlite.trim_audit(before).await,
            Backend::Postgres(postgres) => Box::pin(postgres.trim_audit(before)).await,
            Backend::Redis(redis) => Box::pin(redis.trim_audit(before)).await,
        }
    }

    /// The last of the entries from the oldest on up to the first that is younger.
    async fn last_before(&self, before: i64) -> Result<Option<AuditEntry>, Error> {
        let mut last = None::<AuditEntry>;
        loop {
            let entries = self.after(last.as_ref().map_or(0, |last| last.number), CHUNK).await?;
            if entries.is_empty() {
                return Ok(last);
            }
            for entry in entries {
                if entry.draft.at >= before {
                    return Ok(last);
                }
                last = Some(entry);
            }
        }
    }
}
