//! One attempt to start a server: spawn, handshake, first tool list, all within ten seconds.

use mcp::{Client, End, Era, Event, HandshakeError, ListError, Peer, Pending, Tool};
use model::{ServerEntry, Settings};
use process::{Command, Control, Exit, Launcher, Tail};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// Spawn, handshake and first tool list together.
const START_MAX: Duration = Duration::from_secs(10);

/// How long a legacy server may take to refuse `server/discover`.
const PROBE: Duration = Duration::from_secs(2);

/// How long the exit status of a child may lag behind the end of its output.
pub(super) const EXIT_LAG: Duration = Duration::from_millis(300);

/// Why a server could not be started. The message never holds paths or environment values.
#[derive(Debug, thiserror::Error)]
pub(super) enum StartFailure {
    /// The program cannot be run.
    #[error("{0}")]
    Spawn(#[from] process::Error),
    /// The child ended before it was ready.
    #[error("the server ended before it was ready ({0})")]
    Ended(Exit),
    /// The handshake failed.
    #[error("{0}")]
    Handshake(#[from] HandshakeError),
    /// The first tool list failed.
    #[error("{0}")]
    List(#[from] ListError),
    /// Ten seconds passed.
    #[error("the server was not ready within 10 seconds")]
    Slow,
}

/// A child that answered: everything its supervisor needs.
pub(super) struct Running {
    pub(super) pid: u32,
    pub(super) control: Control,
    pub(super) client: Client,
    pub(super) peer: Peer,
    pub(super) tools: Vec<Tool>,
    pub(super) reader: JoinHandle<End>,
    /// Ends with `true` when the server no longer takes what is written to it.
    pub(super) writer: JoinHandle<bool>,
    pub(super) events: mpsc::UnboundedReceiver<Event>,
    /// Keeps the subscription of a modern server open.
    _listening: Option<Pending>,
}

/// Starts the server once. Dropping the future ends the child.
pub(super) async fn launch(
    launcher: &Launcher,
    entry: &ServerEntry,
    settings: &Settings,
    tail: &Tail,
) -> Result<Running, StartFailure> {
    let command = command(entry, settings)?;
    let attempt = async {
        match connect(launcher, &command, tail, Some(PROBE)).await {
            // Some old servers do not survive a request they do not know.
            Err(StartFailure::Ended(_)) => connect(launcher, &command, tail, None).await,
            other => other,
        }
    };
    tokio::time::timeout(START_MAX, attempt).await.unwrap_or(Err(StartFailure::Slow))
}

fn command(entry: &ServerEntry, settings: &Settings) -> Result<Command, StartFailure> {
    let inherit = entry.inherit_env.as_ref().unwrap_or(&settings.inherit_env);
    let env = process::environment(inherit, entry.variables(), |name| std::env::var(name).ok());
    let path = env.iter().find(|(name, _)| name == "PATH").map_or("", |(_, value)| value);
    let program = process::resolve(entry.command.as_deref().unwrap_or_default(), path)?;
    Ok(Command { program, args: entry.args.to_vec(), env })
}

async fn connect(
    launcher: &Launcher,
    command: &Command,
    tail: &Tail,
    probe: Option<Duration>,
) -> Result<Running, StartFailure> {
    let child = launcher.start(command).await?;
    tokio::spawn(process::drain(child.stderr, tail.clone()));
    let (send_event, events) = mpsc::unbounded_channel();
    let (client, driver) = Client::new(child.stdout, child.stdin, send_event);
    let (reader, writer) = driver.split();
    let (on_eof, on_break) = (client.clone(), client.clone());
    // Calls in flight need not wait for the supervisor to notice.
    let reader = tokio::spawn(async move {
        let end = reader.await;
        on_eof.hang_up();
        end
    });
    let writer = tokio::spawn(async move {
        let broken = writer.await.is_err();
        on_break.hang_up();
        broken
    });
    match greet(&client, probe).await {
        Ok((peer, tools)) => {
            let listening = subscribe(&client, peer.era);
            let pid = child.pid;
            Ok(Running {
                pid,
                control: child.control,
                client,
                peer,
                tools,
                reader,
                writer,
                events,
                _listening: listening,
            })
        }
        Err(failure) => {
            client.close();
            Err(explain(failure, &child.control).await)
        }
    }
}

async fn greet(client: &Client, probe: Option<Duration>) -> Result<(Peer, Vec<Tool>), StartFailure> {
    let peer = mcp::handshake(client, probe).await?;
    let tools = mcp::list_tools(client, peer.era).await?;
    Ok((peer, tools))
}

/// A closed connection usually means that the child ended: its exit status tells more.
async fn explain(failure: StartFailure, control: &Control) -> StartFailure {
    let gone = matches!(
        failure,
        StartFailure::Handshake(HandshakeError::Gone(_)) | StartFailure::List(ListError::Gone(_))
    );
    match gone {
        true => match tokio::time::timeout(EXIT_LAG, control.exited()).await {
            Ok(exit) => StartFailure::Ended(exit),
            Err(_) => failure,
        },
        false => failure,
    }
}

/// A modern server tells of changes only to those who listen.
fn subscribe(client: &Client, era: Era) -> Option<Pending> {
    let params = era.params(r#""notifications":{"toolsListChanged":true}"#);
    (era == Era::Modern)
        .then(|| {
            client.request("subscriptions/listen", |_, out| out.extend_from_slice(params.as_bytes())).ok()
        })
        .flatten()
}
