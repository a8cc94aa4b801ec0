//! `lockgate stdio`: the MCP endpoint on standard input and output, for desktop clients that start it.

use crate::args::Flags;
use crate::wire;
use config::Environment;
use gateway::{
    Batch, Cancel, Claim, FileDefinitions, Gateway, Guest, Line, Notebook, Options, Pass, Presented, Seal,
    Visitor, Way,
};
use mcp::{Body, Lines, Message, Stop};
use model::access::Digest;
use model::{Code, Fault};
use process::Launcher;
use restate::Restate;
use serde_json::value::RawValue;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::Store;
use tokio::io::{AsyncWriteExt, Stdin};
use tokio::task::{AbortHandle, JoinSet};

/// Messages that may wait for a client that reads slowly.
const LINE_MAX: usize = 256;

/// How long requests may go on after the client closed its end, or a signal came.
const FINISH_MAX: Duration = Duration::from_secs(5);

pub(crate) fn run(flags: &Flags) -> anyhow::Result<ExitCode> {
    let config = wire::config(flags)?;
    let _log = wire::log(&config);
    let runtime = wire::runtime()?;
    let outcome = runtime.block_on(serve(flags, config));
    // After a signal the input may still be open, and a thread that reads it cannot be called off.
    runtime.shutdown_background();
    outcome
}

async fn serve(flags: &Flags, config: config::Config) -> anyhow::Result<ExitCode> {
    let mut stop = Box::pin(wire::stopped()?);
    let begun = begin(flags, config);
    let (gateway, store, restate) = tokio::select! {
        begun = begun => begun?,
        () = &mut stop => return Ok(ExitCode::SUCCESS),
    };
    let pass = match pass(&gateway) {
        Ok(pass) => pass,
        Err(error) => {
            gateway.stop().await;
            store.close().await;
            return Err(error);
        }
    };
    let hosted = match &restate {
        Some(restate) => {
            gateway.host_sessions(restate.host());
            // Where another process of this machine listens, that one carries orders out.
            restate
                .bind()
                .await
                .inspect_err(|error| tracing::info!(reason = %error, "sessions run elsewhere"))
                .ok()
        }
        None => None,
    };
    let sessions = tokio::spawn(wire::run_sessions(gateway.clone(), restate.zip(hosted)));
    let (line, mut out) = mcp::mail::<Vec<u8>>(LINE_MAX);
    let writer = tokio::spawn(async move {
        let mut stdout = tokio::io::stdout();
        while let Some(mut message) = out.recv().await {
            message.push(b'\n');
            if stdout.write_all(&message).await.is_err() || stdout.flush().await.is_err() {
                return;
            }
        }
    });
    converse(&gateway, pass.as_ref(), &line, stop).await;
    line.end();
    sessions.abort();
    gateway.stop().await;
    store.close().await;
    let _ = tokio::time::timeout(Duration::from_secs(1), writer).await;
    Ok(ExitCode::SUCCESS)
}

/// The gateway of this process, with what it keeps and where its sessions may run.
async fn begin(
    flags: &Flags,
    config: config::Config,
) -> anyhow::Result<(Arc<Gateway>, Store, Option<Restate>)> {
    let store = wire::store(&config, flags).await?;
    let seal = Seal::new(&Seal::fresh_secret());
    let vault = wire::vault(&config, flags)?;
    let restate = wire::restate(&config)?;
    let (settings, servers) = (config.settings, config.servers);
    let definitions = FileDefinitions { activities: config.activities, procedures: config.procedures };
    let launcher = Launcher::this_binary()?;
    // Some clients start a program twice to probe it, so the answer to the handshake does not wait for
    // the servers; requests that need them do.
    let options = Options {
        settings,
        servers,
        definitions,
        launcher,
        store: store.clone(),
        seal,
        vault,
        lasting: None,
        alone: true,
    };
    Ok((Gateway::begin(options).await?, store, restate))
}

/// The variable that holds the key under which the client of this process acts.
const KEY: &str = "LOCKGATE_KEY";

