//! One window of load: every connection keeps one call in flight until the window ends.

use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::buffer::spare_capacity;
use rustix::event::{Timespec, epoll};

use super::door::Answer;
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

/// What is called, and how each of its callers does it.
pub(crate) trait Service {
    /// One caller: a socket with at most one call in flight.
    type Caller: AsFd;

    /// Connects.
    fn open(&self) -> anyhow::Result<Self::Caller>;

    /// Sends the next call, which has this number.
    fn send(&self, caller: &mut Self::Caller, number: u64) -> anyhow::Result<()>;

    /// Reads once from the socket; the answer, when it is whole, and whether the connection is spent.
    fn receive(&self, caller: &mut Self::Caller, chunk: &mut [u8]) -> anyhow::Result<Option<(Answer, bool)>>;

    /// Says good-bye.
    fn close(&self, _caller: Self::Caller) {}
}

/// Loads the service as planned.
pub(crate) fn measure<S: Service>(service: &S, plan: &Plan) -> anyhow::Result<Sample> {
    let mut window = Window::open(service, plan)?;
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

struct Window<'a, S: Service> {
    service: &'a S,
    epoll: OwnedFd,
    /// Each with the time of its last call. One whose gateway no longer lets it connect is gone.
    callers: Vec<Option<(S::Caller, Instant)>>,
    in_flight: usize,
    left: u64,
    number: u64,
    latencies: Latencies,
    errors: u64,
    wrong: u64,
    trouble: Option<String>,
    chunk: Vec<u8>,
}

impl<'a, S: Service> Window<'a, S> {
    fn open(service: &'a S, plan: &Plan) -> anyhow::Result<Self> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let mut callers = Vec::with_capacity(plan.connections);
        for index in 0..plan.connections {
            let caller = service.open()?;
            watch(&epoll, &caller, index)?;
            callers.push(Some((caller, Instant::now())));
        }
        Ok(Self {
            service,
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
        let Some((caller, sent)) = self.callers[index].as_mut().filter(|_| self.left > 0) else {
            return Ok(());
        };
        self.left -= 1;
        self.number += 1;
        *sent = Instant::now();
        match self.service.send(caller, self.number) {
            Ok(()) => self.in_flight += 1,
            Err(error) => {
                self.note_error(error.to_string());
                self.reconnect(index)?;
            }
        }
        Ok(())
    }

    fn receive(&mut self, index: usize) -> anyhow::Result<()> {
        let Some((caller, sent)) = &mut self.callers[index] else { return Ok(()) };
        let spent = match self.service.receive(caller, &mut self.chunk) {
            Ok(None) => return Ok(()),
            Ok(Some((answer, close))) => {
                let latency = sent.elapsed();
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
            Answer::Aside => {}
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
        self.callers[index] = match self.service.open() {
            Ok(caller) => {
                watch(&self.epoll, &caller, index)?;
                Some((caller, Instant::now()))
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
        for (caller, _) in self.callers.into_iter().flatten() {
            self.service.close(caller);
        }
        (sample.errors, sample.wrong, sample.trouble) = (self.errors, self.wrong, self.trouble);
        Ok(sample)
    }
}

/// Lets the events of this caller come with its index.
pub(crate) fn watch(epoll: &OwnedFd, caller: &impl AsFd, index: usize) -> anyhow::Result<()> {
    Ok(epoll::add(epoll, caller, epoll::EventData::new_u64(index as u64), epoll::EventFlags::IN)?)
}
