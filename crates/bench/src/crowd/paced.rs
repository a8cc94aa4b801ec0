//! Calls at a set pace over many connections, each of which has one call in flight at most.
//!
//! The pace does not wait for answers: when every connection is busy, a call is not made and counted as missed.

use std::collections::VecDeque;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use rustix::buffer::spare_capacity;
use rustix::event::{Timespec, epoll};

use crate::load::{Answer, Connection, Door, Service, watch};

/// How long calls may take that are still in flight at the end.
const DRAIN: Duration = Duration::from_secs(10);

/// Calls that are sent before answers are looked at.
const BURST: u64 = 64;

/// How long to wait for answers when no call is due.
const PAUSE: Duration = Duration::from_micros(200);

/// Many connections to one door.
pub(super) struct Crowd<'a> {
    door: &'a Door,
    epoll: OwnedFd,
    callers: Vec<Caller>,
    /// Those with no call in flight; the one that has waited longest is first.
    free: VecDeque<usize>,
    number: u64,
    chunk: Vec<u8>,
}

struct Caller {
    connection: Connection,
    sent: Option<Instant>,
}

/// What was sent, and what came of it.
#[derive(Default)]
pub(super) struct Flow {
    pub(super) seconds: f64,
    pub(super) sent: u64,
    /// Calls that no connection was free for.
    pub(super) missed: u64,
    /// Calls that the gateway refused because there were too many.
    pub(super) shed: u64,
    pub(super) errors: u64,
    /// Connections that the gateway closed while nothing was asked.
    pub(super) closed: u64,
    /// Microseconds of every call that was served.
    pub(super) served: Vec<u32>,
    /// The first error.
    pub(super) trouble: Option<String>,
}

impl Flow {
    /// Both, one after the other.
    pub(super) fn join(mut self, next: Self) -> Self {
        self.seconds += next.seconds;
        self.sent += next.sent;
        self.missed += next.missed;
        self.shed += next.shed;
        self.errors += next.errors;
        self.closed += next.closed;
        self.served.extend(next.served);
        self.trouble = self.trouble.or(next.trouble);
        self
    }

    fn note(&mut self, answer: Answer, took: Duration) {
        match answer {
            Answer::Right | Answer::Aside => {
                self.served.push(u32::try_from(took.as_micros()).unwrap_or(u32::MAX));
            }
            Answer::Refused(why) if why.starts_with("429 ") || why.starts_with("503 ") => self.shed += 1,
            Answer::Refused(why) | Answer::Wrong(why) => self.fail(why),
        }
    }

    fn fail(&mut self, why: String) {
        self.errors += 1;
        self.trouble.get_or_insert(why);
    }
}

impl<'a> Crowd<'a> {
    /// Opens so many connections.
    pub(super) fn open(door: &'a Door, count: usize) -> anyhow::Result<Self> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let mut callers = Vec::with_capacity(count);
        for index in 0..count {
            let connection = door.open()?;
            watch(&epoll, &connection, index)?;
            callers.push(Caller { connection, sent: None });
        }
        Ok(Self { door, epoll, callers, free: (0..count).collect(), number: 0, chunk: vec![0; 1 << 16] })
    }

    /// Sends so many calls per second for this long, and waits for the last answers.
    pub(super) fn run(&mut self, rate: f64, time: Duration) -> anyhow::Result<Flow> {
        let (began, mut flow, mut due) = (Instant::now(), Flow::default(), 0_u64);
        while began.elapsed() < time {
            let asked = (began.elapsed().as_secs_f64() * rate) as u64;
            // A generator that has fallen behind looks at answers now and then.
            let burst = asked.saturating_sub(due).min(BURST).min(self.free.len() as u64);
            for _ in 0..burst {
                self.send(&mut flow)?;
            }
            due += burst;
            if self.free.is_empty() {
                flow.missed += asked.saturating_sub(due);
                due = due.max(asked);
            }
            let rest = if due < asked { Duration::ZERO } else { PAUSE };
            self.wait(rest, &mut flow)?;
        }
        flow.seconds = began.elapsed().as_secs_f64();
        let end = Instant::now() + DRAIN;
        while self.free.len() < self.callers.len() && Instant::now() < end {
            self.wait(Duration::from_millis(10), &mut flow)?;
        }
        flow.errors += (self.callers.len() - self.free.len()) as u64;
        Ok(flow)
    }

    fn send(&mut self, flow: &mut Flow) -> anyhow::Result<()> {
        let Some(index) = self.free.pop_front() else { return Ok(()) };
        self.number += 1;
        flow.sent += 1;
        let caller = &mut self.callers[index];
        caller.sent = Some(Instant::now());
        if let Err(error) = self.door.send(&mut caller.connection, self.number) {
            flow.fail(error.to_string());
            self.reopen(index)?;
        }
        Ok(())
    }

    fn wait(&mut self, time: Duration, flow: &mut Flow) -> anyhow::Result<()> {
        let mut events = Vec::with_capacity(1024);
        let timeout = Timespec { tv_sec: time.as_secs() as i64, tv_nsec: time.subsec_nanos().into() };
        match epoll::wait(&self.epoll, spare_capacity(&mut events), Some(&timeout)) {
            Err(rustix::io::Errno::INTR) => return Ok(()),
            other => other?,
        };
        events.drain(..).try_for_each(|event| self.receive(event.data.u64() as usize, flow))
    }

    fn receive(&mut self, index: usize, flow: &mut Flow) -> anyhow::Result<()> {
        let caller = &mut self.callers[index];
        let Some(sent) = caller.sent else {
            flow.closed += 1;
            self.free.retain(|free| *free != index);
            return self.reopen(index);
        };
        match self.door.receive(&mut caller.connection, &mut self.chunk) {
            Ok(None) => Ok(()),
            Ok(Some((answer, close))) => {
                flow.note(answer, sent.elapsed());
                if close {
                    return self.reopen(index);
                }
                caller.sent = None;
                self.free.push_back(index);
                Ok(())
            }
            Err(error) => {
                flow.fail(error.to_string());
                self.reopen(index)
            }
        }
    }

    /// Puts a fresh connection in the place of one that is spent.
    fn reopen(&mut self, index: usize) -> anyhow::Result<()> {
        let connection = self.door.open()?;
        watch(&self.epoll, &connection, index)?;
        self.callers[index] = Caller { connection, sent: None };
        self.free.push_back(index);
        Ok(())
    }
}