/// The key of the client. Without one it may do everything: whoever starts this process can read the config file.
fn pass(gateway: &Gateway) -> anyhow::Result<Option<Arc<Pass>>> {
    let environment = Environment::from_process();
    let Some(key) = environment.get(KEY).map(str::trim).filter(|key| !key.is_empty()) else {
        return Ok(None);
    };
    match gateway.access().present(key, &Digest::of(key.as_bytes())) {
        Presented::Good(pass) => Ok(Some(pass)),
        Presented::Expired(_) => anyhow::bail!("the key in {KEY} has expired"),
        Presented::Wrong => {
            anyhow::bail!("the key in {KEY} is not known to this gateway; see `lockgate key list`")
        }
    }
}

/// The key as it is now: since the start it may have been revoked, have expired, or have other rights.
fn held(gateway: &Gateway, pass: Option<&Arc<Pass>>) -> Result<Option<Arc<Pass>>, &'static str> {
    let Some(pass) = pass else { return Ok(None) };
    match gateway.access().find(pass.digest()) {
        Presented::Good(pass) => Ok(Some(pass)),
        Presented::Expired(_) => Err("This key has expired"),
        Presented::Wrong => Err("This key is not known any more"),
    }
}

/// The answer to a message whose key is good no longer; what asks for nothing has none.
fn turned_away(bytes: &[u8], why: &str) -> Option<Vec<u8>> {
    let id = match Message::parse(bytes) {
        Some(message) if matches!(message.body, Body::Method(..)) => Some(message.id?),
        Some(_) => return None,
        None => None,
    };
    Some(gateway::refusal(id.unwrap_or(RawValue::NULL), &Fault::new(Code::Unauthorized, why)))
}

/// What goes on between the client and the gateway.
#[derive(Default)]
struct Talk {
    work: JoinSet<()>,
    listening: JoinSet<()>,
    greeted: Option<Guest>,
}

/// Serves the client until it closes its end, or somebody ends this process.
async fn converse(
    gateway: &Arc<Gateway>,
    pass: Option<&Arc<Pass>>,
    line: &Line,
    stop: impl Future<Output = ()>,
) {
    let mut talk = Talk::default();
    tokio::select! {
        biased;
        () = stop => {}
        () = read(gateway, pass, line, &mut talk) => {}
    }
    let Talk { mut work, listening, greeted } = talk;
    // What was asked before the end is still answered.
    let finishing = async { while work.join_next().await.is_some() {} };
    let _ = tokio::time::timeout(FINISH_MAX, finishing).await;
    drop(listening);
    if let Some(guest) = greeted {
        gateway.leave(&guest);
    }
}

/// Reads until the client closes its end.
async fn read(gateway: &Arc<Gateway>, pass: Option<&Arc<Pass>>, line: &Line, talk: &mut Talk) {
    let max = gateway.settings().limits.body;
    let mut lines = Lines::new(tokio::io::stdin(), usize::try_from(max).unwrap_or(usize::MAX));
    let Talk { work, listening, greeted } = talk;
    // Requests of a modern client stand alone, but here they all come from one.
    let mut modern: Option<u64> = None;
    // A careless client may give several requests the same id.
    let mut under_way: Vec<(String, AbortHandle, Option<Cancel>)> = Vec::new();
    while let Some(bytes) = next(&mut lines, max, line).await {
        let pass = match held(gateway, pass) {
            Ok(pass) => pass,
            Err(why) => {
                if let Some(refusal) = turned_away(&bytes, why) {
                    let _ = line.send(refusal).await;
                }
                continue;
            }
        };
        let pass = pass.as_ref();
        let (guest, id) = match Message::parse(&bytes) {
            None if Batch::begins(&bytes) => (known(greeted), None),
            None => {
                let _ = line.send(gateway::unreadable(&bytes)).await;
                continue;
            }
            Some(message) => {
                let guest = match Claim::read(&message).map_or(Ok(None), |claim| claim.guest()) {
                    Err(refusal) => {
                        // A notification has no answer, not even this one.
                        if message.id.is_some() {
                            let _ = line.send(refusal).await;
                        }
                        continue;
                    }
                    Ok(Some(guest)) => Guest { number: *modern.get_or_insert(guest.number), ..guest },
                    Ok(None) => greet(gateway, pass, &message, greeted, line, listening),
                };
                let id = message.id.map(|id| id.get().to_owned());
                under_way.retain(|(_, task, _)| !task.is_finished());
                if let Some((id, params)) = cancelled(&message) {
                    for (_, task, cancel) in under_way.iter().filter(|(known, ..)| known == id) {
                        cancel.as_ref().map_or_else(|| task.abort(), |cancel| cancel.cancel(params));
                    }
                }
                if is_listen(&message) {
                    let (gateway, pass, line) = (gateway.clone(), pass.cloned(), line.clone());
                    // Servers may take their time to agree, and nobody else waits for that.
                    let task =
                        listening.spawn(async move { tell(&gateway, &guest, pass, &bytes, line).await });
                    under_way.extend(id.map(|id| (id, task, None)));
                    continue;
                }
                (guest, id)
            }
        };
        let (gateway, pass, line) = (gateway.clone(), pass.cloned(), line.clone());
        let cancel = id.as_ref().map(|_| Cancel::default());
        let ends = cancel.clone();
        let task = work.spawn(async move {
            let (note, pass, cancel) =
                (Notebook::new(Way::Stdio, Instant::now()), pass.as_ref(), ends.as_ref());
            let visitor = Visitor { guest: &guest, name: None, pass, line: &line, note: &note, cancel };
            if let Some(reply) = gateway.receive_bytes(&bytes, visitor, Way::Stdio, (None, None)).await {
                let _ = line.send(reply).await;
            }
        });
        under_way.extend(id.map(|id| (id, task, cancel)));
        while work.try_join_next().is_some() {}
    }
}

