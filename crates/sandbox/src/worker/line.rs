//! The worker's side of the socket, shared by the thread that runs scripts and the watchdog.

use crate::wire::{self, Answer, Ask, Checked, Ended, Frame, Head, LENGTHS, Outcome, Request, Writer};
use crate::{ConsoleLine, Report, ScriptError, Verdict};
use std::io::{self, Read, Write};
use std::ops::Range;
use std::os::unix::net::UnixStream;
use std::rc::Rc;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The most bytes of one message from the gateway.
pub(crate) const LARGEST: usize = 96 << 20;

/// What is read at once.
const CHUNK: usize = 32 << 10;

/// The socket, and how far the work is.
#[derive(Debug)]
pub(crate) struct Line {
    socket: UnixStream,
    progress: Mutex<Progress>,
}

/// How far the work is.
#[derive(Debug)]
pub(crate) struct Progress {
    work: Work,
    /// What came of the jobs before, to be sent in one go.
    outbox: Vec<u8>,
    writer: Writer,
    outcome: Outcome,
    checked: Checked,
    console: Vec<ConsoleLine>,
    began: Instant,
}

/// What the worker does now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Work {
    Nothing,
    Job,
    Checks,
}

/// The bytes that were read and belong to the next messages. The room stays, so that it is cleared once.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    room: Vec<u8>,
    /// Where in the room they stand.
    place: Range<usize>,
}

impl Inbox {
    fn bytes(&self) -> &[u8] {
        &self.room[self.place.clone()]
    }

    /// Whether the next message is there as a whole.
    fn holds_message(&self) -> bool {
        let lengths = self.bytes().first_chunk::<LENGTHS>();
        let head = lengths.and_then(|lengths| Head::parse(*lengths, LARGEST).ok());
        head.is_some_and(|head| self.place.len() >= LENGTHS + head.len())
    }

    /// The room behind the bytes, of which there are to be at least this many.
    fn rest(&mut self, least: usize) -> &mut [u8] {
        if self.place.start > 0 && self.room.len() - self.place.start < least.max(CHUNK / 2) {
            self.room.copy_within(self.place.clone(), 0);
            self.place = 0..self.place.len();
        }
        if self.room.len() < self.place.start + least.max(CHUNK / 2) {
            self.room.resize(least.max(CHUNK), 0);
        }
        &mut self.room[self.place.end..]
    }

    /// The first bytes were read.
    fn take(&mut self, count: usize) {
        self.place.start += count;
        if self.place.is_empty() {
            self.place = 0..0;
            if self.room.len() > 4 * CHUNK {
                self.room.truncate(CHUNK);
                self.room.shrink_to_fit();
            }
        }
    }

    /// What stands there was read, and what stands before it was not.
    fn take_out(&mut self, there: Range<usize>) {
        let before = self.place.start..self.place.start + there.start;
        self.room.copy_within(before, self.place.start + there.len());
        self.place.start += there.len();
    }
}

impl Line {
    pub(crate) fn new(socket: UnixStream) -> Self {
        let progress = Progress {
            work: Work::Nothing,
            outbox: Vec::new(),
            writer: Writer::default(),
            outcome: Outcome::default(),
            checked: Checked::default(),
            console: Vec::new(),
            began: Instant::now(),
        };
        Self { socket, progress: Mutex::new(progress) }
    }

    pub(crate) fn socket(&self) -> &UnixStream {
        &self.socket
    }

    pub(crate) fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the next message, and gives its texts with it. Sends what is to be sent when there is none yet.
    pub(crate) fn receive(&self, inbox: &mut Inbox) -> io::Result<(Rc<str>, Request)> {
        let malformed = |_| io::Error::from(io::ErrorKind::InvalidData);
        if !inbox.holds_message() {
            self.progress().send(&self.socket)?;
        }
        self.fill(inbox, LENGTHS)?;
        let lengths = inbox.bytes().first_chunk::<LENGTHS>().expect("filled");
        let head = Head::parse(*lengths, LARGEST).map_err(malformed)?;
        let end = LENGTHS + head.len();
        self.fill(inbox, end)?;
        let frame = Frame::new(head, &inbox.bytes()[LENGTHS..end]).map_err(malformed)?;
        let request = Request::parse(frame).map_err(malformed)?;
        let body = Rc::from(frame.body);
        inbox.take(end);
        Ok((body, request))
    }

