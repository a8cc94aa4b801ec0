//! Splits a byte stream into lines of bounded length.

use tokio::io::{AsyncRead, AsyncReadExt};

/// The most bytes a child may write without a newline.
pub const LINE_MAX: usize = 10 * 1024 * 1024;

/// Room kept for an idle connection; grown for long lines and given back afterwards.
const ROOM: usize = 16 * 1024;

/// Reads whole lines; never holds more than `limit` unfinished bytes.
pub struct Lines<R> {
    from: R,
    buffer: Vec<u8>,
    /// Where the first line not yet given out begins.
    start: usize,
    /// Up to where the search for a newline has come.
    searched: usize,
    limit: usize,
}

/// Why no further line comes.
#[derive(Debug, PartialEq, Eq)]
pub enum Stop {
    /// The other end wrote its last.
    Eof,
    /// A line is longer than the limit.
    Overrun,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    /// Lines of `from`, each at most `limit` bytes.
    pub fn new(from: R, limit: usize) -> Self {
        Self { from, buffer: Vec::with_capacity(ROOM), start: 0, searched: 0, limit }
    }

    /// The next line without its newline. Cancel-safe.
    ///
    /// # Errors
    /// Why there is none.
    pub async fn next(&mut self) -> Result<&[u8], Stop> {
        loop {
            if let Some(at) = memchr::memchr(b'\n', &self.buffer[self.searched..]) {
                let (from, to) = (self.start, self.searched + at);
                self.start = to + 1;
                self.searched = to + 1;
                return Ok(&self.buffer[from..to]);
            }
            self.make_room();
            if self.buffer.len() > self.limit {
                return Err(Stop::Overrun);
            }
            match self.from.read_buf(&mut self.buffer).await {
                Ok(0) | Err(_) => return Err(Stop::Eof),
                Ok(_) => {}
            }
        }
    }

    /// What there is of a line that has not ended.
    pub fn begun(&self) -> &[u8] {
        &self.buffer[self.start..]
    }

    /// Takes what came after the last newline.
    pub fn rest(&mut self) -> Vec<u8> {
        let rest = self.buffer.split_off(self.start);
        self.searched = self.start;
        rest
    }

    /// Drops the line that is too long, up to its newline. `false` when it never ends.
    pub async fn skip(&mut self) -> bool {
        loop {
            self.buffer.clear();
            (self.start, self.searched) = (0, 0);
            if !matches!(self.from.read_buf(&mut self.buffer).await, Ok(1..)) {
                return false;
            }
            if let Some(at) = memchr::memchr(b'\n', &self.buffer) {
                (self.start, self.searched) = (at + 1, at + 1);
                return true;
            }
        }
    }

    /// Moves the unfinished line to the front and gives back the room of a long one that is done.
    fn make_room(&mut self) {
        if self.start > 0 {
            self.buffer.drain(..self.start);
            self.start = 0;
        }
        self.searched = self.buffer.len();
        if self.buffer.capacity() > 16 * ROOM && self.buffer.len() < ROOM {
            self.buffer.shrink_to(ROOM);
        }
        if self.buffer.capacity() - self.buffer.len() < ROOM / 4 {
            self.buffer.reserve(self.buffer.len().max(ROOM));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn split(input: &[u8], limit: usize) -> (Vec<Vec<u8>>, Stop) {
        let mut lines = Lines::new(input, limit);
        let mut found = Vec::new();
        loop {
            match lines.next().await {
                Ok(line) => found.push(line.to_vec()),
                Err(stop) => return (found, stop),
            }
        }
    }

    #[tokio::test]
    async fn lines_are_split_at_newlines_and_bounded() {
        let (lines, stop) = split(b"a\n\nbc\nrest", 100).await;
        assert_eq!((lines, stop), (vec![b"a".to_vec(), vec![], b"bc".to_vec()], Stop::Eof));
        let long = vec![b'x'; 200_000];
        assert_eq!(split(&long, 100_000).await, (vec![], Stop::Overrun));
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_can_be_passed_over() {
        let mut input = vec![b'x'; 300_000];
        input.extend_from_slice(b"\nshort\nrest");
        let mut lines = Lines::new(&input[..], 100_000);
        assert_eq!(lines.next().await, Err(Stop::Overrun));
        assert!(lines.begun().len() > 100_000);
        assert!(lines.skip().await);
        assert_eq!(lines.next().await, Ok(&b"short"[..]));
        assert_eq!(lines.next().await, Err(Stop::Eof));
        assert_eq!((lines.rest(), lines.rest()), (b"rest".to_vec(), vec![]));
        let mut endless = Lines::new(&input[..300_000], 100_000);
        assert_eq!(endless.next().await, Err(Stop::Overrun));
        assert!(!endless.skip().await);
    }

    #[tokio::test]
    async fn a_long_line_within_the_limit_passes_whole_and_its_room_is_given_back() {
        let mut input = vec![b'x'; 1_000_000];
        input.extend_from_slice(b"\nshort\n");
        let mut lines = Lines::new(&input[..], 2_000_000);
        assert_eq!(lines.next().await.map(<[u8]>::len), Ok(1_000_000));
        assert_eq!(lines.next().await, Ok(&b"short"[..]));
        assert_eq!(lines.next().await, Err(Stop::Eof));
        assert!(lines.buffer.capacity() <= 16 * ROOM);
    }
}
