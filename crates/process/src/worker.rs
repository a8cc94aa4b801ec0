//! Workers: processes of this same binary that do one thing for the gateway over one socket.
//!
//! A worker starts with an empty environment and no descriptor but its socket. It has no guard: it starts
//! nothing that could stay behind, and ends by itself when its socket does.

use crate::{Exit, Launcher, sys};
use rustix::process::Pid;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// The niceness of those who come last.
const LAST: i32 = 19;

/// The hold on a worker. Dropping it does not end the worker; the end of its socket does.
#[derive(Clone, Debug)]
pub struct Worker {
    pid: u32,
    process: Arc<Mutex<Option<Child>>>,
    ended: watch::Receiver<Option<Exit>>,
}

impl Launcher {
    /// Starts a worker of this name, which is its `argv[0]`, and gives the gateway's end of its socket.
    ///
    /// Must be called inside the runtime, where a task reaps the worker when it ends.
    pub fn worker(&self, name: &str) -> io::Result<(Worker, UnixStream)> {
        let (line, worker_line) = UnixStream::pair()?;
        let process = std::process::Command::new(&*self.guard)
            .arg0(name)
            .env_clear()
            .current_dir("/")
            .stdin(OwnedFd::from(worker_line))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let pid = process.id();
        let process = Arc::new(Mutex::new(Some(process)));
        let (end, ended) = watch::channel(None);
        tokio::spawn(reap(Arc::clone(&process), pid, end));
        Ok((Worker { pid, process, ended }, line))
    }
}

impl Worker {
    /// Its process id.
    pub const fn pid(&self) -> u32 {
        self.pid
    }

    /// Kills it. Does nothing when it has ended already.
    pub fn kill(&self) {
        if let Some(process) = lock(&self.process).as_mut() {
            // The process is not reaped yet, so its number is still its own.
            let _ = process.kill();
        }
    }

    /// How long it has computed since its start, in steps of ten milliseconds; `None` where the system does not tell.
    pub fn computed(&self) -> Option<Duration> {
        let told = std::fs::read_to_string(format!("/proc/{}/stat", self.pid)).ok()?;
        // After the name, which may hold anything, and eleven others stand the time of its own and the kernel's.
        let mut fields = told.rsplit_once(") ")?.1.split(' ').skip(11).map(str::parse::<u64>);
        let ticks = fields.next()?.ok()? + fields.next()?.ok()?;
        Some(Duration::from_millis(ticks * 10))
    }

    /// From now on its first thread computes only when nobody else wants to. That cannot be taken back.
    pub fn step_back(&self) {
        let held = lock(&self.process);
        // Not reaped yet, so the number is still its own.
        if let (Some(_), Some(pid)) = (held.as_ref(), i32::try_from(self.pid).ok().and_then(Pid::from_raw)) {
            let _ = rustix::process::setpriority_process(Some(pid), LAST);
        }
    }

    /// Waits until it has ended and is reaped. Cancel-safe.
    pub async fn gone(&self) -> Exit {
        let mut ended = self.ended.clone();
        // A closed channel means that the runtime is going down.
        let exit = ended.wait_for(Option::is_some).await.map(|exit| *exit);
        exit.ok().flatten().unwrap_or(Exit::Unknown)
    }
}

/// Takes the socket of this process when it was started as a worker of this name, and lets go of
/// everything else that it inherited. Call it early in `main`, while there is one thread.
pub fn enter(name: &str) -> io::Result<Option<UnixStream>> {
    if std::env::args_os().next().is_none_or(|own| own != name) {
        return Ok(None);
    }
    sys::close_descriptors();
    let line = UnixStream::from(rustix::stdio::stdin().try_clone_to_owned()?);
    let null = std::fs::File::options().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&null)?;
    Ok(Some(line))
}

async fn reap(process: Arc<Mutex<Option<Child>>>, pid: u32, end: watch::Sender<Option<Exit>>) {
    wait_for_end(&process, pid).await;
    let exit = lock(&process).take().and_then(|mut process| process.wait().ok());
    let exit = match exit {
        Some(status) => match (status.code(), status.signal()) {
            (Some(code), _) => Exit::Code(code),
            (None, Some(signal)) => Exit::Signal(signal),
            (None, None) => Exit::Unknown,
        },
        None => Exit::Unknown,
    };
    tracing::debug!(pid, %exit, "worker ended");
    end.send_replace(Some(exit));
}

/// Waits without blocking: by a descriptor of the process where the system has them, else by asking.
async fn wait_for_end(process: &Mutex<Option<Child>>, pid: u32) {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{PidfdFlags, pidfd_open};
        let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
        let descriptor = pid.and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
        if let Some(descriptor) = descriptor.and_then(|fd| sys::waitable(fd).ok())
            && descriptor.readable().await.is_ok()
        {
            return;
        }
    }
    let _ = pid;
    let asks = Duration::from_millis(20);
    loop {
        let ended = lock(process).as_mut().is_none_or(|process| !matches!(process.try_wait(), Ok(None)));
        if ended {
            return;
        }
        tokio::time::sleep(asks).await;
    }
}

fn lock(process: &Mutex<Option<Child>>) -> std::sync::MutexGuard<'_, Option<Child>> {
    process.lock().unwrap_or_else(PoisonError::into_inner)
}