    /// Reads until there are at least this many bytes.
    fn fill(&self, inbox: &mut Inbox, least: usize) -> io::Result<()> {
        while inbox.place.len() < least {
            match (&self.socket).read(inbox.rest(least)) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(read) => inbox.place.end += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Waits for the answer to what a script has asked. The jobs that come before it wait in their places.
    fn answer(&self, inbox: &mut Inbox) -> io::Result<Answer> {
        let malformed = |_| io::Error::from(io::ErrorKind::InvalidData);
        let mut at = 0;
        loop {
            self.fill(inbox, at + LENGTHS)?;
            let lengths = inbox.bytes()[at..].first_chunk::<LENGTHS>().expect("filled");
            let head = Head::parse(*lengths, LARGEST).map_err(malformed)?;
            let end = at + LENGTHS + head.len();
            self.fill(inbox, end)?;
            let frame = Frame::new(head, &inbox.bytes()[at + LENGTHS..end]).map_err(malformed)?;
            if let Some(answer) = Answer::parse(frame).map_err(malformed)? {
                inbox.take_out(at..end);
                return Ok(answer);
            }
            at = end;
        }
    }

    pub(crate) fn ready(&self) -> io::Result<()> {
        let mut progress = self.progress();
        wire::ready(&mut progress.writer);
        progress.post(&self.socket)?;
        progress.send(&self.socket)
    }

    /// Asks the gateway something for a script and waits for the answer.
    pub(crate) fn ask(&self, inbox: &mut Inbox, ask: &Ask) -> io::Result<Answer> {
        let mut progress = self.progress();
        wire::ask(&mut progress.writer, ask);
        progress.post(&self.socket)?;
        progress.send(&self.socket)?;
        drop(progress);
        self.answer(inbox)
    }

    pub(crate) fn begin_job(&self, number: u64) {
        let mut progress = self.progress();
        progress.work = Work::Job;
        progress.outcome = Outcome { number, ..Outcome::default() };
    }

    /// Scripts are compiled now, so many at most.
    pub(crate) fn begin_checks(&self, number: u64, most: usize) {
        let mut progress = self.progress();
        progress.work = Work::Checks;
        progress.checked = Checked { number, results: Vec::with_capacity(most), renew: false };
    }

    /// Notes what came of the next script.
    pub(crate) fn checked(&self, result: Result<(), ScriptError>) {
        self.progress().checked.results.push(result);
    }

    pub(crate) fn begin_step(&self, now: Instant) {
        let mut progress = self.progress();
        progress.console.clear();
        progress.began = now;
    }

    /// Takes what the step wrote to the console.
    pub(crate) fn console(&self) -> Vec<ConsoleLine> {
        std::mem::take(&mut self.progress().console)
    }

    /// Has what came of the job sent, unless the watchdog has done so; then it ends the process.
    pub(crate) fn finish_job(&self, renew: bool) -> io::Result<()> {
        let progress = &mut *self.progress();
        progress.work = Work::Nothing;
        progress.outcome.renew = renew;
        wire::outcome(&mut progress.writer, &progress.outcome);
        progress.post(&self.socket)
    }

    pub(crate) fn finish_checks(&self, renew: bool) -> io::Result<()> {
        let progress = &mut *self.progress();
        progress.work = Work::Nothing;
        progress.checked.renew = renew;
        wire::checked(&mut progress.writer, &progress.checked);
        progress.post(&self.socket)
    }

    /// Sends what came of the jobs before, so that nobody waits for it while this one takes long.
    pub(crate) fn flush(&self) -> io::Result<()> {
        self.progress().send(&self.socket)
    }

    /// Tells the gateway how far the work is that did not end in time, or that nobody waits for, and ends the process.
    pub(crate) fn break_off(&self, end: Ended) {
        let progress = &mut *self.progress();
        match progress.work {
            // The other thread has come to its end meanwhile and is about to say so itself.
            Work::Nothing => return,
            Work::Checks => {
                progress.checked.results.push(Err(ScriptError::timeout()));
                progress.checked.renew = true;
                wire::checked(&mut progress.writer, &progress.checked);
            }
            // A step has decided, and what comes after it is only compiled: its word stands.
            Work::Job if progress.outcome.end != Ended::Through => {
                progress.outcome.renew = true;
                wire::outcome(&mut progress.writer, &progress.outcome);
            }
            Work::Job => {
                let report = Report {
                    verdict: Verdict::Failed(ScriptError::timeout()),
                    micros: micros(progress.began.elapsed()),
                    memory: 0,
                    console: std::mem::take(&mut progress.console),
                    returned: None,
                    changes: None,
                };
                progress.outcome.reports.push(report);
                progress.outcome.end = end;
                progress.outcome.renew = true;
                wire::outcome(&mut progress.writer, &progress.outcome);
            }
        };
        // Nothing is freed here: memory of this thread that is given back to the system makes the allocator open a
        // file, which ends a confined process.
        let mut socket = &self.socket;
        let _ = socket.write_all(&progress.outbox);
        let _ = progress.writer.pieces().into_iter().try_for_each(|piece| socket.write_all(piece));
        std::process::exit(1);
    }
}

impl Progress {
    /// Keeps the message that was written, to be sent with others.
    fn post(&mut self, socket: &UnixStream) -> io::Result<()> {
        self.writer.append_to(&mut self.outbox);
        if self.outbox.len() > CHUNK { self.send(socket) } else { Ok(()) }
    }

    /// Sends what was kept.
    fn send(&mut self, mut socket: &UnixStream) -> io::Result<()> {
        if self.outbox.is_empty() {
            return Ok(());
        }
        socket.write_all(&self.outbox)?;
        self.outbox.clear();
        self.outbox.shrink_to(CHUNK);
        Ok(())
    }

    pub(crate) fn outcome(&mut self) -> &mut Outcome {
        &mut self.outcome
    }

    pub(crate) fn lines(&mut self) -> &mut Vec<ConsoleLine> {
        &mut self.console
    }
}

pub(crate) fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::{CHUNK, Inbox};
    use proptest::prelude::*;

    proptest! {
        /// Whatever is read, and taken from the beginning or from behind others, in pieces of any size.
        #[test]
        fn what_is_read_stays_in_order(
            steps in prop::collection::vec((0..3_usize, 1..2 * CHUNK, 0..2 * CHUNK), 1..40),
        ) {
            let (mut inbox, mut model, mut next) = (Inbox::default(), Vec::new(), 0_u8);
            for (what, first, second) in steps {
                let has = model.len();
                match what {
                    0 => {
                        // As much as there is room for, or less.
                        let room = inbox.rest(has + first);
                        prop_assert!(has + room.len() >= has + first);
                        let read = room.len().min(second + 1);
                        for byte in &mut room[..read] {
                            next = next.wrapping_add(1);
                            *byte = next;
                            model.push(next);
                        }
                        inbox.place.end += read;
                    }
                    1 => {
                        let count = first.min(has);
                        inbox.take(count);
                        model.drain(..count);
                    }
                    _ => {
                        let start = first.min(has);
                        let end = (start + second).min(has);
                        inbox.take_out(start..end);
                        model.drain(start..end);
                    }
                }
                prop_assert_eq!(inbox.bytes(), &model[..]);
            }
        }
    }
}
