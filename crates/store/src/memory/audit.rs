//! The audit area in memory.

use super::Memory;
use crate::audit::FIRST;
use crate::{AuditEntry, AuditFilter, AuditLines, Error};
use std::collections::VecDeque;

/// The entries, and the end of the chain.
#[derive(Default)]
pub(super) struct Chain {
    entries: VecDeque<AuditEntry>,
    end: (u64, String),
}

impl Memory {
    pub(crate) fn append_audit(&self, batch: &AuditLines) -> Result<(), Error> {
        self.with(|data| {
            let chain = &mut data.audit;
            for line in batch.lines() {
                let hash = if chain.end.0 == 0 { FIRST } else { &chain.end.1 };
                let entry = line.after(chain.end.0, hash);
                chain.end = (entry.number, entry.hash.clone());
                chain.entries.push_back(entry);
            }
            Ok(())
        })
    }

    pub(crate) fn begin_audit(&self, number: u64, hash: &str) -> Result<(), Error> {
        self.with(|data| {
            if data.audit.end.0 == 0 {
                data.audit.end = (number, hash.to_owned());
            }
            Ok(())
        })
    }

    pub(crate) fn list_audit(
        &self,
        filter: &AuditFilter,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<AuditEntry>, Error> {
        self.with(|data| {
            let older = |entry: &&AuditEntry| before.is_none_or(|number| entry.number < number);
            let fitting = data.audit.entries.iter().rev().filter(older).filter(|e| filter.fits(&e.draft));
            Ok(fitting.take(limit).cloned().collect())
        })
    }

    pub(crate) fn audit_after(&self, number: u64, limit: usize) -> Result<Vec<AuditEntry>, Error> {
        self.with(|data| {
            let later = data.audit.entries.iter().filter(|entry| entry.number > number);
            Ok(later.take(limit).cloned().collect())
        })
    }

    pub(crate) fn audit_end(&self) -> Result<(u64, String), Error> {
        self.with(|data| Ok(data.audit.end.clone()))
    }

    pub(crate) fn trim_audit(&self, before: i64) -> Result<u64, Error> {
        self.with(|data| {
            let entries = &mut data.audit.entries;
            let kept = entries.iter().position(|entry| entry.draft.at >= before).unwrap_or(entries.len());
            entries.drain(..kept);
            Ok(kept as u64)
        })
    }
}
