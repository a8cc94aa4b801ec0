//! The client side of one connection: requests out, replies in, told apart by id. The same code serves
//! every transport; a transport only moves bytes.

use crate::envelope::quote;
use crate::http::{Link, Outgoing};
use crate::inbox::Inbox;
use crate::lines::{LINE_MAX, Lines, Stop};
use crate::lists::Entry;
use crate::outbox::Outbox;
use crate::pending::{Gone, Listener, Outcome, Pending, Whose};
use crate::said::{Claim, Said};
use crate::splice::write_line;
use serde_json::value::RawValue;
use std::io::Write;
use std::sync::{Arc, Weak};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;
use tokio::time::Instant;

/// A cheap handle on one connection to a server.
#[derive(Clone)]
pub struct Client {
    shared: Arc<Shared>,
}

struct Shared {
    way: Way,
    inbox: Inbox,
}

/// The way out.
enum Way {
    /// Lines on the standard input of a child.
    Pipe(Outbox),
    /// Requests to a remote server.
    Http(Arc<Link>),
}

/// Why a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The server closed its output, or cannot be reached any more.
    Eof,
    /// The server wrote more than [`LINE_MAX`] bytes in one message.
    Overrun,
    /// The server is there but has forgotten the session; a new one can be begun.
    Forgotten,
}

/// The work behind a [`Client`]: two futures to be spawned.
pub struct Driver<R, W> {
    shared: Arc<Shared>,
    lines: Lines<R>,
    pipe: W,
}

/// A connection that is known and not kept.
#[derive(Clone)]
pub struct WeakClient(Weak<Shared>);

impl WeakClient {
    /// The connection, while anybody keeps it.
    pub fn upgrade(&self) -> Option<Client> {
        self.0.upgrade().map(|shared| Client { shared })
    }

    /// Whether this is that connection.
    pub fn is(&self, client: &Client) -> bool {
        std::ptr::eq(self.0.as_ptr(), Arc::as_ptr(&client.shared))
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Client")
    }
}

impl Client {
    /// A connection over a pair of streams. Nothing moves until the driver runs. What the server says
    /// outside of any request goes to `events`.
    pub fn new<R, W>(output: R, input: W, events: mpsc::Sender<Box<Said>>) -> (Self, Driver<R, W>)
    where
        R: AsyncRead + Unpin,
        W: AsyncWrite + Unpin,
    {
        let inbox = Inbox::new(events);
        let shared = Arc::new(Shared { way: Way::Pipe(Outbox::default()), inbox });
        let driver = Driver { shared: shared.clone(), lines: Lines::new(output, LINE_MAX), pipe: input };
        (Self { shared }, driver)
    }

    /// Whether this is that connection.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }

    /// Names the server in what is logged of it.
    pub fn call_it(&self, name: &str) {
        let _ = self.shared.inbox.name.set(name.into());
    }

    /// What the log calls the server.
    pub fn name(&self) -> Option<&str> {
        self.shared.inbox.name.get().map(|name| &**name)
    }

    /// The same connection, without keeping it.
    pub fn downgrade(&self) -> WeakClient {
        WeakClient(Arc::downgrade(&self.shared))
    }

    /// A connection to a remote server.
    pub(crate) fn remote(link: Arc<Link>, events: mpsc::Sender<Box<Said>>) -> Self {
        let inbox = Inbox::new(events);
        Self { shared: Arc::new(Shared { way: Way::Http(link), inbox }) }
    }

    /// Sends a request whose `params` are what `params` writes, given the request's id; without any where that is
    /// nothing. It is the gateway's own, and concerns nobody else.
    pub fn request(&self, method: &str, params: impl FnOnce(u64, &mut Vec<u8>)) -> Result<Pending, Gone> {
        self.ask(method, Whose::Own(None), params)
    }

    /// The same with a listener for what the server says about it.
    pub fn request_heard(
        &self,
        method: &str,
        listener: Listener,
        params: impl FnOnce(u64, &mut Vec<u8>),
    ) -> Result<Pending, Gone> {
        self.ask(method, Whose::Own(Some(listener)), params)
    }

    /// Sends a request of a caller, who may be able to hear what the server says about it.
    pub fn request_for(
        &self,
        method: &str,
        listener: Option<Listener>,
        params: impl FnOnce(u64, &mut Vec<u8>),
    ) -> Result<Pending, Gone> {
        self.ask(method, listener.map_or(Whose::Silent, Whose::Client), params)
    }

