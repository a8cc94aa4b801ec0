//! A small HTTP/1.1 client: one connection per request, nothing hidden.

use crate::Reply;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(60);

/// The address of one gateway.
#[derive(Clone, Copy, Debug)]
pub struct Http {
    /// The port on loopback.
    pub port: u16,
    /// The key that every request brings.
    pub key: Option<&'static str>,
}

/// One request.
#[derive(Clone, Debug)]
pub struct Request {
    /// The method.
    pub method: String,
    /// Path and query.
    pub path: String,
    /// Headers besides `Connection` and `Content-Length`; without a `Host` it is loopback.
    pub headers: Vec<(String, String)>,
    /// The body; `None` sends no `Content-Length`.
    pub body: Option<Vec<u8>>,
}

impl Request {
    /// A request without a body.
    pub fn new(method: &str, path: &str) -> Self {
        Self { method: method.into(), path: path.into(), headers: Vec::new(), body: None }
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Sets the body and its type; an empty type sends no header.
    #[must_use]
    pub fn body(mut self, content_type: &str, bytes: impl Into<Vec<u8>>) -> Self {
        if !content_type.is_empty() {
            self = self.header("Content-Type", content_type);
        }
        self.body = Some(bytes.into());
        self
    }

    fn bytes(&self, key: Option<&str>) -> Vec<u8> {
        let mut text = format!("{} {} HTTP/1.1\r\nConnection: close\r\n", self.method, self.path);
        if let Some(key) = key {
            text.push_str(&format!("Authorization: Bearer {key}\r\n"));
        }
        if !self.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            text.push_str("Host: 127.0.0.1\r\n");
        }
        for (name, value) in &self.headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        if let Some(body) = &self.body {
            text.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        text.push_str("\r\n");
        let mut bytes = text.into_bytes();
        bytes.extend(self.body.iter().flatten());
        bytes
    }
}

impl Http {
    /// The gateway at that port of loopback.
    pub fn at(port: u16) -> Self {
        Self { port, key: None }
    }

    /// The same with a key, which every request brings.
    #[must_use]
    pub fn with_key(self, key: &str) -> Self {
        Self { key: Some(key.to_owned().leak()), ..self }
    }

    /// Opens a connection.
    pub fn connect(&self) -> io::Result<TcpStream> {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port))?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        Ok(stream)
    }

    /// Sends a request and leaves its answer unread; dropping the connection hangs up.
    pub fn begin(&self, request: &Request) -> io::Result<TcpStream> {
        let mut stream = self.connect()?;
        stream.write_all(&request.bytes(self.key))?;
        Ok(stream)
    }

    /// Sends exactly these bytes and gives everything that comes back until the connection ends.
    pub fn raw(&self, bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut stream = self.connect()?;
        // An answer may come before the whole request is written; the reading tells.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        match stream.read_to_end(&mut answer) {
            Err(error) if answer.is_empty() => Err(error),
            _ => Ok(answer),
        }
    }

    /// Sends a request; an error when there is no complete HTTP answer.
    pub fn try_send(&self, request: &Request) -> io::Result<Reply> {
        let start = Instant::now();
        let answer = self.raw(&request.bytes(self.key))?;
        // The answer to HEAD has the headers of a body, and no body.
        let mut reply = parse(&answer, request.method != "HEAD")
            .ok_or_else(|| io::Error::other(format!("no answer: {}", String::from_utf8_lossy(&answer))))?;
        reply.elapsed = start.elapsed();
        Ok(reply)
    }

    /// Sends a request.
    #[track_caller]
    pub fn send(&self, request: &Request) -> Reply {
        self.try_send(request).unwrap_or_else(|e| panic!("{} {}: {e}", request.method, request.path))
    }

    /// Sends a request on a thread of its own.
    pub fn send_later(&self, request: Request) -> JoinHandle<io::Result<Reply>> {
        let http = *self;
        std::thread::spawn(move || http.try_send(&request))
    }
}

/// Reads an HTTP answer from its bytes.
fn parse(bytes: &[u8], has_body: bool) -> Option<Reply> {
    let end = find(bytes, b"\r\n\r\n")?;
    let head = std::str::from_utf8(&bytes[..end]).ok()?;
    let mut lines = head.split("\r\n");
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let headers: BTreeMap<String, String> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let rest = &bytes[end + 4..];
    let body = match headers.get("content-length") {
        _ if !has_body => Vec::new(),
        Some(length) => rest.get(..length.parse().ok()?)?.to_vec(),
        None if headers.get("transfer-encoding").is_some_and(|v| v == "chunked") => unchunk(rest)?,
        None => rest.to_vec(),
    };
    let json = serde_json::from_slice(&body).unwrap_or(Value::Null);
    Some(Reply { status, headers, body: json, bytes: body, elapsed: Duration::ZERO })
}

fn unchunk(mut rest: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let end = find(rest, b"\r\n")?;
        let size = std::str::from_utf8(&rest[..end]).ok()?.split(';').next()?.trim();
        let size = usize::from_str_radix(size, 16).ok()?;
        if size == 0 {
            return Some(body);
        }
        rest = &rest[end + 2..];
        body.extend_from_slice(rest.get(..size)?);
        rest = rest.get(size + 2..)?;
    }
}

fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    bytes.windows(needle.len()).position(|window| window == needle)
}
