//! Passes over the values of a JSON text.

use super::{DEEPEST, Kind, Known, Node};
use model::json::string_end;

/// From how many bytes on a container is not small.
const SMALL: usize = 64;

/// No container is open.
const NONE: u32 = u32::MAX;

/// The bytes that matter between brackets.
const MARKS: [bool; 256] = {
    let mut marks = [false; 256];
    let all = *b"\"{}[]";
    let mut at = 0;
    while at < all.len() {
        marks[all[at] as usize] = true;
        at += 1;
    }
    marks
};

/// The place behind the quote that ends the string whose content begins at `start`.
pub(super) fn behind_string(bytes: &[u8], start: usize) -> Option<usize> {
    string_end(bytes, start).map(|(end, _)| end + 1)
}

/// A place in a text.
pub(super) struct Scan<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
    pub(super) known: &'a mut Known,
}

impl Scan<'_> {
    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    pub(super) fn blank(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    /// Passes over this byte, and blanks before it.
    fn passes(&mut self, byte: u8) -> bool {
        self.blank();
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Passes over a value.
    pub(super) fn value(&mut self, key: (u32, u32)) -> Option<Node> {
        self.blank();
        let start = self.at;
        let kind = match self.peek()? {
            b'{' => self.brackets().map(|()| Kind::Object)?,
            b'[' => self.brackets().map(|()| Kind::Array)?,
            b'"' => self.string().map(|_| Kind::String)?,
            b't' => self.word(b"true", Kind::True)?,
            b'f' => self.word(b"false", Kind::False)?,
            b'n' => self.word(b"null", Kind::Null)?,
            b'-' | b'0'..=b'9' => self.digits(),
            _ => return None,
        };
        Some(Node { kind, start: start as u32, end: self.at as u32, key, inside: None })
    }

    /// Passes over an object or an array.
    fn brackets(&mut self) -> Option<()> {
        let (start, before) = (self.at as u32, self.known.passed.len());
        self.at = match self.known.passed.binary_search_by_key(&start, |(start, _)| *start) {
            Ok(found) => self.known.passed[found].1 as usize,
            Err(_) => {
                let end = self.end_of_brackets();
                if end.is_none() {
                    self.known.passed.truncate(before);
                }
                end?
            }
        };
        Some(())
    }

    /// The end of an object or an array, whose brackets must fit and not be too many.
    fn end_of_brackets(&mut self) -> Option<usize> {
        let passed = &mut self.known.passed;
        // One bit for each that is open: whether it is an object. The innermost is known by its number, and instead of
        // its end has the number of the one around it.
        let (mut open, mut depth, mut innermost, mut at) = (0_u128, 0, NONE, self.at);
        loop {
            let byte = *self.bytes.get(at)?;
            at += 1;
            if !MARKS[usize::from(byte)] {
                continue;
            }
            match byte {
                b'"' => at = behind_string(self.bytes, at)?,
                b'{' | b'[' => {
                    if depth == DEEPEST {
                        return None;
                    }
                    open = open << 1 | u128::from(byte == b'{');
                    depth += 1;
                    passed.push((at as u32 - 1, innermost));
                    innermost = passed.len() as u32 - 1;
                }
                _ => {
                    if (open & 1 == 1) != (byte == b'}') {
                        return None;
                    }
                    open >>= 1;
                    depth -= 1;
                    let (start, around) = passed[innermost as usize];
                    // What is inside a small one is small, so that is the last one.
                    match at - start as usize >= SMALL {
                        true => passed[innermost as usize].1 = at as u32,
                        false => passed.truncate(innermost as usize),
                    }
                    innermost = around;
                    if depth == 0 {
                        return Some(at);
                    }
                }
            }
        }
    }

    /// Adds the values directly inside the one that begins here.
    pub(super) fn inside(&mut self, kind: Kind) -> Option<()> {
        let end = match kind {
            Kind::Object => b'}',
            Kind::Array => b']',
            _ => return Some(()),
        };
        self.at += 1;
        if self.passes(end) {
            return Some(());
        }
        loop {
            let mut key = (0, 0);
            if kind == Kind::Object {
                self.blank();
                key = self.string()?;
                if !self.passes(b':') {
                    return None;
                }
            }
            let value = self.value(key)?;
            self.known.nodes.push(value);
            if self.passes(end) {
                return Some(());
            }
            if !self.passes(b',') {
                return None;
            }
        }
    }

    /// Passes over a string and gives the place of its content.
    fn string(&mut self) -> Option<(u32, u32)> {
        if self.peek() != Some(b'"') {
            return None;
        }
        let start = self.at + 1;
        self.at = behind_string(self.bytes, start)?;
        Some((start as u32, self.at as u32 - 1))
    }

    fn word(&mut self, word: &[u8], kind: Kind) -> Option<Kind> {
        self.bytes[self.at..].starts_with(word).then(|| {
            self.at += word.len();
            kind
        })
    }

    fn digits(&mut self) -> Kind {
        while let Some(b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        Kind::Number
    }
}
