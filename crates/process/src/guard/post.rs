//! The guard on its post: it obeys the gateway, reaps, and clears away what is left at the end.

use super::tree;
use crate::Exit;
use crate::report::{KILL, Report, TERMINATE};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitOptions, WaitStatus, getpgid, kill_process, kill_process_group, wait,
};
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// Longest wait between two rounds of killing.
const PATIENCE: Duration = Duration::from_millis(50);

pub(super) struct Post {
    line: UnixStream,
    wake: UnixStream,
    child: Pid,
    ended: bool,
    /// The gateway has asked for the end, and waits for it with patience.
    asked: bool,
}

impl Post {
    pub(super) fn new(line: UnixStream, wake: UnixStream, child: Pid) -> Self {
        Self { line, wake, child, ended: false, asked: false }
    }

    /// Tells the gateway that there is no child.
    pub(super) fn refuse(mut line: &UnixStream, errno: i32) {
        let _ = line.write_all(Report::Failed(errno).to_string().as_bytes());
    }

    /// Tells the gateway; when it is gone, the end of file says so soon enough.
    pub(super) fn report(&mut self, report: Report) {
        let _ = self.line.write_all(report.to_string().as_bytes());
    }

    /// Stays until the child ends or the gateway wants its end, then clears away what is left.
    ///
    /// A child that was asked to end may be a wrapper around the real server, which then has the same
    /// grace: what is left may end by itself, until the gateway loses its patience.
    pub(super) fn watch(&mut self) {
        loop {
            // An order goes first: before it is reaped, the child still stands for its process group.
            if self.wait() && !self.obey() {
                return self.clear();
            }
            let had_ended = self.ended;
            let left = self.reap();
            if self.ended && !(self.asked && left) {
                return self.clear();
            }
            if self.ended && !had_ended {
                self.ask_strays();
            }
        }
    }

    /// Waits for an order or a signal; says whether there is an order.
    fn wait(&mut self) -> bool {
        let mut fds = [PollFd::new(&self.line, PollFlags::IN), PollFd::new(&self.wake, PollFlags::IN)];
        // Interrupted by a signal is as good as woken by it.
        let _ = poll(&mut fds, None);
        let ordered = !fds[0].revents().is_empty();
        self.hush();
        ordered
    }

    /// Waits for a signal or the end of the time, deaf to orders.
    fn nap(&mut self, time: Duration) {
        let time = Timespec::try_from(time).ok();
        let _ = poll(&mut [PollFd::new(&self.wake, PollFlags::IN)], time.as_ref());
        self.hush();
    }

    fn hush(&mut self) {
        let mut bytes = [0; 64];
        while matches!(self.wake.read(&mut bytes), Ok(1..)) {}
    }

    /// Does what the gateway asks; `false` when all has to end.
    fn obey(&mut self) -> bool {
        let mut order = [0];
        match self.line.read(&mut order) {
            Ok(0) => false,
            Ok(_) if order == [KILL] => false,
            Ok(_) if order == [TERMINATE] => {
                self.ask();
                true
            }
            Ok(_) => true,
            Err(error) => error.kind() == std::io::ErrorKind::Interrupted,
        }
    }

    /// Asks the child and its process group to end.
    fn ask(&mut self) {
        self.asked = true;
        // Its number may belong to somebody else once it was reaped; then all have been asked already.
        if self.ended {
            return;
        }
        // A child that has moved to another group is met by itself.
        if kill_process_group(self.child, Signal::TERM).is_err() {
            let _ = kill_process(self.child, Signal::TERM);
        }
    }

    /// Asks those that the child has left in other process groups, which have not heard of it.
    fn ask_strays(&self) {
        for pid in tree::children().unwrap_or_default() {
            if getpgid(Some(pid)).is_ok_and(|group| group != self.child) {
                let _ = kill_process(pid, Signal::TERM);
            }
        }
    }

    /// Collects everything that has ended; `false` when nothing is left to wait for.
    fn reap(&mut self) -> bool {
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid == self.child => {
                    self.ended = true;
                    self.report(Report::Ended(exit(status)));
                }
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => return true,
                Err(_) => return false,
            }
        }
    }

    /// Ends every descendant. Killing the direct children hands their own to the guard, level by level;
    /// only the guard reaps these, so no process id can have passed to a stranger.
    fn clear(&mut self) {
        let mut pause = Duration::from_millis(1);
        if !self.ended {
            let _ = kill_process_group(self.child, Signal::KILL);
        }
        while self.reap() {
            let Some(children) = tree::children() else { return };
            let beyond_reach = |&pid: &Pid| kill_process(pid, Signal::KILL) == Err(Errno::PERM);
            let spared = children.iter().filter(|pid| beyond_reach(pid)).count();
            if spared > 0 && spared == children.len() {
                return;
            }
            self.nap(pause);
            pause = PATIENCE.min(pause * 2);
        }
    }
}

fn exit(status: WaitStatus) -> Exit {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => Exit::Code(code),
        (None, Some(signal)) => Exit::Signal(signal),
        (None, None) => Exit::Unknown,
    }
}
