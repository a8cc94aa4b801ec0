//! What a worker is to be told and was not yet.
//!
//! It is written when whoever is ready now has had a turn: jobs that come together go to the worker in one call of
//! the system, and wake it once. Where they come one at a time a worker that has nothing to do is told at once.

use super::{Line, waits};
use crate::wire::{ROOM, Writer};
use std::io::{self, Write};
use std::sync::Arc;
use tokio::io::Interest;

/// The messages that wait to be written, in their order.
#[derive(Default)]
pub(super) struct Outgoing {
    /// Writes the next one.
    pub(super) writer: Writer,
    bytes: Vec<u8>,
    /// How much of it was written.
    written: usize,
    /// The first job among them.
    first: Option<u64>,
    /// Somebody is about to write them.
    called: bool,
    /// How many they are.
    count: u32,
    /// How many were written together last.
    last: u32,
}

impl Outgoing {
    /// Jobs from this number on are not with the worker as a whole, so it has not begun them.
    pub(super) fn since(&self) -> u64 {
        self.first.unwrap_or(u64::MAX)
    }

    /// Whether messages come one at a time now, as the last ones show.
    const fn come_alone(&self) -> bool {
        self.last <= 1
    }

    fn push(&mut self, job: Option<u64>) {
        self.writer.append_to(&mut self.bytes);
        self.first = self.first.or(job);
        self.count += 1;
    }

    /// Writes what there is room for, and says whether that was all.
    fn write(&mut self, mut socket: impl Write) -> io::Result<bool> {
        match socket.write(&self.bytes[self.written..]) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => self.written += written,
            Err(error) if waits(&error) => {}
            Err(error) => return Err(error),
        }
        let all = self.written == self.bytes.len();
        if all {
            self.bytes.clear();
            self.bytes.shrink_to(ROOM);
            (self.written, self.first, self.called) = (0, None, false);
            self.last = std::mem::take(&mut self.count);
        }
        Ok(all)
    }
}

impl Line {
    /// Has the message sent that was written, which is a job if it has a number: at once to a worker that is `idle`
    /// where they come one at a time, else with those that come now.
    pub(super) fn post(self: &Arc<Self>, outgoing: &mut Outgoing, job: Option<u64>, idle: bool) {
        outgoing.push(job);
        if std::mem::replace(&mut outgoing.called, true) {
            return;
        }
        let at_once = idle && outgoing.come_alone();
        // What goes wrong goes wrong again when it is delivered.
        if !(at_once && outgoing.write(self.socket.get_ref()).is_ok_and(|all| all)) {
            tokio::spawn(Arc::clone(self).deliver());
        }
    }

    /// Writes what there is when whoever is ready now has had a turn, and the rest as room comes.
    async fn deliver(self: Arc<Self>) {
        tokio::task::yield_now().await;
        let written = self.queue().outgoing.write(self.socket.get_ref());
        let written = match written {
            Ok(false) => self.deliver_rest().await,
            other => other.map(drop),
        };
        if let Err(error) = written {
            self.close();
            // One that is about to end says what it has. Whoever listens hears of its end, and has the rest done elsewhere.
            if error.kind() != io::ErrorKind::BrokenPipe {
                self.worker.kill();
            }
        }
    }

    async fn deliver_rest(&self) -> io::Result<()> {
        let socket = process::awaited(self.socket.get_ref().try_clone()?, Interest::WRITABLE)?;
        loop {
            let mut ready = socket.writable().await?;
            // The lock is not held while it waits.
            let all = ready.try_io(|socket| {
                let all = self.queue().outgoing.write(socket.get_ref())?;
                if all { Ok(true) } else { Err(io::ErrorKind::WouldBlock.into()) }
            });
            if let Ok(all) = all {
                return all.map(drop);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire;

    #[test]
    fn messages_come_alone_until_some_were_written_together() {
        let mut outgoing = Outgoing::default();
        for (count, alone) in [(1, true), (1, true), (3, true), (1, false), (1, true)] {
            assert_eq!(outgoing.come_alone(), alone, "before {count}");
            let mut sent = Vec::new();
            for number in 0..count {
                wire::ready(&mut outgoing.writer);
                outgoing.push(Some(number));
            }
            assert_eq!(outgoing.since(), 0);
            assert!(outgoing.write(&mut sent).expect("written"), "all of it");
            assert!(!sent.is_empty() && outgoing.since() == u64::MAX);
        }
    }
}
