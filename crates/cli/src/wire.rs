//! Construction: from flags and files to the parts of a gateway.

use crate::args::Flags;
use crate::log;
use anyhow::Context;
use config::{Config, Environment, Level, Source};
use gateway::{FileDefinitions, Gateway, Options, Seal, Vault};
use model::settings::{EngineKind, OnServerFailure};
use model::text::shown;
use model::{FieldError, ServerEntry, Status};
use process::Launcher;
use restate::Restate;
use std::io::Write;
use std::num::NonZero;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use store::{Location, Store};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

/// Where the config file is looked for.
fn source(flags: &Flags) -> Source {
    Source { path: flags.config.clone() }
}

/// The config as this process reads it.
pub(crate) fn config(flags: &Flags) -> Result<Config, config::Error> {
    let config = config::load(&source(flags), &Environment::from_process())?;
    check(&config)?;
    Ok(config.with_flags(flags.port, flags.host))
}

/// Refuses what a start would refuse of a file whose own rules all hold: what an address must be only its database
/// knows. A reload asks the same.
pub(crate) fn check(config: &Config) -> Result<(), config::Error> {
    match config.settings.store.url.as_deref().map(str::parse::<Location>) {
        Some(Err(store::Error::Url(rule))) => Err(config::Error::Field(FieldError::new("store.url", rule))),
        _ => Ok(()),
    }
}

/// Where the store is that the config names.
pub(crate) fn location(config: &Config, flags: &Flags) -> Result<Location, store::Error> {
    match &config.settings.store.url {
        Some(url) => url.parse(),
        None => Ok(Location::in_folder(&flags.data)),
    }
}

/// Opens the store that the config names.
pub(crate) async fn store(config: &Config, flags: &Flags) -> Result<Store, store::Error> {
    store::open(&location(config, flags)?).await
}

/// The seal of session ids; instances that share a store without a key of the setting share one that is kept there.
/// A store of one instance has one only where it is a copy of a shared store, whose clients stay known.
pub(crate) async fn seal_for(store: &Store, setting: Option<&str>, flags: &Flags) -> anyhow::Result<Seal> {
    if setting.is_some() {
        return seal(setting, flags);
    }
    let secrets = store.secrets();
    let kept = match store.is_shared() {
        true => secrets.get_or_keep("session", &Seal::fresh_secret()).await.map(Some),
        false => secrets.get("session").await,
    };
    match kept.context("keeping the session key in the store")? {
        Some(secret) => Ok(Seal::new(&secret)),
        None => seal(None, flags),
    }
}

/// The seal of session ids: from the setting, else from a key that is made once in the data folder.
fn seal(setting: Option<&str>, flags: &Flags) -> anyhow::Result<Seal> {
    if let Some(secret) = setting {
        return Ok(Seal::new(secret));
    }
    let path = flags.data.join("session.key");
    let secret =
        kept_secret(&path).with_context(|| format!("keeping the session key in {}", path.display()))?;
    Ok(Seal::new(&secret))
}

/// The variable that holds the keys of the vault.
const SECRET_KEY: &str = "LOCKGATE_SECRET_KEY";

/// The vault for secrets of servers added over the API: its key comes from the environment, else from a file that
/// is made once in the data folder. A store that forgets needs neither.
pub(crate) fn vault(config: &Config, flags: &Flags) -> anyhow::Result<Vault> {
    if let Some(vault) = given_vault()? {
        return Ok(vault);
    }
    if config.settings.store.url.as_deref().is_some_and(|url| url.eq_ignore_ascii_case("memory:")) {
        return Ok(Vault::passing());
    }
    let path = flags.data.join("secret.key");
    let kept = kept_secret(&path).with_context(|| {
        format!("keeping the key of secrets in {}; {SECRET_KEY} may hold it instead", path.display())
    });
    Vault::new(&kept?).with_context(|| path.display().to_string())
}

