//! The process of a gateway, and what it writes to standard error.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The process and what it wrote.
pub(crate) struct Process {
    pid: u32,
    child: Mutex<Child>,
    stderr: Arc<Mutex<Vec<String>>>,
}

impl Process {
    pub(crate) fn spawn(command: &mut Command) -> Self {
        let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the gateway can be started");
        let pipe = child.stderr.take().expect("standard error is piped");
        let stderr = Arc::<Mutex<Vec<String>>>::default();
        let lines = Arc::clone(&stderr);
        std::thread::spawn(move || {
            for line in BufReader::new(pipe).split(b'\n').map_while(Result::ok) {
                lock(&lines).push(String::from_utf8_lossy(&line).into_owned());
            }
        });
        Self { pid: child.id(), child: Mutex::new(child), stderr }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.pid
    }

    /// What it wrote to standard error so far, line by line.
    pub(crate) fn lines(&self) -> Vec<String> {
        lock(&self.stderr).clone()
    }

    /// The exit code once the process has ended.
    pub(crate) fn ended(&self) -> Option<Option<i32>> {
        lock(&self.child).try_wait().expect("a child can be waited for").map(|status| status.code())
    }

    pub(crate) fn kill(&self) {
        let mut child = lock(&self.child);
        let _ = child.kill();
        let _ = child.wait();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
