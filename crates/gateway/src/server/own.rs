//! One client's own process: used by its requests, and looked after from its start to its end.

use super::clients::Clients;
use super::{Connection, Server, Standing, Wanted};
use crate::call::running;
use model::Fault;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::{Notify, SetOnce};
use tokio::time::Instant;

/// A client's own process.
pub(super) struct Own {
    pub(super) session: u64,
    pub(super) server: Arc<Server>,
    /// Set when it runs or has failed to start.
    started: SetOnce<()>,
    /// Set when it is to be ended.
    dismissed: SetOnce<()>,
    usage: Mutex<Usage>,
    /// Told when the last request in flight is done.
    freed: Notify,
}

struct Usage {
    in_flight: usize,
    /// When the last request was done.
    since: Instant,
}

/// A connection, and the right to use it until this is dropped.
pub(crate) struct Link {
    connection: Arc<Connection>,
    lease: Option<Lease>,
}

impl Link {
    /// The connection that all callers share.
    pub(crate) fn shared(connection: Arc<Connection>) -> Self {
        Self { connection, lease: None }
    }

    /// The connection of a client's own process, once it is started.
    pub(super) async fn own(lease: Lease) -> Result<Self, Fault> {
        lease.0.started.wait().await;
        let connection = running(&lease.0.server)?;
        Ok(Self { connection, lease: Some(lease) })
    }

    /// Notes that the client wants to hear about a resource, where the process is its own, and waits for
    /// what the process says to that.
    pub(crate) async fn watch(&self, uri: &str) -> Option<Standing> {
        let Lease(own) = self.lease.as_ref()?;
        own.server.wishes().add(uri);
        own.server.wishes().heard_of(uri).await
    }
}

impl Deref for Link {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.connection
    }
}

/// Keeps a client's process from being idle.
pub(super) struct Lease(Arc<Own>);

impl Drop for Lease {
    fn drop(&mut self) {
        let mut usage = self.0.usage();
        usage.in_flight -= 1;
        if usage.in_flight == 0 {
            usage.since = Instant::now();
            self.0.freed.notify_one();
        }
    }
}

impl Own {
    pub(super) fn new(session: u64, server: Arc<Server>) -> Self {
        Self {
            session,
            server,
            started: SetOnce::new(),
            dismissed: SetOnce::new(),
            usage: Mutex::new(Usage { in_flight: 0, since: Instant::now() }),
            freed: Notify::new(),
        }
    }

    fn usage(&self) -> MutexGuard<'_, Usage> {
        self.usage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn lease(self: &Arc<Self>) -> Lease {
        self.usage().in_flight += 1;
        Lease(self.clone())
    }

    pub(super) fn dismiss(&self) {
        let _ = self.dismissed.set(());
    }

    /// Whether it was started and is of no use any more.
    pub(super) fn is_spent(&self) -> bool {
        self.started.initialized() && self.server.connection().is_none()
    }

    /// Looks after the process from its start to its end.
    pub(super) async fn keep(self: Arc<Self>, clients: Weak<Clients>, said: Wanted) {
        // What the client said before its process was there, the process must hear.
        self.server.wishes().set(said);
        tokio::select! {
            () = self.server.start() => {}
            () = self.dismissal() => {}
        }
        let connection = self.server.connection();
        let _ = self.started.set(());
        if let Some(connection) = connection {
            tokio::select! {
                _ = connection.ended.wait() => {}
                () = self.dismissal() => {}
                () = self.idleness(&clients) => {
                    tracing::info!(server = self.server.name(), "a client's process was idle");
                }
            }
        }
        if let Some(clients) = clients.upgrade() {
            clients.forget(&self);
        }
        self.server.stop().await;
        if let Some(clients) = clients.upgrade() {
            clients.gone();
        }
    }

    async fn dismissal(&self) {
        self.dismissed.wait().await;
    }

    /// How long until nothing was asked of the process for that long, nor by it; `None` while a request is in flight.
    pub(super) fn idle_in(&self, idle: Duration) -> Option<Duration> {
        let asked = self.server.connection().and_then(|connection| connection.client.waited_until());
        let usage = self.usage();
        let since = asked.map_or(usage.since, |asked| asked.max(usage.since));
        (usage.in_flight == 0).then(|| idle.saturating_sub(since.elapsed()))
    }

    /// Returns when nothing was asked of the process for long enough; nobody gets hold of it any more.
    async fn idleness(self: &Arc<Self>, clients: &Weak<Clients>) {
        loop {
            let Some(left) = clients.upgrade().map_or(Some(Duration::ZERO), |all| all.idle_in(self)) else {
                self.freed.notified().await;
                continue;
            };
            if left.is_zero() {
                return;
            }
            tokio::select! {
                () = tokio::time::sleep(left) => {}
                () = self.freed.notified() => {}
            }
        }
    }
}
