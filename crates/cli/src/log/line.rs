//! One line of the log, written field by field into a buffer without a tree in between.

use super::time;
use std::fmt::{self, Write};
use tracing::Level;

/// How a line looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// One JSON object.
    Json,
    /// For people: time, level, message, `key=value`.
    Text,
    /// The same, with the level in colour.
    Colour,
}

/// A line under construction: `new`, any number of fields, `end`.
pub(super) struct Line<'a> {
    out: &'a mut Vec<u8>,
    style: Style,
}

impl<'a> Line<'a> {
    /// Begins a line with its time and level.
    pub(super) fn new(out: &'a mut Vec<u8>, style: Style, millis: u64, level: Level) -> Self {
        let time = time::format(millis);
        match style {
            Style::Json => {
                out.extend_from_slice(b"{\"time\":\"");
                out.extend_from_slice(&time);
                out.extend_from_slice(b"\",\"level\":\"");
                out.extend_from_slice(word(level).as_bytes());
                out.push(b'"');
            }
            Style::Text | Style::Colour => {
                // The date is on the screen's clock; the time of day is enough.
                out.extend_from_slice(&time[11..]);
                let (on, off) = if style == Style::Colour { colour(level) } else { ("", "") };
                for part in [" ", on, padded(level), off] {
                    out.extend_from_slice(part.as_bytes());
                }
            }
        }
        Self { out, style }
    }

    /// A text value.
    pub(super) fn text(&mut self, name: &str, value: &str) {
        self.value(name, |out| out.write_str(value));
    }

    /// A value that writes itself; kept as text.
    pub(super) fn display(&mut self, name: &str, value: fmt::Arguments<'_>) {
        self.value(name, |out| out.write_fmt(value));
    }

    fn value(&mut self, name: &str, write: impl FnOnce(&mut Escaped<'_>) -> fmt::Result) {
        self.key(name);
        let quoted = self.style == Style::Json || name != "message";
        if quoted {
            self.out.push(b'"');
        }
        if write(&mut Escaped { out: self.out, quoted }).is_err() {
            self.out.extend_from_slice(b"(unwritable)");
        }
        if quoted {
            self.out.push(b'"');
        }
    }

    /// A number or a truth value, which is its own JSON.
    pub(super) fn bare(&mut self, name: &str, value: fmt::Arguments<'_>) {
        self.key(name);
        let _ = Escaped { out: self.out, quoted: false }.write_fmt(value);
    }

    /// The part of the program that the line comes from.
    pub(super) fn target(&mut self, target: &str) {
        self.out.extend_from_slice(if self.style == Style::Json { b",\"target\":\"" } else { b" target=\"" });
        let _ = Escaped { out: self.out, quoted: true }.write_str(target);
        self.out.push(b'"');
    }

    /// Ends the line.
    pub(super) fn end(self) {
        self.out.extend_from_slice(if self.style == Style::Json { b"}\n" } else { b"\n" });
    }

    fn key(&mut self, name: &str) {
        let name = name.strip_prefix("r#").unwrap_or(name);
        if self.style != Style::Json {
            self.out.push(b' ');
            if name != "message" {
                let _ = Escaped { out: self.out, quoted: false }.write_str(name);
                self.out.push(b'=');
            }
            return;
        }
        self.out.extend_from_slice(b",\"");
        // The names that every line has of its own are not given twice.
        if matches!(name, "time" | "level" | "target") {
            self.out.push(b'_');
        }
        let _ = Escaped { out: self.out, quoted: true }.write_str(name);
        self.out.extend_from_slice(b"\":");
    }
}

/// The level as it is written in JSON.
fn word(level: Level) -> &'static str {
    match level {
        Level::ERROR => "error",
        Level::WARN => "warn",
        Level::INFO => "info",
        Level::DEBUG => "debug",
        Level::TRACE => "trace",
    }
}

fn padded(level: Level) -> &'static str {
    match level {
        Level::ERROR => "ERROR",
        Level::WARN => "WARN ",
        Level::INFO => "INFO ",
        Level::DEBUG => "DEBUG",
        Level::TRACE => "TRACE",
    }
}

fn colour(level: Level) -> (&'static str, &'static str) {
    let on = match level {
        Level::ERROR => "\x1b[31m",
        Level::WARN => "\x1b[33m",
        Level::INFO => "\x1b[32m",
        Level::DEBUG | Level::TRACE => "\x1b[34m",
    };
    (on, "\x1b[0m")
}

/// Escapes as JSON does: control characters always, and whatever else some readers take for the end of a line, so that
/// no value can begin a new line or steer a terminal; quotes and backslashes where the value stands in quotes.
struct Escaped<'a> {
    out: &'a mut Vec<u8>,
    quoted: bool,
}

