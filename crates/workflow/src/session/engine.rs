//! The driver of sessions: it records, then acts.

mod advance;
mod again;
mod attempts;
mod close;
mod create;
mod doubt;
pub(super) mod entry;
mod hands;
mod host;
mod hosted;
mod library;
mod live;
mod nested;
mod orders;
mod overtime;
mod run;
mod seats;
mod show;
mod task;
mod turn;
mod unasked;
mod undo;
mod wake;
mod work;

pub use entry::{Approval, Continue, Start, Steps};
pub use host::{Answer, Duty, Host, Order, Over, Refusal, Stride};
pub use library::SessionChange;
pub(crate) use library::Unchanged;
pub use wake::Wake;

use super::activity::given;
use super::input::{LEVELS, fits};
use super::kinds::RunWorkflow;
use super::plan::{Definition, Kit, Plan};
use super::reply::{self, Reply};
use hosted::Hosting;
use live::Lives;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, Weak};
use std::time::{SystemTime, UNIX_EPOCH};
use store::Store;
use tokio::sync::watch;

/// Milliseconds since 1970.
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// What an [`Engine`] is made of.
pub struct EngineOptions {
    /// Where sessions are kept.
    pub store: Store,
    /// What definitions are brought into the form in which they run with; nothing where all workflows are Rust.
    pub kit: Option<Kit>,
    /// How many sessions there may be, and how long they are kept.
    pub limits: Limits,
    /// Tells the time.
    pub clock: Option<Clock>,
    /// Is told what happens.
    pub listener: Option<Arc<dyn Listen>>,
    /// Names this instance among those on the same store; nothing stands for a name that is made up.
    pub instance: Option<Arc<str>>,
}

/// How many sessions there may be, and how long they are kept (spec 4.8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most sessions.
    pub max_sessions: u64,
    /// Finished sessions older than this many milliseconds are removed.
    pub session_ttl_ms: u64,
    /// Whether at the limit the oldest open session makes room.
    pub evict_oldest: bool,
    /// Whether callers may use each other's sessions.
    pub shared: bool,
    /// A step of an instance that shows no sign of life for so many milliseconds is taken up by another.
    pub lease_ms: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_sessions: 1000,
            session_ttl_ms: 3_600_000,
            evict_oldest: false,
            shared: false,
            lease_ms: 10_000,
        }
    }
}

/// Is told what happens to sessions, after it was recorded. It must not block.
pub trait Listen: Send + Sync {
    /// Something happened.
    fn hear(&self, news: &News<'_>);
}

/// One who hears what happens during a call.
#[derive(Clone)]
pub struct Ear(pub Arc<dyn Listen>);

impl std::fmt::Debug for Ear {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Ear")
    }
}

/// What happened to a session.
#[derive(Clone, Copy, Debug)]
pub enum News<'a> {
    /// An activity begins.
    Began {
        /// The session.
        session: &'a str,
        /// Who started it.
        client_id: &'a str,
        /// The activity.
        activity: &'a str,
    },
    /// An activity ended.
    Ended {
        /// The session.
        session: &'a str,
        /// Who started it.
        client_id: &'a str,
        /// The activity.
        activity: &'a str,
        /// How long it took, in milliseconds.
        took: i64,
        /// Why it failed.
        error: Option<&'a str>,
    },
    /// A session is another than before.
    Changed {
        /// As it is now.
        session: &'a model::session::WorkflowSession,
        /// How many events made it: of two tellings of one session the one with more is the newer.
        events: u64,
    },
}

/// Why something could not be done.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// There is no such session for this caller.
    #[error("Workflow session {0} not found")]
    NotFound(String),
    /// There is no such workflow.
    #[error("Workflow '{0}' not found")]
    NoWorkflow(String),
    /// There is no room for another session.
    #[error("The limit of {0} sessions is reached (sessions.maxSessions); end some, or raise it")]
    Full(u64),
    /// What is given could not be read again.
    #[error("What is given is nested too deeply; {LEVELS} levels are the most")]
    TooDeep,
    /// Another one was faster; what it did counts.
    #[error("The session was changed meanwhile; ask again")]
    Overtaken,
    /// The process is ending, and what was under way is left to whoever comes next.
    #[error("The gateway is stopping; ask again in a moment")]
    Stopping,
    /// The definition of the session cannot be used.
    #[error("The definition of the session cannot be used: {0}")]
    Definition(String),
    /// The store does not do its work.
    #[error("{}", unrecorded(.0))]
    Store(#[source] store::Error),
    /// The store does not do its work, where only a look at a session was asked for.
    #[error("The session could not be read; the log says why")]
    Unread(#[source] store::Error),
    /// The store does not do its work, after a step did its own.
    #[error(
        "The step was run, but its end could not be recorded; the log says why. Please look at the session again"
    )]
    Unrecorded(#[source] store::Error),
    /// Whoever keeps the journals of sessions does not answer.
    #[error(
        "Sessions cannot be used now, because what they run on does not answer: {0}. Please try again later"
    )]
    Away(String),
}

