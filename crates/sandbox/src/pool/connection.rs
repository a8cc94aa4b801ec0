//! The gateway's side of the socket to one worker. What comes over it is not trusted.

use super::known::{Known, News};
use crate::wire::{self, Answer, Ask, Frame, Head, LENGTHS, Malformed, Reply, Writer};
use crate::{Host, Step};
use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};
use std::io::{self, IoSlice};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;

/// How many questions a worker may put during one job.
const MOST_ASKED: usize = 4096;

/// The largest message besides what a job may hand back.
const SMALL: usize = 1 << 20;

/// A worker did not do its job.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Lost {
    #[error("the worker ended in the middle of a job")]
    Ended(#[from] io::Error),
    #[error("the worker broke the protocol")]
    Broken(#[from] Malformed),
    #[error("the worker did not answer in time")]
    Late,
    #[error("the message is too large for a worker")]
    TooLarge,
}

/// A worker and the socket to it.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: UnixStream,
    worker: process::Worker,
    known: Known,
    buffer: Vec<u8>,
    jobs: u64,
    since: Instant,
    resting: Instant,
}

impl Connection {
    /// Starts a worker and waits until it is ready.
    pub(crate) async fn open(launcher: &process::Launcher, name: &str) -> io::Result<Self> {
        let (worker, stream) = launcher.worker(name)?;
        stream.set_nonblocking(true)?;
        let stream = UnixStream::from_std(stream)?;
        let now = Instant::now();
        let buffer = Vec::with_capacity(4096);
        let known = Known::default();
        let mut connection = Self { stream, worker, known, buffer, jobs: 0, since: now, resting: now };
        let error = match connection.receive(SMALL).await {
            Ok(Reply::Ready) => return Ok(connection),
            Ok(_) => io::Error::other(Malformed),
            Err(Lost::Ended(error)) => error,
            Err(error) => io::Error::other(error),
        };
        connection.worker.kill();
        Err(error)
    }

    pub(crate) const fn worker(&self) -> &process::Worker {
        &self.worker
    }

    pub(crate) const fn jobs(&self) -> u64 {
        self.jobs
    }

    pub(crate) const fn since(&self) -> Instant {
        self.since
    }

    /// Begins to be idle.
    pub(crate) fn rest(&mut self) {
        self.resting = Instant::now();
    }

    /// How long it has been idle.
    pub(crate) fn rested(&self) -> Duration {
        self.resting.elapsed()
    }

    /// Whether an idle worker is still there: one that ended, or speaks unasked, is not.
    pub(crate) fn is_alive(&self) -> bool {
        // Asked of the system, because the runtime may not have heard of its end yet.
        let look = RecvFlags::PEEK | RecvFlags::DONTWAIT;
        matches!(recv(&self.stream, &mut [0; 1], look), Err(Errno::AGAIN))
    }

    /// Notes that these steps run next, and tells what the worker must be told for it.
    pub(crate) fn learn(&mut self, steps: &[Step]) -> News {
        self.known.learn(steps)
    }

    /// Sends one message and waits for what comes of it, answering what scripts ask meanwhile.
    pub(crate) async fn exchange(
        &mut self,
        message: Writer,
        most: usize,
        host: &dyn Host,
    ) -> Result<Reply, Lost> {
        self.jobs += 1;
        self.send(message).await?;
        for _ in 0..MOST_ASKED {
            let answer = match self.receive(most.saturating_add(SMALL)).await? {
                Reply::Ask(Ask::IsKey(token)) => Answer { yes: host.is_key(&token), text: None },
                Reply::Ask(Ask::ServerInfo(id)) => Answer { yes: false, text: host.server_info(&id) },
                Reply::Ready => return Err(Malformed.into()),
                reply => return Ok(reply),
            };
            self.send(wire::answer(&answer)).await?;
        }
        Err(Malformed.into())
    }

    /// Sends one message, in one call of the system when there is room for it.
    async fn send(&mut self, message: Writer) -> io::Result<()> {
        let (head, body) = message.pieces();
        let sent = match self.stream.try_write_vectored(&[IoSlice::new(&head), IoSlice::new(&body)]) {
            Ok(sent) => sent,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => 0,
            Err(error) => return Err(error),
        };
        if sent < head.len() {
            self.stream.write_all(&head[sent..]).await?;
        }
        let rest = sent.saturating_sub(head.len());
        if rest < body.len() {
            self.stream.write_all(&body[rest..]).await?;
        }
        Ok(())
    }

    async fn receive(&mut self, most: usize) -> Result<Reply, Lost> {
        self.buffer.clear();
        self.fill(LENGTHS).await?;
        let lengths = self.buffer.first_chunk::<LENGTHS>().ok_or(Malformed)?;
        let head = Head::parse(*lengths, most)?;
        let end = LENGTHS + head.len();
        self.fill(end).await?;
        if self.buffer.len() != end {
            return Err(Malformed.into());
        }
        let reply = Reply::parse(Frame::new(head, &self.buffer[LENGTHS..])?)?;
        if self.buffer.capacity() > SMALL {
            self.buffer = Vec::with_capacity(4096);
        }
        Ok(reply)
    }

    /// Reads until there are at least this many bytes.
    async fn fill(&mut self, least: usize) -> io::Result<()> {
        while self.buffer.len() < least {
            let missing = least - self.buffer.len();
            // Grows with what arrives, not with what a length promises.
            self.buffer.reserve(missing.clamp(1024, 64 << 10));
            if self.stream.read_buf(&mut self.buffer).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(())
    }
}
