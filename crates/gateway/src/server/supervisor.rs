//! The task that looks after one server: start, watch, restart, stop (spec 1.13).

use super::attempts::Attempts;
use super::audience::{Audience, Owner};
use super::launch::{Around, Running, launch};
use super::subscription::Subscription;
use super::{Connection, Server, StartFailure};
use crate::hub::{Hub, News};
use crate::visa::Drawer;
use arc_swap::ArcSwap;
use mcp::Kind;
use model::settings::RestartPolicy;
use model::{Settings, Status};
use process::Launcher;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{Mutex as Turn, OwnedMutexGuard, mpsc, oneshot, watch};

/// How long a child may take to end after SIGTERM.
pub(super) const GRACE: Duration = Duration::from_secs(5);

/// How long a name is waited for. Processes end sooner, but for one that the system itself cannot end.
const HELD_MAX: Duration = Duration::from_secs(20);

/// Something a supervisor is told to do; the sender learns when it is done and reads the outcome
/// from the server's state.
pub(super) enum Order {
    Start(Done),
    Restart(Done),
    Stop(Done),
}

pub(super) type Done = oneshot::Sender<()>;

/// Takes which list of which server it said is another.
type Relisted = dyn Fn(&str, Kind) + Send + Sync;

/// What every supervisor shares.
#[derive(Clone)]
pub(crate) struct Surroundings {
    pub(crate) launcher: Launcher,
    pub(crate) settings: Arc<ArcSwap<Settings>>,
    /// How long it is between two pings.
    pub(crate) pings: watch::Sender<Duration>,
    /// Called whenever the lists or the status of a server may have changed.
    pub(crate) changed: Arc<dyn Fn() + Send + Sync>,
    /// Called when a server said that a list of its own changed, after that was fetched again.
    pub(crate) relisted: Arc<Relisted>,
    /// Where sign-ins to servers are kept.
    pub(crate) drawer: Drawer,
    /// Where servers are heard when they speak outside of any request.
    pub(crate) hub: Arc<Hub>,
    /// The clients with a session.
    pub(crate) audience: Arc<dyn Audience>,
    /// Who runs under which name.
    pub(crate) names: Arc<Names>,
    /// Names this gateway to remote servers, so that it knows itself.
    pub(crate) instance: Arc<str>,
}

/// The names of servers, each held by the one that runs under it, and by its process until nothing is left of that. One
/// that takes the place of another begins when that one has ended, however it came to be replaced.
#[derive(Default)]
pub(crate) struct Names(Mutex<HashMap<String, Arc<Turn<()>>>>);

/// The hold on a name.
pub(super) type Held = OwnedMutexGuard<()>;

impl Names {
    /// Waits for a name. One whose process does not end is given away all the same.
    async fn hold(&self, name: &str) -> Held {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let turn = {
                let mut all = lock();
                all.retain(|_, turn| Arc::strong_count(turn) > 1);
                Arc::clone(all.entry(name.to_owned()).or_default())
            };
            if let Ok(held) = tokio::time::timeout(HELD_MAX, Arc::clone(&turn).lock_owned()).await {
                return held;
            }
            tracing::warn!(
                server = name,
                "the process before does not end; another one is started beside it"
            );
            // Others who waited as long may have given it away already.
            lock().retain(|_, known| !Arc::ptr_eq(known, &turn));
        }
    }
}

pub(super) struct Supervisor {
    pub(super) server: Arc<Server>,
    pub(super) around: Surroundings,
    pub(super) inbox: mpsc::Receiver<Order>,
    pub(super) attempts: Attempts,
    /// Whether the last connection took the place of one whose session was forgotten.
    pub(super) renewed: bool,
    /// The status that listeners know.
    told: Option<Status>,
    /// The name, from the first start on; every start takes it anew.
    name: Option<Arc<Held>>,
}

/// What a supervisor does next.
pub(super) enum Next {
    /// Wait for an order; there is no child.
    Rest,
    /// Try to start, and tell those who wait for it.
    Start(Vec<Done>),
    /// Wait, then try again.
    Backoff(Duration),
    /// Look after a child.
    Watch(Box<Running>),
    /// Done.
    End(Done),
}

impl Supervisor {
    pub(super) fn new(server: Arc<Server>, around: Surroundings, inbox: mpsc::Receiver<Order>) -> Self {
        Self { server, around, inbox, attempts: Attempts::default(), renewed: false, told: None, name: None }
    }

    pub(super) async fn run(mut self) {
        let mut next = Next::Rest;
        loop {
            next = match next {
                Next::Rest => match self.inbox.recv().await {
                    Some(order) => self.obey(order),
                    None => return,
                },
                Next::Start(reply) => self.start(reply).await,
                Next::Backoff(wait) => self.backoff(wait).await,
                Next::Watch(running) => self.watch(*running).await,
                Next::End(done) => {
                    self.server.state().ended(Status::Stopped, None, None);
                    self.announce();
                    tell(done);
                    return;
                }
            };
            self.announce();
        }
    }