impl Write for Escaped<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let bytes = text.as_bytes();
        // Most have nothing to escape, which is seen many bytes at a time.
        let plain = |byte: &u8| (0x20..0x7F).contains(byte) & (*byte != b'"') & (*byte != b'\\');
        if bytes.iter().fold(true, |all, byte| all & plain(byte)) {
            self.out.extend_from_slice(bytes);
            return Ok(());
        }
        let mut done = 0;
        for (i, &byte) in bytes.iter().enumerate() {
            let special = byte < 0x20 || byte == 0x7F || (self.quoted && matches!(byte, b'"' | b'\\'));
            let (code, length) = match byte {
                _ if special => (u16::from(byte), 1),
                // U+0080 to U+009F, among them another beginning of what steers a terminal.
                0xC2 if bytes[i + 1] < 0xA0 => (u16::from(bytes[i + 1]), 2),
                // U+2028 and U+2029, the ends of a line and of a paragraph.
                0xE2 if matches!(bytes[i + 1..], [0x80, 0xA8 | 0xA9, ..]) => {
                    (0x2000 | u16::from(bytes[i + 2] & 0x7F), 3)
                }
                _ => continue,
            };
            self.out.extend_from_slice(&bytes[done..i]);
            self.escape(code);
            done = i + length;
        }
        self.out.extend_from_slice(&bytes[done..]);
        Ok(())
    }
}

impl Escaped<'_> {
    fn escape(&mut self, code: u16) {
        const HEX: &[u8; 16] = b"0123456789abcdef";
        match u8::try_from(code) {
            Ok(b'"') => self.out.extend_from_slice(b"\\\""),
            Ok(b'\\') => self.out.extend_from_slice(b"\\\\"),
            Ok(b'\n') => self.out.extend_from_slice(b"\\n"),
            Ok(b'\r') => self.out.extend_from_slice(b"\\r"),
            Ok(b'\t') => self.out.extend_from_slice(b"\\t"),
            _ => {
                let digits = [12, 8, 4, 0].map(|shift| HEX[usize::from(code >> shift & 15)]);
                self.out.extend_from_slice(b"\\u");
                self.out.extend_from_slice(&digits);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn line(style: Style, fill: impl FnOnce(&mut Line<'_>)) -> String {
        let mut out = Vec::new();
        let mut line = Line::new(&mut out, style, 1_794_715_920_123, Level::WARN);
        fill(&mut line);
        line.end();
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn every_text_comes_back_from_the_json() {
        let every: String = (0..0x3000).filter_map(char::from_u32).collect();
        for text in [
            "",
            "plain",
            "\u{80}\u{85}\u{9B}\u{9F}\u{A0}\u{2027}\u{2028}\u{2029}\u{202A}â",
            "日本 \u{1F600}",
            "\"\\\n\r\t\0\u{7F}\u{2028}",
            "a\"",
            "\\",
            &every,
        ] {
            let line = line(Style::Json, |line| {
                line.text("message", text);
                line.display("shown", format_args!("<{text}>{}", 1));
            });
            let ends = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
            assert_eq!(line.find(ends), Some(line.len() - 1), "{line:?}");
            let value: Value = serde_json::from_str(&line).expect("JSON");
            assert_eq!(
                value,
                json!({"time": "2026-11-15T04:12:00.123Z", "level": "warn", "message": text,
                       "shown": format!("<{text}>1")})
            );
        }
    }

    #[test]
    fn no_name_is_given_twice_and_raw_names_lose_their_mark() {
        let line = line(Style::Json, |line| {
            for name in ["time", "level", "target", "r#type", "a \"quoted\" name"] {
                line.bare(name, format_args!("1"));
            }
        });
        assert_eq!(
            line,
            "{\"time\":\"2026-11-15T04:12:00.123Z\",\"level\":\"warn\",\"_time\":1,\"_level\":1,\"_target\":1,\
             \"type\":1,\"a \\\"quoted\\\" name\":1}\n"
        );
    }

    #[test]
    fn a_line_for_people_is_short_and_cannot_steer_the_terminal() {
        let fill = |line: &mut Line<'_>| {
            line.text("message", "it \"broke\"\n\x1b[2J");
            line.text("path", "a b");
            line.bare("status", format_args!("{}", 502));
        };
        let rest = "it \"broke\"\\n\\u001b[2J path=\"a b\" status=502\n";
        assert_eq!(line(Style::Text, fill), format!("04:12:00.123Z WARN  {rest}"));
        assert_eq!(line(Style::Colour, fill), format!("04:12:00.123Z \x1b[33mWARN \x1b[0m {rest}"));
    }

    #[test]
    fn a_value_that_cannot_be_written_spoils_nothing() {
        struct Broken;
        impl fmt::Display for Broken {
            fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
                Err(fmt::Error)
            }
        }
        let line = line(Style::Json, |line| line.display("x", format_args!("{Broken}")));
        assert!(line.ends_with(",\"x\":\"(unwritable)\"}\n"), "{line}");
    }
}
