//! The gateway as a whole: its servers, its settings, and the bytes it serves for the tool list.

use crate::access::{Access, Gate};
use crate::audit::Audit;
use crate::cluster::Feed;
use crate::endpoint::{Catalog, Endpoint};
pub(crate) use crate::faults::{unread, unstored};
use crate::graphs::Graphs;
use crate::hooks::Hooks;
use crate::hub::News;
use crate::lists::{Known, Stale};
use crate::outbound;
use crate::ready::Ready;
use crate::registry::Registry;
use crate::seal::Seal;
use crate::server::{Origin, Server, ServerView, Surroundings};
use crate::sessions::{FileDefinitions, Sessions};
use crate::sight::Sight;
use crate::vault::Vault;
use crate::visa::Drawer;
use arc_swap::{ArcSwap, ArcSwapOption};
use bytes::Bytes;
use model::settings::OnServerFailure;
use model::{Code, Fault, ServerEntry, Settings, Status};
use process::Launcher;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use store::{Counts, Store};
use tokio::sync::{Mutex, SetOnce, broadcast, watch};

/// What a gateway is made of.
pub struct Options {
    /// How calls are handled.
    pub settings: Settings,
    /// The servers of the config file.
    pub servers: Vec<ServerEntry>,
    /// The activities and session workflows of the config file.
    pub definitions: FileDefinitions,
    /// Starts children.
    pub launcher: Launcher,
    /// Keeps servers added over the API.
    pub store: Store,
    /// Seals session ids and request states.
    pub seal: Seal,
    /// Seals the secrets of servers added over the API.
    pub vault: Vault,
    /// The store that lasts, and what seals its secrets, when `store` does not: sign-ins to servers, the runs of graphs
    /// and the variables that they keep go there.
    pub lasting: Option<(Store, Vault)>,
    /// Whether all that comes is from one client, so that every server means that one.
    pub alone: bool,
}

/// Why a gateway did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A server that must run does not.
    #[error(
        "MCP Server '{name}' could not be started: {reason}{}\n\
         To start the gateway without it, set `startup.onServerFailure: degrade`, \
         or `required: false` on this server.",
        indented(lines)
    )]
    Server {
        /// The server.
        name: String,
        /// What went wrong.
        reason: String,
        /// The last lines of its standard error, masked.
        lines: Vec<String>,
    },
    /// A script or a schema of the config file is wrong.
    #[error("Invalid config.yaml: {}", .0.message)]
    Definition(Fault),
    /// The store cannot be read.
    #[error("what is kept could not be read from the store")]
    Store(#[from] store::Error),
}

fn indented(lines: &[String]) -> String {
    lines.iter().map(|line| format!("\n    {line}")).collect()
}

/// How many lines of standard error a failed start shows.
const LINES_SHOWN: usize = 10;

/// How long a store may take at the end before it counts as one that does not answer, and how long one that answers
/// has for what is still to be written.
const FAREWELL: Duration = Duration::from_secs(3);
const LAST_WORDS: Duration = Duration::from_secs(30);

/// How long fire-and-forget hooks that are under way have at the end: as long as the servers.
const SIDES: Duration = Duration::from_secs(5);

/// All servers behind one road. Cheap to share; everything inside changes atomically.
pub struct Gateway {
    started: Instant,
    pub(crate) around: Surroundings,
    pub(crate) registry: Arc<ArcSwap<Registry>>,
    pub(crate) hooks: Hooks,
    pub(crate) graphs: Graphs,
    pub(crate) sessions: Sessions,
    pub(crate) feed: Feed,
    pub(crate) tools_json: Arc<Ready<Bytes>>,
    pub(crate) catalog: Arc<Ready<Catalog>>,
    /// What listeners may have to be told.
    pub(crate) stale: Arc<Stale>,
    /// What listeners know.
    pub(crate) known: std::sync::Mutex<Option<Known>>,
    pub(crate) endpoint: Arc<Endpoint>,
    pub(crate) seal: Seal,
    /// The keys in force.
    pub(crate) access: Arc<Access>,
    /// The limits of all requests together.
    pub(crate) gate: ArcSwapOption<Gate>,
    pub(crate) audit: Audit,
    /// Set when every server has been tried once.
    pub(crate) ready: SetOnce<()>,
    pub(crate) store: Store,
    pub(crate) vault: Vault,
    pub(crate) sight: Sight,
    /// Held while the set of servers changes, but not while they start or stop: nobody waits for another's.
    pub(crate) changing: Mutex<()>,
    /// How far the definitions of the store are taken over here; held while they change.
    pub(crate) followed: Mutex<Counts>,
    /// Whether the store lost its data since this instance began.
    pub(crate) store_lost: AtomicBool,
}