/// The next message; the last may lack its newline. One that is too long is refused as over HTTP.
async fn next(lines: &mut Lines<Stdin>, max: u64, line: &Line) -> Option<Vec<u8>> {
    loop {
        let (refusal, overrun) = match lines.next().await {
            Ok(bytes) if bytes.trim_ascii().is_empty() => continue,
            Ok(bytes) if bytes.len() as u64 <= max => return Some(bytes.to_vec()),
            Ok(bytes) => (gateway::too_long(bytes, max), false),
            Err(Stop::Overrun) => (gateway::too_long(lines.begun(), max), true),
            Err(Stop::Eof) => return Some(lines.rest()).filter(|rest| !rest.trim_ascii().is_empty()),
        };
        let _ = line.send(refusal).await;
        if overrun && !lines.skip().await {
            return None;
        }
    }
}

/// Passes on what a modern client listens to.
async fn tell(gateway: &Arc<Gateway>, guest: &Guest, pass: Option<Arc<Pass>>, bytes: &[u8], line: Line) {
    let Some(message) = Message::parse(bytes) else { return };
    let note = Notebook::new(Way::Stdio, Instant::now());
    let visitor = Visitor { guest, name: None, pass: pass.as_ref(), line: &line, note: &note, cancel: None };
    let (first, mut news) = match gateway.listen_modern(visitor, (None, None), &message).await {
        Ok(listening) => listening,
        Err(refusal) => {
            let _ = line.send(refusal).await;
            return;
        }
    };
    let _ = line.send(first).await;
    while let Some(message) = news.next().await {
        let _ = line.send(message).await;
    }
}

/// The legacy client of this connection, whether it said who it is or not.
fn known(greeted: &mut Option<Guest>) -> Guest {
    greeted.get_or_insert_with(|| Guest::from_initialize("{}")).clone()
}

/// The id of the request that a notification takes back, and all that it says.
fn cancelled<'a>(message: &Message<'a>) -> Option<(&'a str, &'a str)> {
    match &message.body {
        Body::Method(method, Some(params)) if method == "notifications/cancelled" => {
            mcp::member_at(params.get(), "requestId").map(|at| (&params.get()[at], params.get()))
        }
        _ => None,
    }
}

fn is_listen(message: &Message<'_>) -> bool {
    matches!(&message.body, Body::Method(method, _) if method == "subscriptions/listen")
        && message.id.is_some()
}

/// The legacy client of this connection; its `initialize` says who it is and opens its stream.
fn greet(
    gateway: &Arc<Gateway>,
    pass: Option<&Arc<Pass>>,
    message: &Message<'_>,
    greeted: &mut Option<Guest>,
    line: &Line,
    work: &mut JoinSet<()>,
) -> Guest {
    if let Some(guest) = Guest::greeting(message) {
        gateway.greeted(&guest);
        let (mut news, line) = (gateway.listen(&guest, pass.cloned()), line.clone());
        work.spawn(async move {
            while let Some(message) = news.next().await {
                let _ = line.send(message).await;
            }
        });
        // Whoever greets again begins anew.
        if let Some(before) = greeted.replace(guest) {
            gateway.leave(&before);
        }
    }
    known(greeted)
}
