//! Starts children, each behind its guard.

use crate::report::STDIN;
use crate::watch::{Guard, Refusal, watch};
use crate::{Child, Control, Error, guard, harden};
use model::Harden;
use rustix::io::Errno;
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use std::io::{self, IoSlice, PipeReader, Read};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::net::unix::pipe;
use tokio::sync::oneshot;

/// What to run.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Command {
    /// Whose program it is, for the log.
    pub name: String,
    /// The file to execute, as [`resolve`](crate::resolve) found it.
    pub program: PathBuf,
    /// Its arguments, without the program.
    pub args: Vec<String>,
    /// Its whole environment, as [`environment`](crate::environment) made it.
    pub env: Vec<(String, String)>,
    /// The folder in which it starts; that of the gateway when absent.
    pub cwd: Option<PathBuf>,
    /// What it gives up before it starts.
    pub harden: Option<Harden>,
}

impl std::fmt::Debug for Command {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self.env.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("Command").field("program", &self.program).field("env", &names).finish_non_exhaustive()
    }
}

/// Starts children. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Launcher {
    pub(crate) guard: Arc<Path>,
}

impl Launcher {
    /// A launcher whose guards are the binary at this path. Its `main` calls [`guard::enter`] first.
    pub fn new(guard_executable: PathBuf) -> Self {
        Self { guard: guard_executable.into() }
    }

    /// A launcher whose guards are the running binary, also after its file was replaced or removed.
    pub fn this_binary() -> io::Result<Self> {
        let image = PathBuf::from("/proc/self/exe");
        if image.exists() { Ok(Self::new(image)) } else { std::env::current_exe().map(Self::new) }
    }

    /// Starts a child and returns once the system has accepted the program, or has refused it.
    ///
    /// When the returned future is dropped early, nothing of the child stays.
    pub async fn start(&self, command: &Command) -> Result<Child, Error> {
        self.start_with(command, ()).await
    }

    /// The same; `kept` is dropped when nothing is left of the child, whatever becomes of its control, or when there is
    /// none.
    pub async fn start_with(&self, command: &Command, kept: impl Send + 'static) -> Result<Child, Error> {
        let harden =
            command.harden.as_ref().map(|harden| harden::available(&command.name, harden)).transpose()?;
        if command.cwd.as_ref().is_some_and(|folder| !folder.is_dir()) {
            return Err(Error::NoPlace { field: "cwd".into() });
        }
        if is_text(&command.program) {
            return Err(refused(&command.program, Errno::NOEXEC.raw_os_error()));
        }
        let (started, answer) = oneshot::channel();
        let child = self.spawn(command, harden.as_ref(), started, kept).map_err(Error::NoProcess)?;
        let pid = match answer.await {
            Ok(Ok(pid)) => pid,
            Ok(Err(Refusal::Errno(errno))) => return Err(refused(&command.program, errno)),
            Ok(Err(Refusal::GuardLost)) | Err(_) => return Err(Error::GuardLost),
        };
        tracing::debug!(pid, "child started");
        Ok(Child { pid, ..child })
    }

    /// Starts the guard. There is no await between its birth and the task that reaps it.
    fn spawn(
        &self,
        command: &Command,
        harden: Option<&Harden>,
        started: oneshot::Sender<Result<u32, Refusal>>,
        kept: impl Send + 'static,
    ) -> io::Result<Child> {
        let (child_stdin, stdin) = io::pipe()?;
        let (stdout, child_stdout) = io::pipe()?;
        let (stderr, child_stderr) = io::pipe()?;
        let stdin = pipe::Sender::from_owned_fd(stdin.into())?;
        let stdout = pipe::Receiver::from_owned_fd(stdout.into())?;
        let stderr = pipe::Receiver::from_owned_fd(stderr.into())?;

        let (line, guard_line) = UnixStream::pair()?;
        line.set_nonblocking(true)?;
        send_stdin(&line, &child_stdin)?;
        let (reports, orders) = tokio::net::UnixStream::from_std(line)?.into_split();

        // No closure runs between fork and exec, so the library can use `posix_spawn`, whose cost does
        // not grow with the memory of the gateway.
        let mut guard = std::process::Command::new(&*self.guard);
        match harden {
            Some(harden) => guard.arg0(guard::STRICT).arg(serde_json::to_string(harden)?),
            None => guard.arg0(guard::NAME),
        };
        // The guard stands in the folder too, and a program by a relative path is meant from that of the gateway.
        match &command.cwd {
            Some(folder) => guard.current_dir(folder).arg(std::path::absolute(&command.program)?),
            None => guard.arg(&command.program),
        };
        let guard = guard
            .args(&command.args)
            .env_clear()
            .envs(command.env.iter().map(|(name, value)| (name, value)))
            .stdin(OwnedFd::from(guard_line))
            .stdout(child_stdout)
            .stderr(child_stderr)
            .process_group(0)
            .spawn()?;
        let (phase, phases) = tokio::sync::watch::channel(Default::default());
        let guard = Guard::new(guard);
        tokio::spawn(async move {
            watch(reports, guard, started, phase).await;
            drop(kept);
        });
        Ok(Child { pid: 0, stdin, stdout, stderr, control: Control::new(orders, phases) })
    }
}

/// Hands the reading end of the child's standard input to the guard, whose own is the line.
fn send_stdin(line: &UnixStream, stdin: &PipeReader) -> io::Result<()> {
    let fds = [stdin.as_fd()];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    ancillary.push(SendAncillaryMessage::ScmRights(&fds));
    sendmsg(line, &[IoSlice::new(&[STDIN])], &mut ancillary, SendFlags::empty())?;
    Ok(())
}

/// Whether a program is a text that names no interpreter. The system refuses it, and its library would hand it to a
/// shell instead.
fn is_text(program: &Path) -> bool {
    let mut start = [0; 256];
    let read = std::fs::File::open(program).and_then(|mut file| file.read(&mut start));
    let start = &start[..read.unwrap_or(0)];
    !start.is_empty() && !start.starts_with(b"#!") && !start.contains(&0)
}

fn refused(program: &Path, errno: i32) -> Error {
    let command = program.display().to_string();
    match Errno::from_raw_os_error(errno) {
        Errno::NOENT if program.exists() => Error::NoInterpreter { command },
        Errno::NOENT => Error::Missing { command },
        Errno::ACCESS => Error::NotExecutable { command },
        _ => Error::Refused { command, source: io::Error::from_raw_os_error(errno) },
    }
}