/// What is said when the store fails: where only its answer is missing, nobody knows what it did.
fn unrecorded(error: &store::Error) -> &'static str {
    match error {
        store::Error::Lost => "The store lost its data, and nothing was done; the log says what to do",
        error if error.may_be_done() => {
            "The store was lost before it answered, and whether the session was recorded is not known; look at it first"
        }
        _ => "The session could not be recorded, so nothing was done; the log says why",
    }
}

/// Refuses what could not be read again.
fn check_levels<'a>(given: impl IntoIterator<Item = &'a Value>) -> Result<(), Error> {
    match given.into_iter().all(|value| fits(value, LEVELS)) {
        true => Ok(()),
        false => Err(Error::TooDeep),
    }
}

impl From<store::Error> for Error {
    fn from(error: store::Error) -> Self {
        // A store that was closed belongs to a process that is ending.
        match error {
            store::Error::Closed => tracing::debug!("sessions are not kept any more: the store is closed"),
            _ => tracing::error!(reason = %error, "sessions cannot be kept"),
        }
        Error::Store(error)
    }
}

impl From<Error> for Reply {
    fn from(error: Error) -> Self {
        match &error {
            Error::NotFound(id) => reply::not_found(id),
            other => Reply::error(other.to_string()),
        }
    }
}

/// Runs session workflows; a clone speaks to the same one.
#[derive(Clone)]
pub struct Engine(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) store: Store,
    kit: RwLock<Option<Kit>>,
    limits: RwLock<Limits>,
    /// The name of this instance.
    pub(crate) instance: Arc<str>,
    clock: Clock,
    /// Whether the clock is that of the machine.
    own_clock: bool,
    /// How far the clock of the store is ahead of it, in milliseconds.
    ahead: AtomicI64,
    latest: AtomicI64,
    listener: Option<Arc<dyn Listen>>,
    /// Every plan in use, by the name of its definition.
    plans: RwLock<HashMap<String, Arc<Plan>>>,
    /// The plans of new sessions, by the name of the workflow.
    current: RwLock<BTreeMap<String, Arc<Plan>>>,
    /// How often the workflows of the store had been changed when those of them were made that are offered.
    counted: AtomicU64,
    pub(crate) lives: Lives,
    seats: seats::Seats,
    /// Becomes true when the process ends: what is under way is given up, and nothing is begun.
    leaving: watch::Sender<bool>,
    /// Who keeps the journals, if not the store.
    hosting: Hosting,
    me: Weak<Inner>,
}

impl Engine {
    /// An engine without workflows.
    pub fn new(options: EngineOptions) -> Self {
        let own_clock = options.clock.is_none();
        let clock = options.clock.unwrap_or_else(|| Arc::new(wall_clock));
        Self(Arc::new_cyclic(|me| Inner {
            store: options.store,
            kit: RwLock::new(options.kit),
            limits: RwLock::new(options.limits),
            instance: options.instance.unwrap_or_else(|| entry::new_id().into()),
            clock,
            own_clock,
            ahead: AtomicI64::new(0),
            latest: AtomicI64::new(0),
            listener: options.listener,
            plans: RwLock::default(),
            current: RwLock::default(),
            counted: AtomicU64::new(u64::MAX),
            lives: Lives::default(),
            seats: seats::Seats::default(),
            leaving: watch::Sender::new(false),
            hosting: Hosting::default(),
            me: me.clone(),
        }))
    }

    /// Other limits, from the next session on.
    pub fn set_limits(&self, limits: Limits) {
        *self.0.limits.write().unwrap_or_else(PoisonError::into_inner) = limits;
    }

    /// Another kit, for plans that are made from now on.
    pub fn set_kit(&self, kit: Kit) {
        *self.0.kit.write().unwrap_or_else(PoisonError::into_inner) = Some(kit);
        // Those written in Rust need no kit, and cannot be made again.
        self.0.plans.write().unwrap_or_else(PoisonError::into_inner).retain(|_, plan| plan.text.is_none());
    }

