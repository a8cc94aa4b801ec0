//! The progress of a call that became a task: the token of the call is good until the task has ended (2025-11-25), so the
//! client that began it hears of it outside of the call.

use super::catalog::Target;
use super::forward::with_token;
use super::tasks::task_in;
use super::{Asked, Endpoint, Line, message};
use crate::call::Carried;
use crate::gateway::Gateway;
use mcp::{Era, Receiver, Said, Sender, member_at};
use serde_json::value::RawValue;

const PROGRESS: &str = "notifications/progress";

/// A task whose progress is passed on until this is dropped.
pub(super) struct Following {
    /// Where the server is heard.
    sink: Sender<Box<Said>>,
    /// The stream of the last request that waited for the task's result.
    pub(super) line: Option<Line>,
}

impl Drop for Following {
    fn drop(&mut self) {
        // What was said before is still passed on.
        self.sink.end();
    }
}

/// Whether a call may become a task of which its client wants to hear.
pub(super) fn may_last(asked: &Asked<'_>) -> bool {
    let params = asked.params.map_or("{}", RawValue::get);
    let called = asked.method == "tools/call" && asked.guest.era() == Era::Legacy;
    called && member_at(params, "task").is_some()
}

impl Gateway {
    /// Passes on what a server goes on to say about a call under the client's token, where the call became a task.
    pub(super) fn follow_task(
        &self,
        asked: &Asked<'_>,
        token: &str,
        target: &Target,
        carried: &Carried,
        (sink, mut heard): (Sender<Box<Said>>, Receiver<Box<Said>>),
    ) {
        let Ok(result) = &carried.outcome else { return };
        let Some(task) = task_in(result.get()) else { return };
        self.note_task(asked, result.get(), target, carried.trace.left());
        let (endpoint, client, token) = (self.endpoint.clone(), asked.guest.number, token.to_owned());
        let server = self.led_to(target, carried.trace.left()).server.name().to_owned();
        self.endpoint.tasks.follow(client, &server, &task, Following { sink, line: None });
        tokio::spawn(async move {
            while let Some(said) = heard.recv().await {
                let params = said.params.as_deref().filter(|_| said.method == PROGRESS);
                let Some(params) = params.map(|params| with_token(params.get(), &token)) else { continue };
                endpoint.tell_progress(
                    (client, &server),
                    &task,
                    message::notification(PROGRESS, Some(&params)),
                );
            }
        });
    }
}

impl Endpoint {
    /// Tells a client of the progress of its task: on its stream, or where it waits for the result.
    fn tell_progress(&self, (client, server): (u64, &str), task: &str, message: Vec<u8>) {
        let mut known = self.streams.lock();
        if let Some(stream) = known.clients.get_mut(&client).and_then(|reached| reached.newest()) {
            if stream.sees(server) && stream.is_heard() {
                stream.put(message);
            }
            return;
        }
        drop(known);
        if let Some(line) = self.tasks.line(client, server, task) {
            let _ = line.offer(message);
        }
    }
}
