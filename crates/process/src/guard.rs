//! The guard: one small process between the gateway and each child.
//!
//! It starts the command, adopts every descendant, tells the gateway how the child ended, and leaves
//! only when nothing is left below it. It has one thread, opens no file but `/proc` and `/dev/null`,
//! and no byte of the child's input or output passes through it.

mod post;
mod tree;

use crate::harden::Restraint;
use crate::report::{Report, STDIN};
use crate::sys;
use model::Harden;
use post::Post;
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use rustix::process::Pid;
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use std::env::ArgsOs;
use std::io::{self, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The name that puts the binary into guard mode, as `argv[0]`; also its name in `ps`.
pub(crate) const NAME: &str = "lockgate-guard";

/// The same for a child that gives things up: the first argument says what, as JSON.
pub(crate) const STRICT: &str = "lockgate-guard-strict";

/// Runs the guard and does not return when the process was started as one; else returns at once.
///
/// Call it first in `main`: a guard needs neither threads nor a command line.
pub fn enter() {
    let mut args = std::env::args_os();
    let strict = match args.next() {
        Some(name) if name == NAME => false,
        Some(name) if name == STRICT => true,
        _ => return,
    };
    let code = if serve(args, strict).is_ok() { 0 } else { 1 };
    std::process::exit(code);
}

fn serve(mut args: ArgsOs, strict: bool) -> io::Result<()> {
    // What cannot be understood ends the guard before there is a child.
    let harden: Option<Harden> = match strict {
        true => {
            let text = args.next().ok_or(io::ErrorKind::InvalidInput)?;
            Some(serde_json::from_slice(text.as_encoded_bytes())?)
        }
        false => None,
    };
    // Standard input is the line to the gateway; the child's own comes over it.
    let line = UnixStream::from(rustix::stdio::stdin().try_clone_to_owned()?);
    sys::keep_descriptors();
    adopt_descendants()?;
    let wake = catch_signals()?;
    let stdin = receive_stdin(&line)?;
    match start(args, stdin, harden.as_ref()) {
        Ok(child) => {
            forget_stdio()?;
            let mut post = Post::new(line, wake, child);
            post.report(Report::Started(child.as_raw_pid().unsigned_abs()));
            // From here on it waits, for as long as the child lives.
            sys::Code::find().forget();
            post.watch();
        }
        Err(error) => Post::refuse(&line, error.raw_os_error().unwrap_or_default()),
    }
    Ok(())
}

/// Processes that lose their parent below the guard become its children instead of init's.
fn adopt_descendants() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        rustix::thread::set_name(c"lockgate-guard")?;
        rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    }
    Ok(())
}

/// Makes SIGCHLD readable and the signals that end a process harmless.
///
/// Handlers, unlike ignored or blocked signals, do not pass to the command that is executed.
fn catch_signals() -> io::Result<UnixStream> {
    let (wake, handler) = UnixStream::pair()?;
    wake.set_nonblocking(true)?;
    signal_hook::low_level::pipe::register(SIGCHLD, handler)?;
    let nothing = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
        signal_hook::flag::register(signal, Arc::clone(&nothing))?;
    }
    Ok(wake)
}

/// The child's standard input.
fn receive_stdin(line: &UnixStream) -> io::Result<OwnedFd> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    let flags = RecvFlags::CMSG_CLOEXEC;
    rustix::io::retry_on_intr(|| recvmsg(line, &mut [IoSliceMut::new(&mut byte)], &mut ancillary, flags))?;
    let fd = ancillary.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut fds) => fds.next(),
        _ => None,
    });
    match (fd, byte) {
        (Some(fd), [STDIN]) => Ok(fd),
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}

/// Executes the command in a process group of its own. The environment is the guard's, which is exact.
fn start(mut args: ArgsOs, stdin: OwnedFd, harden: Option<&Harden>) -> io::Result<Pid> {
    let program = args.next().ok_or(io::ErrorKind::InvalidInput)?;
    let restraint = harden.map(|harden| Restraint::new(harden, program.as_ref())).transpose()?;
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::from(stdin)).process_group(0);
    sys::end_with_parent(&mut command);
    restraint.into_iter().for_each(|restraint| sys::restrain(&mut command, restraint));
    Ok(Pid::from_child(&command.spawn()?))
}

/// Lets go of the child's pipes, so that their ends close with the child and not with the guard.
fn forget_stdio() -> io::Result<()> {
    let null = std::fs::File::options().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&null)?;
    rustix::stdio::dup2_stdout(&null)?;
    rustix::stdio::dup2_stderr(&null)?;
    Ok(())
}
