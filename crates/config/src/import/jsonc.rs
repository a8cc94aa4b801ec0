//! JSON as editors write it: with comments and trailing commas.

use super::Error;
use crate::error::Position;
use model::text::shown;
use serde_json::Value;

/// Reads JSON with `//` and `/* */` comments and trailing commas.
pub(super) fn read(text: &str) -> Result<Value, Error> {
    let plain = plain(text);
    serde_json::from_str(&plain).map_err(|error| {
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or_default();
        Error::Syntax { format: "JSON", position: position(&plain, &error), message: shown(message) }
    })
}

/// The reader counts bytes, and from 0 where a line has just begun.
fn position(text: &str, error: &serde_json::Error) -> Position {
    let (line, bytes) = (error.line().max(1), error.column());
    let before = text.split('\n').nth(line - 1).unwrap_or_default().bytes().take(bytes);
    // Every character has one byte that does not continue another.
    let characters = before.filter(|byte| byte & 0xC0 != 0x80).count();
    Position { line: line as u64, column: characters.max(1) as u64 }
}

/// The same text with blanks for comments and trailing commas, so that places stay where they are.
pub(super) fn plain(text: &str) -> String {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    // Where the last comma was written, when it follows a value and only blanks came after it.
    let mut comma = None;
    let mut last = '[';
    while let Some(c) = rest.chars().next() {
        let taken = match c {
            '"' => string_length(rest),
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest[2..].find("*/").map_or(rest.len(), |at| at + 4),
            _ => c.len_utf8(),
        };
        let (piece, after) = rest.split_at(taken);
        rest = after;
        if c == '/' && taken > 1 {
            plain.extend(piece.chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
            continue;
        }
        match c {
            '}' | ']' => {
                if let Some(at) = comma.take() {
                    plain.replace_range(at..=at, " ");
                }
            }
            ',' => comma = (!"[{,:".contains(last)).then_some(plain.len()),
            _ if c.is_whitespace() => {}
            _ => comma = None,
        }
        if !c.is_whitespace() {
            last = c;
        }
        plain.push_str(piece);
    }
    plain
}

/// Bytes of the string literal at the beginning of `text`, quotes included.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn comments_and_trailing_commas_are_passed_over() {
        for (text, expected) in [
            ("// a\n{\"a\": 1, // b\n /* c\n , */ \"b\": [1, 2,],}", json!({"a": 1, "b": [1, 2]})),
            (
                "{\"u\": \"http://x/*y*/,]\", \"q\": \"a\\\"//,}\"}",
                json!({"u": "http://x/*y*/,]", "q": "a\"//,}"}),
            ),
            ("\u{feff}{\"a\": [1 , /* x */ ]}", json!({"a": [1]})),
        ] {
            assert_eq!(read(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn a_mistake_is_told_with_its_place() {
        for (text, place) in [
            ("{\n  // c\n  \"a\": s3cret\n}", "line 3, column 8: expected value"),
            ("{ /* é日 */ \"é日\": s3cret}", "line 1, column 18: expected value"),
            ("\u{feff}{\"a\"}", "line 1, column 5: expected `:`"),
            ("{", "line 1, column 1: EOF while parsing an object"),
            ("{\n", "line 2, column 1: EOF while parsing an object"),
        ] {
            let error = read(text).unwrap_err().to_string();
            let expected = format!("cannot read this as JSON: {place}; known are ");
            assert!(error.starts_with(&expected) && !error.contains("s3cret"), "{error}");
        }
        for text in ["{\"a\": [,]}", "{,}", "/", "/*", "\"", "{\"a\": 1,, }", "\"\\", "日/本"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
