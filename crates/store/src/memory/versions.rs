//! The versions area in memory.

use super::Memory;
use crate::{Error, StoredVersion};

impl Memory {
    pub(crate) fn add_version(&self, version: StoredVersion) -> Result<(), Error> {
        self.with(|data| {
            let kept = data.versions.entry(version.workflow.clone()).or_default();
            if kept.contains_key(&version.revision) {
                return Err(Error::Taken(format!("{} {}", version.workflow, version.revision)));
            }
            kept.insert(version.revision, version);
            Ok(())
        })
    }

    pub(crate) fn list_versions(
        &self,
        workflow: &str,
        limit: usize,
        offset: usize,
    ) -> Result<Vec<StoredVersion>, Error> {
        self.with(|data| {
            let kept = data.versions.get(workflow).into_iter().flat_map(|kept| kept.values().rev());
            Ok(kept.skip(offset).take(limit).cloned().collect())
        })
    }

    pub(crate) fn get_version(&self, workflow: &str, revision: u64) -> Result<Option<StoredVersion>, Error> {
        self.with(|data| Ok(data.versions.get(workflow).and_then(|kept| kept.get(&revision)).cloned()))
    }

    pub(crate) fn delete_version(&self, workflow: &str, revision: u64) -> Result<bool, Error> {
        self.with(|data| {
            Ok(data.versions.get_mut(workflow).is_some_and(|kept| kept.remove(&revision).is_some()))
        })
    }

    pub(crate) fn delete_versions(&self, workflow: &str) -> Result<u64, Error> {
        self.with(|data| Ok(data.versions.remove(workflow).map_or(0, |kept| kept.len() as u64)))
    }
}
