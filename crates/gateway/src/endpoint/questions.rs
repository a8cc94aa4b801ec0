//! Questions of servers to clients: sampling, elicitation, roots. Ids are ours on the way out and the
//! server's on the way back.

use super::message::notification;
use mcp::{Client, Said};
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;

/// What a client answered: its `result`, or its `error`.
pub(super) type Answer = Result<Box<RawValue>, Box<RawValue>>;

/// Questions that wait for a client's answer.
#[derive(Default)]
pub(super) struct Questions {
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    next: u64,
    by_id: HashMap<u64, Question>,
}

struct Question {
    guest: u64,
    asker: Asker,
}

/// Who wants to know.
enum Asker {
    /// A server that asked by itself.
    Server(Client, Box<RawValue>),
    /// A request that needs the answer for its next round.
    Here(oneshot::Sender<Answer>),
}

/// A question that is waited for.
pub(super) struct Asking<'a> {
    id: u64,
    answer: oneshot::Receiver<Answer>,
    all: &'a Questions,
}

impl Asking<'_> {
    /// The answer; `None` when there will be none.
    pub(super) async fn answer(&mut self) -> Option<Answer> {
        (&mut self.answer).await.ok()
    }

    /// What tells the client that nobody waits for its answer any more.
    pub(super) fn withdrawal(&self) -> Vec<u8> {
        let params = format!(r#"{{"requestId":{},"reason":"the time of the request is over"}}"#, self.id);
        notification("notifications/cancelled", Some(&params))
    }
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        self.all.forget(&[self.id]);
    }
}

impl Questions {
    /// Passes a server's request on: the message for the client, under an id of ours.
    pub(super) fn ask(&self, guest: u64, said: Said) -> Option<(u64, Vec<u8>)> {
        let id = self.open(guest, Asker::Server(said.from, said.id?));
        Some((id, write(id, &said.method, said.params.as_deref().map(RawValue::get))))
    }

    /// Asks a client on behalf of a request that waits here.
    pub(super) fn ask_here(&self, guest: u64, method: &str, params: Option<&str>) -> (Asking<'_>, Vec<u8>) {
        let (sender, answer) = oneshot::channel();
        let id = self.open(guest, Asker::Here(sender));
        (Asking { id, answer, all: self }, write(id, method, params))
    }

    fn open(&self, guest: u64, asker: Asker) -> u64 {
        let mut open = self.lock();
        open.next += 1;
        let id = open.next;
        open.by_id.insert(id, Question { guest, asker });
        id
    }

    /// Gives a client's answer to whoever asked. An answer to a question that was not asked of this
    /// client is dropped.
    pub(super) fn answer(&self, guest: u64, id: u64, answer: Answer) {
        let mut open = self.lock();
        if open.by_id.get(&id).is_none_or(|question| question.guest != guest) {
            return;
        }
        let Some(question) = open.by_id.remove(&id) else { return };
        drop(open);
        match question.asker {
            Asker::Here(waiting) => drop(waiting.send(answer)),
            Asker::Server(server, id) => match answer {
                Ok(result) => server.answer(&id, &format!(r#""result":{}"#, result.get())),
                Err(error) => server.answer(&id, &format!(r#""error":{}"#, error.get())),
            },
        }
    }

    /// Ends the question among these that a server asked under an id of its own; ours for it.
    pub(super) fn withdraw(&self, among: &[u64], server_id: &str) -> Option<u64> {
        let mut open = self.lock();
        let meant = |id: &&u64| match open.by_id.get(id).map(|question| &question.asker) {
            Some(Asker::Server(_, own)) => own.get() == server_id,
            _ => false,
        };
        let id = *among.iter().find(meant)?;
        open.by_id.remove(&id);
        Some(id)
    }

    /// Forgets questions that nobody will answer any more.
    pub(super) fn forget(&self, ids: &[u64]) {
        if !ids.is_empty() {
            let mut open = self.lock();
            ids.iter().for_each(|id| drop(open.by_id.remove(id)));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request without parameters stays without them.
fn write(id: u64, method: &str, params: Option<&str>) -> Vec<u8> {
    let mut out = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"#).into_bytes();
    // It is a server's, and so anything.
    mcp::quote(method, &mut out);
    if let Some(params) = params {
        out.extend_from_slice(br#","params":"#);
        mcp::Splice::new(params).write(&mut out);
    }
    out.push(b'}');
    out
}
