//! The store that forgets: plain lists behind one lock.

mod activities;
mod definitions;
mod runs;
mod schedules;
mod sessions;
mod templates;
mod variables;
mod versions;
mod workflows;

use crate::{Error, StoredActivity, StoredRun, StoredSchedule, StoredServer, StoredTemplate, StoredVersion};
use model::{Hook, RunId, Workflow};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Everything kept, or nothing any more once the store is closed.
pub(crate) struct Memory(Mutex<Option<Data>>);

#[derive(Default)]
struct Data {
    servers: Vec<StoredServer>,
    hooks: Vec<Hook>,
    workflows: Vec<Workflow>,
    runs: BTreeMap<RunId, StoredRun>,
    /// By the id of the workflow, then by name.
    variables: BTreeMap<String, BTreeMap<String, String>>,
    /// By their ids.
    sessions: BTreeMap<String, sessions::Kept>,
    /// By their hashes.
    definitions: BTreeMap<String, definitions::Kept>,
    activities: Vec<StoredActivity>,
    schedules: Vec<StoredSchedule>,
    templates: Vec<StoredTemplate>,
    /// By the id of the workflow, then by revision.
    versions: BTreeMap<String, BTreeMap<u64, StoredVersion>>,
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

    pub(crate) fn list_hooks(&self) -> Result<Vec<Hook>, Error> {
        self.with(|data| Ok(data.hooks.clone()))
    }

    pub(crate) fn add_hooks(&self, hooks: Vec<Hook>) -> Result<(), Error> {
        self.with(|data| {
            let mut all = data.hooks.clone();
            for hook in hooks {
                if all.iter().any(|known| known.name == hook.name || known.id == hook.id) {
                    return Err(Error::Taken(hook.name));
                }
                all.push(hook);
            }
            data.hooks = all;
            Ok(())
        })
    }

    pub(crate) fn replace_hooks(&self, hooks: Vec<Hook>) -> Result<(), Error> {
        self.with(|data| {
            let mut all = data.hooks.clone();
            for hook in hooks {
                let Some(place) = all.iter().position(|known| known.id == hook.id) else {
                    return Err(Error::Gone(hook.id));
                };
                if all.iter().any(|known| known.name == hook.name && known.id != hook.id) {
                    return Err(Error::Taken(hook.name));
                }
                all[place] = hook;
            }
            data.hooks = all;
            Ok(())
        })
    }

    pub(crate) fn remove_hook(&self, id: &str) -> Result<bool, Error> {
        self.with(|data| {
            let before = data.hooks.len();
            data.hooks.retain(|hook| hook.id != id);
            Ok(data.hooks.len() < before)
        })
    }

    pub(crate) fn close(&self) {
        *self.lock() = None;
    }
}
