//! Secrets by reference: a value may name a variable or a file instead of holding the secret itself.
//!
//! Messages never hold what a variable or a file holds, nor where a file is: a path may come from a variable.

use crate::Environment;
use crate::expand::{Piece, expand, pieces};
use model::FieldError;
use model::text::shown;
use serde_json::{Map, Value};
use std::io::Read;

/// The most bytes of a file that holds one secret.
const FILE_MAX: u64 = 64 * 1024;

/// How variables stand in a value.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// Anywhere in it, such as `Bearer ${KEY}`.
    Inside,
    /// As the whole of it, so that a secret with `$` in it stays as it is.
    Whole,
}

/// The settings that hold secrets. `*` stands for every member.
const SETTINGS: &[(&[&str], Way)] =
    &[(&["mcp", "sessionKey"], Way::Whole), (&["tracing", "headers", "*"], Way::Inside)];

/// The secret that a variable of the gateway holds, or the text of the file that it names with `file:/path`.
pub fn secret(text: &str) -> Result<String, String> {
    read(text.to_owned())
}

/// The secret that a text stands for: its variables replaced, then, when that begins with `file:/`, the text of
/// the file. Where `env` is absent, variables were replaced already.
pub(crate) fn resolve(text: &str, env: Option<&Environment>) -> Result<String, String> {
    match env {
        Some(env) => read(expand(text, env)),
        None => read(text.to_owned()),
    }
}

/// Resolves every setting that holds a secret, in place.
pub(crate) fn resolve_settings(
    root: &mut Map<String, Value>,
    env: Option<&Environment>,
) -> Result<(), FieldError> {
    for (path, way) in SETTINGS {
        let Some((first, rest)) = path.split_first() else { continue };
        let Some(value) = root.get_mut(*first) else { continue };
        resolve_below(value, rest, (*first).to_owned(), &|text| match way {
            Way::Inside => resolve(text, env),
            Way::Whole if matches!(pieces(text)[..], [Piece::Braced(_)]) => resolve(text, env),
            Way::Whole => read(text.to_owned()),
        })?;
    }
    Ok(())
}

fn resolve_below(
    value: &mut Value,
    path: &[&str],
    at: String,
    find: &dyn Fn(&str) -> Result<String, String>,
) -> Result<(), FieldError> {
    match (path.split_first(), value) {
        (None, Value::String(text)) => {
            *text = find(text).map_err(|message| FieldError::new(at, message))?;
            Ok(())
        }
        (Some((&"*", rest)), Value::Object(map)) => map
            .iter_mut()
            .try_for_each(|(name, value)| resolve_below(value, rest, format!("{at}.{}", shown(name)), find)),
        (Some((name, rest)), Value::Object(map)) => match map.get_mut(*name) {
            Some(value) => resolve_below(value, rest, format!("{at}.{name}"), find),
            None => Ok(()),
        },
        // Another shape is refused where shapes are checked.
        _ => Ok(()),
    }
}

fn read(text: String) -> Result<String, String> {
    let Some(path) = path_of(&text) else { return Ok(text) };
    let problem = |error: std::io::Error| format!("names a file that cannot be read: {error}");
    let mut held = Vec::new();
    std::fs::File::open(path)
        .and_then(|file| file.take(FILE_MAX + 1).read_to_end(&mut held))
        .map_err(problem)?;
    if held.len() as u64 > FILE_MAX {
        return Err(format!("names a file of more than {FILE_MAX} bytes; a secret is shorter"));
    }
    let held = String::from_utf8(held).map_err(|_| "names a file that is not text".to_owned())?;
    // Editors and most commands end a file with a line break, which belongs to no secret.
    let trimmed =
        held.strip_suffix('\n').map_or(held.as_str(), |rest| rest.strip_suffix('\r').unwrap_or(rest));
    Ok(trimmed.to_owned())
}

/// Whether a text, its variables replaced, is or may be taken as the name of a file.
pub(crate) fn may_name_file(text: &str) -> bool {
    let begins_with_variable = |rest: &str| !matches!(pieces(rest).first(), None | Some(Piece::Plain(_)));
    path_of(text).is_some() || text.strip_prefix("file:").is_some_and(begins_with_variable)
}

/// `file:///…` is an address and `file:./…` a name that programs use; both are left alone.
fn path_of(text: &str) -> Option<&str> {
    text.strip_prefix("file:").filter(|path| path.starts_with('/') && !path.starts_with("//"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_value_may_name_a_file_and_nothing_else_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key").display().to_string();
        for (held, expected) in
            [("s3cret", "s3cret"), ("s3cret\n", "s3cret"), ("a\r\n", "a"), ("a\n\n", "a\n")]
        {
            std::fs::write(&path, held).unwrap();
            assert_eq!(resolve(&format!("file:{path}"), None).unwrap(), expected);
        }
        let env = Environment::from_pairs([("WHERE", path.as_str())]);
        assert_eq!(resolve("file:$WHERE", Some(&env)).unwrap(), "a\n");
        for plain in ["file:///etc/passwd", "file:./dev.db", "x file:/etc/passwd", "file:", ""] {
            assert_eq!(resolve(plain, Some(&env)).unwrap(), plain);
        }
    }

    #[test]
    fn a_file_that_cannot_be_used_is_told_without_its_path_and_text() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s3cret");
        let text = format!("file:{}", path.display());
        let missing = resolve(&text, None).unwrap_err();
        assert!(missing.starts_with("names a file that cannot be read: No such file"), "{missing}");
        std::fs::write(&path, [0xff, 0xfe]).unwrap();
        assert_eq!(resolve(&text, None).unwrap_err(), "names a file that is not text");
        std::fs::write(&path, "x".repeat(FILE_MAX as usize + 1)).unwrap();
        let large = resolve(&text, None).unwrap_err();
        assert_eq!(large, "names a file of more than 65536 bytes; a secret is shorter");
        assert!(!missing.contains("s3cret"));
    }

    #[test]
    fn a_setting_that_holds_a_secret_is_resolved_and_a_dollar_in_it_stays() {
        let env = Environment::from_pairs([("KEY", "s3cret")]);
        let check = |given: Value, expected: Value| {
            let mut root = given.as_object().unwrap().clone();
            resolve_settings(&mut root, Some(&env)).unwrap();
            assert_eq!(Value::Object(root), expected);
        };
        check(json!({"mcp": {"sessionKey": "${KEY}"}}), json!({"mcp": {"sessionKey": "s3cret"}}));
        check(json!({"mcp": {"sessionKey": "pa$KEY${KEY}"}}), json!({"mcp": {"sessionKey": "pa$KEY${KEY}"}}));
        check(json!({"mcp": {"sessionKey": 5}}), json!({"mcp": {"sessionKey": 5}}));
        check(
            json!({"tracing": {"headers": {"A": "Bearer ${KEY}"}}}),
            json!({"tracing": {"headers": {"A": "Bearer s3cret"}}}),
        );
        let mut root = json!({"mcp": {"sessionKey": "file:/nowhere/key"}}).as_object().unwrap().clone();
        let error = resolve_settings(&mut root, None).unwrap_err().under("");
        assert!(error.starts_with("mcp.sessionKey names a file that cannot be read"), "{error}");
    }
}
