//! `$` in imported values: what it means to the client, said in the words of the config file or of the API.

use super::Values;
use crate::expand::{Piece, name_at, pieces};
use crate::secret;

/// Variables that editors replace with facts of their own.
const EDITOR: [&str; 13] = [
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
    "CLAUDE_PLUGIN_ROOT",
];

/// The value of a variable for a reader that takes values in that way; or why it cannot be said there.
pub(super) fn value(text: &str, values: Values) -> Result<String, String> {
    match values {
        Values::Replaced => replaced(text),
        Values::Kept => kept(text).map(|()| text.to_owned()),
    }
}

/// The same for the config file, which expands `${NAME}` and `$NAME` and reads files.
fn replaced(text: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, inner, after)) = braces(rest) {
        out += literal(before)?;
        let name = variable(inner)?;
        out += &format!("${{{name}}}");
        rest = after;
    }
    out += literal(rest)?;
    if secret::may_name_file(&out) {
        return Err("begins with 'file:/', which the config file would replace by the text of that file; \
                    write 'file:///' where the program takes that"
            .into());
    }
    Ok(out)
}

/// Refuses what the client replaces and the API does not.
fn kept(text: &str) -> Result<(), String> {
    let Some((_, inner, _)) = braces(text) else { return Ok(()) };
    variable(inner)?;
    Err("names a variable (${…}), and variables are not replaced over the API; \
         give the value itself, or write the server into the config file"
        .into())
}

/// The name of the variable that stands in braces.
fn variable(inner: &str) -> Result<&str, String> {
    let name = inner.strip_prefix("env:").unwrap_or(inner);
    if name.is_empty() || name_at(name) != name {
        return Err(unknown(inner));
    }
    if name == inner {
        refuse_editor(inner)?;
    }
    Ok(name)
}

/// A command, an argument, an address or a folder, in which nothing is replaced. Clients that replace names there leave
/// `$NAME` alone, which shells read too.
pub(super) fn argument(text: &str) -> Result<(), String> {
    let mut rest = text;
    while let Some((_, inner, after)) = braces(rest) {
        refuse_editor(inner)?;
        if inner.starts_with("env:") || (!inner.is_empty() && name_at(inner) == inner) {
            return Err(
                "names a variable (${…}), which is not replaced here; write the value itself, or $NAME \
                        where a shell is to read it"
                    .into(),
            );
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
            ("file:///srv/a.db", "file:///srv/a.db"),
            ("file:./a.db", "file:./a.db"),
            ("x file:/srv/a.db", "x file:/srv/a.db"),
        ] {
            assert_eq!(value(text, Values::Replaced).as_deref(), Ok(expected));
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
            ("file:/srv/s3cret.db", "the text of that file"),
            ("file:${env:ROOT}/a.db", "the text of that file"),
        ] {
            let reason = value(text, Values::Replaced).unwrap_err();
            assert!(reason.contains(expected) && !reason.contains("s3cret"), "{text}: {reason}");
        }
    }

    #[test]
    fn where_nothing_is_replaced_a_text_stays_and_a_name_is_refused() {
        for text in ["plain", "pa$word", "$HOME", "cost $5, $$", "open ${", "file:/srv/a.db"] {
            assert_eq!(value(text, Values::Kept).as_deref(), Ok(text));
        }
        for (text, expected) in [
            ("${env:KEY}", "names a variable (${…})"),
            ("Bearer ${KEY}", "names a variable (${…})"),
            ("pa$word ${A}", "names a variable (${…})"),
            ("${input:key}", "${input:…}"),
            ("${A:-s3cret}", "default value"),
            ("${workspaceFolder}/x", "only the editor knows"),
        ] {
            let reason = value(text, Values::Kept).unwrap_err();
            assert!(reason.contains(expected) && !reason.contains("s3cret"), "{text}: {reason}");
        }
    }

    #[test]
    fn an_argument_is_literal_unless_the_editor_would_change_it() {
        for text in ["$HOME", "a$b", "--x=${", "${}", "${1}", "${A%.*}", "${#A}", "$(date)", "{NAME}"] {
            assert_eq!(argument(text), Ok(()), "{text}");
        }
        for (text, expected) in [
            ("${workspaceFolder}", "only the editor knows"),
            ("${CLAUDE_PLUGIN_ROOT}/x", "only the editor knows"),
            ("${workspaceFolder:a}/b", "only the editor knows"),
            ("${env:A}", "names a variable (${…})"),
            ("${NAME}", "names a variable (${…})"),
            ("https://h/mcp?a=${1}&key=${API_KEY}", "names a variable (${…})"),
            ("${input:a}", "${input:…}"),
            ("${A:-b}", "default value"),
        ] {
            let reason = argument(text).unwrap_err();
            assert!(reason.contains(expected), "{text}: {reason}");
        }
    }
}
