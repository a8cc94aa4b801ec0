//! The worker: the process in which scripts run.
//!
//! It is this same binary in a hidden mode. At its start it gives up every privilege; then it takes jobs
//! from its socket, does one after the other, and ends with the socket.

mod allocator;
mod checks;
mod code;
mod compile;
mod confine;
mod context;
mod execution;
mod fault;
mod helpers;
mod levels;
mod line;
mod names;
mod pattern;
mod realm;
mod redact;
mod run;
mod state;
mod tape;
mod typescript;
mod unheard;
mod verdict;
mod watchdog;
mod writer;

pub use confine::confine;

use crate::wire::Request;
use line::Line;
use std::io;
use std::mem::ManuallyDrop;
use std::os::unix::net::UnixStream;
use std::rc::Rc;
use std::sync::Arc;

/// The name that puts the binary into worker mode, as `argv[0]`; also its name in `ps`.
pub(crate) const NAME: &str = "lockgate-sandbox";

/// The most bytes that a worker takes in one message.
pub(crate) use line::LARGEST;

/// Runs a worker and does not return when the process was started as one; else returns at once.
///
/// Call it early in `main`, while there is one thread.
pub fn enter() {
    match process::worker::enter(NAME) {
        Ok(None) => {}
        Ok(Some(socket)) => {
            let code = if serve(socket).is_ok() { 0 } else { 1 };
            std::process::exit(code);
        }
        Err(_) => std::process::exit(1),
    }
}

fn serve(socket: UnixStream) -> io::Result<()> {
    confine::settle();
    let line = Arc::new(Line::new(socket));
    let state = state::State::new(Arc::clone(&line));
    let realm = realm::Realm::new(Rc::clone(&state)).map_err(io::Error::other)?;
    let code = Arc::new(code::Code::find());
    let watchdog = watchdog::Watchdog::start(Arc::clone(&line), Arc::clone(&code))?;
    // Never taken apart: the process ends instead, which is quicker and cannot go wrong.
    let mut runner = ManuallyDrop::new(run::Runner::new(realm, watchdog));
    redact::warm();
    confine::confine()?;
    line.ready()?;
    loop {
        let message = line.receive(&mut state.inbox.borrow_mut());
        code.job();
        match message {
            Ok((body, Request::Job(task))) => {
                line.begin_job(task.number);
                runner.job(&body, &task);
                line.finish_job(runner.renew())?;
            }
            Ok((body, Request::Check { number, limit, sources })) => {
                line.begin_checks(number, sources.len());
                let sources: Vec<&str> = sources.into_iter().map(|source| &body[source]).collect();
                let fine = sources.len() > 1 && runner.check_all(&sources, limit);
                let mut late = false;
                for source in sources {
                    let result = if fine { Ok(()) } else { runner.check(source, limit) };
                    late = result.as_ref().is_err_and(|error| error.limit == Some(crate::Limit::Time));
                    line.checked(result);
                    if late {
                        break;
                    }
                }
                line.finish_checks(late || runner.renew())?;
            }
            // The gateway has let go of this worker, or is gone.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
            Err(error) => return Err(error),
        }
        if runner.renew() {
            // The jobs that wait are done by another one.
            return line.flush();
        }
    }
}
