//! One request to one server: sent, waited for, given up in time, explained when it fails.

use crate::caller::Caller;
use crate::carried::Failure;
use crate::endpoint::{Cancel, Target, task_in};
use crate::errand::Errand;
use crate::faults;
use crate::hooks::{Passage, Trace};
use crate::scan::scan;
use crate::server::{Connection, Server};
use mcp::{Era, Gone, Listener, Means, NOBODY, Outcome, Pending, RpcError, Said};
use model::{Settings, Status};
use serde_json::value::RawValue;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::Notify;

/// How long a request whose connection broke waits to learn why.
const WHY_MAX: Duration = Duration::from_secs(1);

/// How many things may be said about one request before they are taken.
const HEARD_MAX: usize = 64;

/// The most bytes of a result.
const RESULT_MAX: usize = 1_048_576;

/// Somebody who hears what a server says while it works on a request.
pub(crate) struct Hearing {
    pub(crate) listener: Listener,
    /// Told of each progress notification, where that restarts the clock.
    pub(crate) ticks: Option<Arc<Notify>>,
    /// How the client may end the request.
    cancel: Option<Cancel>,
    /// What the server speaks that was asked last: 0 where none was.
    reached: AtomicU8,
    /// The hooks that ran before the server was asked, for a client that may hear of them before the end.
    pub(crate) ran: OnceLock<Trace>,
    /// The task that the server made of the call, and the tool, whatever hooks make of the result.
    pub(crate) begun: OnceLock<(Target, String)>,
}

impl Hearing {
    /// A hearing for that caller, and what it will hear.
    pub(crate) fn new(
        caller: &Caller<'_>,
        cancel: Option<&Cancel>,
        settings: &Settings,
    ) -> (Self, mcp::Receiver<Box<Said>>) {
        let (mut listener, heard) = Listener::new(caller.number(), HEARD_MAX);
        listener.owner = caller.owner();
        let ticks = settings.timeout_reset_on_progress.then(Arc::default);
        let (cancel, reached) = (cancel.cloned(), AtomicU8::new(0));
        (Self { listener, ticks, cancel, reached, ran: OnceLock::new(), begun: OnceLock::new() }, heard)
    }

    /// Notes which hooks ran before the server is asked.
    pub(crate) fn note_ran(&self, passage: &Passage<'_>) {
        if self.listener.means == Means::Reply {
            let _ = self.ran.set(passage.so_far().clone());
        }
    }

    /// A server that speaks this is asked now.
    pub(crate) fn reach(&self, era: Era) {
        self.reached.store(if era == Era::Modern { 2 } else { 1 }, Relaxed);
    }

    /// What the server speaks that was asked last, if one was.
    pub(crate) fn reached(&self) -> Option<Era> {
        match self.reached.load(Relaxed) {
            0 => None,
            1 => Some(Era::Legacy),
            _ => Some(Era::Modern),
        }
    }

    /// Learns of the task that a server made of a call, as the server says it.
    pub(crate) fn learn(&self, errand: &Errand<'_>, result: &RawValue) {
        if errand.is_call()
            && let Some(id) = task_in(result.get())
        {
            let _ = self.begun.set((errand.target.clone(), id));
        }
    }
}

/// What is asked of a server.
pub(crate) struct Ask<'a> {
    pub(crate) method: &'a str,
    /// The tool, prompt or resource, for messages.
    pub(crate) subject: &'a str,
    /// Milliseconds to wait.
    pub(crate) ms: u64,
}

/// Counts progress for a caller that cannot be asked anything.
pub(crate) async fn count(mut heard: mcp::Receiver<Box<Said>>, ticks: &Notify) -> std::convert::Infallible {
    loop {
        match heard.recv().await {
            Some(said) if said.method == "notifications/progress" => ticks.notify_one(),
            Some(mut said) => _ = said.answer(NOBODY),
            None => std::future::pending().await,
        }
    }
}

