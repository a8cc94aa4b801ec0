//! The audit area in Redis: entries sorted by their numbers, and the end of the chain beside them.

use super::{Redis, key, script};
use crate::audit::FIRST;
use crate::{AuditDraft, AuditEntry, AuditFilter, AuditLines, Error};
use redis::Script;
use std::sync::LazyLock;

/// Entries that are looked at in one go.
const PAGE: usize = 500;

/// `KEYS`: entries, end. `ARGV`: the number that the end must have, the new end, its hash, then number and text of each
/// entry. Gives whether nobody else was faster.
static APPEND: LazyLock<Script> = LazyLock::new(|| {
    script(
        "if (redis.call('HGET', KEYS[2], 'number') or '0') ~= ARGV[1] then return 0 end
         for i = 4, #ARGV, 2 do redis.call('ZADD', KEYS[1], ARGV[i], ARGV[i + 1]) end
         redis.call('HSET', KEYS[2], 'number', ARGV[2], 'hash', ARGV[3])
         return 1",
    )
});

/// An entry as it is kept: number, time, kind, who, subject, body, the hash before, its own.
type Row = (u64, i64, String, String, String, String, String, String);

impl Redis {
    pub(crate) async fn append_audit(&self, batch: &AuditLines) -> Result<(), Error> {
        if batch.is_empty() {
            return Ok(());
        }
        loop {
            let (from, hash) = self.audit_end().await?;
            let mut last = (from, hash);
            let mut rows = Vec::with_capacity(batch.len());
            for line in batch.lines() {
                let entry = line.after(last.0, &last.1);
                last = (entry.number, entry.hash.clone());
                rows.push((entry.number, self.audit_text(entry)?));
            }
            let mut append = APPEND.key(key("audit"));
            append.key(key("audit:end")).arg(from).arg(last.0).arg(last.1);
            for (number, text) in &rows {
                append.arg(number).arg(text);
            }
            if self.run::<bool>("add to the audit log", &append).await? {
                return Ok(());
            }
        }
    }

    pub(crate) async fn begin_audit(&self, number: u64, hash: &str) -> Result<(), Error> {
        let mut begin = APPEND.key(key("audit"));
        begin.key(key("audit:end")).arg(0).arg(number).arg(hash);
        self.run::<bool>("begin the audit log", &begin).await.map(drop)
    }

    pub(crate) async fn list_audit(
        &self,
        filter: &AuditFilter,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<AuditEntry>, Error> {
        let (mut found, mut before) = (Vec::new(), before);
        while found.len() < limit {
            let top = before.map_or_else(|| "+inf".to_owned(), |number| format!("({number}"));
            let mut pipe = redis::pipe();
            pipe.cmd("ZREVRANGEBYSCORE").arg(key("audit")).arg(top).arg("-inf");
            pipe.arg("LIMIT").arg(0).arg(PAGE);
            let page = self.audit_page(&pipe).await?;
            let Some(oldest) = page.last() else { break };
            before = Some(oldest.number);
            let room = limit - found.len();
            found.extend(page.into_iter().filter(|entry| filter.fits(&entry.draft)).take(room));
        }
        Ok(found)
    }

    pub(crate) async fn audit_after(&self, number: u64, limit: usize) -> Result<Vec<AuditEntry>, Error> {
        let mut pipe = redis::pipe();
        pipe.cmd("ZRANGEBYSCORE").arg(key("audit")).arg(format!("({number}")).arg("+inf");
        pipe.arg("LIMIT").arg(0).arg(limit);
        self.audit_page(&pipe).await
    }

    pub(crate) async fn audit_end(&self) -> Result<(u64, String), Error> {
        let mut pipe = redis::pipe();
        pipe.cmd("HMGET").arg(key("audit:end")).arg("number").arg("hash");
        let ((number, hash),): ((Option<u64>, Option<String>),) =
            self.ask("read the audit log", &pipe).await?;
        Ok((number.unwrap_or_default(), hash.unwrap_or_else(|| FIRST.to_owned())))
    }

    pub(crate) async fn trim_audit(&self, before: i64) -> Result<u64, Error> {
        let (mut last, mut kept) = (0, None);
        // Clocks may go back, and only the beginning of the chain may be left out.
        while kept.is_none() {
            let page = self.audit_after(last, PAGE).await?;
            let Some(newest) = page.last() else { break };
            last = newest.number;
            kept = page.iter().find(|entry| entry.draft.at >= before).map(|entry| entry.number);
        }
        let bound = kept.map_or_else(|| last.to_string(), |number| format!("({number}"));
        let mut pipe = redis::pipe();
        pipe.cmd("ZREMRANGEBYSCORE").arg(key("audit")).arg("-inf").arg(bound);
        let (gone,): (u64,) = self.ask("forget old audit entries", &pipe).await?;
        Ok(gone)
    }

    async fn audit_page(&self, pipe: &redis::Pipeline) -> Result<Vec<AuditEntry>, Error> {
        let (texts,): (Vec<String>,) = self.ask("read the audit log", pipe).await?;
        texts.iter().map(|text| self.audit_entry(text)).collect()
    }

    fn audit_text(&self, entry: AuditEntry) -> Result<String, Error> {
        let AuditEntry { number, draft, previous, hash } = entry;
        let AuditDraft { at, kind, who, subject, body } = draft;
        let row: Row = (number, at, kind, who, subject, body, previous, hash);
        serde_json::to_string(&row).map_err(|error| self.unreadable("add to the audit log", &error))
    }

    fn audit_entry(&self, text: &str) -> Result<AuditEntry, Error> {
        let row: Row =
            serde_json::from_str(text).map_err(|error| self.unreadable("read the audit log", &error))?;
        let (number, at, kind, who, subject, body, previous, hash) = row;
        Ok(AuditEntry { number, draft: AuditDraft { at, kind, who, subject, body }, previous, hash })
    }
}
