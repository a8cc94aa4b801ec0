//! `lockgate serve`: start in order, serve, stop in order (spec 1.13).

use crate::args::Flags;
use crate::wire;
use anyhow::Context;
use api::App;
use config::{Config, Environment, Source};
use gateway::{FileDefinitions, Gateway, Options};
use process::Launcher;
use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use tokio::net::TcpSocket;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// How long after the start the servers, the sessions and the clocks have had their first turn.
const BEGUN: Duration = Duration::from_millis(500);

/// Connections that wait to be accepted.
const BACKLOG: u32 = 1024;

/// How often a watched config file is looked at.
const LOOK: Duration = Duration::from_secs(1);

pub(crate) fn run(flags: &Flags) -> anyhow::Result<ExitCode> {
    let config = wire::config(flags)?;
    let log = wire::log(&config);
    let outcome = wire::runtime()?.block_on(serve(flags, config));
    log.flush();
    outcome
}

async fn serve(flags: &Flags, config: Config) -> anyhow::Result<ExitCode> {
    let mut stop = Box::pin(wire::stopped()?);
    let hangup = signal(SignalKind::hangup())?;
    let address = SocketAddr::new(config.host, config.port);
    let open = !config.host.is_loopback();
    warn(&config);
    let socket = bind(address)?;
    let restate = wire::restate(&config)?;
    let hosted = match &restate {
        Some(restate) => Some(restate.bind().await?),
        None => None,
    };

    let begun = async {
        let store = wire::store(&config, flags).await?;
        let seal = wire::seal_for(&store, config.settings.mcp.session_key.as_deref(), flags).await?;
        let vault = wire::vault(&config, flags)?;
        let options = Options {
            settings: config.settings.clone(),
            servers: config.servers.clone(),
            definitions: FileDefinitions {
                activities: config.activities.clone(),
                procedures: config.procedures.clone(),
            },
            launcher: Launcher::this_binary().context("finding this program's own file")?,
            store: store.clone(),
            seal,
            vault,
            lasting: None,
            alone: false,
        };
        anyhow::Ok((Gateway::start(options).await?, store))
    };
    let (gateway, store) = tokio::select! {
        started = begun => started?,
        () = &mut stop => return Ok(ExitCode::SUCCESS),
    };
    if let Some(restate) = &restate {
        gateway.host_sessions(restate.host());
    }
    if open && gateway.access().is_open() {
        tracing::warn!(
            address = %address,
            "anybody who reaches this address may call every tool: it is not loopback and no keys are set"
        );
    }
    let app = App::new(api::Options {
        gateway: gateway.clone(),
        // What was found at the start stays the file of this gateway: another one that is found later is not asked for.
        source: Source { path: Some(config.path.clone()) },
        environment: Environment::from_process(),
        given: config::Given { port: flags.port, host: flags.host },
        check: wire::check,
        open,
        address: socket.local_addr()?,
    });
    let listener = socket.listen(BACKLOG).with_context(|| format!("listening on {address}"))?;
    let address = listener.local_addr()?;
    tracing::info!(address = %address, servers = gateway.registry().servers().len(), "gateway is ready");
    // For whoever looks; the log has it too, so that it may be lost.
    let _ = writeln!(std::io::stdout(), "Lockgate is ready: http://{address}");
    let resting = tokio::spawn(rest());

    let sessions = tokio::spawn(wire::run_sessions(gateway.clone(), restate.zip(hosted)));
    let reloading = tokio::spawn(reload_on_hangup(app.clone(), hangup));
    let watching = tokio::spawn(reload_on_edit(app.clone(), gateway.clone(), config.path));
    api::serve(listener, app, stop).await;
    resting.abort();
    sessions.abort();
    reloading.abort();
    watching.abort();
    gateway.stop().await;
    store.close().await;
    tracing::info!("gateway stopped");
    Ok(ExitCode::SUCCESS)
}

/// When everything has begun, what only the beginning needed goes back.
async fn rest() {
    tokio::time::sleep(BEGUN).await;
    process::Code::find().forget();
}

fn warn(config: &Config) {
    if config.settings.validation_disabled {
        tracing::warn!("DISABLE_VALIDATION is on: input and results are not checked; for tests only");
    }
}

/// Takes the port without opening it: it is opened when every server has been started.
fn bind(address: SocketAddr) -> anyhow::Result<TcpSocket> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    socket.set_reuseaddr(true)?;
    socket.bind(address).map_err(|error| {
        tracing::error!(address = %address, reason = %error, "the address cannot be used");
        match error.kind() {
            std::io::ErrorKind::AddrInUse => anyhow::anyhow!(
                "port {} is in use; stop the other program or choose another port with --port",
                address.port()
            ),
            _ => anyhow::Error::new(error).context(format!("cannot listen on {address}")),
        }
    })?;
    Ok(socket)
}

async fn reload_on_hangup(app: App, mut hangup: Signal) {
    while hangup.recv().await.is_some() {
        app.reload_by("SIGHUP").await;
    }
}

async fn reload_on_edit(app: App, gateway: std::sync::Arc<Gateway>, path: PathBuf) {
    let stamp = || std::fs::metadata(&path).and_then(|file| Ok((file.modified()?, file.len()))).ok();
    let mut seen = stamp();
    loop {
        tokio::time::sleep(LOOK).await;
        if !gateway.settings().config.watch {
            continue;
        }
        let now = stamp();
        if now.is_some() && now != seen {
            seen = now;
            app.reload_by("config.watch").await;
        }
    }
}