    /// Lets everybody know what changed.
    pub(super) fn announce(&mut self) {
        (self.around.changed)();
        let status = self.server.status();
        if self.told.replace(status) != Some(status) {
            self.around.hub.tell(News::Status(self.server.name().into(), status));
        }
    }

    /// An order while there is no child that is ready.
    fn obey(&mut self, order: Order) -> Next {
        match order {
            Order::Start(done) => Next::Start(vec![done]),
            Order::Restart(done) => {
                self.attempts.forget();
                self.renewed = false;
                let mut state = self.server.state();
                state.status = Status::Restarting;
                state.restarts += 1;
                Next::Start(vec![done])
            }
            Order::Stop(done) => Next::End(done),
        }
    }

    async fn start(&mut self, mut waiting: Vec<Done>) -> Next {
        let server = self.server.clone();
        let (around, name) = (&self.around, &mut self.name);
        let attempt = async {
            // A process that was only told to end keeps it until it has.
            *name = None;
            // The processes of single clients are beside the one that all share.
            if server.client.is_none() {
                *name = Some(Arc::new(around.names.hold(server.name()).await));
            }
            let settings = around.settings.load_full();
            let owner = Owner { server: server.clone(), audience: around.audience.clone() };
            let name = name.as_ref();
            let (tail, visa, instance) = (&server.tail, server.visa(), &*around.instance);
            let beside = Around { tail, visa, owner: &owner, name, instance };
            launch(&around.launcher, (server.entry(), server.origin()), &settings, beside).await
        };
        let outcome = tokio::select! {
            outcome = attempt => outcome,
            order = told(&mut self.inbox, &mut waiting) => {
                // What was under way ends with its future.
                return match self.obey(order) {
                    Next::Start(asked) => {
                        waiting.extend(asked);
                        Next::Start(waiting)
                    }
                    other => other,
                };
            }
        };
        match outcome {
            Ok(mut running) => {
                let (client, peer) = (&running.client, &running.peer);
                let subscription = Subscription::open(&self.server, &self.around, client, peer);
                running.subscription = Some(subscription);
                self.ready(&running);
                waiting.into_iter().for_each(tell);
                Next::Watch(Box::new(running))
            }
            Err(failure) => {
                let (server, process) = (self.server.name(), self.server.process());
                tracing::error!(server, process, reason = %failure, "server could not be started");
                let next = self.failed(&failure);
                waiting.into_iter().for_each(tell);
                next
            }
        }
    }

    fn ready(&self, running: &Running) {
        self.server.set_lists(&running.lists);
        let connection = Connection::new(running.client.clone(), running.peer.clone());
        self.server.connection.store(Some(Arc::new(connection)));
        self.server.state().running(running.control.pid(), running.peer.clone());
        (self.around.changed)();
        tracing::info!(
            server = self.server.name(),
            process = self.server.process(),
            tools = running.lists.get(Kind::Tools).len(),
            version = running.peer.version,
            "server is running"
        );
    }

    fn failed(&mut self, failure: &StartFailure) -> Next {
        let mut state = self.server.state();
        let fallback = if state.has_run { Status::Crashed } else { Status::Stopped };
        let exit_code = state.exit_code;
        state.ended(fallback, exit_code, Some(failure.shown()));
        state.reason = Some(failure.to_string());
        drop(state);
        // Trying again helps nobody before somebody signed in.
        if matches!(failure, StartFailure::SignIn) {
            return Next::Rest;
        }
        self.again_or_rest()
    }

    /// What follows a crash or a failed start under the restart policy.
    pub(super) fn again_or_rest(&mut self) -> Next {
        let policy = self.around.settings.load().restart_policy;
        // A client's process is started again by the client's next request.
        if policy != RestartPolicy::OnFailure || self.server.client.is_some() {
            return Next::Rest;
        }
        let Some(wait) = self.attempts.next() else { return Next::Rest };
        self.server.state().status = Status::Restarting;
        Next::Backoff(wait)
    }

    async fn backoff(&mut self, wait: Duration) -> Next {
        tokio::select! {
            () = tokio::time::sleep(wait) => {
                self.server.state().restarts += 1;
                tracing::info!(server = self.server.name(), attempt = self.attempts.made(), "restarting server");
                Next::Start(Vec::new())
            }
            order = self.inbox.recv() => match order {
                Some(order) => self.obey(order),
                None => Next::Rest,
            },
        }
    }
}

/// Waits for the order to stop or to begin anew; an order to start is met by the start that is under way.
async fn told(inbox: &mut mpsc::Receiver<Order>, waiting: &mut Vec<Done>) -> Order {
    loop {
        match inbox.recv().await {
            Some(Order::Start(done)) => waiting.push(done),
            Some(order) => return order,
            None => std::future::pending().await,
        }
    }
}

/// Whoever asked may have gone away.
pub(super) fn tell(done: Done) {
    let _ = done.send(());
}
