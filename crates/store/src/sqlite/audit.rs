//! The audit area in SQL. Entries that are added together share rows.

mod page;

use super::{Sqlite, refused_on, signed, unsigned};
use crate::audit::{AuditLine, Chain, FIRST};
use crate::{AuditDraft, AuditEntry, AuditFilter, AuditLines, Error};
use page::More;
use rusqlite::{Connection, OptionalExtension, params};
use std::sync::Arc;

const COLUMNS: &str = "number, at, kind, who, subject, body, previous, hash, more";

/// Rows that are looked at in one go when old entries are forgotten, so that others can write in between.
const TRIMMED: usize = 100;

impl Sqlite {
    pub(crate) async fn append_audit(&self, batch: Arc<AuditLines>) -> Result<(), Error> {
        self.write(move |connection| {
            append(connection, &batch).map_err(refused_on("add to the audit log", connection))
        })
        .await
    }

    pub(crate) async fn begin_audit(&self, number: u64, hash: &str) -> Result<(), Error> {
        let hash = hash.to_owned();
        self.write(move |connection| {
            let sql =
                "INSERT INTO audit_end (one, number, hash) VALUES (1, ?1, ?2) ON CONFLICT (one) DO NOTHING";
            let begun = connection.execute(sql, params![signed(number), hash]);
            begun.map(drop).map_err(refused_on("begin the audit log", connection))
        })
        .await
    }

    pub(crate) async fn list_audit(
        &self,
        filter: AuditFilter,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<AuditEntry>, Error> {
        self.read(move |connection| {
            list(connection, &filter, before, limit).map_err(refused_on("read the audit log", connection))
        })
        .await
    }

    pub(crate) async fn audit_after(&self, number: u64, limit: usize) -> Result<Vec<AuditEntry>, Error> {
        self.read(move |connection| {
            after(connection, number, limit).map_err(refused_on("read the audit log", connection))
        })
        .await
    }

    pub(crate) async fn audit_end(&self) -> Result<(u64, String), Error> {
        self.read(|connection| end(connection).map_err(refused_on("read the audit log", connection))).await
    }

    pub(crate) async fn trim_audit(&self, before: i64) -> Result<u64, Error> {
        let mut gone = 0;
        loop {
            let trimmed = self.write(move |connection| {
                trim(connection, before).map_err(refused_on("forget old audit entries", connection))
            });
            let (more, done) = trimmed.await?;
            gone += more;
            if done {
                return Ok(gone);
            }
        }
    }
}

/// Entries that were added together.
struct Row {
    /// The number of the first one.
    number: u64,
    drafts: Vec<AuditDraft>,
    /// The hash before the first one.
    previous: String,
    /// That of the last one.
    hash: String,
}

impl Row {
    fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<Self> {
        let first = AuditDraft {
            at: row.get(1)?,
            kind: row.get(2)?,
            who: row.get(3)?,
            subject: row.get(4)?,
            body: row.get(5)?,
        };
        let more = row.get_ref(8)?.as_blob_or_null()?.unwrap_or_default();
        // What cannot be read is missing in the chain, which shows.
        let drafts = page::read(first.clone(), more).unwrap_or_else(|| vec![first]);
        Ok(Self { number: unsigned(row.get(0)?), drafts, previous: row.get(6)?, hash: row.get(7)? })
    }

    /// The number with which the next row begins.
    fn end(&self) -> u64 {
        self.number.saturating_add(self.drafts.len() as u64)
    }

