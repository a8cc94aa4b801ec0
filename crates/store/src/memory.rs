//! The store that forgets: plain lists behind one lock.

use crate::{Error, StoredServer};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Everything kept, or nothing any more once the store is closed.
pub(crate) struct Memory(Mutex<Option<Data>>);

#[derive(Default)]
struct Data {
    servers: Vec<StoredServer>,
}

impl Default for Memory {
    fn default() -> Self {
        Self(Mutex::new(Some(Data::default())))
    }
}

impl Memory {
    fn lock(&self) -> MutexGuard<'_, Option<Data>> {
        // No change to the lists can be left half done, so a poisoned lock is still good.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<T>(&self, work: impl FnOnce(&mut Data) -> Result<T, Error>) -> Result<T, Error> {
        self.lock().as_mut().map_or(Err(Error::Closed), work)
    }

    pub(crate) fn list_servers(&self) -> Result<Vec<StoredServer>, Error> {
        self.with(|data| Ok(data.servers.clone()))
    }

    pub(crate) fn add_server(&self, server: StoredServer) -> Result<StoredServer, Error> {
        self.with(|data| {
            if data.servers.iter().any(|known| known.entry.name == server.entry.name) {
                return Err(Error::Taken(server.entry.name));
            }
            data.servers.push(server.clone());
            Ok(server)
        })
    }

    pub(crate) fn remove_server(&self, name: &str) -> Result<bool, Error> {
        self.with(|data| {
            let before = data.servers.len();
            data.servers.retain(|server| server.entry.name != name);
            Ok(data.servers.len() < before)
        })
    }

    pub(crate) fn close(&self) {
        *self.lock() = None;
    }
}
