//! Frames: numbers in the head, texts in the body.

use std::ops::Range;

/// The bytes before the head: its length and that of the body.
pub(crate) const LENGTHS: usize = 8;

/// How much room is kept for the next frames.
pub(crate) const ROOM: usize = 64 << 10;

/// The other side does not keep to the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a message between gateway and worker is malformed")]
pub(crate) struct Malformed;

/// The two lengths at the beginning of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) head: usize,
    pub(crate) body: usize,
}

impl Head {
    /// Reads the lengths and refuses more than `most` bytes.
    pub(crate) fn parse(bytes: [u8; LENGTHS], most: usize) -> Result<Self, Malformed> {
        let [a, b, c, d, e, f, g, h] = bytes;
        let head = u32::from_le_bytes([a, b, c, d]) as usize;
        let body = u32::from_le_bytes([e, f, g, h]) as usize;
        if head.saturating_add(body) > most { Err(Malformed) } else { Ok(Self { head, body }) }
    }

    pub(crate) const fn len(self) -> usize {
        self.head + self.body
    }
}

/// A frame that was received whole.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame<'a> {
    pub(crate) head: &'a [u8],
    pub(crate) body: &'a str,
}

impl<'a> Frame<'a> {
    /// Takes the bytes after the lengths apart.
    pub(crate) fn new(head: Head, bytes: &'a [u8]) -> Result<Self, Malformed> {
        let (numbers, texts) = bytes.split_at_checked(head.head).ok_or(Malformed)?;
        let body = std::str::from_utf8(texts).map_err(|_| Malformed)?;
        Ok(Self { head: numbers, body })
    }
}

/// Writes frames, one after the other. The room stays, so that it is made once.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    head: Vec<u8>,
    body: Vec<u8>,
}

impl Writer {
    /// Begins a frame. The one before is forgotten.
    pub(crate) fn begin(&mut self, kind: u8) {
        self.head.clear();
        self.body.clear();
        self.head.extend([0; LENGTHS]);
        self.head.push(kind);
    }

    pub(crate) fn byte(&mut self, value: u8) {
        self.head.push(value);
    }

    pub(crate) fn number(&mut self, value: u64) {
        self.head.extend_from_slice(&value.to_le_bytes());
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.body.extend_from_slice(text.as_bytes());
    }

    pub(crate) fn maybe(&mut self, text: Option<&str>) {
        self.byte(u8::from(text.is_some()));
        if let Some(text) = text {
            self.text(text);
        }
    }

    /// Makes room for this many bytes of texts at once.
    pub(crate) fn expect(&mut self, bytes: usize) {
        self.body.reserve(bytes);
    }

    /// The frame, lengths included, in two pieces.
    pub(crate) fn pieces(&mut self) -> [&[u8]; 2] {
        let head = (self.head.len() - LENGTHS) as u32;
        let body = self.body.len() as u32;
        self.head[..4].copy_from_slice(&head.to_le_bytes());
        self.head[4..LENGTHS].copy_from_slice(&body.to_le_bytes());
        [&self.head, &self.body]
    }

    /// Adds the frame, lengths included, to others.
    pub(crate) fn append_to(&mut self, out: &mut Vec<u8>) {
        self.pieces().into_iter().for_each(|piece| out.extend_from_slice(piece));
        self.head.shrink_to(ROOM);
        self.body.shrink_to(ROOM);
    }
}

/// Reads one frame.
pub(crate) struct Reader<'a> {
    head: &'a [u8],
    body: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    pub(crate) const fn new(frame: Frame<'a>) -> Self {
        Self { head: frame.head, body: frame.body, at: 0 }
    }

    pub(crate) fn byte(&mut self) -> Result<u8, Malformed> {
        let (byte, rest) = self.head.split_first().ok_or(Malformed)?;
        self.head = rest;
        Ok(*byte)
    }

    pub(crate) fn flag(&mut self) -> Result<bool, Malformed> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Malformed),
        }
    }

    pub(crate) fn number(&mut self) -> Result<u64, Malformed> {
        let (number, rest) = self.head.split_first_chunk::<8>().ok_or(Malformed)?;
        self.head = rest;
        Ok(u64::from_le_bytes(*number))
    }

    /// A count of things, each of which takes at least one byte of the head.
    pub(crate) fn count(&mut self) -> Result<usize, Malformed> {
        let count = usize::try_from(self.number()?).map_err(|_| Malformed)?;
        if count > self.head.len() { Err(Malformed) } else { Ok(count) }
    }

    /// Where the next text stands in the body.
    pub(crate) fn range(&mut self) -> Result<Range<usize>, Malformed> {
        let len = usize::try_from(self.number()?).map_err(|_| Malformed)?;
        let end = self.at.checked_add(len).ok_or(Malformed)?;
        self.body.get(self.at..end).ok_or(Malformed)?;
        let start = std::mem::replace(&mut self.at, end);
        Ok(start..end)
    }

    pub(crate) fn text(&mut self) -> Result<&'a str, Malformed> {
        let range = self.range()?;
        self.body.get(range).ok_or(Malformed)
    }

    pub(crate) fn maybe(&mut self) -> Result<Option<&'a str>, Malformed> {
        if self.flag()? { self.text().map(Some) } else { Ok(None) }
    }

    pub(crate) fn maybe_range(&mut self) -> Result<Option<Range<usize>>, Malformed> {
        if self.flag()? { self.range().map(Some) } else { Ok(None) }
    }

    /// The frame holds nothing more.
    pub(crate) fn end(&self) -> Result<(), Malformed> {
        if self.head.is_empty() && self.at == self.body.len() { Ok(()) } else { Err(Malformed) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(bytes: &[u8]) -> Frame<'_> {
        let (lengths, rest) = bytes.split_first_chunk::<LENGTHS>().unwrap();
        let head = Head::parse(*lengths, 1 << 20).unwrap();
        assert_eq!(head.len(), rest.len());
        Frame::new(head, rest).unwrap()
    }

    #[test]
    fn what_is_written_is_read() {
        let mut writer = Writer::default();
        writer.begin(7);
        writer.number(u64::MAX);
        writer.text("añ");
        writer.maybe(None);
        writer.maybe(Some(""));
        let bytes = writer.pieces().concat();
        let mut reader = Reader::new(frame(&bytes));
        assert_eq!(reader.byte(), Ok(7));
        assert_eq!(reader.number(), Ok(u64::MAX));
        assert_eq!(reader.text(), Ok("añ"));
        assert_eq!(reader.maybe(), Ok(None));
        assert_eq!(reader.end(), Err(Malformed));
        assert_eq!(reader.maybe(), Ok(Some("")));
        assert_eq!(reader.end(), Ok(()));
    }

    #[test]
    fn lengths_that_lie_are_refused() {
        assert_eq!(Head::parse([0xff; LENGTHS], 1 << 20), Err(Malformed));
        let mut writer = Writer::default();
        writer.begin(1);
        writer.text("é");
        let bytes = writer.pieces().concat();
        let frame = frame(&bytes);
        let mut head = frame.head.to_vec();
        for lie in [1, 3, u64::MAX] {
            head[1..9].copy_from_slice(&lie.to_le_bytes());
            let mut reader = Reader::new(Frame { head: &head, ..frame });
            assert_eq!(reader.byte(), Ok(1));
            assert_eq!(reader.text(), Err(Malformed), "{lie}");
        }
        let mut reader = Reader::new(Frame { head: &head[..5], ..frame });
        assert_eq!(reader.byte(), Ok(1));
        assert_eq!(reader.text(), Err(Malformed));
    }
}
