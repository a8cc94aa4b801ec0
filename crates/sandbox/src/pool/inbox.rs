//! What was read from a worker and is not yet a whole message.

/// What is read at once; a larger message makes room for itself.
const CHUNK: usize = 16 << 10;

/// The bytes that were read and not handed out. The room stays, so that it is cleared once.
pub(super) struct Inbox {
    pub(super) room: Vec<u8>,
    pub(super) filled: usize,
}

impl Default for Inbox {
    fn default() -> Self {
        Self { room: vec![0; CHUNK], filled: 0 }
    }
}

impl Inbox {
    /// What stands before `at` was handed out. Makes room for the rest of a message that is not there as a whole:
    /// twice as much each time, so that it grows with what arrives and not with what a length promises.
    pub(super) fn pass(&mut self, at: usize) {
        if at > 0 {
            self.room.copy_within(at..self.filled, 0);
            self.filled -= at;
        }
        if self.filled == self.room.len() {
            self.room.resize(2 * self.filled, 0);
        } else if self.filled <= CHUNK / 2 && self.room.len() > CHUNK {
            self.room = [&self.room[..self.filled], &vec![0; CHUNK - self.filled]].concat();
        }
    }
}
