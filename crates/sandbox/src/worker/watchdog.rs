//! The second thread of a worker: it ends what the engine itself cannot end.
//!
//! The engine's own interruption ends ordinary loops at the deadline. Some of its native functions never
//! ask whether they should go on; then this thread tells the gateway and ends the process. So it does when the
//! gateway has closed its end while a script runs: it is gone, or nobody waits for the script any more. Before it goes
//! to sleep, because there is nothing to do, it has the code given back that lies about.

use super::code::Code;
use super::line::Line;
use crate::wire::Ended;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{Builder, Thread, park, park_timeout};
use std::time::{Duration, Instant};

/// How often it looks while there is work.
const TICK: Duration = Duration::from_millis(10);

/// How long after the deadline it acts: the engine's own interruption goes first.
const GRACE: Duration = Duration::from_millis(25);

/// After so many looks without work it goes to sleep, and costs nothing.
const QUIET: u32 = 50;

/// What shows that nothing can come from the gateway any more. Its end for good shows without being asked for.
#[cfg(target_os = "linux")]
const CLOSED: PollFlags = PollFlags::RDHUP;
#[cfg(not(target_os = "linux"))]
const CLOSED: PollFlags = PollFlags::HUP;

/// The thread that runs scripts arms and disarms it.
#[derive(Clone)]
pub(crate) struct Watchdog {
    watch: Arc<Watch>,
    thread: Thread,
}

struct Watch {
    line: Arc<Line>,
    code: Arc<Code>,
    start: Instant,
    /// When it acts, in microseconds after `start`; 0 is never.
    due: AtomicU64,
    asleep: AtomicBool,
}

impl Watchdog {
    /// Starts the thread, and returns when it has begun and needs no further call of the system to do so.
    pub(crate) fn start(line: Arc<Line>, code: Arc<Code>) -> io::Result<Self> {
        let (due, asleep) = (AtomicU64::new(0), AtomicBool::new(false));
        let watch = Arc::new(Watch { line, code, start: Instant::now(), due, asleep });
        let (begun, wait) = std::sync::mpsc::sync_channel(1);
        let its = Arc::clone(&watch);
        let thread = Builder::new().name("watchdog".into()).stack_size(128 << 10).spawn(move || {
            let _ = begun.send(());
            its.run();
        })?;
        wait.recv().map_err(io::Error::other)?;
        Ok(Self { watch, thread: thread.thread().clone() })
    }

    /// From now on the work must be done or disarmed by `deadline`.
    pub(crate) fn arm(&self, deadline: Instant) {
        let due = (deadline + GRACE).saturating_duration_since(self.watch.start).as_micros();
        self.watch.due.store(u64::try_from(due).unwrap_or(u64::MAX).max(1), Ordering::SeqCst);
        if self.watch.asleep.load(Ordering::SeqCst) {
            self.thread.unpark();
        }
    }

    pub(crate) fn disarm(&self) {
        self.watch.due.store(0, Ordering::SeqCst);
    }
}

impl Watch {
    fn run(&self) {
        let mut quiet = 0;
        loop {
            let due = self.due.load(Ordering::SeqCst);
            if due == 0 && quiet >= QUIET {
                self.code.rest();
                self.sleep();
                quiet = 0;
                continue;
            }
            if due == 0 {
                quiet += 1;
            } else {
                quiet = 0;
                self.look(due);
            }
            park_timeout(TICK);
        }
    }

    /// Sleeps until something is armed. Both sides look after they have spoken, so none misses the other.
    fn sleep(&self) {
        self.asleep.store(true, Ordering::SeqCst);
        while self.due.load(Ordering::SeqCst) == 0 {
            park();
        }
        self.asleep.store(false, Ordering::SeqCst);
    }

    fn look(&self, due: u64) {
        if self.start.elapsed() >= Duration::from_micros(due) {
            self.line.break_off(Ended::Left);
        }
        if self.abandoned() || self.line.flush().is_err() {
            self.line.break_off(Ended::BrokenOff);
        }
    }

    /// Whether the gateway has closed its end, for good or for what it says. That shows however many jobs stand there
    /// unread.
    fn abandoned(&self) -> bool {
        let mut looks = [PollFd::new(self.line.socket(), CLOSED)];
        let at_once = Timespec::default();
        match poll(&mut looks, Some(&at_once)) {
            Ok(_) => !looks[0].revents().is_empty(),
            Err(error) => error != Errno::INTR,
        }
    }
}
