//! What every route shares.

use crate::access::Throttle;
use crate::endpoint::{Left, Seen, Streams};
use crate::metrics::HttpStats;
use config::Config;
use gateway::{Change, Changes, FileDefinitions, Gateway, Seal};
use model::{Code, Fault};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use tokio::sync::watch;

/// What the HTTP surface is made of.
pub struct Options {
    /// The road of every call.
    pub gateway: Arc<Gateway>,
    /// The config file that was read at the start, which is the one that is read again.
    pub source: config::Source,
    /// The variables it is read with.
    pub environment: config::Environment,
    /// What the command line says in place of variables.
    pub given: config::Given,
    /// What a start refuses of a file beside its own rules.
    pub check: fn(&Config) -> Result<(), config::Error>,
    /// Whether it listens on another address than loopback.
    pub open: bool,
    /// Where it listens.
    pub address: SocketAddr,
}

/// A cheap handle on everything the routes need.
#[derive(Clone)]
pub struct App {
    inner: Arc<Inner>,
}

struct Inner {
    options: Options,
    http: HttpStats,
    left: Left,
    seen: Seen,
    streams: Streams,
    throttle: Throttle,
    under_way: AtomicU64,
    stopping: watch::Sender<bool>,
}

impl App {
    /// The surface of one gateway.
    pub fn new(options: Options) -> Self {
        Self {
            inner: Arc::new(Inner {
                options,
                http: HttpStats::default(),
                left: Left::default(),
                seen: Seen::default(),
                streams: Streams::default(),
                throttle: Throttle::default(),
                under_way: AtomicU64::new(0),
                stopping: watch::Sender::new(false),
            }),
        }
    }

    pub(crate) fn gateway(&self) -> &Arc<Gateway> {
        &self.inner.options.gateway
    }

    pub(crate) fn http(&self) -> &HttpStats {
        &self.inner.http
    }

    pub(crate) fn seal(&self) -> &Seal {
        self.gateway().seal()
    }

    pub(crate) fn left(&self) -> &Left {
        &self.inner.left
    }

    pub(crate) fn seen(&self) -> &Seen {
        &self.inner.seen
    }

    pub(crate) fn streams(&self) -> &Streams {
        &self.inner.streams
    }

    /// Becomes true when the gateway stops: streams end then.
    pub(crate) fn stopping(&self) -> watch::Receiver<bool> {
        self.inner.stopping.subscribe()
    }

    pub(crate) fn stop(&self) {
        self.inner.stopping.send_replace(true);
    }

    /// Whether anybody may come in from outside: another address than loopback, and no keys.
    pub(crate) fn open(&self) -> bool {
        self.inner.options.open && self.gateway().access().is_open()
    }

    /// Whether whoever is on this machine may come in, and nobody else: loopback, and no keys.
    pub(crate) fn near(&self) -> bool {
        !self.inner.options.open && self.gateway().access().is_open()
    }

    /// Addresses from which wrong keys came.
    pub(crate) fn throttle(&self) -> &Throttle {
        &self.inner.throttle
    }

    /// Where the gateway listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.inner.options.address
    }

    /// The address under which others reach the gateway: as the settings say, else where it listens.
    pub(crate) fn public_url(&self) -> String {
        let address = self.address();
        let ip = if address.ip().is_unspecified() { IpAddr::V4(Ipv4Addr::LOCALHOST) } else { address.ip() };
        let listens = || format!("http://{}", SocketAddr::new(ip, address.port()));
        let set = self.gateway().settings().http.public_url.clone();
        set.map_or_else(listens, |url| url.trim_end_matches('/').to_owned())
    }

    /// How many requests are under way.
    pub(crate) fn under_way(&self) -> &AtomicU64 {
        &self.inner.under_way
    }

    /// The config file as it is now, with where each value comes from.
    pub(crate) fn explain(&self) -> Result<config::Explained, Fault> {
        let Options { source, environment, given, check, .. } = &self.inner.options;
        let explained = config::explain(source, environment, *given);
        let checked = explained.and_then(|explained| check(&explained.config).map(|()| explained));
        checked.map_err(|error| refused(&error))
    }

    /// Whether exactly these servers of the config file are known to the gateway.
    pub(crate) fn runs(&self, entries: &[model::ServerEntry]) -> bool {
        let registry = self.gateway().registry();
        let known = registry.servers().iter().filter(|server| server.origin() == gateway::Origin::Config);
        known.map(|server| server.entry()).eq(entries)
    }

    /// Reads the config file again because of something that is no request, which the audit log names.
    pub async fn reload_by(&self, cause: &str) {
        // A file that does not validate is logged and changes nothing.
        if self.reload().await.is_ok() {
            let path = "/api/config/reload";
            let change = Change { who: cause, source: None, method: "reload", path, status: 200, made: &[] };
            self.gateway().record_change(&change);
        }
    }

    /// Reads the config file again. One that does not validate changes nothing.
    pub async fn reload(&self) -> Result<Changes, Fault> {
        let Options { source, environment, gateway, check, .. } = &self.inner.options;
        let loaded = config::load(source, environment);
        let reloaded = match loaded.and_then(|config| check(&config).map(|()| config)) {
            Ok(config) => {
                let definitions =
                    FileDefinitions { activities: config.activities, procedures: config.procedures };
                gateway.reload(config.settings, config.servers, definitions).await
            }
            Err(error) => Err(refused(&error)),
        };
        // Whoever sends a signal has no answer to read.
        reloaded.inspect_err(|fault| {
            tracing::error!(code = fault.code.name(), reason = fault.message, "config not reloaded");
        })
    }
}

fn refused(error: &config::Error) -> Fault {
    let fault = Fault::new(Code::ValidationError, error.to_string());
    match error.field() {
        Some(field) => fault.with("field", field),
        None => fault,
    }
}
