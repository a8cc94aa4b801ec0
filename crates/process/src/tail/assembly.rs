//! Puts lines together from what arrives, without terminal escapes and never longer than a limit.

/// A line in the making.
pub(super) struct Assembly {
    line: Vec<u8>,
    limit: usize,
    escape: Escape,
    open: bool,
}

/// Where in a terminal escape the next byte stands.
enum Escape {
    None,
    /// After ESC.
    Begun,
    /// In a control sequence, until its final byte.
    Sequence,
    /// In a string such as a window title, until BEL or ESC.
    Text,
}

impl Assembly {
    pub(super) fn new(limit: usize) -> Self {
        Self { line: Vec::new(), limit, escape: Escape::None, open: false }
    }

    /// Takes what arrived and gives every line that it completes.
    pub(super) fn feed(&mut self, bytes: &[u8], mut complete: impl FnMut(&[u8])) {
        for &byte in bytes {
            if byte == b'\n' {
                self.open = true;
                self.finish(&mut complete);
            } else {
                self.open = true;
                self.take(byte);
            }
        }
    }

    /// Gives the line in the making, if there is one.
    pub(super) fn finish(&mut self, mut complete: impl FnMut(&[u8])) {
        if std::mem::take(&mut self.open) {
            complete(&self.line);
        }
        self.line.clear();
        self.escape = Escape::None;
    }

    fn take(&mut self, byte: u8) {
        self.escape = match (&self.escape, byte) {
            (_, 0x1b) => Escape::Begun,
            (Escape::Begun, b'[') => Escape::Sequence,
            (Escape::Begun, b']' | b'P' | b'X' | b'^' | b'_') => Escape::Text,
            (Escape::Begun, 0x20..=0x2f) => Escape::Begun,
            (Escape::Sequence, 0x40..=0x7e) | (Escape::Text, 0x07) | (Escape::Begun, _) => Escape::None,
            (Escape::Sequence, _) => Escape::Sequence,
            (Escape::Text, _) => Escape::Text,
            (Escape::None, _) => {
                let printable = byte == b'\t' || (byte >= 0x20 && byte != 0x7f);
                if printable && self.line.len() < self.limit {
                    self.line.push(byte);
                }
                Escape::None
            }
        };
    }
}
