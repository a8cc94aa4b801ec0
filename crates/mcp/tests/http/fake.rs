//! A small HTTP server that answers as a test tells it to, on a port of its own.

use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

/// One request as it came.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    pub(crate) verb: String,
    pub(crate) path: String,
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: Value,
}

impl Seen {
    pub(crate) fn method(&self) -> &str {
        self.body["method"].as_str().unwrap_or_default()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    /// A reply to this request as text.
    pub(crate) fn result(&self, result: &Value) -> String {
        serde_json::json!({"jsonrpc": "2.0", "id": self.body["id"], "result": result}).to_string()
    }
}

/// What a request is answered with.
pub(crate) enum Answer {
    /// A status and a body of that type.
    Whole(u16, &'static str, String),
    /// The same with one more header line.
    With(&'static str, String),
    /// An event stream; each piece is sent as it is.
    Stream(Vec<Piece>),
    /// An event stream fed by the test.
    Feed(mpsc::UnboundedReceiver<String>),
    /// Nothing, ever.
    Silence,
    /// The connection is closed.
    Cut,
}

pub(crate) enum Piece {
    Send(String),
    Wait(Duration),
    /// The stream stays open.
    Stay,
    /// The connection is closed in the middle.
    Cut,
}

pub(crate) fn json(body: String) -> Answer {
    Answer::Whole(200, "application/json", body)
}

pub(crate) fn status(code: u16) -> Answer {
    Answer::Whole(code, "text/plain", "no".into())
}

pub(crate) fn event(data: &str) -> Piece {
    Piece::Send(format!("event: message\ndata: {data}\n\n"))
}

type Script = dyn Fn(&Seen) -> Answer + Send + Sync;

/// The server and everything it has seen.
pub(crate) struct Fake {
    pub(crate) origin: String,
    seen: Arc<Mutex<Vec<Seen>>>,
    listening: tokio::task::JoinHandle<()>,
}

impl Fake {
    pub(crate) async fn start(script: impl Fn(&Seen) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let origin = format!("http://{}", listener.local_addr().expect("bound"));
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (script, log): (Arc<Script>, _) = (Arc::new(script), seen.clone());
        let listening = tokio::spawn(async move {
            let mut connections = tokio::task::JoinSet::new();
            while let Ok((socket, _)) = listener.accept().await {
                connections.spawn(serve(socket, script.clone(), log.clone()));
            }
        });
        Self { origin, seen, listening }
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().expect("unharmed").clone()
    }

    /// The requests with that JSON-RPC method.
    pub(crate) fn with(&self, method: &str) -> Vec<Seen> {
        self.seen().into_iter().filter(|seen| seen.method() == method).collect()
    }

    /// Waits until a request is seen that `test` likes.
    pub(crate) async fn wait(&self, test: impl Fn(&Seen) -> bool) -> Seen {
        for _ in 0..500 {
            if let Some(found) = self.seen().into_iter().find(|seen| test(seen)) {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("not seen within five seconds; seen were {:?}", self.seen());
    }

    /// The port and every connection are closed.
    pub(crate) async fn stop(self) {
        self.listening.abort();
        let _ = self.listening.await;
    }
}

async fn serve(socket: TcpStream, script: Arc<Script>, log: Arc<Mutex<Vec<Seen>>>) {
    let mut socket = BufReader::new(socket);
    while let Some(seen) = request(&mut socket).await {
        log.lock().expect("unharmed").push(seen.clone());
        let answer = script(&seen);
        if answer_with(socket.get_mut(), answer).await.is_none() {
            return;
        }
    }
}

async fn request(socket: &mut BufReader<TcpStream>) -> Option<Seen> {
    let mut line = String::new();
    socket.read_line(&mut line).await.ok().filter(|&n| n > 0)?;
    let mut words = line.split_whitespace().map(str::to_owned);
    let mut seen = Seen { verb: words.next()?, path: words.next()?, ..Seen::default() };
    loop {
        let mut line = String::new();
        socket.read_line(&mut line).await.ok().filter(|&n| n > 0)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        seen.headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = seen.header("content-length").and_then(|n| n.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    socket.read_exact(&mut body).await.ok()?;
    seen.body = serde_json::from_slice(&body).unwrap_or_default();
    Some(seen)
}

async fn answer_with(socket: &mut TcpStream, answer: Answer) -> Option<()> {
    match answer {
        Answer::Whole(code, kind, body) => {
            whole(socket, code, &format!("content-type: {kind}\r\n"), &body).await
        }
        Answer::With(header, body) => {
            whole(socket, 200, &format!("content-type: application/json\r\n{header}\r\n"), &body).await
        }
        Answer::Stream(pieces) => {
            head(socket).await?;
            for piece in pieces {
                match piece {
                    Piece::Send(text) => chunk(socket, &text).await?,
                    Piece::Wait(time) => tokio::time::sleep(time).await,
                    Piece::Stay => std::future::pending().await,
                    Piece::Cut => return None,
                }
            }
            socket.write_all(b"0\r\n\r\n").await.ok()
        }
        Answer::Feed(mut feed) => {
            head(socket).await?;
            while let Some(text) = feed.recv().await {
                chunk(socket, &text).await?;
            }
            None
        }
        Answer::Silence => std::future::pending().await,
        Answer::Cut => None,
    }
}

async fn whole(socket: &mut TcpStream, code: u16, headers: &str, body: &str) -> Option<()> {
    let head = format!("HTTP/1.1 {code} X\r\n{headers}content-length: {}\r\n\r\n", body.len());
    socket.write_all(head.as_bytes()).await.ok()?;
    socket.write_all(body.as_bytes()).await.ok()
}

async fn head(socket: &mut TcpStream) -> Option<()> {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    socket.write_all(head.as_bytes()).await.ok()
}

async fn chunk(socket: &mut TcpStream, text: &str) -> Option<()> {
    socket.write_all(format!("{:x}\r\n{text}\r\n", text.len()).as_bytes()).await.ok()
}