/// The vault whose key is in the environment.
fn given_vault() -> anyhow::Result<Option<Vault>> {
    let given = std::env::var(SECRET_KEY).ok().filter(|given| !given.trim().is_empty());
    let Some(given) = given else { return Ok(None) };
    let keys = config::secret(&given).map_err(|problem| anyhow::anyhow!("{SECRET_KEY} {problem}"))?;
    Vault::new(&keys).map(Some).context(SECRET_KEY)
}

/// The secret in a file that only this user reads; made when it is not there.
fn kept_secret(path: &Path) -> std::io::Result<String> {
    if let Ok(secret) = std::fs::read_to_string(path) {
        return Ok(secret.trim().to_owned());
    }
    path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
    // Several processes may begin at once. A link is made whole or not at all, and one of them wins.
    let draft = path.with_extension(format!("{}", std::process::id()));
    let mut options = std::fs::OpenOptions::new();
    let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(&draft)?;
    let linked =
        file.write_all(Seal::fresh_secret().as_bytes()).and_then(|()| std::fs::hard_link(&draft, path));
    std::fs::remove_file(&draft)?;
    match linked {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(std::fs::read_to_string(path)?.trim().to_owned()),
    }
}

/// The variable that sets how many threads carry requests.
const THREADS: &str = "TOKIO_WORKER_THREADS";

/// The runtime every command runs on. Half of the processors carry requests: the others are for the servers and the
/// scripts, and threads that wake each other cost more than they bring.
pub(crate) fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    let threads = given_threads()?;
    tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build()
}

fn given_threads() -> std::io::Result<usize> {
    let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
    threads(std::env::var(THREADS).ok().as_deref(), processors)
}

/// Refuses what a start would refuse of the variables that are no part of the config.
pub(crate) fn check_variables() -> anyhow::Result<()> {
    given_threads()?;
    given_vault()?;
    Ok(())
}

/// Comes when somebody ends this process in good order (spec 1.13). From now on neither signal does it by itself.
pub(crate) fn stopped() -> std::io::Result<impl Future<Output = ()>> {
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        tracing::info!("stopping");
    })
}

