//! The store that forgets: plain lists behind one lock.

mod activities;
mod audit;
mod claims;
mod copy;
mod definitions;
mod keys;
mod marks;
mod runs;
mod schedules;
mod sessions;
mod snapshot;
mod templates;
mod variables;
mod versions;
mod workflows;

pub(crate) use snapshot::Part;

use crate::bus::Local;
use crate::marks::Since;
use crate::{
    Area, Counts, Error, StoredActivity, StoredKey, StoredRun, StoredSchedule, StoredServer, StoredTemplate,
    StoredVersion,
};
use model::{Hook, RunId, Workflow};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// Everything kept, or nothing any more once the store is closed.
pub(crate) struct Memory {
    data: Mutex<Option<Box<Data>>>,
    /// Tells that a mark was raised, or that the store is closed.
    raised: Notify,
    pub(crate) bus: Local,
}

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
    marks: Counts,
    /// By their names.
    secrets: BTreeMap<String, String>,
    keys: Vec<StoredKey>,
    audit: audit::Chain,
}

impl Default for Memory {
    fn default() -> Self {
        Self { data: Mutex::new(Some(Box::default())), raised: Notify::new(), bus: Local::default() }
    }
}

impl Memory {
    fn lock(&self) -> MutexGuard<'_, Option<Box<Data>>> {
        // No change to the lists can be left half done, so a poisoned lock is still good.
        self.data.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<T>(&self, work: impl FnOnce(&mut Data) -> Result<T, Error>) -> Result<T, Error> {
        self.lock().as_deref_mut().map_or(Err(Error::Closed), work)
    }

    /// The same for a change of definitions: its mark is raised with it.
    fn change<T>(&self, area: Area, work: impl FnOnce(&mut Data) -> Result<T, Error>) -> Result<T, Error> {
        self.change_since(None, area, work)
    }

    /// The same for a change that was decided upon others.
    fn change_since<T>(
        &self,
        since: Since,
        area: Area,
        work: impl FnOnce(&mut Data) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let done = self.with(|data| {
            data.marks.refuse_moved(since)?;
            let done = work(data)?;
            data.marks.raise(area);
            Ok(done)
        });
        self.raised.notify_waiters();
        done
    }

    pub(crate) fn list_servers(&self) -> Result<Vec<StoredServer>, Error> {
        self.with(|data| Ok(data.servers.clone()))
    }

    pub(crate) fn add_server(&self, server: StoredServer) -> Result<StoredServer, Error> {
        self.change(Area::Servers, |data| {
            if data.servers.iter().any(|known| known.entry.name == server.entry.name) {
                return Err(Error::Taken(server.entry.name));
            }
            data.servers.push(server.clone());
            Ok(server)
        })
    }

    pub(crate) fn replace_server(&self, server: &StoredServer) -> Result<bool, Error> {
        let same = |known: &StoredServer| {
            known.entry.name == server.entry.name && known.created_at == server.created_at
        };
        self.change(Area::Servers, |data| {
            let known = data.servers.iter_mut().find(|known| same(known));
            Ok(known.map(|known| known.entry = server.entry.clone()).is_some())
        })
    }

    pub(crate) fn remove_server(&self, name: &str) -> Result<bool, Error> {
        self.change(Area::Servers, |data| {
            let before = data.servers.len();
            data.servers.retain(|server| server.entry.name != name);
            Ok(data.servers.len() < before)
        })
    }

    pub(crate) fn list_hooks(&self) -> Result<Vec<Hook>, Error> {
        self.with(|data| Ok(data.hooks.clone()))
    }

    pub(crate) fn add_hooks(&self, hooks: Vec<Hook>, since: Since) -> Result<(), Error> {
        self.change_since(since, Area::Hooks, |data| {
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

    pub(crate) fn replace_hooks(&self, hooks: Vec<Hook>, since: Since) -> Result<(), Error> {
        self.change_since(since, Area::Hooks, |data| {
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

    pub(crate) fn remove_hook(&self, id: &str, since: Since) -> Result<bool, Error> {
        self.change_since(since, Area::Hooks, |data| {
            let before = data.hooks.len();
            data.hooks.retain(|hook| hook.id != id);
            Ok(data.hooks.len() < before)
        })
    }

    pub(crate) fn close(&self) {
        *self.lock() = None;
        self.raised.notify_waiters();
    }
}
