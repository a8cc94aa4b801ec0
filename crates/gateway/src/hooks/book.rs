//! The definitions of hooks in memory, ready to run.
//!
//! A call reads one unchanging [`Page`] and never waits for the database. A change goes to the store
//! first and then becomes the next page; one at a time, so that both always agree.

mod entry;
pub(super) mod faults;
mod tally;

pub(crate) use entry::Entry;
pub use entry::LastError;
pub(crate) use entry::now;
pub use tally::{HookStats, Tally};

use crate::cluster::Setback;
use arc_swap::{ArcSwap, Guard};
use entry::Streak;
use model::{Fault, Hook};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use store::{Counts, Store};

/// All hooks, and the one way to change them.
pub(crate) struct Book {
    store: Store,
    page: ArcSwap<Page>,
}

/// What happens to the hooks.
pub(super) enum Change {
    /// These are new.
    Add(Vec<Hook>),
    /// This one was edited; a new start for its failures too.
    Edit(Hook),
    /// These have another place.
    Move(Vec<Hook>),
    /// The hook of this id goes.
    Remove(String),
}

impl Book {
    /// The hooks that the store keeps.
    pub(crate) async fn load(store: &Store) -> Result<Self, store::Error> {
        let entries = store.hooks().list().await?.into_iter().map(Entry::new).collect();
        let page = ArcSwap::from_pointee(Page::new(entries));
        Ok(Self { store: store.clone(), page })
    }

    /// The hooks as they are now.
    pub(crate) fn page(&self) -> Guard<Arc<Page>> {
        self.page.load()
    }

    /// Whether there is no hook at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.page().all.is_empty()
    }

    /// Lets `decide` look at the hooks and carries out what it wants: in the store, if that still keeps what it did at
    /// these counts, then in memory. An error of either changes nothing. Whoever calls holds `followed`. The future must be driven to its end, or the store may be
    /// ahead of the memory until the next start.
    pub(super) async fn change(
        &self,
        since: Counts,
        decide: impl FnOnce(&Page) -> Result<Change, Fault>,
    ) -> Result<Arc<Page>, Setback> {
        let before = self.page.load_full();
        let change = decide(&before)?;
        self.keep(since, &change).await.map_err(|error| Setback::of(error, faults::unkept))?;
        let after = Arc::new(before.after(change));
        self.page.store(after.clone());
        Ok(after)
    }
}

impl Book {
    /// Takes over what the store keeps now; says whether that is something else than was known. Whoever calls holds
    /// `followed`.
    pub(crate) async fn catch_up(&self) -> Result<bool, store::Error> {
        let before = self.page.load_full();
        let kept = self.store.hooks().list().await?;
        if kept.iter().eq(before.all.iter().map(|entry| &entry.hook)) {
            return Ok(false);
        }
        let entries = kept.into_iter().map(|hook| match before.get(&hook.id) {
            Some(known) if known.hook == hook => Arc::clone(known),
            Some(known) => known.with(hook, Streak::default()),
            None => Entry::new(hook),
        });
        self.page.store(Arc::new(Page::new(entries.collect())));
        Ok(true)
    }

    async fn keep(&self, since: Counts, change: &Change) -> Result<(), store::Error> {
        let hooks = self.store.hooks().since(since);
        match change {
            Change::Add(new) => hooks.add(new.clone()).await,
            Change::Edit(hook) => hooks.replace(vec![hook.clone()]).await,
            Change::Move(moved) => hooks.replace(moved.clone()).await,
            Change::Remove(id) => hooks.remove(id).await.map(drop),
        }
    }
}

/// An unchanging list of hooks, in the order in which they run; a change makes a new one.
#[derive(Default)]
pub(crate) struct Page {
    /// No other page of the book has the same.
    pub(super) edition: u64,
    all: Vec<Arc<Entry>>,
    pre: Vec<Arc<Entry>>,
    post: Vec<Arc<Entry>>,
}

impl Page {
    fn new(mut all: Vec<Arc<Entry>>) -> Self {
        static EDITIONS: AtomicU64 = AtomicU64::new(1);
        let edition = EDITIONS.fetch_add(1, Ordering::Relaxed);
        all.sort_by(|a, b| a.hook.compare(&b.hook));
        let enabled = |runs: fn(&Hook) -> bool| {
            all.iter().filter(|entry| entry.hook.enabled && runs(&entry.hook)).cloned().collect()
        };
        Self { edition, pre: enabled(Hook::is_pre), post: enabled(Hook::is_post), all }
    }

    /// Every hook, enabled or not.
    pub(crate) fn all(&self) -> &[Arc<Entry>] {
        &self.all
    }

    /// The enabled hooks that run before requests, tripped ones included.
    pub(crate) fn pre(&self) -> &[Arc<Entry>] {
        &self.pre
    }

    /// The enabled hooks that run after replies, tripped ones included.
    pub(crate) fn post(&self) -> &[Arc<Entry>] {
        &self.post
    }

    /// The hook of that id.
    pub(crate) fn get(&self, id: &str) -> Option<&Arc<Entry>> {
        self.all.iter().find(|entry| entry.hook.id == id)
    }

    fn after(&self, change: Change) -> Self {
        let mut all = self.all.clone();
        match change {
            Change::Add(new) => all.extend(new.into_iter().map(Entry::new)),
            Change::Remove(id) => all.retain(|entry| entry.hook.id != id),
            Change::Edit(hook) => {
                let edited = all.iter_mut().find(|entry| entry.hook.id == hook.id);
                edited.into_iter().for_each(|entry| *entry = entry.with(hook.clone(), Streak::default()));
            }
            Change::Move(moved) => {
                let mut moved: HashMap<String, Hook> =
                    moved.into_iter().map(|hook| (hook.id.clone(), hook)).collect();
                for entry in &mut all {
                    if let Some(hook) = moved.remove(&entry.hook.id) {
                        *entry = entry.moved(hook);
                    }
                }
            }
        }
        Self::new(all)
    }
}

#[cfg(test)]
mod tests;
