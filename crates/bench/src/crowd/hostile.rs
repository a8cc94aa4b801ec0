//! Clients that mean no good: each kind is a beginning, and a piece that is sent again and again.

use std::collections::BTreeMap;
use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// One kind of hostile client.
pub(super) struct Attack {
    pub(super) name: &'static str,
    /// How many there are at once.
    lines: usize,
    head: &'static str,
    /// Makes what follows again and again.
    piece: fn() -> Vec<u8>,
    /// Time between two pieces of one client.
    pause: Duration,
    /// Never looks at what comes back.
    deaf: bool,
}

/// Asks for the stream of events.
const EVENTS: &str = "GET /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n";

/// What a client that never reads has room for, so that the gateway feels it soon.
const ROOM: usize = 4096;

/// All kinds, and beside the last one those that do read. The pauses keep each of them within what one processor does on the side.
pub(super) const ATTACKS: [Attack; 6] = [
    Attack {
        name: "500 heads, byte by byte",
        lines: 500,
        head: "POST /mcp/call HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ",
        piece: || b"x".to_vec(),
        pause: Duration::from_millis(200),
        deaf: false,
    },
    Attack {
        name: "500 bodies, byte by byte",
        lines: 500,
        head: "POST /mcp/call HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n\
               Content-Length: 100000\r\n\r\n{\"server\":\"",
        piece: || b"x".to_vec(),
        pause: Duration::from_millis(200),
        deaf: false,
    },
    Attack {
        name: "16 heads without an end",
        lines: 16,
        head: "POST /mcp/call HTTP/1.1\r\nHost: 127.0.0.1\r\n",
        piece: || format!("X-More: {}\r\n", "x".repeat(8000)).into_bytes(),
        pause: Duration::from_millis(10),
        deaf: false,
    },
    Attack {
        name: "16 bodies without an end",
        lines: 16,
        head: "POST /mcp/call HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n\
               Transfer-Encoding: chunked\r\n\r\n",
        piece: || format!("4000\r\n{}\r\n", "x".repeat(0x4000)).into_bytes(),
        pause: Duration::from_millis(10),
        deaf: false,
    },
    Attack {
        name: "200 readers of /api/events",
        lines: 200,
        head: EVENTS,
        piece: Vec::new,
        pause: Duration::from_millis(50),
        deaf: false,
    },
    Attack {
        name: "200 readers of /api/events that never read",
        lines: 200,
        head: EVENTS,
        piece: Vec::new,
        pause: Duration::from_secs(1),
        deaf: true,
    },
];

/// What became of them.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) opened: u64,
    /// Those that the gateway closed.
    pub(super) ended: u64,
    /// What the gateway answered, by status.
    pub(super) answers: BTreeMap<u16, u64>,
    pub(super) bytes: u64,
}

/// One hostile client.
struct Line {
    stream: TcpStream,
    /// What is left of the piece that is being sent.
    rest: Vec<u8>,
    due: Instant,
    /// The beginning of what came back.
    received: Vec<u8>,
    answered: bool,
}

impl Attack {
    /// How long it goes on before anything is counted. What is sent to clients that never read fills the
    /// buffers of the system first.
    pub(super) fn warmup(&self) -> Duration {
        Duration::from_millis(if self.deaf { 6000 } else { 500 })
    }

    /// Goes on until it is told to stop. A client that was thrown out comes back.
    pub(super) fn run(&self, port: u16, stop: &AtomicBool) -> anyhow::Result<Tally> {
        let mut tally = Tally::default();
        let mut lines =
            (0..self.lines).map(|_| self.open(port, &mut tally)).collect::<Result<Vec<_>, _>>()?;
        while !stop.load(Ordering::Relaxed) {
            let now = Instant::now();
            for line in lines.iter_mut().filter(|line| line.due <= now) {
                line.due = now + self.pause;
                if self.go_on(line, &mut tally) {
                    continue;
                }
                tally.ended += 1;
                *line = self.open(port, &mut tally)?;
            }
            thread::sleep(Duration::from_millis(2));
        }
        Ok(tally)
    }

    fn open(&self, port: u16, tally: &mut Tally) -> std::io::Result<Line> {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
        stream.set_nonblocking(true)?;
        if self.deaf {
            rustix::net::sockopt::set_socket_recv_buffer_size(&stream, ROOM)?;
        }
        tally.opened += 1;
        let due = Instant::now() + self.pause.mul_f64((tally.opened % 16) as f64 / 16.0);
        Ok(Line { stream, rest: self.head.as_bytes().to_vec(), due, received: Vec::new(), answered: false })
    }

    /// Sends as much as the gateway takes, and looks at what it says; false when it hung up.
    fn go_on(&self, line: &mut Line, tally: &mut Tally) -> bool {
        if line.rest.is_empty() {
            line.rest = (self.piece)();
        }
        if !line.rest.is_empty() {
            match line.stream.write(&line.rest) {
                Ok(sent) => {
                    tally.bytes += sent as u64;
                    line.rest.drain(..sent);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(_) => {
                    line.listen(tally);
                    return false;
                }
            }
        }
        self.deaf || line.listen(tally)
    }
}

impl Line {
    /// Reads what is there, and counts the answer; false at the end.
    fn listen(&mut self, tally: &mut Tally) -> bool {
        let mut chunk = [0; 4096];
        let open = loop {
            match self.stream.read(&mut chunk) {
                Ok(0) => break false,
                Ok(_) if self.answered => {}
                Ok(count) => self.received.extend_from_slice(&chunk[..count]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break true,
                Err(_) => break false,
            }
        };
        let status = self.received.strip_prefix(b"HTTP/1.1 ").and_then(|rest| rest.get(..3));
        if let Some(status) = status.and_then(|digits| str::from_utf8(digits).ok()?.parse().ok()) {
            *tally.answers.entry(status).or_default() += 1;
            self.answered = true;
            self.received.clear();
        }
        open
    }
}
