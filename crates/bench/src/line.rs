//! One keep-alive connection to a gateway on this machine, for clients that look into every answer.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use anyhow::{Context, ensure};

use crate::load::http::parse;
use crate::load::{META, MODERN};

/// One connection that stays open.
pub(crate) struct Line {
    stream: TcpStream,
    port: u16,
    received: Vec<u8>,
}

/// One whole answer.
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) session: Option<String>,
    /// The connection cannot be used again.
    pub(crate) close: bool,
    pub(crate) body: Vec<u8>,
}

impl Line {
    /// Connects; one answer may take as long as `patience`.
    pub(crate) fn open(port: u16, patience: Duration) -> anyhow::Result<Self> {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).context("connecting to the gateway")?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(patience))?;
        stream.set_write_timeout(Some(patience))?;
        Ok(Self { stream, port, received: Vec::new() })
    }

    /// Posts one message to the MCP endpoint without waiting. Each line of `headers` ends in CR LF.
    pub(crate) fn send(&mut self, body: &str, headers: &str) -> anyhow::Result<()> {
        let (port, length) = (self.port, body.len());
        let request = format!(
            "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\n{headers}Content-Length: {length}\r\n\r\n{body}"
        );
        self.received.clear();
        Ok(self.stream.write_all(request.as_bytes())?)
    }

    /// Calls a tool as a modern client does, without waiting. `arguments` is the JSON of an object.
    pub(crate) fn call(&mut self, id: u64, tool: &str, arguments: &str) -> anyhow::Result<()> {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments},{META}}}}}"#
        );
        let headers =
            format!("Mcp-Protocol-Version: {MODERN}\r\nMcp-Method: tools/call\r\nMcp-Name: {tool}\r\n");
        self.send(&body, &headers)
    }

    /// Reads once; the answer, when it is whole.
    pub(crate) fn receive(&mut self, chunk: &mut [u8]) -> anyhow::Result<Option<Reply>> {
        let count = self.stream.read(chunk).context("reading the answer")?;
        self.received.extend_from_slice(&chunk[..count]);
        let Some(response) = parse(&self.received, count == 0)? else {
            ensure!(count > 0, "the gateway closed the connection");
            return Ok(None);
        };
        let (status, session, close) = (response.status, response.session, response.close);
        let body = response.body.into_owned();
        self.received.clear();
        Ok(Some(Reply { status, session, close, body }))
    }

    /// Waits for the answer to what was sent.
    pub(crate) fn wait(&mut self) -> anyhow::Result<Reply> {
        let mut chunk = [0; 1 << 14];
        loop {
            if let Some(reply) = self.receive(&mut chunk)? {
                return Ok(reply);
            }
        }
    }
}

impl AsFd for Line {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}