    /// Has this listener asked what the server wants to know outside of any request, until the place is dropped.
    pub fn stand_by(&self, listener: Listener) -> Result<Pending, Gone> {
        listener.ear.set_waiting(true);
        self.shared.inbox.calls.stand_by(listener)
    }

    fn ask(
        &self,
        method: &str,
        whose: Whose,
        params: impl FnOnce(u64, &mut Vec<u8>),
    ) -> Result<Pending, Gone> {
        let pending = self.shared.inbox.calls.add(whose)?;
        let id = pending.id();
        let write = |out: &mut Vec<u8>| {
            const PARAMS: &[u8] = br#","params":"#;
            write!(out, r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}""#).expect("memory");
            out.extend_from_slice(PARAMS);
            let begin = out.len();
            params(id, out);
            if out.len() == begin {
                out.truncate(begin - PARAMS.len());
            }
            let end = out.len();
            out.push(b'}');
            begin.min(end)..end
        };
        let taken = match &self.shared.way {
            Way::Pipe(outbox) => outbox.push(|out| _ = write(out)).is_ok(),
            Way::Http(link) => {
                let mut message = Vec::with_capacity(512);
                let params = write(&mut message);
                let method = Some(method.to_owned());
                link.send(self, Outgoing { id: Some(id), method, message: message.into(), params })
            }
        };
        if taken { Ok(pending) } else { Err(Gone) }
    }