    /// What sub-workflows of a plan are run by.
    pub fn workflows(&self) -> Arc<dyn RunWorkflow> {
        Arc::new(nested::Runner(self.0.me.clone()))
    }

    /// Brings a definition into the form in which it runs, without offering or keeping it.
    pub fn plan(&self, definition: Definition) -> Result<Arc<Plan>, String> {
        match self.0.plan_in_use(&definition.hash()) {
            Some(plan) => Ok(plan),
            None => self.0.compile(definition),
        }
    }

    /// Offers these workflows to new sessions, and no others. Sessions that are open stay on their own, which the store
    /// has.
    pub fn offer(&self, plans: impl IntoIterator<Item = Arc<Plan>>) {
        let current: BTreeMap<String, Arc<Plan>> =
            plans.into_iter().map(|plan| (plan.name().to_owned(), plan)).collect();
        let mut plans = self.0.plans.write().unwrap_or_else(PoisonError::into_inner);
        plans.retain(|_, plan| plan.text.is_none());
        plans.extend(current.values().map(|plan| (plan.hash.clone(), Arc::clone(plan))));
        drop(plans);
        *self.0.current.write().unwrap_or_else(PoisonError::into_inner) = current;
    }

    /// What is offered is what the store kept when its workflows had been changed so often. A session is started
    /// without asking the store anew while they have not been changed since.
    pub fn counted(&self, workflows: u64) {
        self.0.counted.store(workflows, Ordering::Release);
    }

    /// Offers one more workflow. A name that is taken is refused.
    pub fn add(&self, plan: Arc<Plan>) -> Result<(), String> {
        let mut current = self.0.current.write().unwrap_or_else(PoisonError::into_inner);
        if current.contains_key(plan.name()) {
            return Err(format!("Workflow \"{}\" is already registered with a server", plan.name()));
        }
        let mut plans = self.0.plans.write().unwrap_or_else(PoisonError::into_inner);
        plans.insert(plan.hash.clone(), Arc::clone(&plan));
        current.insert(plan.name().to_owned(), plan);
        Ok(())
    }

    /// The workflows that are offered, by name.
    pub fn offered(&self) -> Vec<Arc<Plan>> {
        self.0.current.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    /// The workflow of this name, where it is offered.
    pub fn find(&self, name: &str) -> Option<Arc<Plan>> {
        self.0.current.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }
}

impl Inner {
    /// The time, which never goes back.
    pub(crate) fn now(&self) -> i64 {
        let now = (self.clock)().saturating_add(self.ahead.load(Ordering::Relaxed));
        self.latest.fetch_max(now, Ordering::Relaxed).max(now)
    }

    pub(crate) fn limits(&self) -> Limits {
        *self.limits.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn tell(&self, news: &News<'_>) {
        if let Some(listener) = &self.listener {
            listener.hear(news);
        }
    }

    fn compile(&self, definition: Definition) -> Result<Arc<Plan>, String> {
        let kit = self.kit.read().unwrap_or_else(PoisonError::into_inner).clone();
        let kit = kit.ok_or("there is nothing to run scripts with")?;
        let workflows: Arc<dyn RunWorkflow> = Arc::new(nested::Runner(self.me.clone()));
        Ok(Arc::new(definition.plan(&kit, &workflows)?))
    }

    fn plan_in_use(&self, hash: &str) -> Option<Arc<Plan>> {
        self.plans.read().unwrap_or_else(PoisonError::into_inner).get(hash).cloned()
    }

    /// The plan that a session stays on.
    pub(crate) async fn plan_of(&self, hash: &str) -> Result<Arc<Plan>, Error> {
        if let Some(plan) = self.plan_in_use(hash) {
            return Ok(plan);
        }
        let body = self.store.definitions().get(hash).await?;
        let body = body.ok_or_else(|| Error::Definition(Plan::missing(hash)))?;
        let definition = serde_json::from_str(&body).map_err(|error| Error::Definition(error.to_string()))?;
        let plan = self.compile(definition).map_err(Error::Definition)?;
        let mut plans = self.plans.write().unwrap_or_else(PoisonError::into_inner);
        Ok(Arc::clone(plans.entry(plan.hash.clone()).or_insert(plan)))
    }
}

fn wall_clock() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
