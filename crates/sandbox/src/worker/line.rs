//! The worker's side of the socket, shared by the thread that runs scripts and the watchdog.

use crate::wire::{self, Answer, Ask, Ended, Frame, Head, LENGTHS, Outcome, Request};
use crate::{ConsoleLine, Report, ScriptError, Verdict};
use std::io::{self, Read, Write};
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
    outcome: Outcome,
    console: Vec<ConsoleLine>,
    began: Instant,
}

/// What the worker does now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Work {
    Nothing,
    Job,
    Check,
}

/// The bytes that were read and belong to the next message. The room stays, so that it is cleared once.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    room: Vec<u8>,
    filled: usize,
}

impl Line {
    pub(crate) fn new(socket: UnixStream) -> Self {
        let progress = Progress {
            work: Work::Nothing,
            outcome: Outcome::default(),
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

    /// Waits for the next message, and gives its texts with it.
    pub(crate) fn receive(&self, inbox: &mut Inbox) -> io::Result<(Rc<str>, Request)> {
        let malformed = |_| io::Error::from(io::ErrorKind::InvalidData);
        self.fill(inbox, LENGTHS)?;
        let lengths = inbox.room.first_chunk::<LENGTHS>().expect("filled");
        let head = Head::parse(*lengths, LARGEST).map_err(malformed)?;
        let end = LENGTHS + head.len();
        self.fill(inbox, end)?;
        let frame = Frame::new(head, &inbox.room[LENGTHS..end]).map_err(malformed)?;
        let request = Request::parse(frame).map_err(malformed)?;
        let body = Rc::from(frame.body);
        inbox.room.copy_within(end..inbox.filled, 0);
        inbox.filled -= end;
        if inbox.room.len() > 4 * CHUNK && inbox.filled <= CHUNK {
            inbox.room.truncate(CHUNK);
            inbox.room.shrink_to_fit();
        }
        Ok((body, request))
    }

    /// Reads until there are at least this many bytes.
    fn fill(&self, inbox: &mut Inbox, least: usize) -> io::Result<()> {
        while inbox.filled < least {
            if inbox.room.len() < least.max(CHUNK) {
                inbox.room.resize(least.max(CHUNK), 0);
            }
            let read = match (&self.socket).read(&mut inbox.room[inbox.filled..]) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => 0,
                Err(error) => return Err(error),
            };
            inbox.filled += read;
        }
        Ok(())
    }

    pub(crate) fn ready(&self) -> io::Result<()> {
        (&self.socket).write_all(&wire::ready().finish())
    }

    /// Asks the gateway something for a script and waits for the answer.
    pub(crate) fn ask(&self, ask: &Ask) -> io::Result<Answer> {
        {
            // Held, so that the watchdog does not write into the middle of it.
            let _progress = self.progress();
            (&self.socket).write_all(&wire::ask(ask).finish())?;
        }
        match self.receive(&mut Inbox::default())? {
            (_, Request::Answer(answer)) => Ok(answer),
            _ => Err(io::ErrorKind::InvalidData.into()),
        }
    }

    pub(crate) fn begin_job(&self) {
        let mut progress = self.progress();
        progress.work = Work::Job;
        progress.outcome = Outcome::default();
    }

    pub(crate) fn begin_check(&self) {
        let mut progress = self.progress();
        progress.work = Work::Check;
        progress.began = Instant::now();
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

    /// Sends what came of the job, unless the watchdog has done so; then it ends the process.
    pub(crate) fn finish_job(&self, renew: bool) -> io::Result<()> {
        let mut progress = self.progress();
        progress.work = Work::Nothing;
        progress.outcome.renew = renew;
        let frame = wire::outcome(&progress.outcome).finish();
        drop(progress);
        (&self.socket).write_all(&frame)
    }

    pub(crate) fn finish_check(&self, result: &Result<(), ScriptError>) -> io::Result<()> {
        self.progress().work = Work::Nothing;
        (&self.socket).write_all(&wire::checked(result).finish())
    }

    /// Tells the gateway that the work did not end in time. The caller ends the process.
    pub(crate) fn overrun(&self) {
        let mut progress = self.progress();
        let frame = match progress.work {
            // The other thread has come to its end meanwhile and is about to say so itself.
            Work::Nothing => return,
            Work::Check => wire::checked(&Err(ScriptError::timeout())),
            Work::Job => {
                let report = Report {
                    verdict: Verdict::Failed(ScriptError::timeout()),
                    micros: micros(progress.began.elapsed()),
                    memory: 0,
                    console: std::mem::take(&mut progress.console),
                };
                progress.outcome.reports.push(report);
                progress.outcome.end = Ended::Left;
                progress.outcome.renew = true;
                wire::outcome(&progress.outcome)
            }
        };
        let _ = (&self.socket).write_all(&frame.finish());
        std::process::exit(1);
    }
}

impl Progress {
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
