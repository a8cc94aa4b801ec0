//! What only a copy asks of a store in memory.

use super::Memory;
use crate::Error;

impl Memory {
    pub(crate) fn session_keys(&self) -> Result<Vec<(String, String)>, Error> {
        self.with(|data| {
            let keyed = data.sessions.iter().filter_map(|(id, kept)| Some((id.clone(), kept.key.clone()?)));
            Ok(keyed.collect())
        })
    }

    pub(crate) fn versioned_workflows(&self) -> Result<Vec<String>, Error> {
        self.with(|data| Ok(data.versions.keys().cloned().collect()))
    }

    pub(crate) fn secrets(&self) -> Result<Vec<(String, String)>, Error> {
        self.with(|data| Ok(data.secrets.iter().map(|(name, value)| (name.clone(), value.clone())).collect()))
    }
}
