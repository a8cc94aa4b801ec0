//! One caller: a socket, its MCP session when the door has sessions, and at most one call in flight.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use anyhow::{Context, bail, ensure};

use super::door::{Answer, Door, LEGACY, Mode};
use super::http::{Response, parse};
use super::window::Service;

/// How long one answer may take when the caller waits for it alone.
const PATIENCE: Duration = Duration::from_secs(10);

/// One caller's connection.
pub(crate) struct Connection {
    stream: TcpStream,
    session: Option<String>,
    head: String,
    id: u64,
    number: u64,
    request: Vec<u8>,
    body: Vec<u8>,
    received: Vec<u8>,
}

/// Makes one call on a connection of its own; an error unless the answer is right.
pub(crate) fn probe(door: &Door) -> anyhow::Result<()> {
    let mut connection = Connection::open(door)?;
    connection.send(door, 1)?;
    let mut chunk = vec![0; 1 << 16];
    let answer = loop {
        if let Some((answer, _)) = connection.receive(door, &mut chunk)? {
            break answer;
        }
    };
    connection.close(door);
    ensure!(answer == Answer::Right, "{answer:?}");
    Ok(())
}

/// Length of what the door gives to one request.
pub(crate) fn size(door: &Door) -> anyhow::Result<usize> {
    let mut connection = Connection::open(door)?;
    connection.send(door, 1)?;
    connection.wait(|response| response.body.len())
}

impl Connection {
    /// Connects and, where the door has sessions, opens one.
    fn open(door: &Door) -> anyhow::Result<Self> {
        let mut connection = Self {
            stream: connect(door)?,
            session: None,
            head: door.head(None),
            id: 0,
            number: 0,
            request: Vec::new(),
            body: Vec::new(),
            received: Vec::new(),
        };
        if door.mode == Mode::Mcp {
            connection.shake_hands(door).context("opening a session")?;
        }
        Ok(connection)
    }

    /// Sends the next call. Requests are far smaller than a socket's buffer, so this does not wait.
    fn send(&mut self, door: &Door, number: u64) -> anyhow::Result<()> {
        self.id += 1;
        self.number = number;
        door.body(self.id, number, &mut self.body);
        self.write_request()
    }

    /// Reads once from the socket; the answer, when it is whole, and whether the connection is spent.
    fn receive(&mut self, door: &Door, chunk: &mut [u8]) -> anyhow::Result<Option<(Answer, bool)>> {
        let ended = self.read(chunk)?;
        let Some(response) = parse(&self.received, ended)? else {
            ensure!(!ended, "the gateway closed the connection");
            return Ok(None);
        };
        let answer = door.judge(response.status, &response.body, self.id, self.number);
        let close = response.close;
        self.received.clear();
        Ok(Some((answer, close)))
    }

    /// Ends the session as a well-behaved client does; its failure changes no figure.
    fn close(mut self, door: &Door) {
        let Some(session) = &self.session else { return };
        let (path, port) = (&door.path, door.port);
        self.request.clear();
        let _ = write!(
            self.request,
            "DELETE {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nMcp-Session-Id: {session}\r\n\
             Mcp-Protocol-Version: {LEGACY}\r\nContent-Length: 0\r\n\r\n"
        );
        let _ = self.stream.write_all(&self.request);
        let _ = self.wait(|_| ());
    }

    fn shake_hands(&mut self, door: &Door) -> anyhow::Result<()> {
        self.body = format!(
            r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{LEGACY}","capabilities":{{}},"clientInfo":{{"name":"bench","version":"0"}}}}}}"#
        )
        .into_bytes();
        self.exchange(door, |response| response.status == 200)?;
        self.head = door.head(self.session.as_deref());
        self.body = br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_vec();
        self.exchange(door, |response| response.status < 300)
    }

    /// Sends the body, waits for the answer, and connects anew when the connection is spent.
    fn exchange(&mut self, door: &Door, good: impl Fn(&Response<'_>) -> bool) -> anyhow::Result<()> {
        self.write_request()?;
        let (good, close, session, status) = self
            .wait(|response| (good(response), response.close, response.session.clone(), response.status))?;
        if !good {
            bail!("the gateway answered {status}");
        }
        self.session = session.or(self.session.take());
        if close {
            self.stream = connect(door)?;
        }
        Ok(())
    }

    fn write_request(&mut self) -> anyhow::Result<()> {
        self.request.clear();
        self.request.extend_from_slice(self.head.as_bytes());
        if self.body.is_empty() {
            self.request.extend_from_slice(b"\r\n");
        } else {
            write!(self.request, "Content-Length: {}\r\n\r\n", self.body.len())?;
            self.request.extend_from_slice(&self.body);
        }
        Ok(self.stream.write_all(&self.request)?)
    }

    fn wait<T>(&mut self, take: impl FnOnce(&Response<'_>) -> T) -> anyhow::Result<T> {
        let mut chunk = [0; 4096];
        loop {
            let ended = self.read(&mut chunk)?;
            if let Some(response) = parse(&self.received, ended)? {
                let taken = take(&response);
                self.received.clear();
                return Ok(taken);
            }
            ensure!(!ended, "the gateway closed the connection");
        }
    }

    /// Reads once; true at the end of the stream.
    fn read(&mut self, chunk: &mut [u8]) -> anyhow::Result<bool> {
        let count = self.stream.read(chunk)?;
        self.received.extend_from_slice(&chunk[..count]);
        Ok(count == 0)
    }
}

impl Service for Door {
    type Caller = Connection;

    fn open(&self) -> anyhow::Result<Connection> {
        Connection::open(self)
    }

    fn send(&self, caller: &mut Connection, number: u64) -> anyhow::Result<()> {
        caller.send(self, number)
    }

    fn receive(&self, caller: &mut Connection, chunk: &mut [u8]) -> anyhow::Result<Option<(Answer, bool)>> {
        caller.receive(self, chunk)
    }

    fn close(&self, caller: Connection) {
        caller.close(self);
    }
}

impl AsFd for Connection {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}

fn connect(door: &Door) -> anyhow::Result<TcpStream> {
    let stream = TcpStream::connect(("127.0.0.1", door.port))?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    Ok(stream)
}
