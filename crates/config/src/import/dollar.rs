//! `$` in imported values: what it means to the client, said in the words of the config file.

use crate::expand::{Piece, name_at, pieces};

/// Variables that editors replace with facts of their own.
const EDITOR: [&str; 12] = [
    "workspaceFolder",
    "workspaceFolderBasename",
    "workspaceRoot",
    "userHome",
    "pathSeparator",
    "cwd",
    "file",
    "fileDirname",
    "fileBasename",
    "execPath",
    "lineNumber",
    "selectedText",
];

/// The value of a variable for the config file, which expands `${NAME}` and `$NAME`; or why the
/// config file cannot say the same.
pub(super) fn value(text: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, inner, after)) = braces(rest) {
        out += literal(before)?;
        let name = inner.strip_prefix("env:").unwrap_or(inner);
        if name.is_empty() || name_at(name) != name {
            return Err(unknown(inner));
        }
        if name == inner {
            refuse_editor(inner)?;
        }
        out += &format!("${{{name}}}");
        rest = after;
    }
    out += literal(rest)?;
    Ok(out)
}

/// A command or an argument, in which the config file expands nothing.
pub(super) fn argument(text: &str) -> Result<(), String> {
    let mut rest = text;
    while let Some((_, inner, after)) = braces(rest) {
        refuse_editor(inner)?;
        if inner.starts_with("env:") {
            return Err("uses ${env:…}, but arguments are not expanded; write the value itself".into());
        }
        if inner.starts_with("input:") || inner.starts_with("command:") || inner.contains(":-") {
            return Err(unknown(inner));
        }
        rest = after;
    }
    Ok(())
}

/// The text before the first `${…}`, what stands inside, and the text after.
fn braces(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once("${")?;
    let (inner, after) = rest.split_once('}')?;
    Some((before, inner, after))
}

/// Text that the client takes literally; refused when the config file would replace a part of it.
fn literal(text: &str) -> Result<&str, String> {
    if pieces(text).iter().all(|piece| matches!(piece, Piece::Plain(_))) {
        return Ok(text);
    }
    Err("holds a literal '$' before a name, which the config file would replace; \
         keep the value in a variable of the gateway and write ${NAME}"
        .into())
}

fn refuse_editor(inner: &str) -> Result<(), String> {
    if EDITOR.contains(&inner) || inner.split_once(':').is_some_and(|(name, _)| EDITOR.contains(&name)) {
        return Err(format!("uses ${{{inner}}}, which only the editor knows"));
    }
    Ok(())
}

fn unknown(inner: &str) -> String {
    if inner.starts_with("input:") {
        return "asks for an input (${input:…}), which only the editor can do".into();
    }
    if inner.contains(":-") {
        return "uses a default value (${NAME:-…}), which is not supported".into();
    }
    "uses a ${…} form that is not supported".into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_kept_and_what_cannot_be_said_is_refused() {
        for (text, expected) in [
            ("plain", "plain"),
            ("${env:KEY}", "${KEY}"),
            ("Bearer ${KEY} x", "Bearer ${KEY} x"),
            ("a${env:A}b${B}c", "a${A}b${B}c"),
            ("cost $5, 100$, $$", "cost $5, 100$, $$"),
            ("open ${", "open ${"),
        ] {
            assert_eq!(value(text).as_deref(), Ok(expected));
        }
        for (text, expected) in [
            ("pa$word", "literal '$'"),
            ("pa$$word", "literal '$'"),
            ("x${A}pa$word", "literal '$'"),
            ("${input:key}", "${input:…}"),
            ("${A:-s3cret}", "default value"),
            ("${workspaceFolder}/x", "only the editor knows"),
            ("${workspaceFolder:api}/x", "not supported"),
            ("${command:x}", "not supported"),
            ("${env:}", "not supported"),
        ] {
            let reason = value(text).unwrap_err();
            assert!(reason.contains(expected) && !reason.contains("s3cret"), "{text}: {reason}");
        }
    }

    #[test]
    fn an_argument_is_literal_unless_the_editor_would_change_it() {
        for text in ["$HOME", "${NAME}", "a$b", "--x=${"] {
            assert_eq!(argument(text), Ok(()), "{text}");
        }
        for text in ["${workspaceFolder}", "${env:A}", "${input:a}", "${workspaceFolder:a}/b", "${A:-b}"] {
            assert!(argument(text).is_err(), "{text}");
        }
    }
}
