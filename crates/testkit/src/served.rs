//! A small HTTP server for tests: one thread per connection, one request per connection, everything kept.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

/// One request as it came.
#[derive(Clone, Debug, Default)]
pub struct Received {
    /// The method.
    pub method: String,
    /// The path without its query.
    pub path: String,
    /// The query.
    pub query: String,
    /// Header names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body as text.
    pub body: String,
}

impl Received {
    /// One header; empty when absent.
    pub fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(own, _)| own == name).map_or("", |(_, value)| value)
    }

    /// One value of the query, or of a form; empty when absent.
    pub fn value(&self, name: &str) -> String {
        let pairs = self.query.split('&').chain(self.body.split('&'));
        let found = pairs.filter_map(|pair| pair.split_once('=')).find(|(own, _)| *own == name);
        found.map(|(_, value)| unescape(value)).unwrap_or_default()
    }
}

/// What is answered: a status, headers and a body.
pub struct Answered {
    /// The status.
    pub status: u16,
    /// Headers besides those of the body.
    pub headers: Vec<(String, String)>,
    /// The body, as JSON.
    pub body: String,
}

impl Answered {
    /// JSON with a status.
    pub fn json(status: u16, body: &serde_json::Value) -> Self {
        Self { status, headers: Vec::new(), body: body.to_string() }
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }
}

/// A server on a port of its own, until the test ends.
#[derive(Clone)]
pub struct Served {
    port: u16,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Served {
    /// Begins to listen; the handler gets each request and the address of the server.
    #[track_caller]
    pub fn start(handler: impl Fn(&Received, &str) -> Answered + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let received: Arc<Mutex<Vec<Received>>> = Arc::default();
        let (kept, handler) = (Arc::clone(&received), Arc::new(handler));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (kept, handler) = (Arc::clone(&kept), Arc::clone(&handler));
                std::thread::spawn(move || {
                    let mut reader = BufReader::new(stream);
                    while let Some(request) = read(&mut reader) {
                        kept.lock().unwrap_or_else(PoisonError::into_inner).push(request.clone());
                        let answer = handler(&request, &format!("http://127.0.0.1:{port}"));
                        if write(reader.get_mut(), &answer).is_none()
                            || request.header("connection") == "close"
                        {
                            return;
                        }
                    }
                });
            }
        });
        Self { port, received }
    }

    /// Its address.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Everything that came so far for a path.
    pub fn received(&self, path: &str) -> Vec<Received> {
        let all = self.received.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().filter(|one| one.path == path).cloned().collect()
    }

    /// Everything that came so far.
    pub fn all(&self) -> Vec<Received> {
        self.received.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn read(reader: &mut BufReader<TcpStream>) -> Option<Received> {
    let mut first = String::new();
    reader.read_line(&mut first).ok()?;
    let mut words = first.split(' ');
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let mut body = vec![0; length.and_then(|(_, value)| value.parse().ok()).unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    let body = String::from_utf8_lossy(&body).into_owned();
    Some(Received { method, path: path.to_owned(), query: query.to_owned(), headers, body })
}

fn write(stream: &mut TcpStream, answer: &Answered) -> Option<()> {
    let mut head = format!("HTTP/1.1 {} Answer\r\nContent-Length: {}\r\n", answer.status, answer.body.len());
    if !answer.body.is_empty() {
        head.push_str("Content-Type: application/json\r\n");
    }
    for (name, value) in &answer.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    stream.write_all(format!("{head}\r\n{}", answer.body).as_bytes()).ok()
}

/// A value of a form as it was meant.
pub fn unescape(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let hex = || u8::from_str_radix(std::str::from_utf8(after.get(..2)?).ok()?, 16).ok();
        match (first, (*first == b'%').then(hex).flatten()) {
            (_, Some(byte)) => {
                bytes.push(byte);
                rest = &after[2..];
                continue;
            }
            (b'+', None) => bytes.push(b' '),
            (byte, None) => bytes.push(*byte),
        }
        rest = after;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
