//! Construction: from flags and files to the parts of a gateway.

use crate::args::Flags;
use crate::log;
use anyhow::Context;
use config::{Config, Environment, Level, Source};
use gateway::{FileDefinitions, Gateway, Options, Seal};
use model::ServerEntry;
use model::settings::OnServerFailure;
use process::Launcher;
use std::fs::TryLockError;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use store::{Location, Store};

/// Where the config file is looked for.
pub(crate) fn source(flags: &Flags) -> Source {
    Source { path: flags.config.clone() }
}

/// The config as this process reads it.
pub(crate) fn config(flags: &Flags) -> Result<Config, config::Error> {
    let config = config::load(&source(flags), &Environment::from_process())?;
    Ok(config.with_flags(flags.port, flags.host))
}

/// Opens the store that the config names.
pub(crate) async fn store(config: &Config, flags: &Flags) -> Result<Store, store::Error> {
    let location = match &config.settings.store.url {
        Some(url) => url.parse()?,
        None => Location::in_folder(&flags.data),
    };
    store::open(&location).await
}

/// The seal of session ids: from the setting, else from a key that is made once in the data folder.
pub(crate) fn seal(setting: Option<&str>, flags: &Flags) -> anyhow::Result<Seal> {
    if let Some(secret) = setting {
        return Ok(Seal::new(secret));
    }
    let path = flags.data.join("session.key");
    if let Ok(secret) = std::fs::read_to_string(&path) {
        return Ok(Seal::new(secret.trim()));
    }
    let secret = Seal::fresh_secret();
    std::fs::create_dir_all(&flags.data)
        .and_then(|()| {
            let mut options = std::fs::OpenOptions::new();
            let mut file = options.write(true).create_new(true).mode(0o600).open(&path)?;
            file.write_all(secret.as_bytes())
        })
        .with_context(|| format!("keeping the session key in {}", path.display()))?;
    Ok(Seal::new(&secret))
}

/// The runtime every command runs on.
pub(crate) fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()
}

/// Starts logging as the environment says.
pub(crate) fn log(config: &Config) -> log::Handle {
    let level = match config.log.level {
        Level::Debug => tracing::Level::DEBUG,
        Level::Info => tracing::Level::INFO,
        Level::Warn => tracing::Level::WARN,
        Level::Error => tracing::Level::ERROR,
    };
    log::init(log::Options { level, include_stack: config.log.include_stack, ..log::Options::default() })
}

/// A gateway for one command: only the servers that `wanted` picks, none of them vital, nothing kept.
pub(crate) async fn passing(
    flags: &Flags,
    wanted: impl Fn(&ServerEntry) -> bool,
) -> anyhow::Result<Arc<Gateway>> {
    let config = config(flags)?;
    let kept = store(&config, flags).await?;
    let added = kept.servers().list().await?.into_iter().map(|stored| stored.entry);
    let mut servers: Vec<ServerEntry> = Vec::new();
    for entry in config.servers.iter().cloned().chain(added) {
        if wanted(&entry) && servers.iter().all(|other| other.name != entry.name) {
            servers.push(ServerEntry { required: None, ..entry });
        }
    }
    let (hooks, workflows) = (kept.hooks().list().await?, kept.workflows().list().await?);
    let activities = kept.activities().list().await?;
    kept.close().await;
    let mut settings = config.settings;
    settings.startup.on_server_failure = OnServerFailure::Degrade;
    let store = store::open(&Location::Memory).await?;
    // The same hooks and graphs guard every way in.
    store.hooks().add(hooks).await?;
    for workflow in workflows {
        store.workflows().add(workflow).await?;
    }
    for activity in activities {
        store.activities().put(activity, None).await?;
    }
    let seal = Seal::new(&Seal::fresh_secret());
    let definitions = FileDefinitions { activities: config.activities, procedures: config.procedures };
    let launcher = Launcher::this_binary()?;
    Ok(Gateway::start(Options { settings, servers, definitions, launcher, store, seal }).await?)
}

/// How often a process that does not keep the time of sessions looks whether it should.
const TAKE_OVER: Duration = Duration::from_secs(2);

/// Takes up sessions and keeps their time. Of several processes on one data folder one does this; when it ends,
/// another takes over.
pub(crate) async fn run_sessions(gateway: Arc<Gateway>, data: PathBuf) {
    let path = data.join("sessions.lock");
    let file = match std::fs::OpenOptions::new().create(true).append(true).open(&path) {
        Ok(file) => file,
        Err(error) => {
            tracing::warn!(reason = %error, "the data folder cannot be written; only this process keeps the time of sessions");
            return gateway.run_sessions().await;
        }
    };
    while let Err(TryLockError::WouldBlock) = file.try_lock() {
        tokio::time::sleep(TAKE_OVER).await;
    }
    gateway.run_sessions().await;
}

/// Prints a line to standard output; a closed pipe is not an error worth telling.
pub(crate) fn say(text: impl std::fmt::Display) {
    let _ = writeln!(std::io::stdout(), "{text}");
}

/// Prints why a command failed, with its causes, to standard error.
pub(crate) fn complain(error: &anyhow::Error) {
    let text = format!("{error:#}");
    let prefix = if needs_no_prefix(error) { "" } else { "Error: " };
    let _ = writeln!(std::io::stderr(), "{prefix}{text}");
}

/// Problems of the config file have their exact lines (spec 1.11).
fn needs_no_prefix(error: &anyhow::Error) -> bool {
    error.downcast_ref::<config::Error>().is_some()
}
