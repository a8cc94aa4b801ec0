//! The outline of a JSON text: where each value stands, level by level.
//!
//! It lets the writer hold a value of a script against the text it came from, and copy what is the same. What is
//! inside a value is outlined when it is asked for; until then it is passed over from bracket to bracket.

mod scan;

use scan::{Scan, behind_string};
use std::cell::RefCell;
use std::ops::Range;
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
    /// The first of the values inside and the one behind the last, once they are outlined.
    inside: Option<(u32, u32)>,
}

/// What is known of a text so far.
pub(crate) type Outline = Rc<RefCell<Known>>;

#[derive(Debug)]
pub(crate) struct Known {
    /// The values that are outlined.
    nodes: Vec<Node>,
    /// Where containers begin that were passed over and are not small, in order, and where they end. So that no level
    /// is passed over again for what is inside.
    passed: Vec<(u32, u32)>,
}

impl Known {
    /// With room for what most texts need.
    fn new() -> Self {
        Self { nodes: Vec::with_capacity(16), passed: Vec::with_capacity(16) }
    }
}

/// Outlines a text. There is none for what is not JSON, or is too deep or too long. Inside the outermost value only
/// the brackets are looked at: what comes here was read as JSON before.
pub(crate) fn outline(text: &str) -> Option<Outline> {
    u32::try_from(text.len()).ok()?;
    let mut known = Known::new();
    let mut scan = Scan { bytes: text.as_bytes(), at: 0, known: &mut known };
    scan.blank();
    let start = scan.at;
    let kind = match scan.peek()? {
        b'{' => Kind::Object,
        b'[' => Kind::Array,
        _ => scan.value((0, 0))?.kind,
    };
    scan.known.nodes.push(Node { kind, start: start as u32, end: 0, key: (0, 0), inside: None });
    scan.inside(kind)?;
    let end = scan.at as u32;
    scan.blank();
    let whole = scan.at == text.len();
    let count = known.nodes.len() as u32;
    known.nodes[0] = Node { end, inside: Some((1, count)), ..known.nodes[0] };
    whole.then(|| Rc::new(RefCell::new(known)))
}

/// A text with its outline.
#[derive(Clone)]
pub(crate) struct Tape<'a> {
    text: &'a str,
    known: Outline,
}

impl<'a> Tape<'a> {
    /// A text with the outline that was made of it.
    pub(crate) fn new(text: &'a str, known: Outline) -> Self {
        Self { text, known }
    }

    fn node(&self, node: usize) -> Node {
        self.known.borrow().nodes[node]
    }

    pub(crate) fn kind(&self, node: usize) -> Kind {
        self.node(node).kind
    }

    /// The value's text, as it was written.
    pub(crate) fn text(&self, node: usize) -> &'a str {
        let Node { start, end, .. } = self.node(node);
        &self.text[start as usize..end as usize]
    }

    /// Where the value stands in the whole text.
    pub(crate) fn place(&self, node: usize) -> std::ops::Range<usize> {
        let Node { start, end, .. } = self.node(node);
        start as usize..end as usize
    }

    /// The value's name, as it was written, without quotes.
    pub(crate) fn key(&self, node: usize) -> &'a str {
        let (start, end) = self.node(node).key;
        &self.text[start as usize..end as usize]
    }

    /// The text of a container from its beginning up to the end of a value inside, or to its first.
    pub(crate) fn until(&self, node: usize, inside: Option<usize>) -> &'a str {
        let start = self.node(node).start as usize;
        let end = inside.map_or(start + 1, |inside| self.node(inside).end as usize);
        &self.text[start..end]
    }

    /// The values directly inside.
    pub(crate) fn inside(&self, node: usize) -> Range<usize> {
        let it = self.node(node);
        let (start, end) = it.inside.unwrap_or_else(|| {
            let known = &mut *self.known.borrow_mut();
            let start = known.nodes.len();
            let mut scan = Scan { bytes: self.text.as_bytes(), at: it.start as usize, known };
            if scan.inside(it.kind).is_none() {
                known.nodes.truncate(start);
            }
            let inside = (start as u32, known.nodes.len() as u32);
            known.nodes[node].inside = Some(inside);
            inside
        });
        start as usize..end as usize
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

/// Where the private signs begin that stand for halves of surrogate pairs.
const SIGNS: u32 = 0x10_F800;

/// The same with a private sign in the place of each half.
pub(crate) fn with_signs(written: &str) -> String {
    let mut plain = String::with_capacity(written.len());
    let unit = |text: &str| u16::from_str_radix(text.strip_prefix("\\u")?.get(..4)?, 16).ok();
    let mut rest = written;
    while let Some(at) = memchr::memmem::find(rest.as_bytes(), b"\\") {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = match (unit(rest), rest.get(6..).and_then(unit)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(half @ 0xD800..=0xDFFF), _) => {
                plain.extend(char::from_u32(SIGNS + u32::from(half - 0xD800)));
                rest = &rest[6..];
                continue;
            }
            (Some(_), _) => 6,
            (None, _) => 2,
        };
        let (escape, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
        plain.push_str(&unescaped(escape).unwrap_or_default());
        rest = after;
    }
    plain + rest
}

/// A text with halves of surrogate pairs, as JSON writes them, in the place of their signs.
pub(crate) fn without_signs(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match u32::from(c).checked_sub(SIGNS) {
            Some(half) => out.push_str(&format!("\\u{:04x}", 0xD800 + half)),
            None => out.push(c),
        }
    }
    out
}

