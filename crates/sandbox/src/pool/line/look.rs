//! How the job at the front of a line is doing: what is late, or not wanted any more, is ended.

use super::super::slow::Slow;
use super::{Line, Lost, Queue};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// How long a worker has to say what it has when nobody waits for it any more, in microseconds. It takes next to nothing,
/// but on a busy machine its turn may be long in coming.
const FAREWELL: u64 = 1_000_000;

/// How long the gateway takes at most to read what has come.
const MOMENT: Duration = Duration::from_millis(250);

impl Line {
    /// Looks how the job at the front is doing. Ends the worker when that is late, or has gone on for `unwanted`
    /// and nobody waits for it; has the jobs behind it done elsewhere when it has gone on for `taken`. One that still
    /// computes after `runaway` leaves the processors to others, and its worker is not used again.
    pub(crate) fn look(&self, taken: Duration, runaway: Duration, unwanted: Duration) {
        let mut queue = self.queue();
        let age = self.age();
        let Some(front) = queue.flights.front() else { return };
        if age > front.patience {
            let number = front.number;
            if self.spare(&mut queue, number) {
                return;
            }
            queue.late = true;
            return self.lose_all(queue, Lost::Late);
        }
        // Nothing comes and nothing is answered between the look and what follows from it.
        if front.is_abandoned() && age > unwanted {
            self.close();
            self.say_unwanted();
        }
        if age <= taken {
            return;
        }
        queue.flights.free();
        let since = self.load.since.load(Relaxed);
        if Slow::look(&mut queue.slow, since, age, runaway, &self.worker) {
            self.close();
            self.worker.step_back();
        }
    }

    /// Whether a job that is late may have been done in time: then something has come that was not read, because the
    /// gateway itself was held up. It is given a moment to read that.
    fn spare(&self, queue: &mut Queue, number: u64) -> bool {
        let since = match queue.spared {
            Some((spared, since)) if spared == number => since,
            _ => Instant::now(),
        };
        queue.spared = Some((number, since));
        since.elapsed() < MOMENT && has_come(self.socket.get_ref())
    }

    /// Has the worker say what it has and end, because nobody waits for what it does: it notices when nothing can come
    /// from here any more. One that does not is ended.
    fn say_unwanted(&self) {
        match self.load.unwanted.load(Relaxed) {
            0 => {
                self.load.unwanted.store(self.now().max(1), Relaxed);
                let _ = self.socket.get_ref().shutdown(Shutdown::Write);
            }
            told if self.now() - told > FAREWELL => self.worker.kill(),
            _ => {}
        }
    }
}

/// Whether there is something to read.
fn has_come(socket: &UnixStream) -> bool {
    let mut looks = [PollFd::new(socket, PollFlags::IN)];
    poll(&mut looks, Some(&Timespec::default())).is_ok_and(|_| looks[0].revents().contains(PollFlags::IN))
}
