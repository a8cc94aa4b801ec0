//! Server-sent events, read as they come: any line ending, any split into chunks, bounded memory.

use bytes::{Buf, Bytes};

/// One event.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Event {
    /// Its type; empty means `message`.
    pub(super) kind: String,
    /// Its data, lines joined with a newline.
    pub(super) data: Vec<u8>,
}

/// The stream sent more than the limit in one event.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Overrun;

/// The state of a stream between two chunks.
pub(super) struct Events {
    limit: usize,
    line: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    kind: String,
    /// The last chunk ended with a CR, whose LF may still come.
    after_cr: bool,
    first: bool,
    id: Option<String>,
    retry: Option<u64>,
}

impl Events {
    /// Events of at most `limit` bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            data: Vec::new(),
            has_data: false,
            kind: String::new(),
            after_cr: false,
            first: true,
            id: None,
            retry: None,
        }
    }

    /// The id of the last event that had one.
    pub(super) fn last_id(&self) -> Option<&str> {
        self.id.as_deref().filter(|id| !id.is_empty())
    }

    /// Milliseconds to wait before reconnecting, where the server said so.
    pub(super) fn retry(&self) -> Option<u64> {
        self.retry
    }

    /// The next whole event in `input`, which is used up to its end; `None` when more is needed.
    pub(super) fn next(&mut self, input: &mut Bytes) -> Result<Option<Event>, Overrun> {
        while !input.is_empty() {
            if std::mem::take(&mut self.after_cr) && input[0] == b'\n' {
                input.advance(1);
                continue;
            }
            let end = memchr::memchr2(b'\n', b'\r', input);
            let part = &input[..end.unwrap_or(input.len())];
            if self.line.len() + self.data.len() + part.len() > self.limit {
                return Err(Overrun);
            }
            self.line.extend_from_slice(part);
            let Some(end) = end else {
                input.clear();
                break;
            };
            self.after_cr = input[end] == b'\r';
            input.advance(end + 1);
            if let Some(event) = self.end_line() {
                return Ok(Some(event));
            }
        }
        Ok(None)
    }

    fn end_line(&mut self) -> Option<Event> {
        if std::mem::take(&mut self.first) && self.line.starts_with(b"\xEF\xBB\xBF") {
            self.line.drain(..3);
        }
        if self.line.is_empty() {
            return self.dispatch();
        }
        let colon = memchr::memchr(b':', &self.line).unwrap_or(self.line.len());
        let space = usize::from(self.line.get(colon + 1) == Some(&b' '));
        let begin = (colon + 1 + space).min(self.line.len());
        if &self.line[..colon] == b"data" {
            self.add_data(begin);
        } else {
            self.field(colon, begin);
        }
        self.line.clear();
        None
    }

    /// The first line of data becomes the data without a copy.
    fn add_data(&mut self, begin: usize) {
        if self.has_data {
            self.data.push(b'\n');
            self.data.extend_from_slice(&self.line[begin..]);
        } else {
            self.line.drain(..begin);
            std::mem::swap(&mut self.data, &mut self.line);
            self.has_data = true;
        }
    }

    fn field(&mut self, colon: usize, begin: usize) {
        let value = String::from_utf8_lossy(&self.line[begin..]);
        match &self.line[..colon] {
            b"event" => self.kind = value.into_owned(),
            b"id" if !value.contains('\0') => self.id = Some(value.into_owned()),
            b"retry" if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) => {
                self.retry = value.parse().ok().or(self.retry);
            }
            // A comment begins with the colon; other fields mean nothing.
            _ => {}
        }
    }

    /// An event without data is none.
    fn dispatch(&mut self) -> Option<Event> {
        let kind = std::mem::take(&mut self.kind);
        let data = std::mem::take(&mut self.data);
        std::mem::take(&mut self.has_data).then_some(Event { kind, data })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The events of a text as `kind|data`, given whole and byte by byte.
    fn check(text: &str, expected: &[&str]) -> Events {
        let mut last = None;
        for step in [text.len().max(1), 1, 3] {
            let mut events = Events::new(1000);
            let mut found = Vec::new();
            for chunk in text.as_bytes().chunks(step) {
                let mut chunk = Bytes::copy_from_slice(chunk);
                while let Some(event) = events.next(&mut chunk).expect("within the limit") {
                    found.push(format!("{}|{}", event.kind, String::from_utf8_lossy(&event.data)));
                }
            }
            assert_eq!(found, expected, "{text:?} in steps of {step}");
            last = Some(events);
        }
        last.expect("there are steps")
    }

    #[test]
    fn events_are_told_apart_whatever_ends_their_lines() {
        check("data: a\n\ndata: b\r\n\r\ndata: c\r\rdata: d\n\n", &["|a", "|b", "|c", "|d"]);
        check("data: a\r\n\r\n\r\n\r\ndata: b\n\n", &["|a", "|b"]);
        check("\u{FEFF}data: a\n\n", &["|a"]);
        check("data: never ended\n", &[]);
    }

    #[test]
    fn every_field_does_what_the_standard_says() {
        check("event: endpoint\ndata:/m?x=a:b\n\ndata:x\n\n", &["endpoint|/m?x=a:b", "|x"]);
        check("data: a\ndata\ndata:  b\n\n", &["|a\n\n b"]);
        check(": comment\n\n: data: x\n\nevent: ping\n\ndata: a\n\n", &["|a"]);
        check("data:\n\n", &["|"]);
        let events = check("id: 7\nretry: 500\ndata:\n\nid: 8\n\nretry: x\nother: y\n\n", &["|"]);
        assert_eq!((events.last_id(), events.retry()), (Some("8"), Some(500)));
        let events = check("id: 7\n\nid: a\0b\n\nretry\n\n", &[]);
        assert_eq!((events.last_id(), events.retry()), (Some("7"), None));
        assert_eq!(check("id: 7\n\nid\n\n", &[]).last_id(), None);
    }

    #[test]
    fn an_event_beyond_the_limit_is_refused_before_it_is_kept() {
        let overruns = |text: String| {
            let mut events = Events::new(100);
            let mut input = Bytes::from(text);
            loop {
                match events.next(&mut input) {
                    Ok(Some(_)) => {}
                    Ok(None) => return false,
                    Err(Overrun) => return true,
                }
            }
        };
        assert!(!overruns(format!("data: {}\n\n", "x".repeat(94)).repeat(50)));
        assert!(overruns(format!("data: {}\n\n", "x".repeat(95))));
        assert!(overruns("data: 0123456789\n".repeat(20)));
        assert!(overruns("x".repeat(101)));
    }
}
