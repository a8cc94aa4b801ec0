//! What a call carries besides its number: text, records, or text with something to redact.
//!
//! Each function gives what follows the sixteen digits of the number, to the end of the input. `size` is
//! about how long the whole input is.

use std::fmt::Write;
use std::sync::Arc;

/// Digits of a message's number.
const DIGITS: usize = 16;

/// A message of exactly this many characters and nothing else.
pub(crate) fn message(size: usize) -> Arc<str> {
    format!("{}\"}}", "x".repeat(size.saturating_sub(DIGITS))).into()
}

/// A short message and a list of records, as tools that work on data take them.
pub(crate) fn records(size: usize) -> Arc<str> {
    let mut rest = String::from(
        r#"x","user":{"id":"u-1042","email":"ada@example.com","roles":["reader","editor"]},"items":["#,
    );
    for n in 0.. {
        let comma = if n > 0 { "," } else { "" };
        write!(
            rest,
            r#"{comma}{{"id":{n},"name":"item {n}","price":12.5,"tags":["new","small"],"done":false}}"#
        )
        .expect("memory can be written to");
        if rest.len() + 2 * DIGITS >= size {
            break;
        }
    }
    rest.push_str("]}");
    rest.into()
}

/// A message of words, with an address to redact in every few lines.
pub(crate) fn text(size: usize) -> Arc<str> {
    let mut rest = String::from("x");
    for n in 0.. {
        rest.push_str(" The quick brown fox jumps over the lazy dog, and nobody writes it down.");
        if n % 4 == 0 {
            write!(rest, " Ask fox.{n}@example.com about it.").expect("memory can be written to");
        }
        if rest.len() + 2 * DIGITS >= size {
            break;
        }
    }
    rest.push_str("\"}");
    rest.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_payload_ends_an_input_of_about_its_size() {
        for size in [1 << 10, 10 << 10, 50 << 10] {
            for rest in [message(size), records(size), text(size)] {
                let input = format!(r#"{{"message":"{:016x}{rest}"#, 7);
                serde_json::from_str::<serde_json::Value>(&input).unwrap();
                assert!(input.len().abs_diff(size) < 150, "{} for {size}", input.len());
            }
        }
    }
}
