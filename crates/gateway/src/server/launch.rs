//! One attempt to start a server: spawn or connect, handshake and first tool list within ten seconds, then the other
//! lists.

use super::audience::Owner;
use super::control::Control;
use super::lists::Lists;
use super::subscription::Subscription;
use super::supervisor::Held;
use super::{Origin, remote};
use crate::outbound::Refusal;
use crate::visa::Visa;
use mcp::{Client, End, HandshakeError, ListError, Peer, Said};
use model::text::on_one_line;
use model::{ServerEntry, Settings};
use process::{Command, Exit, Launcher, Tail};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// Spawn, handshake and first tool list together.
const START_MAX: Duration = Duration::from_secs(10);

/// How long a legacy server may take to refuse `server/discover`.
const PROBE: Duration = Duration::from_secs(2);

/// How many things a server may say before they are taken; more are lost.
pub(super) const EVENTS_MAX: usize = 1024;

/// Why a server could not be started. The message never holds environment values, headers or addresses; that of a
/// program which cannot be run names it.
#[derive(Debug, thiserror::Error)]
pub(super) enum StartFailure {
    /// The program cannot be run.
    #[error("{0}")]
    Spawn(#[from] process::Error),
    /// The child ended before it was ready.
    #[error("the server ended before it was ready ({exit})")]
    Ended {
        exit: Exit,
        /// Whether it had read what it was sent.
        heard: bool,
    },
    /// The address of a server added over the API may not be reached.
    #[error("its url {0}")]
    Outbound(#[from] Refusal),
    /// The handshake failed.
    #[error("{0}")]
    Handshake(#[from] HandshakeError),
    /// The first tool list failed.
    #[error("{0}")]
    List(#[from] ListError),
    /// Somebody must sign in first.
    #[error(
        "the server wants the gateway to sign in: do so on the web page, or with POST /api/servers/<name>/sign-in"
    )]
    SignIn,
    /// There is no token, and no person can help.
    #[error("{0}")]
    Token(String),
    /// Ten seconds passed.
    #[error("the server was not ready within 10 seconds")]
    Slow,
}

impl StartFailure {
    /// The message for those who may not see the command.
    pub(super) fn shown(&self) -> String {
        match self {
            StartFailure::Spawn(error) => error.without_command(),
            other => other.to_string(),
        }
    }

    /// The same failure, secrets masked in what the server itself said of it, on one line.
    fn masked(self, tail: &Tail) -> Self {
        match self {
            StartFailure::Handshake(error) => StartFailure::Handshake(match error {
                HandshakeError::Refused(method, text) => HandshakeError::Refused(method, plain(&text, tail)),
                HandshakeError::Revision(text) => HandshakeError::Revision(plain(&text, tail)),
                HandshakeError::Remote(text) => HandshakeError::Remote(plain(&text, tail)),
                other @ (HandshakeError::Gone(_) | HandshakeError::Invalid) => other,
            }),
            StartFailure::List(error) => StartFailure::List(masked(error, tail)),
            StartFailure::Token(text) => StartFailure::Token(plain(&text, tail)),
            other => other,
        }
    }
}

/// What a server said, fit for a terminal: secrets masked, control characters escaped.
fn plain(text: &str, tail: &Tail) -> String {
    on_one_line(&tail.mask(text))
}

/// Why a list could not be fetched, secrets masked in what the server itself said, on one line.
pub(super) fn masked(error: ListError, tail: &Tail) -> ListError {
    match error {
        ListError::Refused(method, text) => ListError::Refused(method, plain(&text, tail)),
        other => other,
    }
}

/// A server that answered: everything its supervisor needs.
pub(super) struct Running {
    pub(super) control: Control,
    pub(super) client: Client,
    pub(super) peer: Peer,
    pub(super) lists: Lists,
    pub(super) reader: JoinHandle<End>,
    /// Ends with `true` when the server no longer takes what is written to it.
    pub(super) writer: JoinHandle<bool>,
    pub(super) events: mpsc::Receiver<Box<Said>>,
    /// Keeps the server told of what clients want of it.
    pub(super) subscription: Option<Subscription>,
}

/// What a server has besides its definition.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    /// Where what it writes to its standard error is kept.
    pub(super) tail: &'a Tail,
    pub(super) visa: Option<&'a Arc<Visa>>,
    /// Whom it may ask.
    pub(super) owner: &'a Owner,
    /// Its name, which a process keeps until nothing is left of it.
    pub(super) name: Option<&'a Arc<Held>>,
    /// What a remote server is told of which gateway this is.
    pub(super) instance: &'a str,
}

/// Starts the server once. Dropping the future ends the child, or the connection.
pub(super) async fn launch(
    launcher: &Launcher,
    (entry, origin): (&ServerEntry, Origin),
    settings: &Settings,
    around: Around<'_>,
) -> Result<Running, StartFailure> {
    let attempt = async {
        if let Some(url) = &entry.url {
            return remote::enter((entry, url), origin, settings, around).await;
        }
        let command = command(entry, settings)?;
        match connect(launcher, &command, around, Some(PROBE)).await {
            // Some old servers do not survive a request they do not know.
            Err(StartFailure::Ended { heard: true, .. }) => connect(launcher, &command, around, None).await,
            other => other,
        }
    };
    let outcome = match tokio::time::timeout(START_MAX, attempt).await {
        Ok(Ok(running)) => with_rest(running).await,
        Ok(failed) => failed,
        Err(_) => Err(StartFailure::Slow),
    };
    outcome.map_err(|failure| failure.masked(around.tail))
}

/// The same server with the lists that are not vital.
async fn with_rest(mut running: Running) -> Result<Running, StartFailure> {
    match std::mem::take(&mut running.lists).with_rest(&running.client, &running.peer).await {
        Ok(lists) => Ok(Running { lists, ..running }),
        Err(error) => {
            running.client.close();
            Err(explain(error.into(), &running.control).await)
        }
    }
}

fn command(entry: &ServerEntry, settings: &Settings) -> Result<Command, StartFailure> {
    let inherit = entry.inherit_env.as_ref().unwrap_or(&settings.inherit_env);
    let env = process::environment(inherit, entry.variables(), |name| std::env::var(name).ok());
    let path = env.iter().find(|(name, _)| name == "PATH").map_or("", |(_, value)| value);
    let program = process::resolve(entry.command.as_deref().unwrap_or_default(), path)?;
    let cwd = entry.cwd.as_ref().map(PathBuf::from);
    let (name, args, harden) = (entry.name.clone(), entry.args.to_vec(), entry.harden.clone());
    Ok(Command { name, program, args, env, cwd, harden })
}

async fn connect(
    launcher: &Launcher,
    command: &Command,
    around: Around<'_>,
    probe: Option<Duration>,
) -> Result<Running, StartFailure> {
    let child = launcher.start_with(command, around.name.cloned()).await?;
    tokio::spawn(process::drain(child.stderr, around.tail.clone()));
    let (send_event, events) = mpsc::channel(EVENTS_MAX);
    let unread = process::Unread::of(&child.stdin);
    let (client, driver) = Client::new(child.stdout, child.stdin, send_event);
    client.call_it(&command.name);
    around.owner.hear(&client);
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
    let control = Control::Child { pid: child.pid, control: child.control };
    match greet(&client, probe).await {
        Ok((peer, lists)) => {
            Ok(Running { control, client, peer, lists, reader, writer, events, subscription: None })
        }
        Err(failure) => {
            client.close();
            let failure = explain(failure, &control).await;
            // What could not even be written was not heard either.
            let broken = writer.is_finished() && writer.await.unwrap_or(true);
            Err(match failure {
                StartFailure::Ended { exit, .. } => {
                    StartFailure::Ended { exit, heard: !broken && unread.is_none_or(|unread| !unread.any()) }
                }
                other => other,
            })
        }
    }
}

async fn greet(client: &Client, probe: Option<Duration>) -> Result<(Peer, Lists), StartFailure> {
    let peer = mcp::handshake(client, probe).await?;
    let lists = Lists::tools(client, &peer).await?;
    Ok((peer, lists))
}

/// A closed connection usually means that the child ended: its exit status tells more.
async fn explain(failure: StartFailure, control: &Control) -> StartFailure {
    let gone = matches!(
        failure,
        StartFailure::Handshake(HandshakeError::Gone(_)) | StartFailure::List(ListError::Gone(_))
    );
    match gone {
        true => control.exiting().await.map_or(failure, |exit| StartFailure::Ended { exit, heard: true }),
        false => failure,
    }
}
