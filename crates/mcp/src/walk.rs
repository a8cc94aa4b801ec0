//! From member to member of an object, without looking into the values.

use model::json::string_end;
use std::ops::Range;

/// The members of an object, each as where its name and its value stand in the text. The text is that of a JSON value
/// which was read before, so it is only looked at closely enough to tell its parts from each other.
pub(crate) struct Walk<'a> {
    text: &'a [u8],
    at: usize,
    /// Whether a member has been passed, which a comma must follow.
    begun: bool,
    /// Whether the end of the object was reached; what is no object has none.
    pub(crate) ended: bool,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(object: &'a str) -> Self {
        Self { text: object.as_bytes(), at: 0, begun: false, ended: false }
    }

    /// The next byte that is no space.
    fn peek(&mut self) -> Option<u8> {
        loop {
            let byte = *self.text.get(self.at)?;
            if !matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
                return Some(byte);
            }
            self.at += 1;
        }
    }

    /// Passes over this byte, if it is the next.
    fn pass(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    /// Passes over a text in quotes, which begins here.
    fn quoted(&mut self) -> Option<Range<usize>> {
        let from = self.at;
        let (end, _) = string_end(self.text, from + 1)?;
        self.at = end + 1;
        Some(from..self.at)
    }

    /// Passes over a value.
    fn value(&mut self) -> Option<Range<usize>> {
        match self.peek()? {
            b'"' => return self.quoted(),
            b'{' | b'[' => {}
            _ => return self.word(),
        }
        let (from, mut at, mut depth) = (self.at, self.at, 0_usize);
        loop {
            let byte = *self.text.get(at)?;
            at += 1;
            match byte {
                b'"' => at = string_end(self.text, at)?.0 + 1,
                b'{' | b'[' => depth += 1,
                b'}' | b']' => {
                    depth -= 1;
                    if depth == 0 {
                        self.at = at;
                        return Some(from..at);
                    }
                }
                _ => {}
            }
        }
    }

    /// Passes over a number, `true`, `false` or `null`.
    fn word(&mut self) -> Option<Range<usize>> {
        let from = self.at;
        let inside = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'z' | b'E' | b'+' | b'-' | b'.');
        self.at += self.text[from..].iter().take_while(|byte| inside(byte)).count();
        (self.at > from).then_some(from..self.at)
    }
}

impl Iterator for Walk<'_> {
    type Item = (Range<usize>, Range<usize>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        if !self.begun {
            self.pass(b'{')?;
        }
        match self.peek()? {
            b'}' => {
                self.ended = true;
                return None;
            }
            b',' if self.begun => self.at += 1,
            _ if self.begun => return None,
            _ => {}
        }
        self.begun = true;
        (self.peek()? == b'"').then_some(())?;
        let key = self.quoted()?;
        self.pass(b':')?;
        Some((key, self.value()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::de::{Deserializer, MapAccess, Visitor};
    use serde_json::value::RawValue;

    /// The names and values that a reader of JSON finds.
    struct Read;

    impl<'de> Visitor<'de> for Read {
        type Value = Vec<(&'de RawValue, &'de RawValue)>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut found = Vec::new();
            while let Some(entry) = map.next_entry()? {
                found.push(entry);
            }
            Ok(found)
        }
    }

    #[track_caller]
    fn check(text: &str) {
        let mut walk = Walk::new(text);
        let found: Vec<(&str, &str)> = walk.by_ref().map(|(key, value)| (&text[key], &text[value])).collect();
        match serde_json::Deserializer::from_str(text).deserialize_map(Read) {
            Ok(read) => {
                assert!(walk.ended, "{text}");
                let read: Vec<(&str, &str)> =
                    read.into_iter().map(|(key, value)| (key.get(), value.get())).collect();
                assert_eq!(found, read, "{text}");
            }
            Err(_) => assert!(!walk.ended, "{text}"),
        }
    }

    #[test]
    fn it_finds_what_a_reader_of_json_finds() {
        for text in [
            "{}",
            " { } ",
            r#"{"a":1}"#,
            "\n{ \"a\" :\t-1.5e+3 ,\r\n\"b\":true, \"c\":null,\"d\":false }",
            r#"{"a":{"b":[1,{"c":"}"}],"d":"\\\""},"e":[]}"#,
            r#"{"a\"b":"\\","\ud800":"x\u005c","":{}}"#,
            r#"{"a":1,"a":2}"#,
            r#"{"日本":"語","x":"\\"} and more"#,
        ] {
            check(text);
        }
    }

    #[test]
    fn what_is_no_object_has_no_end() {
        for text in [
            "",
            " ",
            "[1]",
            "5",
            "\"a\"",
            "null",
            "{",
            "{\"a\"",
            r#"{"a":"#,
            r#"{"a":1"#,
            r#"{"a":1,"#,
            r#"{"a":1,}x"#,
            r#"{"a" 1}"#,
            r#"{"a":1 "b":2}"#,
            r#"{,"a":1}"#,
            r#"{a:1}"#,
            r#"{"a":"x}"#,
            r#"{"a":"x\"#,
            r#"{"a":{"b":1}"#,
            r#"{"a":}"#,
        ] {
            check(text);
        }
    }
}