fn threads(given: Option<&str>, processors: usize) -> std::io::Result<usize> {
    match given.map(str::trim).filter(|given| !given.is_empty()) {
        None => Ok(processors.div_ceil(2)),
        Some(given) => given.parse::<NonZero<usize>>().map(NonZero::get).map_err(|_| {
            std::io::Error::other(format!(
                "{THREADS} must be a whole number from 1, and is '{}'",
                shown(given)
            ))
        }),
    }
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

/// A gateway for one command: only the servers that `wanted` picks, none of them vital, nothing kept but what calls leave behind.
pub(crate) async fn passing(
    flags: &Flags,
    wanted: impl Fn(&ServerEntry) -> bool,
) -> anyhow::Result<Arc<Gateway>> {
    let config = config(flags)?;
    let kept = store(&config, flags).await?;
    let vault = vault(&config, flags)?;
    let added = vault.servers(&kept).await?;
    let mut servers: Vec<ServerEntry> = Vec::new();
    for entry in config.servers.iter().cloned().chain(added) {
        if wanted(&entry) && servers.iter().all(|other| other.name != entry.name) {
            servers.push(ServerEntry { required: None, ..entry });
        }
    }
    let (hooks, workflows) = (kept.hooks().list().await?, kept.workflows().list().await?);
    let activities = kept.activities().list().await?;
    let mut settings = config.settings;
    settings.startup.on_server_failure = OnServerFailure::Degrade;
    settings.workflow.engine = EngineKind::Local;
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
    Ok(Gateway::start(Options {
        settings,
        servers,
        definitions,
        launcher,
        store,
        seal,
        vault: Vault::passing(),
        // A token that is renewed here must not be lost for others, nor what graphs keep; and every run is recorded.
        lasting: Some((kept, vault)),
        alone: false,
    })
    .await?)
}

/// Compiles the scripts, expressions and schemas of a config; the first that is wrong is the error. No server is
/// started, and no store is opened.
pub(crate) async fn compile(config: &Config) -> anyhow::Result<()> {
    let definitions =
        FileDefinitions { activities: config.activities.clone(), procedures: config.procedures.clone() };
    let gateway = Gateway::begin(Options {
        settings: config.settings.clone(),
        servers: Vec::new(),
        definitions,
        launcher: Launcher::this_binary()?,
        store: store::open(&Location::Memory).await?,
        seal: Seal::new(&Seal::fresh_secret()),
        vault: Vault::passing(),
        lasting: None,
        alone: false,
    })
    .await?;
    gateway.stop().await;
    Ok(())
}

/// Takes up sessions that nobody works on, keeps their time, and follows the other instances on the same store.
pub(crate) async fn run_sessions(gateway: Arc<Gateway>, restate: Option<(Restate, TcpListener)>) {
    let hosted = async {
        let Some((restate, listener)) = restate else { return };
        let engine = gateway.session_engine().await;
        if let Err(error) = restate.run(listener, engine).await {
            tracing::error!(reason = %error, "sessions cannot run on Restate");
        }
    };
    tokio::join!(gateway.run_sessions(), gateway.run_cluster(), hosted);
}

/// Restate, where sessions run on it.
pub(crate) fn restate(config: &Config) -> Result<Option<Restate>, restate::Error> {
    let settings = &config.settings;
    let wanted = settings.workflow.engine == EngineKind::Restate;
    wanted.then(|| Restate::new(&settings.restate)).transpose()
}

/// The first failure to write to standard output.
static UNWRITTEN: OnceLock<std::io::Error> = OnceLock::new();

/// Prints a line to standard output. Whoever closes a pipe has what he wanted; any other failure is kept for
/// [`written`].
pub(crate) fn say(text: impl std::fmt::Display) {
    match writeln!(std::io::stdout(), "{text}") {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => drop(UNWRITTEN.set(error)),
        _ => {}
    }
}

/// Whether all that was said could be written.
pub(crate) fn written() -> anyhow::Result<()> {
    match UNWRITTEN.get() {
        Some(error) => anyhow::bail!("cannot write to standard output: {error}"),
        None => Ok(()),
    }
}

/// Prints a line beside what a command gives, to standard error.
pub(crate) fn remark(text: impl std::fmt::Display) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Prints why a command failed, with its causes, to standard error.
pub(crate) fn complain(error: &anyhow::Error) {
    let text = format!("{error:#}");
    let prefix = if needs_no_prefix(error) { "" } else { "Error: " };
    remark(format_args!("{prefix}{text}"));
}

/// Says of every server that does not run why it was not started; whether there is one.
pub(crate) fn complain_of_servers(gateway: &Gateway) -> bool {
    let registry = gateway.registry();
    let mut failed = false;
    for server in registry.servers().iter().filter(|server| server.status() != Status::Running) {
        failed = true;
        let reason = server.reason();
        complain(&anyhow::anyhow!("MCP Server '{}' could not be started: {reason}", server.name()));
    }
    failed
}

/// Problems of the config file have their exact lines (spec 1.11).
fn needs_no_prefix(error: &anyhow::Error) -> bool {
    error.downcast_ref::<config::Error>().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_processors_carry_requests_unless_somebody_says_otherwise() {
        for (given, processors, expected) in
            [(None, 1, 1), (None, 2, 1), (None, 3, 2), (None, 8, 4), (Some(" "), 4, 2), (Some("6"), 2, 6)]
        {
            assert_eq!(threads(given, processors).expect("a number"), expected, "{given:?} of {processors}");
        }
        for wrong in ["0", "-1", "many"] {
            let error = threads(Some(wrong), 2).expect_err("not a number of threads").to_string();
            assert!(error.contains(THREADS) && error.contains(wrong), "{error}");
        }
    }
}
