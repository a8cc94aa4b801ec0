//! What clients want of one server outside of any request, and what the server made of it. Wishes outlive
//! connections: a server that starts again is told them again.

use serde_json::value::RawValue;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// How long a server may take to hear of a wish before nobody waits for it any more.
const HEARD_MAX: Duration = Duration::from_secs(5);

/// What is wanted of a server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// Resources, by the server's own addresses, whose updates somebody wants to hear of.
    pub(crate) uris: BTreeSet<String>,
    /// The loudest level of log messages that anybody wants.
    pub(crate) level: Option<&'static str>,
}

/// What a server said to the wish for updates of one resource.
#[derive(Clone, Debug)]
pub(crate) enum Standing {
    /// It will tell of updates, or has not said that it will not.
    Held,
    /// It will not; the error where it gave one.
    Refused(Option<Arc<RawValue>>),
}

/// What the server knows of what is wanted.
#[derive(Debug, Default)]
pub(super) struct Known {
    pub(super) uris: HashMap<String, Standing>,
    pub(super) level: Option<&'static str>,
}

/// The wishes for one server, whether it runs or not.
#[derive(Debug, Default)]
pub(crate) struct Wishes {
    wanted: watch::Sender<Wanted>,
    known: watch::Sender<Known>,
}

impl Wishes {
    /// Replaces all that is wanted.
    pub(crate) fn set(&self, wanted: Wanted) {
        self.wanted.send_if_modified(|known| {
            let differs = *known != wanted;
            *known = wanted;
            differs
        });
    }

    /// One resource more.
    pub(crate) fn add(&self, uri: &str) {
        self.wanted.send_if_modified(|wanted| wanted.uris.insert(uri.to_owned()));
    }

    /// One resource less.
    pub(crate) fn remove(&self, uri: &str) {
        self.wanted.send_if_modified(|wanted| wanted.uris.remove(uri));
    }

    /// Another level.
    pub(crate) fn set_level(&self, level: Option<&'static str>) {
        self.wanted.send_if_modified(|wanted| std::mem::replace(&mut wanted.level, level) != level);
    }

    /// Whether updates of one resource are wanted already.
    pub(crate) fn names(&self, uri: &str) -> bool {
        self.wanted.borrow().uris.contains(uri)
    }

    /// What the server said to one of the wishes, as far as it has said anything.
    pub(crate) fn standing(&self, uri: &str) -> Option<Standing> {
        self.known.borrow().uris.get(uri).cloned()
    }

    /// Waits until the server has said something to the wish for one resource, or long enough.
    pub(crate) async fn heard_of(&self, uri: &str) -> Option<Standing> {
        self.wait_for(|known| known.uris.contains_key(uri)).await;
        self.standing(uri)
    }

    /// Waits until the server has heard of a level, or long enough.
    pub(crate) async fn heard_level(&self, level: &'static str) {
        self.wait_for(|known| known.level == Some(level)).await;
    }

    async fn wait_for(&self, done: impl FnMut(&Known) -> bool) {
        let mut known = self.known.subscribe();
        let _ = tokio::time::timeout(HEARD_MAX, known.wait_for(done)).await;
    }

    /// Whether updates of any resource are wanted.
    pub(super) fn names_resources(&self) -> bool {
        !self.wanted.borrow().uris.is_empty()
    }

    /// What is wanted, now and later.
    pub(super) fn wanted(&self) -> watch::Receiver<Wanted> {
        self.wanted.subscribe()
    }

    /// Notes what the server knows.
    pub(super) fn note(&self, change: impl FnOnce(&mut Known)) {
        self.known.send_modify(change);
    }
}
