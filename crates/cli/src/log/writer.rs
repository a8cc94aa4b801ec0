//! The way of the lines to standard error: in batches, in order, and never in the way.
//!
//! Threads that log only append to a buffer. One thread writes it out: it sleeps while there is
//! nothing, gathers for a moment once a first line has come, and writes at once when a line is
//! urgent. When nobody reads the other end, lines are dropped and counted, not waited for.

use super::line::{Line, Style};
use super::time;
use std::io::{ErrorKind, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::Duration;
use tracing::Level;

/// How long lines are gathered before they are written.
const GATHER: Duration = Duration::from_millis(15);

/// The most that waits in the buffer.
const LIMIT: usize = 4 << 20;

/// Room that the buffers keep after a burst.
const KEPT: usize = 256 << 10;

/// How long a thread waits for room, once, before lines are dropped.
const PATIENCE: Duration = Duration::from_millis(50);

/// Where the lines go.
pub(super) type Sink = Box<dyn Write + Send>;

/// A handle on the buffer and its thread.
#[derive(Clone)]
pub(super) struct Writer(Arc<Shared>);

struct Shared {
    style: Style,
    state: Mutex<State>,
    /// Wakes the thread that writes.
    work: Condvar,
    /// Wakes those who wait for room or for a flush.
    progress: Condvar,
}

#[derive(Default)]
struct State {
    buffer: Vec<u8>,
    /// Whether the buffer is to be written without gathering.
    urgent: bool,
    /// Whether the thread sleeps until it is woken.
    idle: bool,
    /// Bytes appended and bytes dealt with, ever.
    appended: u64,
    finished: u64,
    /// Lines dropped since the last report.
    dropped: u64,
    /// Whether the last wait for room was in vain.
    stalled: bool,
    /// Nobody will ever read again.
    broken: bool,
    /// The sink, if no thread could be started and callers write by themselves.
    direct: Option<Sink>,
}

impl Writer {
    /// Starts the thread that writes to the sink. The style is that of its own reports.
    pub(super) fn start(style: Style, sink: Sink) -> Self {
        let state = Mutex::new(State::default());
        let shared = Arc::new(Shared { style, state, work: Condvar::new(), progress: Condvar::new() });
        let thread = Arc::clone(&shared);
        let (give, take) = mpsc::channel();
        let spawned = std::thread::Builder::new().name("log".into()).spawn(move || {
            if let Ok(sink) = take.recv() {
                thread.run(sink);
            }
        });
        match spawned {
            Ok(_) => drop(give.send(sink)),
            Err(_) => shared.lock().direct = Some(sink),
        }
        Self(shared)
    }

    /// Takes a whole line. Returns at once, or after a short wait when the buffer is full.
    pub(super) fn append(&self, line: &[u8], urgent: bool) {
        let shared = &*self.0;
        let mut state = shared.lock();
        if state.broken {
            return;
        }
        if let Some(sink) = &mut state.direct {
            let _ = sink.write_all(line);
            return;
        }
        if state.buffer.len() + line.len() > LIMIT && !state.buffer.is_empty() {
            state = shared.wait_for_room(state, line.len());
            if state.stalled {
                state.dropped += 1;
                return;
            }
        }
        state.buffer.extend_from_slice(line);
        state.appended += line.len() as u64;
        let first = std::mem::take(&mut state.idle);
        let wake = first || (urgent && !state.urgent);
        state.urgent |= urgent;
        drop(state);
        if wake {
            shared.work.notify_one();
        }
    }

    /// Waits until everything appended so far is written, but not longer than `limit`.
    pub(super) fn flush(&self, limit: Duration) {
        let shared = &*self.0;
        let mut state = shared.lock();
        if state.finished >= state.appended {
            return;
        }
        let goal = state.appended;
        state.urgent = true;
        shared.work.notify_one();
        let waiting = |state: &mut State| state.finished < goal && !state.broken;
        drop(shared.progress.wait_timeout_while(state, limit, waiting));
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing in here panics half-way; a poisoned lock is still good.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for room, and remembers when that was in vain, so that the next line is dropped
    /// without a wait until the thread gets on.
    fn wait_for_room<'a>(&self, mut state: MutexGuard<'a, State>, length: usize) -> MutexGuard<'a, State> {
        if state.stalled {
            return state;
        }
        state.urgent = true;
        self.work.notify_one();
        let full = |state: &mut State| {
            state.buffer.len() + length > LIMIT && !state.buffer.is_empty() && !state.stalled
        };
        let waited = self.progress.wait_timeout_while(state, PATIENCE, full);
        let (mut state, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
        state.stalled |= timeout.timed_out();
        state
    }

    /// The life of the thread.
    fn run(&self, mut sink: Sink) {
        let mut batch = Vec::new();
        loop {
            let mut state = self.gather(self.lock());
            std::mem::swap(&mut state.buffer, &mut batch);
            state.urgent = false;
            let dropped = std::mem::take(&mut state.dropped);
            drop(state);

            let length = batch.len() as u64;
            if dropped > 0 {
                report(&mut batch, self.style, dropped);
            }
            let broken = write_all(&mut sink, &batch).is_err_and(|kind| kind == ErrorKind::BrokenPipe);
            batch.clear();
            batch.shrink_to(KEPT);

            let mut state = self.lock();
            state.finished += length;
            state.stalled = false;
            state.broken = broken;
            if broken {
                state.buffer = Vec::new();
            }
            drop(state);
            self.progress.notify_all();
            if broken {
                return;
            }
        }
    }

    /// Sleeps until there is a line, then gathers more until it is time to write.
    fn gather<'a>(&self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        state.idle = true;
        let nothing = |state: &mut State| state.buffer.is_empty() && state.dropped == 0;
        state = self.work.wait_while(state, nothing).unwrap_or_else(PoisonError::into_inner);
        state.idle = false;
        let patient = |state: &mut State| !state.urgent;
        let waited = self.work.wait_timeout_while(state, GATHER, patient);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

fn report(out: &mut Vec<u8>, style: Style, dropped: u64) {
    let mut line = Line::new(out, style, time::now(), Level::WARN);
    line.text("message", "log lines were dropped, because nobody read them in time");
    line.bare("count", format_args!("{dropped}"));
    line.end();
}

/// Writes everything, also to a pipe that does not block; gives up on any other failure.
fn write_all(sink: &mut Sink, mut bytes: &[u8]) -> Result<(), ErrorKind> {
    while !bytes.is_empty() {
        match sink.write(bytes) {
            Ok(0) => return Err(ErrorKind::WriteZero),
            Ok(n) => bytes = &bytes[n..],
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) if e.kind() == ErrorKind::WouldBlock => std::thread::sleep(Duration::from_millis(5)),
            Err(e) => return Err(e.kind()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
