//! The processes of one server that work for one client each (`scope: client`, spec 6.2). A client's process
//! is started by its first request and ended when the client leaves, when nothing was asked of it for a
//! while, when it crashes, and with its server; a crash touches no other client.

use super::own::{Lease, Link, Own};
use super::{Server, Surroundings, Wanted};
use crate::endpoint::Guest;
use crate::faults;
use model::{Fault, Status};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// Clients of one server that may have a process at once.
const CLIENTS_MAX: usize = 100;

/// How many sessions that ended are remembered, so that a late request of one starts nothing.
const LEFT_MAX: usize = 1000;

/// The processes of one server, by session.
pub(crate) struct Clients {
    around: Surroundings,
    idle: Duration,
    all: Mutex<All>,
    /// How many are there, those that are being ended included.
    alive: watch::Sender<usize>,
}

#[derive(Default)]
struct All {
    by_session: HashMap<u64, Arc<Own>>,
    left: VecDeque<u64>,
    closed: bool,
}

impl Clients {
    /// No process yet; one that nobody uses for `idle` milliseconds is ended.
    pub(super) fn new(idle: u64, around: Surroundings) -> Arc<Self> {
        let idle = Duration::from_millis(idle);
        // What a client's process does changes nothing that others see.
        let around = Surroundings { changed: Arc::new(|| ()), relisted: Arc::new(|_, _| ()), ..around };
        Arc::new(Self { around, idle, all: Mutex::default(), alive: watch::Sender::new(0) })
    }

    /// How many processes there are now.
    pub(super) fn count(&self) -> usize {
        self.lock().by_session.values().filter(|own| !own.is_spent()).count()
    }

    /// The connection of a client's process, which is started where there is none.
    pub(crate) async fn link(
        self: &Arc<Self>,
        server: &Server,
        client: &Guest,
        said: impl FnOnce() -> Wanted,
    ) -> Result<Link, Fault> {
        Link::own(self.lease(server, client, said)?).await
    }

    /// Tells a client's process, if there is one now, how loud the client wants its log messages.
    pub(crate) fn set_level(&self, session: u64, level: &'static str) {
        if let Some(own) = self.lock().by_session.get(&session) {
            own.server.wishes().set_level(Some(level));
        }
    }

    /// Tells a client's process, if there is one now, that the client does not want to hear about a resource
    /// any more.
    pub(crate) fn unwatch(&self, session: u64, uri: &str) {
        if let Some(own) = self.lock().by_session.get(&session) {
            own.server.wishes().remove(uri);
        }
    }

    /// Ends the process of a client that leaves; there will be no other for it.
    pub(crate) fn leave(&self, session: u64) {
        let mut all = self.lock();
        all.left.push_back(session);
        if all.left.len() > LEFT_MAX {
            all.left.pop_front();
        }
        if let Some(own) = all.by_session.remove(&session) {
            own.dismiss();
        }
    }

    /// Ends every process; the next request of a client starts another.
    pub(super) fn dismiss_all(&self) {
        self.lock().by_session.drain().for_each(|(_, own)| own.dismiss());
    }

    /// Ends every process for good and waits for that.
    pub(super) async fn close(&self) {
        self.lock().closed = true;
        self.dismiss_all();
        let _ = self.alive.subscribe().wait_for(|alive| *alive == 0).await;
    }

    fn lease(
        self: &Arc<Self>,
        server: &Server,
        client: &Guest,
        said: impl FnOnce() -> Wanted,
    ) -> Result<Lease, Fault> {
        let session = client.number;
        let mut all = self.lock();
        if let Some(own) = all.by_session.get(&session).filter(|own| !own.is_spent()) {
            return Ok(own.lease());
        }
        if all.closed || all.left.contains(&session) {
            return Err(faults::not_running(server.name(), Status::Stopped));
        }
        if all.by_session.len() >= CLIENTS_MAX && !all.by_session.contains_key(&session) {
            return Err(faults::too_many_clients(server.name(), CLIENTS_MAX));
        }
        let own = Arc::new(Own::new(session, server.for_client(client.clone(), self.around.clone())));
        let lease = own.lease();
        all.by_session.insert(session, own.clone());
        self.alive.send_modify(|alive| *alive += 1);
        drop(all);
        tokio::spawn(own.keep(Arc::downgrade(self), said()));
        Ok(lease)
    }

    /// How long until a process is idle, and zero when it is: then it is out of reach. `None` while a request
    /// is in flight.
    pub(super) fn idle_in(&self, own: &Arc<Own>) -> Option<Duration> {
        let mut all = self.lock();
        let left = own.idle_in(self.idle)?;
        if !left.is_zero() {
            return Some(left);
        }
        // Whoever waits for news of a resource has use for the process that tells of it.
        if own.server.wishes().names_resources() && self.around.audience.listens(own.session) {
            return Some(self.idle);
        }
        remove(&mut all, own);
        Some(Duration::ZERO)
    }

    /// Nobody gets hold of that process any more.
    pub(super) fn forget(&self, own: &Arc<Own>) {
        remove(&mut self.lock(), own);
    }

    /// A process has ended.
    pub(super) fn gone(&self) {
        self.alive.send_modify(|alive| *alive -= 1);
    }

    fn lock(&self) -> MutexGuard<'_, All> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Another process may have taken its place.
fn remove(all: &mut All, own: &Arc<Own>) {
    if all.by_session.get(&own.session).is_some_and(|now| Arc::ptr_eq(now, own)) {
        all.by_session.remove(&own.session);
    }
}
