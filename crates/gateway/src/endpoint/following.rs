//! The progress of a call that became a task: the token of the call is good until the task has ended (2025-11-25), so the
//! client that began it hears of it outside of the call.

use super::catalog::Target;
use super::forward::with_token;
use super::{Asked, Endpoint, Line, message};
use crate::gateway::Gateway;
use mcp::{Era, Receiver, Said, Sender, member_at};
use serde_json::value::RawValue;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, ready};

const PROGRESS: &str = "notifications/progress";

/// A task whose progress is passed on until this is dropped.
pub(super) struct Following {
    /// Where the server is heard.
    sink: Sender<Box<Said>>,
    pub(super) tale: Arc<Tale>,
    /// The stream of the last request that waited for the task's result.
    pub(super) line: Option<Line>,
}

impl Drop for Following {
    fn drop(&mut self) {
        // What was said before is still passed on.
        self.sink.end();
    }
}

/// How a call that became a task goes on to be heard.
pub(super) struct Lasting<'a> {
    /// The client's own token.
    pub(super) token: &'a str,
    pub(super) sink: Sender<Box<Said>>,
    pub(super) heard: Receiver<Box<Said>>,
}

/// Whether a call may become a task of which its client wants to hear.
pub(super) fn may_last(asked: &Asked<'_>) -> bool {
    let params = asked.params.map_or("{}", RawValue::get);
    let called = asked.method == "tools/call" && asked.guest.era() == Era::Legacy;
    called && member_at(params, "task").is_some()
}

/// What a server says of the progress of a task.
pub(super) struct Tale {
    server: String,
    task: String,
    /// The client's own token.
    token: String,
    heard: Mutex<Receiver<Box<Said>>>,
}

impl Tale {
    fn heard(&self) -> MutexGuard<'_, Receiver<Box<Said>>> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The message for the client, where what was said is progress.
    fn message(&self, said: &Said) -> Option<Vec<u8>> {
        let params = said.params.as_deref().filter(|_| said.method == PROGRESS)?;
        Some(message::notification(PROGRESS, Some(&with_token(params.get(), &self.token))))
    }
}

impl Gateway {
    /// Passes on what a server goes on to say about a call of that client which became a task.
    pub(super) fn follow_task(&self, client: u64, server: &str, task: &str, lasting: Lasting<'_>) {
        let Lasting { token, sink, heard } = lasting;
        let [server, task, token] = [server, task, token].map(str::to_owned);
        let tale = Arc::new(Tale { server, task, token, heard: Mutex::new(heard) });
        let following = Following { sink, tale: tale.clone(), line: None };
        self.endpoint.tasks.follow(client, &tale.server, &tale.task, following);
        let endpoint = self.endpoint.clone();
        tokio::spawn(async move { while endpoint.tell_next(client, &tale).await {} });
    }
}

impl Endpoint {
    /// Waits for what is said next and passes it on; whether there was something. It is told before anybody else may
    /// tell what follows, so that all of it keeps its order.
    async fn tell_next(&self, client: u64, tale: &Tale) -> bool {
        poll_fn(|context| {
            let mut heard = tale.heard();
            let said = ready!(pin!(heard.recv()).poll(context));
            said.iter().for_each(|said| self.tell_progress(client, tale, said));
            Poll::Ready(said.is_some())
        })
        .await
    }

    /// Passes on what was said of a task up to now: its result, which comes next, is the last that a client hears of it.
    pub(super) fn tell_rest(&self, client: u64, task: &Target) {
        let Some(tale) = self.tasks.tale(client, task.server.name(), &task.own) else { return };
        let mut heard = tale.heard();
        while let Some(said) = heard.try_recv() {
            self.tell_progress(client, &tale, &said);
        }
    }

    /// Tells a client of the progress of its task: on its stream, or where it waits for the result.
    fn tell_progress(&self, client: u64, tale: &Tale, said: &Said) {
        let Some(message) = tale.message(said) else { return };
        let mut known = self.streams.lock();
        if let Some(stream) = known.clients.get_mut(&client).and_then(|reached| reached.newest()) {
            if stream.sees(&tale.server) && stream.is_heard() {
                stream.put(message);
            }
            return;
        }
        drop(known);
        if let Some(line) = self.tasks.line(client, &tale.server, &tale.task) {
            let _ = line.offer(message);
        }
    }
}
