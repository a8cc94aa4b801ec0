//! The audit area in SQL.

use super::{Sqlite, refused_on, signed, size, unsigned};
use crate::audit::{AuditLine, FIRST, seal};
use crate::{AuditDraft, AuditEntry, AuditFilter, AuditLines, Error};
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::sync::Arc;

const COLUMNS: &str = "number, at, kind, who, subject, body, previous, hash";

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
        self.write(move |connection| {
            // Clocks may go back, and only the beginning of the chain may be left out.
            let sql = "DELETE FROM audit WHERE number <
                       coalesce((SELECT min(number) FROM audit WHERE at >= ?1), 9223372036854775807)";
            let gone = connection.execute(sql, params![before]);
            Ok(gone.map_err(refused_on("forget old audit entries", connection))? as u64)
        })
        .await
    }
}

fn end(connection: &Connection) -> rusqlite::Result<(u64, String)> {
    let sql = "SELECT number, hash FROM audit_end";
    let found = connection.query_row(sql, (), |row| Ok((unsigned(row.get(0)?), row.get(1)?))).optional()?;
    Ok(found.unwrap_or((0, FIRST.to_owned())))
}

fn append(connection: &Connection, batch: &AuditLines) -> rusqlite::Result<()> {
    let (mut number, mut hash) = end(connection)?;
    let sql = format!("INSERT INTO audit ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)");
    let mut statement = connection.prepare_cached(&sql)?;
    for line in batch.lines() {
        number += 1;
        let previous = std::mem::take(&mut hash);
        hash = seal(number, line, &previous);
        let AuditLine { at, kind, who, subject, body } = line;
        statement.execute(params![signed(number), at, kind, who, subject, body, previous, hash])?;
    }
    let sql = "INSERT INTO audit_end (one, number, hash) VALUES (1, ?1, ?2)
               ON CONFLICT (one) DO UPDATE SET number = excluded.number, hash = excluded.hash";
    connection.execute(sql, params![signed(number), hash]).map(drop)
}

fn list(
    connection: &Connection,
    filter: &AuditFilter,
    before: Option<u64>,
    limit: usize,
) -> rusqlite::Result<Vec<AuditEntry>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM audit WHERE number < ?1 AND (?2 IS NULL OR kind = ?2)
         AND (?3 IS NULL OR who = ?3) AND (?4 IS NULL OR subject = ?4) ORDER BY number DESC LIMIT ?5"
    );
    let before = before.map_or(i64::MAX, signed);
    let wanted = params![before, filter.kind, filter.who, filter.subject, size(limit)];
    connection.prepare_cached(&sql)?.query_map(wanted, read)?.collect()
}

fn after(connection: &Connection, number: u64, limit: usize) -> rusqlite::Result<Vec<AuditEntry>> {
    let sql = format!("SELECT {COLUMNS} FROM audit WHERE number > ?1 ORDER BY number LIMIT ?2");
    connection.prepare_cached(&sql)?.query_map(params![signed(number), size(limit)], read)?.collect()
}

fn read(row: &Row<'_>) -> rusqlite::Result<AuditEntry> {
    Ok(AuditEntry {
        number: unsigned(row.get(0)?),
        draft: AuditDraft {
            at: row.get(1)?,
            kind: row.get(2)?,
            who: row.get(3)?,
            subject: row.get(4)?,
            body: row.get(5)?,
        },
        previous: row.get(6)?,
        hash: row.get(7)?,
    })
}