    /// A request that is registered but not sent: its id and message, for a transport that sends it itself.
    pub(crate) fn prepare(&self, method: &str, params: &str) -> Result<(Pending, Outgoing), Gone> {
        let pending = self.shared.inbox.calls.add(Whose::Own(None))?;
        let head = format!(r#"{{"jsonrpc":"2.0","id":{},"method":"{method}","params":"#, pending.id());
        let at = head.len()..head.len() + params.len();
        let message = format!("{head}{params}}}").into();
        let out = Outgoing { id: Some(pending.id()), method: Some(method.to_owned()), message, params: at };
        Ok((pending, out))
    }

    /// The same for a notification.
    pub(crate) fn prepare_notice(&self, method: &str, params: &str) -> Outgoing {
        let message = notification(method, Some(params)).into();
        Outgoing { id: None, method: Some(method.to_owned()), message, params: 0..0 }
    }

    /// Sends a notification; lost when the connection is closed.
    pub fn notify(&self, method: &str, params: Option<&str>) {
        self.send(Some(method), notification(method, params));
    }

    /// Answers a request of the server; `body` is the `result` or `error` member, with its name.
    pub fn answer(&self, id: &RawValue, body: &str) {
        self.shared.inbox.calls.forget(id.get());
        self.send(None, format!(r#"{{"jsonrpc":"2.0","id":{},{body}}}"#, id.get()));
    }

    /// Whether a request of the server waits for its answer.
    pub(crate) fn is_asked(&self, id: &RawValue) -> bool {
        self.shared.inbox.calls.is_asked(id.get())
    }

    /// Whether it still waits for it where all that it may belong to is over.
    pub(crate) fn is_known(&self, id: &RawValue) -> bool {
        self.shared.inbox.calls.is_known(id.get())
    }

    /// Gives a question to another request of the same client.
    pub(crate) fn hand_on(&self, said: Box<Said>) -> Result<(), Box<Said>> {
        self.shared.inbox.calls.hand_on(said)
    }

    /// The same for one whose client was asked it under that number, and may not have heard it; `false` where there is no
    /// such request.
    pub fn pass_on(&self, question: &Claim, number: u64, unheard: bool) -> bool {
        let again = unheard.then(|| Box::new(Said::again(self.clone(), number)));
        self.shared.inbox.calls.pass_on(question, number, again)
    }

    /// Ends the questions of requests that are over and whose clients are not there.
    pub fn sweep(&self) {
        self.shared.inbox.calls.sweep();
    }

    /// Until when the server waited for an answer to a question of its own: until now while it does.
    pub fn waited_until(&self) -> Option<Instant> {
        self.shared.inbox.calls.waited_until()
    }

    fn send(&self, method: Option<&str>, message: String) {
        let taken = match &self.shared.way {
            // What a client wrote into it may stand on several lines, which would be as many messages.
            Way::Pipe(outbox) => outbox.push(|out| write_line(message.as_bytes(), out)).is_ok(),
            Way::Http(link) => {
                let method = method.map(str::to_owned);
                link.send(self, Outgoing { id: None, method, message: message.into(), params: 0..0 })
            }
        };
        if !taken {
            tracing::debug!("a message was not taken by the server and is lost");
        }
    }

    /// How many requests wait for their replies.
    pub fn in_flight(&self) -> usize {
        self.shared.inbox.calls.count()
    }

    /// How many bytes wait for a child that has not read them yet.
    pub fn waiting_bytes(&self) -> usize {
        match &self.shared.way {
            Way::Pipe(outbox) => outbox.waiting(),
            Way::Http(_) => 0,
        }
    }

    /// Tells the server that a request is no longer wanted.
    pub fn cancel(&self, id: u64, reason: &str) {
        let mut quoted = Vec::with_capacity(reason.len() + 2);
        quote(reason, &mut quoted);
        self.cancel_as(id, &String::from_utf8_lossy(&quoted));
    }

    /// The same with a reason as somebody else wrote it, as JSON.
    pub fn cancel_as(&self, id: u64, reason: &str) {
        if let Way::Http(link) = &self.shared.way
            && link.call_back(id)
        {
            return;
        }
        let params = format!(r#"{{"requestId":{id},"reason":{reason}}}"#);
        self.notify("notifications/cancelled", Some(&params));
    }

    /// Fails everything in flight and everything to come; the server's input stays open.
    pub fn hang_up(&self) {
        self.shared.inbox.calls.close();
    }

    /// Fails everything in flight; the connection stays open.
    pub fn fail_all(&self) {
        self.shared.inbox.calls.fail_all();
    }

    /// Fails everything in flight, takes nothing more, and closes the server's input.
    pub fn close(&self) {
        self.shared.inbox.calls.close();
        match &self.shared.way {
            Way::Pipe(outbox) => outbox.close(),
            Way::Http(link) => link.close(),
        }
    }

    /// Why the connection to a remote server ended; never comes for a child, whose reader tells.
    pub async fn ended(&self) -> End {
        match &self.shared.way {
            Way::Pipe(_) => std::future::pending().await,
            Way::Http(link) => link.ended().await,
        }
    }

    /// Waits until a remote server has heard that the connection was closed, or two seconds.
    pub async fn left(&self) {
        if let Way::Http(link) = &self.shared.way {
            link.left().await;
        }
    }

    /// The connection is over by itself.
    pub(crate) fn over(&self, end: End) {
        if let Way::Http(link) = &self.shared.way {
            link.end(end);
        }
        self.hang_up();
    }

    /// Takes one message that came; whether it is the reply to `via`.
    pub(crate) fn take(&self, message: &[u8], via: Option<u64>) -> bool {
        self.shared.inbox.take(message, via, self)
    }

    /// Gives a request its outcome.
    pub(crate) fn settle(&self, id: u64, outcome: Outcome) {
        self.shared.inbox.calls.settle(id, outcome);
    }

    /// Whether anybody waits for the reply to that request.
    pub(crate) fn waits(&self, id: u64) -> bool {
        self.shared.inbox.calls.waits(id)
    }

    /// The tools of a list that can be called, after their headers are noted where the transport has any.
    pub(crate) fn learn(&self, tools: Vec<Entry>) -> Vec<Entry> {
        match &self.shared.way {
            Way::Http(link) => match link.mirror() {
                Some(mirror) => mirror.learn(tools),
                None => tools,
            },
            Way::Pipe(_) => tools,
        }
    }
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Driver<R, W> {
    /// The reader and the writer, to be spawned as two tasks. The reader ends with the connection;
    /// the writer ends well when the client is closed, and with an error when the pipe breaks.
    pub fn split(self) -> (impl Future<Output = End>, impl Future<Output = std::io::Result<()>>) {
        let Self { shared, mut lines, pipe } = self;
        let for_writer = shared.clone();
        let reader = async move {
            let client = Client { shared };
            loop {
                match lines.next().await {
                    Ok(line) => _ = client.take(line, None),
                    Err(Stop::Eof) => return End::Eof,
                    Err(Stop::Overrun) => return End::Overrun,
                }
            }
        };
        let writer = async move {
            match &for_writer.way {
                Way::Pipe(outbox) => outbox.drain(pipe, || for_writer.inbox.calls.count() > 1).await,
                Way::Http(_) => Ok(()),
            }
        };
        (reader, writer)
    }
}

fn notification(method: &str, params: Option<&str>) -> String {
    let params = params.map(|params| format!(r#","params":{params}"#)).unwrap_or_default();
    format!(r#"{{"jsonrpc":"2.0","method":"{method}"{params}}}"#)
}
