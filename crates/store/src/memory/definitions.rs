//! The definitions area in memory.

use super::Memory;
use crate::Error;
use std::collections::BTreeSet;

/// A definition, and whether it was put since the last sweep.
pub(super) struct Kept {
    body: String,
    fresh: bool,
}

impl Memory {
    pub(crate) fn put_definition(&self, hash: &str, body: &str) -> Result<(), Error> {
        self.with(|data| {
            let kept = data.definitions.entry(hash.to_owned());
            kept.or_insert_with(|| Kept { body: body.to_owned(), fresh: true }).fresh = true;
            Ok(())
        })
    }

    pub(crate) fn get_definition(&self, hash: &str) -> Result<Option<String>, Error> {
        self.with(|data| Ok(data.definitions.get(hash).map(|kept| kept.body.clone())))
    }

    pub(crate) fn sweep_definitions(&self) -> Result<u64, Error> {
        self.with(|data| {
            let named: BTreeSet<_> = data.rows().map(|row| row.definition.clone()).collect();
            let before = data.definitions.len();
            data.definitions.retain(|hash, kept| std::mem::take(&mut kept.fresh) || named.contains(hash));
            Ok((before - data.definitions.len()) as u64)
        })
    }
}
