//! The formats of desktop clients, recognised by their content.

use super::{Error, jsonc};
use crate::error::Position;
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
    if jsonc::plain(text).trim_start().starts_with('{') {
        return from_json(&jsonc::read(text)?);
    }
    from_toml(text)
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
        if !text.contains("mcp_servers") {
            return Error::Unknown;
        }
        let position = error.span().map(|span| position(text, span.start));
        Error::Syntax { format: "TOML", position, message: crate::text::shown(error.message()) }
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
    fn anything_else_is_refused() {
        for text in ["", "{}", "[]", "servers:\n  - name: a\n", "{\"mcpServers\": []}", "a = 1\n", "hello"] {
            assert!(matches!(read(text), Err(Error::Unknown)), "{text}");
        }
        let error = read("[mcp_servers.a]\ncommand = s3cret\n").unwrap_err().to_string();
        assert!(error.starts_with("cannot read the TOML to import: line 2, column "), "{error}");
        assert!(!error.contains("s3cret") && !error.contains('\n'), "{error}");
        assert!(matches!(read(&" ".repeat(4_194_305)), Err(Error::TooLarge { .. })));
    }
}
