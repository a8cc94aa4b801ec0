//! Taking what a server sends, whatever transport it came over: replies to their requests, everything else
//! to whoever listens.

use crate::client::Client;
use crate::envelope::{Body, Message};
use crate::noise::Noise;
use crate::pending::{Concerned, Listener, Outcome, Table};
use crate::said::{Claim, Said};
use crate::splice::{member_at, mentions};
use crate::word::Word;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::sync::{Arc, OnceLock};
use std::time::Instant;
use tokio::sync::mpsc;

/// What says that an elicitation by URL is done.
pub const COMPLETE: &str = "notifications/elicitation/complete";

/// Takes what a server sends, whatever transport it came over.
#[derive(Clone)]
pub(crate) struct Inbox {
    pub(crate) calls: Arc<Table>,
    events: mpsc::Sender<Box<Said>>,
    /// What the log calls the server.
    pub(crate) name: Arc<OnceLock<Box<str>>>,
    noise: Arc<Noise>,
}

impl Inbox {
    /// What the server says outside of any request goes to `events`.
    pub(crate) fn new(events: mpsc::Sender<Box<Said>>) -> Self {
        Self { calls: Arc::default(), events, name: Arc::default(), noise: Arc::default() }
    }

    /// Takes one message. `via` is the request on whose own stream it came, where there is such a thing;
    /// whether the message is the reply to it.
    pub(crate) fn take(&self, line: &[u8], via: Option<u64>, client: &Client) -> bool {
        match Message::parse(line) {
            Some(message) => self.dispatch(&message, via, client),
            None if line.trim_ascii().is_empty() => false,
            None if line.trim_ascii_start().starts_with(b"[") => self.take_batch(line, via, client),
            None => self.take_broken(line, via),
        }
    }

    /// Revision 2025-03-26 allows several messages in one array.
    fn take_batch(&self, line: &[u8], via: Option<u64>, client: &Client) -> bool {
        let Ok(batch) = serde_json::from_slice::<Vec<&RawValue>>(line) else {
            return self.take_broken(line, via);
        };
        let mut replied = false;
        for one in batch {
            match Message::parse(one.get().as_bytes()) {
                Some(message) => replied |= self.dispatch(&message, via, client),
                None => replied |= self.take_broken(one.get().as_bytes(), via),
            }
        }
        replied
    }

    /// What is no message is ignored, but a reply spoilt only by its encoding or its envelope is owned up to,
    /// so that its caller need not wait for the timeout.
    fn take_broken(&self, line: &[u8], via: Option<u64>) -> bool {
        let waits = |id| self.calls.waits(id);
        let Some(id) = Message::answered_by_broken(&String::from_utf8_lossy(line), waits) else {
            self.note_ignored(line.len());
            return false;
        };
        self.calls.settle(id, Outcome::Invalid);
        via == Some(id)
    }

    fn note_ignored(&self, bytes: usize) {
        let Some(untold) = self.noise.one_more(Instant::now()) else { return };
        let server = self.name.get().map(|name| &**name);
        let unlogged = (untold > 0).then_some(untold);
        tracing::warn!(server, bytes, unlogged, "something the server sent is not JSON-RPC and was ignored");
    }

    fn dispatch(&self, message: &Message<'_>, via: Option<u64>, client: &Client) -> bool {
        let outcome = match &message.body {
            Body::Method(method, params) => {
                self.heard(message.id, method, *params, via, client);
                return false;
            }
            Body::Result(_) | Body::Error(_) if !message.versioned => Outcome::Invalid,
            Body::Result(result) => Outcome::Result((*result).to_owned()),
            Body::Error(_) if names_nobody(message) => Outcome::Invalid,
            Body::Error(error) => Outcome::Error((*error).to_owned(), None),
            Body::Nothing => Outcome::Invalid,
        };
        let id = message.own_id().or_else(|| self.meant_by(message, via));
        let known = id.is_some_and(|id| self.calls.settle(id, outcome));
        if !known {
            tracing::debug!("a reply that nobody waits for was dropped");
        }
        via.is_some() && message.own_id() == via
    }

    /// The request that an error without an id answers: a server that cannot read a request does not know
    /// its id, and its caller need not wait for the timeout when no other can be meant.
    fn meant_by(&self, message: &Message<'_>, via: Option<u64>) -> Option<u64> {
        let unnamed = via.is_none() && matches!(message.body, Body::Error(_)) && names_nobody(message);
        self.calls.only_active().filter(|_| unnamed)
    }

