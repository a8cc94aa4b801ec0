//! A stream of server-sent events, read as it comes.

use crate::{Http, Request};
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// How long an event is waited for.
const PATIENCE: Duration = Duration::from_secs(20);

/// One event.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The name; `message` where the stream gives none.
    pub name: String,
    /// The data.
    pub data: String,
    /// The id, where the stream gives one.
    pub id: Option<String>,
}

/// An open answer. Dropping it hangs up.
pub struct Events {
    /// The HTTP status.
    pub status: u16,
    /// Header names in lower case.
    pub headers: BTreeMap<String, String>,
    stream: BufReader<TcpStream>,
    text: String,
    ready: VecDeque<Event>,
    last_id: Option<String>,
}

impl Events {
    /// Sends a request and reads the head of its answer.
    #[track_caller]
    pub fn open(http: Http, request: &Request) -> Self {
        let mut stream = BufReader::new(http.begin(request).expect("the gateway takes requests"));
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            stream.read_line(&mut line).expect("the gateway answers");
            match line.trim_end() {
                "" => break,
                line => lines.push(line.to_owned()),
            }
        }
        let status = lines.first().and_then(|line| line.split(' ').nth(1)?.parse().ok()).unwrap_or(0);
        let headers = lines.iter().skip(1).filter_map(|line| line.split_once(':'));
        let headers = headers.map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()));
        let (headers, text, ready) = (headers.collect(), String::new(), VecDeque::new());
        Self { status, headers, stream, text, ready, last_id: None }
    }

    /// The next event; `None` when the stream has ended.
    #[track_caller]
    pub fn event(&mut self) -> Option<Event> {
        self.event_within(PATIENCE).unwrap_or_else(|| panic!("no event within {PATIENCE:?}"))
    }

    /// The id of the last event that was taken from the stream, where it had one.
    pub fn last_id(&self) -> &str {
        self.last_id.as_deref().unwrap_or_default()
    }

    /// The next event as a JSON-RPC message.
    #[track_caller]
    pub fn message(&mut self) -> Value {
        let event = self.event().expect("the stream goes on");
        serde_json::from_str(&event.data).unwrap_or_else(|e| panic!("{e} in {event:?}"))
    }

    /// Messages up to the first of that method, which is the last of them.
    #[track_caller]
    pub fn until(&mut self, method: &str) -> Value {
        loop {
            let message = self.message();
            if message["method"] == method {
                return message;
            }
        }
    }

    /// Messages up to the reply with that id, which is the last of them.
    #[track_caller]
    pub fn reply(&mut self, id: u64) -> Value {
        loop {
            let message = self.message();
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
        }
    }

    /// Whether an event comes within this time: `None` when none does, `Some(None)` when the stream ends.
    pub fn event_within(&mut self, time: Duration) -> Option<Option<Event>> {
        let end = Instant::now() + time;
        loop {
            if let Some(event) = self.ready.pop_front() {
                self.last_id = event.id.clone().or(self.last_id.take());
                // One without data only tells where to come back to.
                if event.data.is_empty() {
                    continue;
                }
                return Some(Some(event));
            }
            let left = end.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
            let _ = self.stream.get_ref().set_read_timeout(Some(left));
            match self.chunk() {
                Ok(true) => self.ready.extend(events(&mut self.text)),
                Ok(false) => return Some(None),
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    return None;
                }
                Err(_) => return Some(None),
            }
        }
    }

    /// Reads one chunk of the body; false at its end.
    fn chunk(&mut self) -> std::io::Result<bool> {
        // A chunk arrives whole or not at all within the patience of a test, so only its beginning waits.
        if self.stream.fill_buf()?.is_empty() {
            return Ok(false);
        }
        let _ = self.stream.get_ref().set_read_timeout(Some(PATIENCE));
        let mut size = String::new();
        self.stream.read_line(&mut size)?;
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
        let mut bytes = vec![0; size + 2];
        self.stream.read_exact(&mut bytes)?;
        self.text.push_str(&String::from_utf8_lossy(&bytes[..size]));
        Ok(size > 0)
    }
}

/// The events of a whole body.
pub fn events_in(body: &str) -> Vec<Event> {
    events(&mut body.to_owned())
}

/// Takes the whole events off the beginning of the text; comments are passed over.
fn events(text: &mut String) -> Vec<Event> {
    let mut found = Vec::new();
    while let Some(end) = text.find("\n\n") {
        let block: String = text.drain(..end + 2).collect();
        let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name)).map(str::trim_start);
        if let Some(data) = field("data:") {
            let name = field("event:").unwrap_or("message");
            let id = field("id:").map(ToOwned::to_owned);
            found.push(Event { name: name.to_owned(), data: data.to_owned(), id });
        }
    }
    found
}
