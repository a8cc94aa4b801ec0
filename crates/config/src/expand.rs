//! `${NAME}` and `$NAME`, replaced from the environment after the file is parsed (spec 1.11).

use crate::Environment;
use serde_json::Value;

/// A piece of a text that may name variables.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// Taken as it is.
    Plain(&'a str),
    /// `${NAME}`.
    Braced(&'a str),
    /// `$NAME`.
    Bare(&'a str),
}

/// The pieces of `text`, in order. There is no default-value syntax: `${A:-x}` is plain.
pub(crate) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut plain = 0;
    let mut at = 0;
    while let Some(found) = text[at..].find('$') {
        let dollar = at + found;
        let after = &text[dollar + 1..];
        let (piece, length) = if let Some(inner) = after.strip_prefix('{') {
            let name = name_at(inner);
            let closed = !name.is_empty() && inner[name.len()..].starts_with('}');
            (closed.then_some(Piece::Braced(name)), name.len() + 2)
        } else {
            let name = name_at(after);
            ((!name.is_empty()).then_some(Piece::Bare(name)), name.len())
        };
        at = dollar + 1;
        if let Some(piece) = piece {
            if plain < dollar {
                pieces.push(Piece::Plain(&text[plain..dollar]));
            }
            pieces.push(piece);
            at += length;
            plain = at;
        }
    }
    if plain < text.len() {
        pieces.push(Piece::Plain(&text[plain..]));
    }
    pieces
}

/// The name of a variable at the beginning of `text`; empty when there is none.
pub(crate) fn name_at(text: &str) -> &str {
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        return "";
    }
    let end = text.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
    &text[..end]
}

/// `text` with its variables replaced once; an unset name becomes empty.
pub(crate) fn expand(text: &str, env: &Environment) -> String {
    let replace = |piece| match piece {
        Piece::Plain(text) => text,
        Piece::Braced(name) | Piece::Bare(name) => env.get(name).unwrap_or_default(),
    };
    pieces(text).into_iter().map(replace).collect()
}

/// The same for every string value below `value`. Keys stay as they are.
pub(crate) fn expand_all(value: &mut Value, env: &Environment) {
    match value {
        Value::String(text) => *text = expand(text, env),
        Value::Array(items) => items.iter_mut().for_each(|item| expand_all(item, env)),
        Value::Object(map) => map.values_mut().for_each(|item| expand_all(item, env)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_replaced_once_and_nothing_else_is() {
        let env = Environment::from_pairs([("A", "1"), ("A_B", "2"), ("NEST", "${A}$A"), ("low", "3")]);
        for (text, expected) in [
            ("${A}", "1"),
            ("$A", "1"),
            ("x${A}y$A_B-z", "x1y2-z"),
            ("${A}${A}", "11"),
            ("$A$A", "11"),
            ("$low", "3"),
            ("${UNSET}", ""),
            ("[$UNSET]", "[]"),
            ("${A:-x}", "${A:-x}"),
            ("${A", "${A"),
            ("${}", "${}"),
            ("$", "$"),
            ("a $ b", "a $ b"),
            ("100$", "100$"),
            ("$1", "$1"),
            ("${1}", "${1}"),
            ("$$", "$$"),
            ("$$A", "$1"),
            ("${NEST}", "${A}$A"),
            ("日本${A}語", "日本1語"),
            ("$日本", "$日本"),
            ("", ""),
        ] {
            assert_eq!(expand(text, &env), expected, "{text}");
        }
    }
}
