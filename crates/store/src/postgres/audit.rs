//! The audit area in PostgreSQL.

use super::text::Text;
use super::{Postgres, signed, size, unsigned};
use crate::{AuditDraft, AuditEntry, AuditFilter, AuditLines, Error};
use tokio_postgres::Row;

impl Postgres {
    /// Entries follow the end as it was read; when another instance was faster, they are made anew.
    pub(crate) async fn append_audit(&self, batch: &AuditLines) -> Result<(), Error> {
        if batch.is_empty() {
            return Ok(());
        }
        loop {
            let (number, hash) = self.audit_end().await?;
            if self.append_audit_after(number, &hash, batch).await? {
                return Ok(());
            }
        }
    }

    async fn append_audit_after(&self, number: u64, hash: &str, batch: &AuditLines) -> Result<bool, Error> {
        let mut entries: Vec<AuditEntry> = Vec::with_capacity(batch.len());
        for line in batch.lines() {
            let (number, hash) = entries.last().map_or((number, hash), |last| (last.number, &last.hash));
            let entry = line.after(number, hash);
            entries.push(entry);
        }
        let texts = |of: fn(&AuditEntry) -> &str| entries.iter().map(of).map(Text).collect::<Vec<_>>();
        let at: Vec<i64> = entries.iter().map(|entry| entry.draft.at).collect();
        let (kinds, who) = (texts(|entry| &entry.draft.kind), texts(|entry| &entry.draft.who));
        let (subjects, bodies) = (texts(|entry| &entry.draft.subject), texts(|entry| &entry.draft.body));
        let (previous, hashes) = (texts(|entry| &entry.previous), texts(|entry| &entry.hash));
        let sql = "SELECT lockgate.append_audit($1, $2, $3, $4, $5, $6, $7, $8)";
        let row = self
            .row(
                "add to the audit log",
                sql,
                &[&signed(number), &at, &kinds, &who, &subjects, &bodies, &previous, &hashes],
            )
            .await?;
        self.get(&row, 0)
    }

    pub(crate) async fn begin_audit(&self, number: u64, hash: &str) -> Result<(), Error> {
        let sql = "UPDATE lockgate.audit_end SET number = $1, hash = $2 WHERE number = 0";
        self.execute("begin the audit log", sql, &[&signed(number), &Text(hash)]).await.map(drop)
    }

    pub(crate) async fn list_audit(
        &self,
        filter: &AuditFilter,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<AuditEntry>, Error> {
        let sql = "SELECT number, at, kind, who, subject, body, previous, hash FROM lockgate.audit
                   WHERE number < $1 AND ($2::text IS NULL OR kind = $2) AND ($3::text IS NULL OR who = $3)
                   AND ($4::text IS NULL OR subject = $4) ORDER BY number DESC LIMIT $5";
        let before = before.map_or(i64::MAX, signed);
        let AuditFilter { kind, who, subject } = filter;
        let (kind, who, subject) =
            (kind.as_deref().map(Text), who.as_deref().map(Text), subject.as_deref().map(Text));
        let rows =
            self.rows("read the audit log", sql, &[&before, &kind, &who, &subject, &size(limit)]).await?;
        rows.iter().map(|row| self.audit_entry(row)).collect()
    }

    pub(crate) async fn audit_after(&self, number: u64, limit: usize) -> Result<Vec<AuditEntry>, Error> {
        let sql = "SELECT number, at, kind, who, subject, body, previous, hash FROM lockgate.audit
                   WHERE number > $1 ORDER BY number LIMIT $2";
        let rows = self.rows("read the audit log", sql, &[&signed(number), &size(limit)]).await?;
        rows.iter().map(|row| self.audit_entry(row)).collect()
    }

    pub(crate) async fn audit_end(&self) -> Result<(u64, String), Error> {
        let sql = "SELECT number, hash FROM lockgate.audit_end";
        let row = self.row("read the audit log", sql, &[]).await?;
        Ok((unsigned(self.get(&row, 0)?), self.text(&row, 1)?))
    }

    pub(crate) async fn trim_audit(&self, before: i64) -> Result<u64, Error> {
        // Clocks may go back, and only the beginning of the chain may be left out.
        let sql = "DELETE FROM lockgate.audit WHERE number <
                   coalesce((SELECT min(number) FROM lockgate.audit WHERE at >= $1), 9223372036854775807)";
        self.execute("forget old audit entries", sql, &[&before]).await
    }

    fn audit_entry(&self, row: &Row) -> Result<AuditEntry, Error> {
        Ok(AuditEntry {
            number: unsigned(self.get(row, 0)?),
            draft: AuditDraft {
                at: self.get(row, 1)?,
                kind: self.text(row, 2)?,
                who: self.text(row, 3)?,
                subject: self.text(row, 4)?,
                body: self.text(row, 5)?,
            },
            previous: self.text(row, 6)?,
            hash: self.text(row, 7)?,
        })
    }
}