    /// A request or a notification of the server: to the request it belongs to, else to the gateway.
    fn heard(
        &self,
        id: Option<&RawValue>,
        method: &str,
        params: Option<&RawValue>,
        via: Option<u64>,
        client: &Client,
    ) {
        match (id, method) {
            (Some(id), "ping") => return client.answer(id, r#""result":{}"#),
            // Only a client asks these, and an answer would come back as that of the server.
            (Some(id), "initialize" | "server/discover") if self.echoes(id) => return,
            _ => {}
        }
        let said = |apart| {
            Box::new(Said {
                from: client.clone(),
                id: id.map(ToOwned::to_owned),
                method: method.to_owned(),
                params: params.map(ToOwned::to_owned),
                apart,
                claim: Claim::default(),
                again: None,
            })
        };
        if id.is_some() {
            return self.ask(said(false), via.or_else(|| self.about(params?)));
        }
        let listener = match method {
            "notifications/progress" => match params.and_then(progress_token).or(via) {
                Some(token) => self.calls.progressing(token),
                None => return,
            },
            // They belong to a listening of the gateway's, and to no call.
            "notifications/subscriptions/acknowledged" | "notifications/tasks" => {
                via.or_else(|| params.and_then(subscription_id)).and_then(|id| self.calls.listening(id))
            }
            // A server takes back a question of its own, or ends a subscription of ours; nobody else is told.
            "notifications/cancelled" => match params.and_then(|params| self.cancelled(params)) {
                Some(listener) => Some(listener),
                None => return,
            },
            "notifications/resources/updated" => None,
            method if method.ends_with("/list_changed") => None,
            // These name something that one client began, perhaps long ago.
            "notifications/tasks/status" | COMPLETE if via.is_none() => None,
            _ => match self.calls.concerned(via.or_else(|| self.about(params?))) {
                Concerned::All => None,
                Concerned::Client(listener) => Some(listener),
                // It may be about what another caller does.
                Concerned::Nobody => return,
            },
        };
        if listener.is_none() && method == COMPLETE {
            // The client that it concerns may listen nowhere but on the stream of a call.
            self.calls.each_client().iter().for_each(|listener| drop(listener.sink.offer(said(true))));
        }
        // Whoever does not keep up loses notifications.
        match &listener {
            Some(listener) => drop(listener.sink.offer(said(false))),
            None if method == "notifications/progress" => {}
            None => drop(self.events.try_send(said(true))),
        }
    }

    /// A question of the server, to whoever is asked it. Every one gets an answer.
    fn ask(&self, mut said: Box<Said>, via: Option<u64>) {
        let Some(listener) = self.calls.ask(via, &said) else {
            said.answer(NOBODY);
            return;
        };
        match listener.sink.offer(said) {
            // A request that has just ended leaves it to another.
            Err(lost) if listener.sink.is_over() => drop(lost),
            Err(mut lost) => _ = lost.answer(GONE),
            Ok(()) => {}
        }
    }

    /// Whether a question that greets has the id of one of ours which waits; that one is settled.
    fn echoes(&self, id: &RawValue) -> bool {
        let own = id.get().parse().ok();
        own.is_some_and(|own| self.calls.settle(own, Outcome::Failed(ECHO.to_owned())))
    }

    /// The request that waits for the result of the task which something is said to be about.
    fn about(&self, params: &RawValue) -> Option<u64> {
        static TASK: Word = Word::new("io.modelcontextprotocol/related-task");
        let text = params.get();
        if !mentions(text, &TASK) {
            return None;
        }
        let meta = &text[member_at(text, "_meta")?];
        let task = &meta[member_at(meta, TASK.text())?];
        self.calls.awaiting(&serde_json::from_str::<String>(&task[member_at(task, "taskId")?]).ok()?)
    }

    /// Whom the request concerns that the server calls off: who was asked it, or who listens under that id.
    fn cancelled(&self, params: &RawValue) -> Option<Listener> {
        let id = &params.get()[member_at(params.get(), "requestId")?];
        self.calls.forget(id).or_else(|| self.calls.listener(id.parse().ok()?))
    }
}

/// Whether a message has no id, or null for one.
fn names_nobody(message: &Message<'_>) -> bool {
    message.id.is_none_or(|id| id.get() == "null")
}

fn progress_token(params: &RawValue) -> Option<u64> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Progress {
        progress_token: u64,
    }
    serde_json::from_str::<Progress>(params.get()).ok().map(|progress| progress.progress_token)
}

/// The `subscriptions/listen` that a notification belongs to.
fn subscription_id(params: &RawValue) -> Option<u64> {
    #[derive(Deserialize)]
    struct Tagged {
        #[serde(rename = "_meta")]
        meta: Meta,
    }
    #[derive(Deserialize)]
    struct Meta {
        #[serde(rename = "io.modelcontextprotocol/subscriptionId")]
        id: u64,
    }
    serde_json::from_str::<Tagged>(params.get()).ok().map(|tagged| tagged.meta.id)
}

/// Why there is no reply to a greeting of ours that came back.
const ECHO: &str = "the server sends back what it reads, so it does not speak MCP";

/// The answer to a server whose question reaches its client no more.
pub const GONE: &str = r#""error":{"code":-32603,"message":"The client is gone or does not keep up"}"#;

/// The answer to a server whose question nobody can have asked any more.
pub const OVER: &str = r#""error":{"code":-32603,"message":"The request that this belonged to is over"}"#;

/// The answer to a server that asks a client while no client, or more than one, could be meant.
pub const NOBODY: &str = r#""error":{"code":-32603,"message":"No single client can be asked now: none or several have requests in flight on this server"}"#;
