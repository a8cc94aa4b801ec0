//! One window of load: every connection keeps one call in flight until the window ends.

use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use rustix::buffer::spare_capacity;
use rustix::event::{Timespec, epoll};

use super::connection::Connection;
use super::door::{Answer, Door};
use super::sample::{Latencies, Meter, Sample};
use crate::procfs::Tree;

/// How long calls may take that are still in flight when the window ends.
const DRAIN: Duration = Duration::from_secs(10);
/// The longest a window of so many calls may take.
const LONGEST: Duration = Duration::from_secs(300);

/// How a gateway is loaded.
pub(crate) struct Plan {
    pub(crate) connections: usize,
    /// Load that is not counted. A window of so many calls has none.
    pub(crate) warmup: Duration,
    pub(crate) length: Length,
    /// Root of the gateway's process tree.
    pub(crate) gateway: Option<u32>,
}

/// When a window ends.
#[derive(Clone, Copy)]
pub(crate) enum Length {
    Time(Duration),
    Calls(u64),
}

/// Loads the door as planned.
pub(crate) fn measure(door: &Door, plan: &Plan) -> anyhow::Result<Sample> {
    let mut window = Window::open(door, plan)?;
    let gateway = plan.gateway.map(Tree::of);
    let sample = match plan.length {
        Length::Time(time) => {
            window.start()?;
            window.pump(Instant::now() + plan.warmup)?;
            window.forget();
            let meter = Meter::start(gateway);
            window.pump(Instant::now() + time)?;
            meter.stop(plan.connections, &mut window.latencies)
        }
        Length::Calls(calls) => {
            window.left = calls;
            let meter = Meter::start(gateway);
            window.start()?;
            window.pump(Instant::now() + LONGEST)?;
            meter.stop(plan.connections, &mut window.latencies)
        }
    };
    window.finish(sample)
}

struct Window<'a> {
    door: &'a Door,
    epoll: OwnedFd,
    /// A caller whose gateway no longer lets it connect is gone.
    callers: Vec<Option<Connection>>,
    in_flight: usize,
    left: u64,
    number: u64,
    latencies: Latencies,
    errors: u64,
    wrong: u64,
    trouble: Option<String>,
    chunk: Vec<u8>,
}

impl<'a> Window<'a> {
    fn open(door: &'a Door, plan: &Plan) -> anyhow::Result<Self> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let mut callers = Vec::with_capacity(plan.connections);
        for index in 0..plan.connections {
            let connection = Connection::open(door)?;
            watch(&epoll, &connection, index)?;
            callers.push(Some(connection));
        }
        Ok(Self {
            door,
            epoll,
            callers,
            in_flight: 0,
            left: u64::MAX,
            number: 0,
            latencies: Latencies::default(),
            errors: 0,
            wrong: 0,
            trouble: None,
            chunk: vec![0; 1 << 16],
        })
    }

    fn start(&mut self) -> anyhow::Result<()> {
        (0..self.callers.len()).try_for_each(|index| self.send(index))
    }

    /// Forgets what was counted so far.
    fn forget(&mut self) {
        self.latencies.clear();
        (self.errors, self.wrong, self.trouble) = (0, 0, None);
    }

    /// Takes answers and sends the next calls until that time, or until no call is in flight.
    fn pump(&mut self, until: Instant) -> anyhow::Result<()> {
        let mut events = Vec::with_capacity(self.callers.len());
        while self.in_flight > 0 {
            let Some(rest) = until.checked_duration_since(Instant::now()).filter(|rest| !rest.is_zero())
            else {
                break;
            };
            let timeout = Timespec { tv_sec: rest.as_secs() as i64, tv_nsec: rest.subsec_nanos().into() };
            match epoll::wait(&self.epoll, spare_capacity(&mut events), Some(&timeout)) {
                Err(rustix::io::Errno::INTR) => continue,
                other => other?,
            };
            for event in events.drain(..) {
                self.receive(event.data.u64() as usize)?;
            }
        }
        Ok(())
    }

    fn send(&mut self, index: usize) -> anyhow::Result<()> {
        let Some(connection) = self.callers[index].as_mut().filter(|_| self.left > 0) else { return Ok(()) };
        self.left -= 1;
        self.number += 1;
        match connection.send(self.door, self.number) {
            Ok(()) => self.in_flight += 1,
            Err(error) => {
                self.note_error(error.to_string());
                self.reconnect(index)?;
            }
        }
        Ok(())
    }

    fn receive(&mut self, index: usize) -> anyhow::Result<()> {
        let Some(connection) = &mut self.callers[index] else { return Ok(()) };
        let spent = match connection.receive(self.door, &mut self.chunk) {
            Ok(None) => return Ok(()),
            Ok(Some((answer, close))) => {
                let latency = connection.sent.elapsed();
                self.note(answer, latency);
                close
            }
            Err(error) => {
                self.note_error(error.to_string());
                true
            }
        };
        self.in_flight -= 1;
        if spent {
            self.reconnect(index)?;
        }
        self.send(index)
    }

    fn note(&mut self, answer: Answer, latency: Duration) {
        match answer {
            Answer::Right => self.latencies.push(latency),
            Answer::Refused(why) => self.note_error(why),
            Answer::Wrong(body) => {
                self.wrong += 1;
                self.trouble.get_or_insert(format!("another call's answer: {body}"));
            }
        }
    }

    fn note_error(&mut self, why: String) {
        self.errors += 1;
        self.trouble.get_or_insert(why);
    }

    fn reconnect(&mut self, index: usize) -> anyhow::Result<()> {
        self.callers[index] = match Connection::open(self.door) {
            Ok(connection) => {
                watch(&self.epoll, &connection, index)?;
                Some(connection)
            }
            Err(error) => {
                self.note_error(format!("connecting again: {error}"));
                None
            }
        };
        Ok(())
    }

    /// Lets the calls in flight end, closes the sessions, and adds the mistakes to the sample.
    fn finish(mut self, mut sample: Sample) -> anyhow::Result<Sample> {
        self.left = 0;
        self.pump(Instant::now() + DRAIN)?;
        self.errors += self.in_flight as u64;
        for connection in self.callers.into_iter().flatten() {
            connection.close(self.door);
        }
        (sample.errors, sample.wrong, sample.trouble) = (self.errors, self.wrong, self.trouble);
        Ok(sample)
    }
}

fn watch(epoll: &OwnedFd, connection: &Connection, index: usize) -> anyhow::Result<()> {
    Ok(epoll::add(epoll, connection, epoll::EventData::new_u64(index as u64), epoll::EventFlags::IN)?)
}
