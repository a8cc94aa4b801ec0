//! The formats of desktop clients, recognised by their content.

use super::{Error, jsonc};
use crate::error::Position;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

/// One server as a client's configuration has it.
#[derive(Debug)]
pub(super) struct Found {
    /// Path of the entry in the imported text.
    pub at: String,
    /// Its name there.
    pub name: String,
    /// The entry.
    pub value: Value,
}

/// Every server of the text, in its order: JSON of Claude, Cursor or VS Code, or TOML of Codex.
pub(super) fn read(text: &str) -> Result<Vec<Found>, Error> {
    if text.len() as u64 > crate::FILE_MAX {
        return Err(Error::TooLarge { max: crate::FILE_MAX });
    }
    if looks_like_json(text) {
        return from_json(&jsonc::read(text)?);
    }
    from_toml(text)
}

/// An object, however broken; or other JSON that is whole, since a table of TOML begins with a bracket too.
fn looks_like_json(text: &str) -> bool {
    let plain = jsonc::plain(text);
    plain.trim_start().starts_with('{') || serde_json::from_str::<IgnoredAny>(&plain).is_ok()
}

fn from_json(root: &Value) -> Result<Vec<Found>, Error> {
    let mut places = vec![("mcpServers".to_owned(), root.get("mcpServers"))];
    if let Some(Value::Object(projects)) = root.get("projects") {
        for (name, project) in projects {
            places.push((format!("projects.{name}.mcpServers"), project.get("mcpServers")));
        }
    }
    places.push(("servers".to_owned(), root.get("servers")));
    places.push(("mcp.servers".to_owned(), root.get("mcp").and_then(|mcp| mcp.get("servers"))));
    places.push(("mcp.servers".to_owned(), root.get("mcp.servers")));
    let mut maps = places.into_iter().filter_map(|(at, value)| Some((at, value?.as_object()?))).peekable();
    if maps.peek().is_none() { Err(Error::Unknown) } else { Ok(maps.flat_map(entries).collect()) }
}

fn from_toml(text: &str) -> Result<Vec<Found>, Error> {
    let root: Value = toml_edit::de::from_str(text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        let message = model::text::shown(error.message());
        Error::Syntax { format: "TOML", position: position(text, start), message }
    })?;
    match root.get("mcp_servers") {
        Some(Value::Object(map)) => Ok(entries(("mcp_servers".into(), map)).collect()),
        _ => Err(Error::Unknown),
    }
}

fn entries((at, map): (String, &Map<String, Value>)) -> impl Iterator<Item = Found> {
    map.iter().map(move |(name, value)| Found {
        at: format!("{at}.{name}"),
        name: name.clone(),
        value: value.clone(),
    })
}

fn position(text: &str, at: usize) -> Position {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() as u64 + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() as u64 + 1;
    Position { line, column }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let found: Vec<String> = read(text).unwrap().into_iter().map(|found| found.at).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn every_client_is_recognised_by_its_content() {
        check("{\"mcpServers\": {\"b\": {}, \"a\": {}}}", &["mcpServers.b", "mcpServers.a"]);
        check(
            "{\"mcpServers\": {}, \"projects\": {\"/p\": {\"mcpServers\": {\"a\": {}}}, \"/q\": {}}}",
            &["projects./p.mcpServers.a"],
        );
        check("// VS Code\n{\"servers\": {\"a\": {},}, \"inputs\": []}", &["servers.a"]);
        check("{\"editor.x\": 1, \"mcp\": {\"servers\": {\"a\": {}}}}", &["mcp.servers.a"]);
        check(
            "model = \"m\"\n[mcp_servers.a]\ncommand = \"c\"\n[mcp_servers.a.env]\nK = \"v\"\n[mcp_servers.\"b c\"]\n",
            &["mcp_servers.a", "mcp_servers.b c"],
        );
    }

    #[test]
    fn text_without_servers_is_answered_with_what_is_known() {
        for text in ["", "{}", "[]", "5", "{\"mcpServers\": []}", "a = 1\n", "[other]\nmcp_servers = 1\n"] {
            let error = read(text).unwrap_err();
            assert!(matches!(error, Error::Unknown), "{text}: {error}");
            let line = error.to_string();
            for name in ["Claude Desktop", "Claude Code", "Cursor", "VS Code", "Codex"] {
                assert!(line.contains(name), "{line}");
            }
        }
        assert!(matches!(read(&" ".repeat(4_194_305)), Err(Error::TooLarge { .. })));
    }

    #[test]
    fn text_that_cannot_be_read_is_answered_with_the_place() {
        for (text, expected) in [
            ("[mcp_servers.a]\ncommand = s3cret\n", "TOML: line 2, column 11: "),
            ("servers:\n  - name: s3cret\n", "TOML: line 1, column 9: "),
            ("hello", "TOML: line 1, column 6: "),
            ("{\"mcpServers\": {\"a\": s3cret}}", "JSON: line 1, column 22: "),
        ] {
            let line = read(text).unwrap_err().to_string();
            assert!(line.starts_with(&format!("cannot read this as {expected}")), "{line}");
            assert!(
                line.contains("; known are ") && !line.contains("s3cret") && !line.contains('\n'),
                "{line}"
            );
        }
    }
}