    /// The entries, each with its hash. If they do not lead to the hash of the last one, something was changed: then
    /// that is the hash of all of them, and none is sound.
    fn entries(self) -> Vec<AuditEntry> {
        let mut chain = Chain::after(self.number.saturating_sub(1), &self.previous);
        let entry = |draft: AuditDraft| {
            let previous = chain.hash.clone();
            chain.add(draft.line());
            AuditEntry { number: chain.number, draft, previous, hash: chain.hash.clone() }
        };
        let mut entries: Vec<_> = self.drafts.into_iter().map(entry).collect();
        if chain.hash != self.hash {
            entries.iter_mut().for_each(|entry| entry.hash.clone_from(&self.hash));
        }
        entries
    }
}

fn end(connection: &Connection) -> rusqlite::Result<(u64, String)> {
    let sql = "SELECT number, hash FROM audit_end";
    let found = connection.query_row(sql, (), |row| Ok((unsigned(row.get(0)?), row.get(1)?))).optional()?;
    Ok(found.unwrap_or((0, FIRST.to_owned())))
}

fn append(connection: &Connection, batch: &AuditLines) -> rusqlite::Result<()> {
    let (number, hash) = end(connection)?;
    let mut chain = Chain::after(number, &hash);
    insert(connection, &mut chain, batch.lines())?;
    let sql = "INSERT INTO audit_end (one, number, hash) VALUES (1, ?1, ?2)
               ON CONFLICT (one) DO UPDATE SET number = excluded.number, hash = excluded.hash";
    connection.execute(sql, params![signed(chain.number), chain.hash]).map(drop)
}

/// Adds entries in as few rows as they need.
fn insert<'a>(
    connection: &Connection,
    chain: &mut Chain,
    mut lines: impl Iterator<Item = AuditLine<'a>>,
) -> rusqlite::Result<()> {
    let sql = format!("INSERT INTO audit ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)");
    let mut statement = connection.prepare_cached(&sql)?;
    let mut more = More::default();
    while let Some(first) = lines.next() {
        let previous = chain.hash.clone();
        chain.add(first);
        let (number, mut last) = (chain.number, first);
        more.clear();
        while !more.is_full() {
            let Some(line) = lines.next() else { break };
            more.add(line, last);
            chain.add(line);
            last = line;
        }
        let AuditLine { at, kind, who, subject, body } = first;
        let (hash, more) = (&chain.hash, more.bytes());
        statement.execute(params![signed(number), at, kind, who, subject, body, previous, hash, more])?;
    }
    Ok(())
}

fn list(
    connection: &Connection,
    filter: &AuditFilter,
    before: Option<u64>,
    limit: usize,
) -> rusqlite::Result<Vec<AuditEntry>> {
    let before = before.unwrap_or(u64::MAX);
    let sql = format!("SELECT {COLUMNS} FROM audit WHERE number < ?1 ORDER BY number DESC");
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query_map(params![signed(before)], Row::read)?;
    let mut found = Vec::new();
    while found.len() < limit
        && let Some(row) = rows.next().transpose()?
    {
        // Most rows have nothing that is wanted, and hashes take longer than a look.
        if row.drafts.iter().any(|draft| filter.fits(draft)) {
            let wanted = |entry: &AuditEntry| entry.number < before && filter.fits(&entry.draft);
            let fitting = row.entries().into_iter().rev().filter(wanted);
            found.extend(fitting.take(limit - found.len()));
        }
    }
    Ok(found)
}

fn after(connection: &Connection, number: u64, limit: usize) -> rusqlite::Result<Vec<AuditEntry>> {
    // The next one begins a row, or it is inside of the last one that began before.
    let sql = format!(
        "SELECT {COLUMNS} FROM audit WHERE number >=
         coalesce((SELECT max(number) FROM audit WHERE number <= ?1), 0) ORDER BY number"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query_map(params![signed(number.saturating_add(1))], Row::read)?;
    let (mut found, mut next) = (Vec::new(), None);
    while let Some(row) = rows.next().transpose()? {
        // A row that was put into another one must not hide at the end of what is read at a time.
        let strange = next.is_some_and(|next| next != row.number);
        if found.len() >= limit && !strange {
            break;
        }
        next = Some(row.end());
        let later = row.entries().into_iter().filter(|entry| entry.number > number || strange);
        found.extend(later.take(limit.saturating_sub(found.len()).max(usize::from(strange))));
    }
    Ok(found)
}

/// Forgets what is old in the oldest rows. Says how many entries went, and whether there are no more. Clocks may go
/// back, and only the beginning of the chain may be left out.
fn trim(connection: &Connection, before: i64) -> rusqlite::Result<(u64, bool)> {
    let sql = format!("SELECT {COLUMNS} FROM audit ORDER BY number LIMIT 1");
    let mut gone = 0;
    for _ in 0..TRIMMED {
        let Some(row) = connection.prepare_cached(&sql)?.query_row((), Row::read).optional()? else {
            return Ok((gone, true));
        };
        let kept = row.drafts.iter().position(|draft| draft.at >= before);
        if kept == Some(0) {
            return Ok((gone, true));
        }
        connection.prepare_cached("DELETE FROM audit WHERE number = ?1")?.execute([signed(row.number)])?;
        let Some(kept) = kept else {
            gone += row.drafts.len() as u64;
            continue;
        };
        let entries = row.entries();
        let mut chain = Chain::after(entries[kept].number - 1, &entries[kept].previous);
        insert(connection, &mut chain, entries[kept..].iter().map(|entry| entry.draft.line()))?;
        return Ok((gone + kept as u64, true));
    }
    Ok((gone, false))
}