/// Sends a request and waits for its outcome. Dropping the future cancels the request.
pub(crate) async fn exchange(
    server: &Server,
    connection: &Connection,
    ask: &Ask<'_>,
    settings: &Settings,
    hearing: Option<&Hearing>,
    params: impl FnOnce(u64, &mut Vec<u8>),
) -> Result<Outcome, Failure> {
    let listener = hearing.map(|hearing| hearing.listener.clone());
    let Ok(pending) = connection.client.request_for(ask.method, listener, params) else {
        return Err(why(server, connection, ask).await);
    };
    let mut flight = Flight { pending, connection, hearing, cancel: true };
    let reply = match hearing.and_then(|hearing| hearing.ticks.as_deref()) {
        None => {
            let limit = Duration::from_millis(ask.ms);
            tokio::time::timeout(limit, &mut flight.pending).await.map_err(|_| ask.ms)
        }
        Some(ticks) => with_progress(&mut flight.pending, ticks, ask.ms, settings.max_timeout).await,
    };
    match reply {
        Ok(Ok(outcome)) => Ok(outcome),
        Ok(Err(Gone)) => Err(why(server, connection, ask).await),
        Err(ms) => {
            flight.cancel = settings.mcp.cancel_on_timeout;
            Err(faults::timed_out(server.name(), ask.subject, ms).into())
        }
    }
}

/// Each progress notification restarts the clock; the request as a whole ends at the maximum. The error is the time
/// that ended it, in milliseconds.
async fn with_progress(
    pending: &mut Pending,
    ticks: &Notify,
    ms: u64,
    max: u64,
) -> Result<Result<Outcome, Gone>, u64> {
    let last = tokio::time::Instant::now() + Duration::from_millis(max);
    loop {
        let silent = tokio::time::Instant::now() + Duration::from_millis(ms);
        tokio::select! {
            reply = &mut *pending => return Ok(reply),
            () = ticks.notified() => {}
            () = tokio::time::sleep_until(silent.min(last)) => return Err(if silent < last { ms } else { max }),
        }
    }
}

/// A request in flight; the server is told when nobody waits for it any more.
struct Flight<'a> {
    pending: Pending,
    connection: &'a Connection,
    hearing: Option<&'a Hearing>,
    cancel: bool,
}

impl Drop for Flight<'_> {
    fn drop(&mut self) {
        if !self.cancel || self.pending.is_done() {
            return;
        }
        let (client, id) = (&self.connection.client, self.pending.id());
        match self.hearing.and_then(|hearing| hearing.cancel.as_ref()?.reason()) {
            Some(reason) => client.cancel_as(id, reason),
            None => client.cancel(id, "the request was given up"),
        }
    }
}

/// Why the connection ended. A server that is still there did not take the request.
pub(crate) async fn why(server: &Server, connection: &Connection, ask: &Ask<'_>) -> Failure {
    let ending = tokio::time::timeout(WHY_MAX, connection.ended.wait()).await;
    let fault = match ending {
        Ok(ending) => ending.fault(server.name(), ask.subject),
        Err(_) => faults::unsent(server.name(), ask.subject),
    };
    fault.into()
}

/// The checks of spec 1.5 on what came back.
pub(crate) fn check(
    outcome: Outcome,
    errand: &Errand<'_>,
    settings: &Settings,
) -> Result<Box<RawValue>, Failure> {
    let (server, tool) = (errand.target.server.name(), &*errand.target.own);
    let result = match outcome {
        Outcome::Result(result) => result,
        Outcome::Error(error, _) if RpcError::is_valid(&error) => return Err(Failure::Rpc(error)),
        Outcome::Error(..) | Outcome::Invalid => return Err(faults::internal().into()),
        Outcome::Failed(why) => {
            let message = format!("Tool execution failed: {why}");
            return Err(faults::execution(server, tool, message).into());
        }
        Outcome::Unheard => return Err(faults::not_running(server, Status::Restarting).into()),
    };
    if settings.validation_disabled || !errand.is_call() {
        return Ok(result);
    }
    if result.get() == "null" {
        let message = "Tool execution failed: the result is null";
        return Err(faults::execution(server, tool, message).into());
    }
    check_size(result, errand, settings)
}

/// Refuses a result that is too large, whoever made it.
pub(crate) fn check_size(
    result: Box<RawValue>,
    errand: &Errand<'_>,
    settings: &Settings,
) -> Result<Box<RawValue>, Failure> {
    let text = result.get();
    let checked = errand.is_call() && !settings.validation_disabled;
    if checked && text.len() > RESULT_MAX && scan(text).size > RESULT_MAX {
        let message = format!("Tool execution failed: result exceeds maximum size ({RESULT_MAX} bytes)");
        return Err(faults::execution(errand.target.server.name(), &errand.target.own, message).into());
    }
    Ok(result)
}
