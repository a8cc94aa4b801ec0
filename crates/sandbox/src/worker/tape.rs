//! The outline of a JSON text: where each value stands, in one flat list.
//!
//! It lets the writer hold a value of a script against the text it came from, and copy what is the same.

use memchr::memchr2;
use std::rc::Rc;

/// Texts nested deeper than this get no outline.
pub(crate) const DEEPEST: usize = 128;

/// What kind of value stands there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Object,
    Array,
    String,
    Number,
    True,
    False,
    Null,
}

/// One value of the text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    start: u32,
    end: u32,
    /// Its name in the object around it, without quotes.
    key: (u32, u32),
    /// The node after it and all it holds.
    next: u32,
}

/// The values of a text, in the order in which they stand there.
pub(crate) type Outline = Rc<Vec<Node>>;

/// Outlines a text. There is none for what is not JSON, or is too deep or too long.
pub(crate) fn outline(text: &str) -> Option<Outline> {
    u32::try_from(text.len()).ok()?;
    let mut scan = Scan { bytes: text.as_bytes(), at: 0, nodes: Vec::with_capacity(text.len() / 16 + 1) };
    scan.value((0, 0), 0)?;
    scan.blank();
    (scan.at == text.len()).then(|| Rc::new(scan.nodes))
}

/// A text with its outline.
#[derive(Clone)]
pub(crate) struct Tape<'a> {
    text: &'a str,
    nodes: Outline,
}

impl<'a> Tape<'a> {
    /// A text with the outline that was made of it.
    pub(crate) fn new(text: &'a str, nodes: Outline) -> Self {
        Self { text, nodes }
    }

    pub(crate) fn kind(&self, node: usize) -> Kind {
        self.nodes[node].kind
    }

    /// The value's text, as it was written.
    pub(crate) fn text(&self, node: usize) -> &'a str {
        let Node { start, end, .. } = self.nodes[node];
        &self.text[start as usize..end as usize]
    }

    /// Where the value stands in the whole text.
    pub(crate) fn place(&self, node: usize) -> std::ops::Range<usize> {
        let Node { start, end, .. } = self.nodes[node];
        start as usize..end as usize
    }

    /// The value's name, as it was written, without quotes.
    pub(crate) fn key(&self, node: usize) -> &'a str {
        let (start, end) = self.nodes[node].key;
        &self.text[start as usize..end as usize]
    }

    /// The text of a container from its beginning up to the end of a value inside, or to its first.
    pub(crate) fn until(&self, node: usize, inside: Option<usize>) -> &'a str {
        let start = self.nodes[node].start as usize;
        let end = inside.map_or(start + 1, |inside| self.nodes[inside].end as usize);
        &self.text[start..end]
    }

    /// The values directly inside.
    pub(crate) fn inside(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        let end = self.nodes[node].next as usize;
        let first = (node + 1 < end).then_some(node + 1);
        std::iter::successors(first, move |&at| {
            let next = self.nodes[at].next as usize;
            (next < end).then_some(next)
        })
    }
}

/// Whether a string, given as it was written, without quotes, has this content.
pub(crate) fn says(written: &str, content: &str) -> bool {
    if memchr::memchr(b'\\', written.as_bytes()).is_none() {
        return written == content;
    }
    unescaped(written).is_some_and(|text| text == content)
}

/// The content of a string, given as it was written, without quotes. Half a surrogate pair has none.
pub(crate) fn unescaped(written: &str) -> Option<String> {
    serde_json::from_str(&format!("\"{written}\"")).ok()
}

struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
    nodes: Vec<Node>,
}

impl Scan<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn blank(&mut self) {
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

    fn value(&mut self, key: (u32, u32), depth: usize) -> Option<()> {
        if depth > DEEPEST {
            return None;
        }
        self.blank();
        let start = self.at;
        let node = self.nodes.len();
        self.nodes.push(Node { kind: Kind::Null, start: start as u32, end: 0, key, next: 0 });
        let kind = match self.peek()? {
            b'{' => self.members(depth)?,
            b'[' => self.items(depth)?,
            b'"' => self.string().map(|_| Kind::String)?,
            b't' => self.word(b"true", Kind::True)?,
            b'f' => self.word(b"false", Kind::False)?,
            b'n' => self.word(b"null", Kind::Null)?,
            b'-' | b'0'..=b'9' => self.digits(),
            _ => return None,
        };
        let next = self.nodes.len() as u32;
        let it = &mut self.nodes[node];
        (it.kind, it.end, it.next) = (kind, self.at as u32, next);
        Some(())
    }

    fn members(&mut self, depth: usize) -> Option<Kind> {
        self.at += 1;
        if self.passes(b'}') {
            return Some(Kind::Object);
        }
        loop {
            self.blank();
            let key = self.string()?;
            if !self.passes(b':') {
                return None;
            }
            self.value(key, depth + 1)?;
            if self.passes(b'}') {
                return Some(Kind::Object);
            }
            if !self.passes(b',') {
                return None;
            }
        }
    }

    fn items(&mut self, depth: usize) -> Option<Kind> {
        self.at += 1;
        if self.passes(b']') {
            return Some(Kind::Array);
        }
        loop {
            self.value((0, 0), depth + 1)?;
            if self.passes(b']') {
                return Some(Kind::Array);
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
        let mut at = start;
        loop {
            at += memchr2(b'"', b'\\', self.bytes.get(at..)?)?;
            if self.bytes[at] == b'"' {
                self.at = at + 1;
                return Some((start as u32, at as u32));
            }
            at += 2;
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_found_where_it_stands() {
        let text = r#" {"a" : [1.0, "x\"]", {}], "b\n":-1e2,"c":[] } "#;
        let tape = Tape::new(text, outline(text).unwrap());
        let members: Vec<usize> = tape.inside(0).collect();
        assert_eq!(members.iter().map(|&at| tape.key(at)).collect::<Vec<_>>(), ["a", "b\\n", "c"]);
        let texts: Vec<&str> = members.iter().map(|&at| tape.text(at)).collect();
        assert_eq!(texts, [r#"[1.0, "x\"]", {}]"#, "-1e2", "[]"]);
        let items: Vec<Kind> = tape.inside(members[0]).map(|at| tape.kind(at)).collect();
        assert_eq!(items, [Kind::Number, Kind::String, Kind::Object]);
        assert_eq!(tape.inside(members[2]).count(), 0);
    }

    #[test]
    fn what_is_not_json_has_no_outline() {
        for text in ["", "{", "[1,]", "{\"a\":1,}", "\"a", "\"\\", "tru", "1 2", "[1}", "{a:1}"] {
            assert!(outline(text).is_none(), "{text}");
        }
        assert!(outline(&"[".repeat(100_000)).is_none());
    }

    #[test]
    fn escapes_do_not_hide_what_a_string_says() {
        assert!(says("a\\u00e9\\n", "aé\n") && says("é", "é"));
        assert!(!says("a\\u00e9", "a") && !says("\\ud800", "?"));
    }
}
