//! The keys area in memory.

use super::Memory;
use crate::{Area, Error, StoredKey};

impl Memory {
    pub(crate) fn list_keys(&self) -> Result<Vec<StoredKey>, Error> {
        self.with(|data| Ok(data.keys.clone()))
    }

    pub(crate) fn add_key(&self, key: StoredKey) -> Result<(), Error> {
        self.change(Area::Keys, |data| {
            if data.keys.iter().any(|known| known.name == key.name || known.digest == key.digest) {
                return Err(Error::Taken(key.name));
            }
            data.keys.push(key);
            Ok(())
        })
    }

    pub(crate) fn remove_key(&self, name: &str) -> Result<bool, Error> {
        self.change(Area::Keys, |data| {
            let before = data.keys.len();
            data.keys.retain(|known| known.name != name);
            Ok(data.keys.len() < before)
        })
    }
}
