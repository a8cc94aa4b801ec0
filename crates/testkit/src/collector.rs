//! A collector of traces: takes OTLP over HTTP, as JSON, and keeps every span.

use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

/// One request that a collector took.
#[derive(Clone, Debug)]
struct Taken {
    path: String,
    headers: Vec<(String, String)>,
    body: Value,
}

/// A collector on a port of its own, until the test ends.
pub struct Collector {
    port: u16,
    taken: Arc<Mutex<Vec<Taken>>>,
}

impl Collector {
    /// Begins to listen.
    #[track_caller]
    pub fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let taken = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&taken);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let request = answer(stream);
                kept.lock().unwrap_or_else(PoisonError::into_inner).extend(request);
            }
        });
        Self { port, taken }
    }

    /// Its address.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Every span so far.
    pub fn spans(&self) -> Vec<Value> {
        let list = |value: &Value, name: &str| value[name].as_array().cloned().unwrap_or_default();
        let resources = self.all().into_iter().flat_map(|taken| list(&taken.body, "resourceSpans"));
        let scopes = resources.flat_map(|resource| list(&resource, "scopeSpans"));
        scopes.flat_map(|scope| list(&scope, "spans")).collect()
    }

    /// Waits for so many spans of one trace.
    #[track_caller]
    pub fn wait_for(&self, trace: &str, count: usize) -> Vec<Value> {
        crate::eventually(&format!("{count} spans of the trace {trace}"), || {
            let spans: Vec<Value> =
                self.spans().into_iter().filter(|span| span["traceId"] == trace).collect();
            (spans.len() >= count).then_some(spans)
        })
    }

    /// The paths that were posted to, and the values of one header.
    pub fn posted(&self, header: &str) -> Vec<(String, Option<String>)> {
        let value =
            |taken: &Taken| taken.headers.iter().find(|(name, _)| name == header).map(|(_, v)| v.clone());
        self.all().iter().map(|taken| (taken.path.clone(), value(taken))).collect()
    }

    fn all(&self) -> Vec<Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Reads one request and answers it.
fn answer(stream: TcpStream) -> Option<Taken> {
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    reader.read_line(&mut first).ok()?;
    let path = first.split(' ').nth(1)?.to_owned();
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length")?.1.parse().ok()?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let reply = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}";
    reader.get_mut().write_all(reply.as_bytes()).ok()?;
    Some(Taken { path, headers, body: serde_json::from_slice(&body).ok()? })
}