/// Whether a script would write every number of a JSON text as it stands there.
pub(crate) fn plain_numbers(json: &str) -> bool {
    /// Up to here every integer is a number of the engine.
    const EXACT: u64 = 1 << 53;
    let is_integer =
        |text: &str| text.parse::<i64>().is_ok_and(|n| n.unsigned_abs() <= EXACT && n.to_string() == text);
    let is_fraction = |text: &str| {
        // Smaller ones, and larger ones, are written with an exponent.
        text.contains('.')
            && text.parse::<f64>().is_ok_and(|n| (1e-6..1e21).contains(&n.abs()) && n.to_string() == text)
    };
    numbers(json).all(|number| is_integer(number) || is_fraction(number))
}

/// The numbers of a JSON text, as they are written.
pub(crate) fn numbers(json: &str) -> impl Iterator<Item = &str> {
    let bytes = json.as_bytes();
    let is_part = |byte: &u8| matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9');
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let start = at;
            match bytes.get(at)? {
                b'"' => at = behind_string(bytes, at + 1).unwrap_or(bytes.len()),
                b'-' | b'0'..=b'9' => {
                    at += bytes[at..].iter().take_while(|byte| is_part(byte)).count();
                    return Some(&json[start..at]);
                }
                _ => at += 1,
            }
        }
    })
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
        assert_eq!(tape.inside(members[1]).count(), 0);
        assert_eq!(tape.inside(0), tape.inside(0), "a level is outlined once");
    }

    #[test]
    fn what_was_passed_over_once_is_found_again() {
        let small = r#"{"a":[1,{"b":"]"}]}"#;
        let item = format!("[{},[]]", [small; 5].join(","));
        let list = format!("[{small},{item},{small},{item},1]");
        let text = format!(r#"{{"x":{small},"y":{{"list":{list},"more":{list}}},"z":{item}}}"#);
        let tape = Tape::new(&text, outline(&text).unwrap());
        let (mut rest, mut seen) = (vec![0], 0);
        while let Some(node) = rest.pop() {
            let value: serde_json::Value = serde_json::from_str(tape.text(node)).unwrap();
            let count = value.as_object().map(serde_json::Map::len).or(value.as_array().map(Vec::len));
            assert_eq!(tape.inside(node).count(), count.unwrap_or(0), "{}", tape.text(node));
            rest.extend(tape.inside(node));
            seen += 1;
        }
        assert_eq!(seen, 166, "every value is found");
        let known = tape.known.borrow();
        assert!(known.passed.is_sorted() && known.passed.len() == 2 * 3 + 2, "{:?}", known.passed);
    }

    #[test]
    fn what_is_not_json_has_no_outline() {
        for text in [
            "",
            "{",
            "[1,]",
            "{\"a\":1,}",
            "\"a",
            "\"\\",
            "tru",
            "1 2",
            "[1}",
            "{a:1}",
            "[[1}",
            "[[1]}",
            "[\"]",
        ] {
            assert!(outline(text).is_none(), "{text}");
        }
        assert!(outline(&"[".repeat(100_000)).is_none());
        let nested = |depth: usize| ["[".repeat(depth), "]".repeat(depth)].concat();
        assert!(outline(&nested(DEEPEST + 1)).is_some() && outline(&nested(DEEPEST + 2)).is_none());
    }

    #[test]
    fn a_number_that_would_be_written_otherwise_is_seen() {
        assert!(plain_numbers(r#"{"1.0":"2.00\"3.0","n":[0,-12,1.5,9007199254740992,0.25]}"#));
        for odd in ["1.0", "-0", "1e2", "12345678901234567890", "9007199254740993", "0.0000001", "1.50"] {
            assert!(!plain_numbers(&format!("[1,{odd}]")), "{odd}");
        }
    }

    #[test]
    fn escapes_do_not_hide_what_a_string_says() {
        assert!(says("a\\u00e9\\n", "aé\n") && says("é", "é"));
        assert!(!says("a\\u00e9", "a") && !says("\\ud800", "?"));
    }
}
