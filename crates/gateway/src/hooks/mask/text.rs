//! Masks secrets in a text that cannot be read as JSON as a whole: one with half a surrogate pair, with a number out of
//! range, nested deeply, cut off, several values one after the other, or some among words.

use super::{MASK, hidden, is_secret};
use model::text::whole_pairs;
use std::collections::HashMap;

/// The text with the values of secret-looking keys masked; `None` when there is none.
pub(super) fn masked(text: &str) -> Option<String> {
    let (mut out, mut done, mut at) = (String::new(), 0, 0);
    while let Some(start) = memchr::memchr(b'"', &text.as_bytes()[at..]).map(|found| at + found) {
        let end = string_end(text, start);
        let content = content(&text[start..end]);
        let after = end + blank(&text[end..]);
        at = end;
        let replacement = if text[after..].starts_with(':') {
            let value = after + 1 + blank(&text[after + 1..]);
            if !is_secret(&content) || is_harmless(&content, &text[value..]) {
                continue;
            }
            at = value_end(text, value);
            (value, format!("\"{MASK}\""))
        } else {
            match content.contains('"').then(|| hidden(&content)).flatten() {
                Some(inner) => (start, serde_json::Value::from(inner).to_string()),
                None => {
                    // Where nothing of JSON follows, the quotes stood among words, and the last one may open a string.
                    if text[end..].starts_with(|c: char| !c.is_ascii_whitespace() && !",]}".contains(c)) {
                        at = end - 1;
                    }
                    continue;
                }
            }
        };
        out.push_str(&text[done..replacement.0]);
        out.push_str(&replacement.1);
        done = at;
    }
    (done > 0).then(|| out + &text[done..])
}

/// The JSON text with every string, keys included, as `change` makes it that stands in a member of one of these names.
/// Whatever else there is stays as it is written; members of one object that become alike are still told apart.
pub(crate) fn changed_below(text: &str, names: &[&str], change: impl Fn(&str) -> String) -> String {
    let (mut out, mut done, mut at) = (String::with_capacity(text.len()), 0, 0);
    // What is open here, how deep the member begins that is changed, and whether its value comes next.
    let (mut open, mut below, mut next) = (Vec::<Keys>::new(), None, false);
    while let Some(&byte) = text.as_bytes().get(at) {
        let start = at;
        at += 1;
        match byte {
            b'{' | b'[' => {
                if std::mem::take(&mut next) {
                    below = Some(open.len());
                }
                open.push(Keys::default());
            }
            b'}' | b']' => {
                open.pop();
                below = below.filter(|begun| *begun < open.len());
            }
            b',' => next = false,
            b'"' => {
                at = string_end(text, start);
                let content = content(&text[start..at]);
                let is_key = text[at + blank(&text[at..])..].starts_with(':');
                if below.is_none() && (is_key || !next) {
                    next = is_key && names.contains(&content.as_str());
                    continue;
                }
                let changed = match open.last_mut().filter(|_| is_key) {
                    Some(keys) => keys.add(&content, change(&content)),
                    None => change(&content),
                };
                if changed != content {
                    out.push_str(&text[done..start]);
                    out.push_str(&serde_json::Value::from(changed).to_string());
                    done = at;
                }
            }
            _ => {}
        }
    }
    out + &text[done..]
}

/// The keys of an object as they are shown.
#[derive(Default)]
struct Keys {
    /// Whether they are written otherwise.
    all: HashMap<String, bool>,
    /// How many of those that become alike are there.
    alike: HashMap<String, usize>,
}

impl Keys {
    /// Adds a key that is shown so, in the end as no other is: two that are masked are still two.
    fn add(&mut self, written: &str, mut shown: String) -> String {
        if self.all.get(&shown).is_some_and(|other| *other || shown != written) {
            let count = self.alike.entry(shown.clone()).or_insert(1);
            shown = loop {
                *count += 1;
                let numbered = format!("{shown} ({count})");
                if !self.all.contains_key(&numbered) {
                    break numbered;
                }
            };
        }
        self.all.insert(shown.clone(), shown != written);
        shown
    }
}

/// The text as JSON that can be read: what stands for halves of surrogate pairs is a sign of its own, and numbers out of
/// range are texts.
pub(super) fn readable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let end = match first {
            '"' => string_end(text, at),
            '-' | '0'..='9' => value_end(text, at),
            _ => at + first.len_utf8(),
        };
        let part = &text[at..end];
        match first {
            '"' => out.push_str(&whole_pairs(part)),
            '-' | '0'..='9' if part.parse().is_ok_and(f64::is_infinite) => {
                out.extend(["\"", part, "\""]);
            }
            _ => out.push_str(part),
        }
        at = end;
    }
    out
}

/// What a string says that is given with its quotes, the last of which may be missing.
fn content(written: &str) -> String {
    serde_json::from_str(written)
        .or_else(|_| serde_json::from_str(&whole_pairs(written)))
        .unwrap_or_else(|_| written.trim_matches('"').to_owned())
}

/// Where the string ends that begins at `start`, behind its quote; the end of the text where it has none.
fn string_end(text: &str, start: usize) -> usize {
    model::json::string_end(text.as_bytes(), start + 1).map_or(text.len(), |(end, _)| end + 1)
}

/// Where the value ends that begins at `start`: what is not closed goes to the end.
fn value_end(text: &str, start: usize) -> usize {
    let (mut at, mut depth) = (start, 0_usize);
    while let Some(&byte) = text.as_bytes().get(at) {
        match byte {
            b'"' => at = string_end(text, at),
            b'{' | b'[' => (at, depth) = (at + 1, depth + 1),
            b'}' | b']' | b',' if depth == 0 => return at,
            b'}' | b']' => (at, depth) = (at + 1, depth - 1),
            byte if depth == 0 && byte.is_ascii_whitespace() => return at,
            _ => {
                at += 1;
                continue;
            }
        }
        if depth == 0 {
            return at;
        }
    }
    at
}

fn blank(text: &str) -> usize {
    text.len() - text.trim_ascii_start().len()
}

/// As it is with values: what is no secret under such a key.
fn is_harmless(key: &str, value: &str) -> bool {
    let number = value.starts_with(|c: char| c == '-' || c.is_ascii_digit());
    ["null", "true", "false"].iter().any(|word| value.starts_with(word))
        || (number && key.to_lowercase().ends_with("tokens"))
}
