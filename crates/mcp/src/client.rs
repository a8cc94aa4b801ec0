//! The client side of one connection: requests out, replies in, told apart by id.

use crate::envelope::{Body, Message, quote};
use crate::lines::{LINE_MAX, Lines, Stop};
use crate::outbox::Outbox;
use crate::pending::{Gone, Outcome, Pending, Table};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::io::Write;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{Notify, mpsc};

/// A cheap handle on one connection to a server.
#[derive(Clone)]
pub struct Client {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    outbox: Outbox,
    calls: Arc<Table>,
}

/// What a server tells without being asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Its list of tools changed.
    ToolsChanged,
}

/// Why a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The server closed its output.
    Eof,
    /// The server wrote more than [`LINE_MAX`] bytes without a newline.
    Overrun,
}

/// The work behind a [`Client`]: two futures to be spawned.
pub struct Driver<R, W> {
    shared: Arc<Shared>,
    lines: Lines<R>,
    pipe: W,
    events: mpsc::UnboundedSender<Event>,
}

impl Client {
    /// A connection over a pair of streams. Nothing moves until the driver runs.
    pub fn new<R, W>(output: R, input: W, events: mpsc::UnboundedSender<Event>) -> (Self, Driver<R, W>)
    where
        R: AsyncRead + Unpin,
        W: AsyncWrite + Unpin,
    {
        let shared = Arc::new(Shared::default());
        let driver =
            Driver { shared: shared.clone(), lines: Lines::new(output, LINE_MAX), pipe: input, events };
        (Self { shared }, driver)
    }

    /// Sends a request whose `params` object is what `params` writes, given the request's id.
    pub fn request(&self, method: &str, params: impl FnOnce(u64, &mut Vec<u8>)) -> Result<Pending, Gone> {
        self.request_with_progress(method, None, params)
    }

    /// The same, telling `progress` of each progress notification that carries the request's id.
    pub fn request_with_progress(
        &self,
        method: &str,
        progress: Option<Arc<Notify>>,
        params: impl FnOnce(u64, &mut Vec<u8>),
    ) -> Result<Pending, Gone> {
        let pending = self.shared.calls.add(progress)?;
        let id = pending.id();
        let write = |out: &mut Vec<u8>| {
            write!(out, r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":"#).expect("memory");
            params(id, out);
            out.push(b'}');
        };
        self.shared.outbox.push(write).map_err(|_| Gone)?;
        Ok(pending)
    }

    /// Sends a notification; lost when the connection is closed.
    pub fn notify(&self, method: &str, params: &str) {
        let line = format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#);
        let _ = self.shared.outbox.push(|out| out.extend_from_slice(line.as_bytes()));
    }

    /// Tells the server that a request is no longer wanted.
    pub fn cancel(&self, id: u64, reason: &str) {
        let mut params = format!(r#"{{"requestId":{id},"reason":"#).into_bytes();
        quote(reason, &mut params);
        params.push(b'}');
        self.notify("notifications/cancelled", &String::from_utf8_lossy(&params));
    }

    /// Fails everything in flight and everything to come; the server's input stays open.
    pub fn hang_up(&self) {
        self.shared.calls.close();
    }

    /// Fails everything in flight; the connection stays open.
    pub fn fail_all(&self) {
        self.shared.calls.fail_all();
    }

    /// Fails everything in flight, takes nothing more, and closes the server's input.
    pub fn close(&self) {
        self.shared.calls.close();
        self.shared.outbox.close();
    }
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Driver<R, W> {
    /// The reader and the writer, to be spawned as two tasks. The reader ends with the connection;
    /// the writer ends well when the client is closed, and with an error when the pipe breaks.
    pub fn split(self) -> (impl Future<Output = End>, impl Future<Output = std::io::Result<()>>) {
        let Self { shared, mut lines, pipe, events } = self;
        let for_writer = shared.clone();
        let reader = async move {
            loop {
                match lines.next().await {
                    Ok(line) => shared.take(line, &events),
                    Err(Stop::Eof) => return End::Eof,
                    Err(Stop::Overrun) => return End::Overrun,
                }
            }
        };
        let writer = async move { for_writer.outbox.drain(pipe).await };
        (reader, writer)
    }
}

impl Shared {
    fn take(&self, line: &[u8], events: &mpsc::UnboundedSender<Event>) {
        match Message::parse(line) {
            Some(message) => self.dispatch(&message, events),
            None if line.trim_ascii().is_empty() => {}
            None if line.trim_ascii_start().starts_with(b"[") => self.take_batch(line, events),
            None => self.take_broken(line),
        }
    }

    /// Revision 2025-03-26 allows several messages in one array.
    fn take_batch(&self, line: &[u8], events: &mpsc::UnboundedSender<Event>) {
        let Ok(batch) = serde_json::from_slice::<Vec<&RawValue>>(line) else {
            return self.take_broken(line);
        };
        for one in batch {
            match Message::parse(one.get().as_bytes()) {
                Some(message) => self.dispatch(&message, events),
                None => note_ignored(one.get().len()),
            }
        }
    }

    /// A line that is no JSON is ignored, but a reply spoilt only by its encoding is owned up to,
    /// so that its caller need not wait for the timeout.
    fn take_broken(&self, line: &[u8]) {
        let text = String::from_utf8_lossy(line);
        let id = Message::parse(text.as_bytes()).and_then(|message| message.own_id());
        match id {
            Some(id) if std::str::from_utf8(line).is_err() => {
                self.calls.settle(id, Outcome::Invalid);
            }
            _ => note_ignored(line.len()),
        }
    }

    fn dispatch(&self, message: &Message<'_>, events: &mpsc::UnboundedSender<Event>) {
        let outcome = match &message.body {
            Body::Method(method, params) => return self.asked(message.id, method, *params, events),
            Body::Result(_) | Body::Error(_) if !message.versioned => Outcome::Invalid,
            Body::Result(result) => Outcome::Result((*result).to_owned()),
            Body::Error(error) => Outcome::Error((*error).to_owned()),
            Body::Nothing => Outcome::Invalid,
        };
        let known = message.own_id().is_some_and(|id| self.calls.settle(id, outcome));
        if !known {
            tracing::debug!("a reply that nobody waits for was dropped");
        }
    }

    /// A request or a notification of the server.
    fn asked(
        &self,
        id: Option<&RawValue>,
        method: &str,
        params: Option<&RawValue>,
        events: &mpsc::UnboundedSender<Event>,
    ) {
        match (id, method) {
            (Some(id), "ping") => self.answer(id, r#""result":{}"#),
            (Some(id), _) => self.answer(id, r#""error":{"code":-32601,"message":"Method not found"}"#),
            (None, "notifications/tools/list_changed") => {
                let _ = events.send(Event::ToolsChanged);
            }
            (None, "notifications/progress") => {
                if let Some(token) = params.and_then(progress_token) {
                    self.calls.progress(token);
                }
            }
            (None, _) => {}
        }
    }

    fn answer(&self, id: &RawValue, body: &str) {
        let line = format!(r#"{{"jsonrpc":"2.0","id":{},{body}}}"#, id.get());
        let _ = self.outbox.push(|out| out.extend_from_slice(line.as_bytes()));
    }
}

fn progress_token(params: &RawValue) -> Option<u64> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Progress {
        progress_token: u64,
    }
    serde_json::from_str::<Progress>(params.get()).ok().map(|progress| progress.progress_token)
}

fn note_ignored(bytes: usize) {
    tracing::warn!(bytes, "a line on the server's standard output is not JSON-RPC and was ignored");
}
