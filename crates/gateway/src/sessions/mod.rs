//! Session workflows as tools of the gateway: their definitions, the engine that runs them, what clients and the
//! admin API do with them.

mod activities;
mod among;
mod call;
mod definitions;
mod detached;
mod faults;
mod listener;
mod ops;
mod own;
mod raise;
mod road;
mod schedules;

pub use activities::ActivityView;
pub use definitions::DefinitionSource;
pub(crate) use detached::Detached;
pub use listener::{SessionMoved, SessionTally};
pub use ops::{ApprovalBody, Driven, EventBody, SessionQuery};
pub(crate) use own::OwnTools;
pub use schedules::{LastSession, Missed, Schedule, ScheduleView};

use crate::gateway::Gateway;
use crate::hooks::now;
use arc_swap::{ArcSwap, ArcSwapOption};
use definitions::Book;
use listener::Listener;
use model::session::{Activity, Procedure};
use model::settings::OnFull;
use model::{Settings, settings};
use road::Road;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;
use store::Store;
use tokio::sync::{broadcast, mpsc};
use workflow::session::{Engine, EngineOptions, Host, Kit, Limits};

/// How many moves a slow listener may lag behind. They have a channel of their own, so that busy sessions take
/// nothing else from anybody.
const LAG_MAX: usize = 256;

/// The session workflows of a gateway.
pub(crate) struct Sessions {
    pub(crate) engine: Engine,
    moved: broadcast::Sender<SessionMoved>,
    tally: Arc<SessionTally>,
    /// Who is told of every end, until somebody listens.
    finished: std::sync::Mutex<Option<mpsc::UnboundedReceiver<SessionMoved>>>,
    schedules: schedules::Timer,
    book: ArcSwap<Book>,
    own: ArcSwap<OwnTools>,
    file: ArcSwap<FileDefinitions>,
    /// When those were first read that the file has now.
    read_at: AtomicI64,
    kit: ArcSwapOption<Kit>,
    /// Whether definitions were read that are not offered yet.
    pub(crate) unoffered: AtomicBool,
}

/// The definitions of the config file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileDefinitions {
    /// `activities`.
    pub activities: Vec<Activity>,
    /// `workflows`.
    pub procedures: Vec<Procedure>,
}

impl Sessions {
    pub(crate) fn new(
        store: &Store,
        file: FileDefinitions,
        settings: &Settings,
        instance: &Arc<str>,
    ) -> Self {
        let moved = broadcast::channel(LAG_MAX).0;
        let (finished, ends) = mpsc::unbounded_channel();
        let tally = Arc::<SessionTally>::default();
        let engine = Engine::new(EngineOptions {
            store: store.clone(),
            kit: None,
            limits: limits(settings),
            clock: None,
            listener: Some(Arc::new(Listener { moved: moved.clone(), finished, tally: Arc::clone(&tally) })),
            instance: Some(Arc::clone(instance)),
        });
        if settings.workflow.engine == settings::EngineKind::Restate {
            engine.expect_host();
        }
        Self {
            engine,
            moved,
            tally,
            finished: std::sync::Mutex::new(Some(ends)),
            schedules: schedules::Timer::default(),
            book: ArcSwap::default(),
            own: ArcSwap::default(),
            file: ArcSwap::from_pointee(file),
            read_at: AtomicI64::new(now()),
            kit: ArcSwapOption::empty(),
            unoffered: AtomicBool::new(false),
        }
    }

    /// The definitions of the config file.
    pub(crate) fn definitions(&self) -> Arc<FileDefinitions> {
        self.file.load_full()
    }

    /// The tools that are not those of a server.
    pub(crate) fn own(&self) -> Arc<OwnTools> {
        self.own.load_full()
    }
}

fn limits(settings: &Settings) -> Limits {
    let settings::Sessions { max_sessions, session_ttl_ms, on_full, shared, lease_ms } = settings.sessions;
    let evict_oldest = on_full == OnFull::EvictOldest;
    Limits { max_sessions, session_ttl_ms, evict_oldest, shared, lease_ms }
}

impl Gateway {
    /// Gives the engine its tools, and offers what the file and the store define.
    pub(crate) async fn open_sessions(self: &Arc<Self>) -> Result<(), store::Error> {
        self.sessions.engine.agree_on_time().await;
        self.renew_kit();
        self.raise_own_events();
        let _followed = self.followed.lock().await;
        self.offer_sessions().await
    }

    fn renew_kit(self: &Arc<Self>) {
        let kit = self.kit();
        self.sessions.engine.set_kit(kit.clone());
        self.sessions.kit.store(Some(Arc::new(kit)));
    }

    fn kit(self: &Arc<Self>) -> Kit {
        let road = Arc::new(Road::new(Arc::downgrade(self)));
        let settings = self.settings();
        Kit {
            scripts: Arc::new(self.hooks.sandbox.clone()),
            limit: Duration::from_millis(settings.hooks.timeout_ms),
            call_limit: Duration::from_millis(settings.default_timeout),
            tools: road.clone(),
            http: road,
        }
    }

    /// Steps and ends of sessions since the gateway started.
    pub fn session_tally(&self) -> &SessionTally {
        &self.sessions.tally
    }

    /// Sessions that move from now on.
    pub fn sessions_moved(&self) -> broadcast::Receiver<SessionMoved> {
        self.sessions.moved.subscribe()
    }

    /// Takes up sessions that nobody works on any more, and keeps their time and that of schedules, until the
    /// future is dropped. Every instance does this; the store decides who takes what.
    pub async fn run_sessions(self: &Arc<Self>) {
        self.ready.wait().await;
        let engine = self.sessions.engine.clone();
        let alone = self.store.is_alone().await;
        if alone {
            self.graphs.alone();
        }
        if alone && !engine.is_hosted() {
            match engine.recover().await {
                Ok(0) => {}
                Ok(count) => tracing::info!(sessions = count, "sessions that were under way are taken up"),
                Err(error) => tracing::error!(reason = %error, "sessions could not be taken up"),
            }
        }
        tokio::join!(engine.keep_time(), self.keep_schedules());
    }

    /// The engine of session workflows, once every server was tried: whoever keeps its journals drives it.
    pub async fn session_engine(&self) -> Engine {
        self.ready.wait().await;
        self.sessions.engine.clone()
    }

    /// From now on this host keeps the journals of sessions.
    pub fn host_sessions(&self, host: Arc<dyn Host>) {
        self.sessions.engine.set_host(host);
    }

    /// Takes over what the config file says now.
    pub(crate) async fn reload_sessions(self: &Arc<Self>, file: FileDefinitions) -> Result<(), store::Error> {
        let _followed = self.followed.lock().await;
        self.sessions.engine.set_limits(limits(&self.settings()));
        self.renew_kit();
        if **self.sessions.file.load() != file {
            self.sessions.read_at.store(now(), Ordering::Relaxed);
        }
        self.sessions.file.store(Arc::new(file));
        self.offer_sessions().await
    }
}