impl Gateway {
    /// Starts every server in parallel and returns when each is running or has failed.
    pub async fn start(options: Options) -> Result<Arc<Self>, StartError> {
        let gateway = Self::begin(options).await?;
        gateway.ready.wait().await;
        let registry = gateway.registry();
        // Nobody could sign in to a server if the gateway did not start without it.
        let waits = |server: &Server| server.status() == Status::Running || server.needs_sign_in();
        let must_run = |server: &&Arc<Server>| !waits(server) && gateway.must_run(server);
        let Some(server) = registry.servers().iter().find(must_run) else { return Ok(gateway) };
        let error = StartError::Server {
            name: server.name().to_owned(),
            reason: server.reason(),
            lines: server.tail_lines(LINES_SHOWN),
        };
        gateway.stop().await;
        Err(error)
    }

    /// Starts every server in the background and returns at once. A server that fails leaves the rest
    /// as it is; requests of MCP clients wait until all have been tried.
    pub async fn begin(options: Options) -> Result<Arc<Self>, StartError> {
        let Options { settings, servers, definitions, launcher, store, seal, vault, lasting, alone } =
            options;
        let (lasting, its_vault) = lasting.unwrap_or_else(|| (store.clone(), vault.clone()));
        let drawer = Drawer::new(lasting.clone(), its_vault);
        let added = vault.servers(&store).await?;
        let registry = Arc::new(ArcSwap::from_pointee(Registry::default()));
        let access = Arc::new(Access::default());
        let hooks = Hooks::load(&store, launcher.clone(), registry.clone(), access.clone()).await?;
        hooks.captures.limit(&settings);
        let graphs = Graphs::load(&store, lasting, &hooks, &settings).await?;
        let gateway = Self::idle(
            settings,
            definitions,
            launcher,
            store,
            (seal, vault, drawer),
            registry,
            access,
            hooks,
            graphs,
            alone,
        );
        gateway.renew_keys().await?;
        tokio::spawn(Self::watch_sign_ins(Arc::downgrade(&gateway)));
        gateway.open_sessions().await?;
        gateway
            .check_file(&gateway.sessions.definitions(), &gateway.settings())
            .await
            .map_err(StartError::Definition)?;
        let make = |entry, origin| Server::new(entry, origin, gateway.around.clone());
        let mut order: Vec<_> = servers.into_iter().map(|entry| make(entry, Origin::Config)).collect();
        for entry in added {
            if order.iter().any(|server| server.name() == entry.name) {
                tracing::warn!(
                    server = entry.name,
                    "the config file has a server of the same name as one added over the API; the latter is not started"
                );
                continue;
            }
            order.push(make(entry, Origin::Api));
        }
        gateway.registry.store(Arc::new(Registry::new(order.clone())));
        let starting = gateway.clone();
        tokio::spawn(async move {
            start_all(&order).await;
            starting.compare_lists();
            let _ = starting.ready.set(());
        });
        Ok(gateway)
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of a gateway, put together once")]
    fn idle(
        settings: Settings,
        definitions: FileDefinitions,
        launcher: Launcher,
        store: Store,
        (seal, vault, drawer): (Seal, Vault, Drawer),
        registry: Arc<ArcSwap<Registry>>,
        access: Arc<Access>,
        hooks: Hooks,
        graphs: Graphs,
        alone: bool,
    ) -> Arc<Self> {
        let tools_json = Arc::new(Ready::default());
        let catalog = Arc::new(Ready::default());
        let (stale_json, stale_catalog) = (tools_json.clone(), catalog.clone());
        let stale = Arc::new(Stale::default());
        let wake = stale.clone();
        let changed: Arc<dyn Fn() + Send + Sync> = Arc::new(move || {
            stale_json.forget();
            stale_catalog.forget();
            wake.wake();
        });
        let (said, anew) = (stale.clone(), changed.clone());
        let endpoint = Arc::new(Endpoint::new(alone));
        let instance: Arc<str> = crate::hooks::fresh_id().chars().take(8).collect::<String>().into();
        let sessions = Sessions::new(&store, definitions, &settings, &instance);
        let sight = Sight::default();
        sight.set(&settings);
        let gate = ArcSwapOption::new(Gate::new(&settings.limits.calls).map(Arc::new));
        let audit = Audit::start(graphs.store(), &settings);
        let around = Surroundings {
            launcher,
            pings: watch::Sender::new(Duration::from_millis(settings.health_check_interval)),
            settings: Arc::new(ArcSwap::from_pointee(settings)),
            changed,
            relisted: Arc::new(move |server, kind| {
                said.add(server, kind);
                anew();
            }),
            drawer,
            hub: Arc::default(),
            audience: endpoint.clone(),
            names: Arc::default(),
            instance: instance.clone(),
        };
        let gateway = Arc::new(Self {
            started: Instant::now(),
            feed: Feed::new(&instance),
            around,
            registry,
            hooks,
            graphs,
            sessions,
            tools_json,
            catalog,
            stale,
            known: std::sync::Mutex::default(),
            endpoint,
            ready: SetOnce::new(),
            seal,
            access,
            gate,
            audit,
            store,
            vault,
            sight,
            changing: Mutex::new(()),
            followed: Mutex::default(),
            store_lost: AtomicBool::new(false),
        });
        tokio::spawn(Self::herald(Arc::downgrade(&gateway), gateway.stale.clone()));
        gateway
    }

    fn must_run(&self, server: &Server) -> bool {
        let by_default = self.settings().startup.on_server_failure == OnServerFailure::Exit;
        server.origin() == Origin::Config && server.entry().required.unwrap_or(by_default)
    }

    /// The settings in force.
    pub fn settings(&self) -> Arc<Settings> {
        self.around.settings.load_full()
    }

    /// The servers as they are now.
    pub fn registry(&self) -> Arc<Registry> {
        self.registry.load_full()
    }

    /// Seals what clients bring back.
    pub fn seal(&self) -> &Seal {
        &self.seal
    }

    /// The keys in force.
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// What happens from now on, for the admin API.
    pub fn news(&self) -> broadcast::Receiver<(u64, News)> {
        self.around.hub.listen().1
    }

    /// How long the gateway has been up.
    pub fn uptime(&self) -> Duration {
        self.started.elapsed()
    }

    /// Adds a server, keeps it in the store, starts it, and shows what became of it.
    pub async fn add(&self, entry: ServerEntry) -> Result<ServerView, Fault> {
        let server = {
            let _changing = self.changing.lock().await;
            self.keep(entry).await?
        };
        server.start().await;
        Ok(server.view())
    }

    /// Adds several servers and starts them side by side. Each has an outcome of its own.
    pub async fn add_all(&self, entries: Vec<ServerEntry>) -> Vec<Result<ServerView, Fault>> {
        let mut kept = Vec::with_capacity(entries.len());
        {
            let _changing = self.changing.lock().await;
            for entry in entries {
                kept.push(self.keep(entry).await);
            }
        }
        start_all(&kept.iter().flatten().cloned().collect::<Vec<_>>()).await;
        kept.into_iter().map(|server| server.map(|server| server.view())).collect()
    }

    /// Puts a server into the store and the registry; it is not started yet. The caller holds `changing`.
    async fn keep(&self, entry: ServerEntry) -> Result<Arc<Server>, Fault> {
        let name = entry.name.clone();
        let taken =
            || Fault::new(Code::Conflict, format!("Server name '{name}' is taken")).with_server(&name);
        if self.registry().get(&name).is_some() {
            return Err(taken());
        }
        self.permits(&entry)?;
        match self.store.servers().add(self.vault.lock(&entry)).await {
            Ok(_) => {}
            Err(store::Error::Taken { .. }) => return Err(taken()),
            Err(error) => return Err(unstored(&error)),
        }
        let server = Server::new(entry, Origin::Api, self.around.clone());
        self.registry.store(Arc::new(self.registry().with(server.clone())));
        Ok(server)
    }

    /// Whether a server of this address may be added over the API.
    pub fn permits(&self, entry: &ServerEntry) -> Result<(), Fault> {
        let Some(url) = &entry.url else { return Ok(()) };
        outbound::permits(&self.settings().outbound.allow, url).map(drop).map_err(|refusal| {
            Fault::new(Code::ValidationError, format!("url {refusal}")).with("field", "url")
        })
    }

    /// Stops and forgets a server that was added over the API.
    pub async fn remove(&self, name: &str) -> Result<(), Fault> {
        let changing = self.changing.lock().await;
        let (rest, server) = self.registry().without(name);
        let Some(server) = server else {
            // One whose secrets cannot be opened is kept but not known.
            let removed = self.store.servers().remove(name).await.map_err(|error| unstored(&error))?;
            return if removed { Ok(()) } else { Err(unknown(name)) };
        };
        if server.origin() == Origin::Config {
            let message = format!("Server '{name}' stands in the config file; remove it there and reload");
            return Err(Fault::new(Code::Conflict, message).with_server(name));
        }
        self.store.servers().remove(name).await.map_err(|error| unstored(&error))?;
        self.around.drawer.forget(name).await.map_err(|error| unstored(&error))?;
        self.registry.store(Arc::new(rest));
        drop(changing);
        (self.around.changed)();
        server.stop().await;
        Ok(())
    }

    /// The server of that name, for the admin routes.
    pub fn server(&self, name: &str) -> Result<Arc<Server>, Fault> {
        self.registry().get(name).cloned().ok_or_else(|| unknown(name))
    }

    /// Lets go of sessions, then ends every child: SIGTERM at once, SIGKILL after five seconds. Hooks that nobody waits for
    /// have as long to end. A store that does not answer is not waited for.
    pub async fn stop(&self) {
        let _changing = self.changing.lock().await;
        // Before the servers: a step whose server is stopped has not failed.
        let answers = tokio::time::timeout(FAREWELL, self.sessions.engine.leave()).await.is_ok();
        let registry = self.registry();
        let stops = registry.servers().iter().cloned().map(|s| tokio::spawn(async move { s.stop().await }));
        let stops = stops.collect::<Vec<_>>();
        // While the servers end: what nobody waits for needs none of them.
        let limit = Duration::from_millis(self.settings().hooks.timeout_ms).min(SIDES);
        self.graphs.sides().finish(limit).await;
        for stop in stops {
            let _ = stop.await;
        }
        self.hooks.sandbox.stop().await;
        let last_words = async {
            self.graphs.stop().await;
            self.sessions.engine.leave().await;
            self.audit.stop().await;
        };
        let limit = if answers { LAST_WORDS } else { Duration::ZERO };
        if tokio::time::timeout(limit, last_words).await.is_err() {
            tracing::error!("the store does not answer; the last records were not written");
        }
        self.sight.stop().await;
    }
}

/// Starts servers side by side.
pub(crate) async fn start_all(servers: &[Arc<Server>]) {
    let starts = servers.iter().cloned().map(|server| tokio::spawn(async move { server.start().await }));
    for start in starts.collect::<Vec<_>>() {
        let _ = start.await;
    }
}

fn unknown(name: &str) -> Fault {
    Fault::new(Code::NotFound, format!("Server '{name}' not found")).with_server(name)
}
