//! One entry of a client's configuration, as an entry of `servers`.

use super::client::Found;
use super::dollar;
use super::plan::{Planned, Target, Values, Verdict};
use model::text::shown;
use model::{Address, Args, SERVER_NAME_MAX, ServerEntry, is_name};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Fields that need no mention.
const PLAIN: [&str; 6] = ["type", "transport", "disabled", "enabled", "description", "name"];

/// Fields in which clients keep the address of a remote server.
const ADDRESS: [&str; 3] = ["url", "serverUrl", "httpUrl"];

/// The paths at which Lockgate serves clients.
const OWN_PATHS: [&str; 2] = ["/mcp", "/sse"];

/// Fields in which clients keep its headers.
const HEADERS: [&str; 2] = ["headers", "http_headers"];

/// The verdict on an entry by itself; whether its name is free is for the plan to say.
pub(super) fn convert(found: &Found, target: Target) -> Planned {
    let name = valid_name(&found.name);
    let mut notes = Vec::new();
    if name != found.name {
        notes.push(format!("renamed from '{}'", shown(&found.name)));
    }
    let mut planned =
        Planned { name, at: shown(&found.at), verdict: Verdict::New, reason: None, notes, server: None };
    match entry(&planned.name, &found.value, target, &mut planned.notes) {
        Ok(server) => planned.server = Some(server),
        Err(Refusal::Skip(reason)) => {
            (planned.verdict, planned.reason) = (Verdict::Skipped, Some(reason.to_owned()));
        }
        Err(Refusal::Field(path, message)) => {
            let separator = if path.is_empty() { "" } else { "." };
            let reason = format!("{}{separator}{} {message}", planned.at, shown(&path));
            (planned.verdict, planned.reason) = (Verdict::Invalid, Some(reason));
        }
    }
    planned
}

/// An entry by which a client starts Lockgate.
fn is_this_program(map: &Map<String, Value>) -> bool {
    let command = map.get("command").and_then(Value::as_str).unwrap_or_default();
    let program = command.rsplit('/').next().unwrap_or_default();
    let args = map.get("args").and_then(Value::as_array);
    program == "lockgate" && args.is_some_and(|args| args.iter().any(|arg| arg == "stdio"))
}

/// An address at which a client reaches Lockgate on this machine.
fn is_this_gateway(url: &str, port: u16) -> bool {
    Address::parse(url).is_ok_and(|address| {
        let path = address.path.split('?').next().unwrap_or_default();
        address.is_loopback() && address.port == port && OWN_PATHS.contains(&path)
    })
}

enum Refusal {
    Skip(&'static str),
    Field(String, String),
}

fn field(path: impl Into<String>, message: impl Into<String>) -> Refusal {
    Refusal::Field(path.into(), message.into())
}

fn entry(name: &str, value: &Value, target: Target, notes: &mut Vec<String>) -> Result<ServerEntry, Refusal> {
    let map = value.as_object().ok_or_else(|| field("", "must be a map with 'command'"))?;
    if map.get("disabled") == Some(&Value::Bool(true)) || map.get("enabled") == Some(&Value::Bool(false)) {
        return Err(Refusal::Skip("disabled"));
    }
    if is_this_program(map) {
        return Err(Refusal::Skip("this is Lockgate itself, which would start itself without end"));
    }
    if is_remote(map) {
        return remote(name, map, target, notes);
    }
    let command = match map.get("command") {
        Some(Value::String(command)) => command.clone(),
        None => return Err(field("command", "is required")),
        Some(_) => return Err(field("command", "must be a string")),
    };
    dollar::argument(&command).map_err(|message| field("command", message))?;
    note_left_out(map, &["command", "args", "env", "cwd"], notes);
    let server = ServerEntry {
        name: name.to_owned(),
        command: Some(command),
        args: args(map.get("args"))?,
        env: values("env", map.get("env"), target.values)?,
        cwd: folder(map.get("cwd"), notes)?,
        inherit_env: Some(vec!["PATH".into(), "HOME".into()]),
        ..ServerEntry::default()
    };
    server.check(u64::MAX).map_err(|error| field(error.path, error.message))?;
    Ok(server)
}

/// An entry with an address instead of a command.
fn remote(
    name: &str,
    map: &Map<String, Value>,
    target: Target,
    notes: &mut Vec<String>,
) -> Result<ServerEntry, Refusal> {
    let given = ADDRESS.iter().find_map(|key| Some((*key, map.get(*key)?)));
    let (key, url) = match given {
        Some((key, Value::String(url))) => (key, url.clone()),
        Some((key, _)) => return Err(field(key, "must be a string")),
        None => return Err(field("url", "is required")),
    };
    dollar::argument(&url).map_err(|message| field(key, message))?;
    if is_this_gateway(&url, target.port) {
        return Err(Refusal::Skip("this is Lockgate itself, which would ask itself without end"));
    }
    let given = HEADERS.iter().find_map(|key| Some((*key, map.get(*key)?)));
    let headers =
        given.map_or(Ok(BTreeMap::new()), |(key, value)| values(key, Some(value), target.values))?;
    note_left_out(map, &[ADDRESS.as_slice(), &HEADERS].concat(), notes);
    let server = ServerEntry { name: name.to_owned(), url: Some(url), headers, ..ServerEntry::default() };
    server.check(u64::MAX).map_err(|error| field(error.path, error.message))?;
    Ok(server)
}

fn note_left_out(map: &Map<String, Value>, taken: &[&str], notes: &mut Vec<String>) {
    let left_out = map.keys().filter(|key| !PLAIN.contains(&key.as_str()) && !taken.contains(&key.as_str()));
    notes.extend(left_out.map(|key| format!("'{}' is not carried over", shown(key))));
}

fn is_remote(map: &Map<String, Value>) -> bool {
    let address = ADDRESS.iter().any(|key| map.contains_key(*key));
    let kind = map.get("type").or_else(|| map.get("transport")).and_then(Value::as_str);
    address || kind.is_some_and(|kind| kind != "stdio")
}

/// The folder in which the program starts. One that is relative is meant from where the client runs, which nobody knows
/// here.
fn folder(value: Option<&Value>, notes: &mut Vec<String>) -> Result<Option<String>, Refusal> {
    let path = match value {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(path)) if path.is_empty() => return Ok(None),
        Some(Value::String(path)) => path.clone(),
        Some(_) => return Err(field("cwd", "must be a string")),
    };
    dollar::argument(&path).map_err(|message| field("cwd", message))?;
    if !path.starts_with('/') {
        notes.push("'cwd' is relative, and is taken from the folder in which Lockgate runs".into());
    }
    Ok(Some(path))
}

fn args(value: Option<&Value>) -> Result<Args, Refusal> {
    let items = match value {
        None | Some(Value::Null) => return Ok(Args::None),
        Some(Value::Array(items)) => items,
        Some(_) => return Err(field("args", "must be a list of strings")),
    };
    let mut list = Vec::with_capacity(items.len());
    for (i, item) in items.iter().enumerate() {
        let path = format!("args[{i}]");
        let text = scalar(item).ok_or_else(|| field(path.as_str(), "must be a string"))?;
        dollar::argument(&text).map_err(|message| field(path, message))?;
        list.push(text);
    }
    Ok(if list.is_empty() { Args::None } else { Args::List(list) })
}

fn values(member: &str, value: Option<&Value>, taken: Values) -> Result<BTreeMap<String, String>, Refusal> {
    let map = match value {
        None | Some(Value::Null) => return Ok(BTreeMap::new()),
        Some(Value::Object(map)) => map,
        Some(_) => return Err(field(member, "must be a map of names to values")),
    };
    let each = |(name, value): (&String, &Value)| {
        let path = format!("{member}.{name}");
        let text = scalar(value).ok_or_else(|| field(path.as_str(), "must be a string"))?;
        let text = dollar::value(&text, taken).map_err(|message| field(path, message))?;
        Ok((name.clone(), text))
    };
    map.iter().map(each).collect()
}

/// The text of a string, or of a number or boolean that a client would pass on as text.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

/// The name itself when the rule allows it, else the nearest one that it allows.
fn valid_name(name: &str) -> String {
    if is_name(name) && name.len() <= SERVER_NAME_MAX {
        return name.to_owned();
    }
    let words: Vec<&str> = name
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_'))
        .filter(|word| !word.is_empty())
        .collect();
    let joined: String = words.join("-").chars().take(SERVER_NAME_MAX).collect();
    let trimmed = joined.trim_matches('-');
    if trimmed.is_empty() { "server".into() } else { trimmed.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const TARGET: Target = Target { port: 3001, values: Values::Replaced };

    fn converted(value: Value) -> Planned {
        convert(&Found { at: "mcpServers.s".into(), name: "s".into(), value }, TARGET)
    }

    fn check(value: Value, expected: &str) {
        let planned = converted(value.clone());
        assert_eq!(planned.reason.as_deref().unwrap_or("ok"), expected, "{value}");
        assert_eq!(planned.server.is_some(), planned.verdict == Verdict::New);
    }

    #[test]
    fn lockgate_does_not_import_itself() {
        let value = serde_json::json!({"command": "/usr/local/bin/lockgate", "args": ["stdio"]});
        let planned = convert(&Found { name: "gate".into(), at: "mcpServers.gate".into(), value }, TARGET);
        assert_eq!(planned.verdict, Verdict::Skipped);
        let value = serde_json::json!({"command": "lockgate", "args": ["demo-server"]});
        let planned = convert(&Found { name: "demo".into(), at: "mcpServers.demo".into(), value }, TARGET);
        assert_eq!(planned.verdict, Verdict::New);
    }

    #[test]
    fn a_name_is_made_valid_and_the_change_is_reported() {
        for (name, expected) in [
            ("fs", "fs"),
            ("my server", "my-server"),
            ("@scope/pkg.name", "scope-pkg-name"),
            ("日本", "server"),
            ("", "server"),
            (" - ", "server"),
        ] {
            assert_eq!(valid_name(name), expected);
        }
        assert_eq!(valid_name(&"a".repeat(60)).len(), 50);
        let found = Found { at: "x".into(), name: "my server".into(), value: json!({"command": "c"}) };
        assert_eq!(convert(&found, TARGET).notes, ["renamed from 'my server'"]);
    }

    #[test]
    fn an_entry_that_breaks_a_rule_names_the_exact_field() {
        for (value, expected) in [
            (json!({"command": "c", "args": ["a", 5, true], "env": {"A": 5}}), "ok"),
            (json!({"command": "c", "args": null, "env": null, "type": "stdio"}), "ok"),
            (json!({"command": "c", "type": "http"}), "mcpServers.s.url is required"),
            (json!({"type": "sse", "url": "https://h/sse", "headers": {"A": "${env:KEY}"}}), "ok"),
            (json!({"type": "sse", "url": "u"}), "mcpServers.s.url must be an http or https URL"),
            (json!({"url": 5}), "mcpServers.s.url must be a string"),
            (
                json!({"url": "https://h", "headers": ["A"]}),
                "mcpServers.s.headers must be a map of names to values",
            ),
            (
                json!({"url": "https://h", "headers": {"A": "${input:k}"}}),
                "mcpServers.s.headers.A asks for an input (${input:…}), which only the editor can do",
            ),
            (
                json!({"url": "https://h", "headers": {"Host": "x"}}),
                "mcpServers.s.headers.Host is set by the gateway itself",
            ),
            (json!({"command": "c", "enabled": false}), "disabled"),
            (json!({"command": "c", "disabled": true, "url": "u"}), "disabled"),
            (json!({}), "mcpServers.s.command is required"),
            (json!({"command": ["c"]}), "mcpServers.s.command must be a string"),
            (json!({"command": ""}), "mcpServers.s.command must not be empty"),
            (json!("c"), "mcpServers.s must be a map with 'command'"),
            (json!({"command": "c", "args": "a b"}), "mcpServers.s.args must be a list of strings"),
            (json!({"command": "c", "args": [["a"]]}), "mcpServers.s.args[0] must be a string"),
            (json!({"command": "c", "env": ["A"]}), "mcpServers.s.env must be a map of names to values"),
            (json!({"command": "c", "env": {"A": null}}), "mcpServers.s.env.A must be a string"),
            (
                json!({"command": "c", "env": {"a-b": "x"}}),
                "mcpServers.s.env.a-b contains invalid characters (use A-Z, 0-9 and _)",
            ),
            (
                json!({"command": "c", "env": {"A": "${input:k}"}}),
                "mcpServers.s.env.A asks for an input (${input:…}), which only the editor can do",
            ),
            (
                json!({"command": "c", "env": {"DB": "file:/srv/app.db"}}),
                "mcpServers.s.env.DB begins with 'file:/', which the config file would replace by the text of that \
                 file; write 'file:///' where the program takes that",
            ),
            (
                json!({"command": "c", "args": ["file:/srv/app.db"], "env": {"DB": "file:///srv/app.db"}}),
                "ok",
            ),
            (
                json!({"command": "c", "args": ["x", "${workspaceFolder}"]}),
                "mcpServers.s.args[1] uses ${workspaceFolder}, which only the editor knows",
            ),
            (
                json!({"command": "npx", "args": ["--token", "${TOKEN}"]}),
                "mcpServers.s.args[1] names a variable (${…}), which is not replaced here; write the value itself, \
                 or $NAME where a shell is to read it",
            ),
            (
                json!({"url": "https://h/mcp?key=${KEY}", "headers": {"A": "${KEY}"}}),
                "mcpServers.s.url names a variable (${…}), which is not replaced here; write the value itself, \
                 or $NAME where a shell is to read it",
            ),
        ] {
            check(value, expected);
        }
    }

    #[test]
    fn what_is_not_carried_over_is_noted() {
        let planned = converted(json!({"command": "c", "envFile": ".env", "type": "stdio"}));
        assert_eq!(planned.notes, ["'envFile' is not carried over"]);
    }

    #[test]
    fn the_folder_of_an_entry_is_kept() {
        let planned = converted(json!({"command": "c", "cwd": "/srv/x"}));
        assert_eq!(planned.server.and_then(|server| server.cwd).as_deref(), Some("/srv/x"));
        assert!(planned.notes.is_empty());
        let planned = converted(json!({"command": "c", "cwd": "sub"}));
        assert_eq!(planned.server.and_then(|server| server.cwd).as_deref(), Some("sub"));
        assert_eq!(planned.notes.len(), 1, "{:?}", planned.notes);
        assert_eq!(converted(json!({"command": "c", "cwd": ""})).server.and_then(|server| server.cwd), None);
        check(json!({"command": "c", "cwd": 5}), "mcpServers.s.cwd must be a string");
        check(
            json!({"command": "c", "cwd": "${workspaceFolder}/x"}),
            "mcpServers.s.cwd uses ${workspaceFolder}, which only the editor knows",
        );
    }

    #[test]
    fn a_remote_entry_keeps_its_address_and_headers() {
        let planned =
            converted(json!({"httpUrl": "https://h/mcp", "headers": {"A": "${env:B}"}, "oauth": {}}));
        let server = planned.server.unwrap();
        assert_eq!((server.url.as_deref(), server.headers["A"].as_str()), (Some("https://h/mcp"), "${B}"));
        assert_eq!((server.command, server.inherit_env), (None, None));
        assert_eq!(planned.notes, ["'oauth' is not carried over"]);
    }

    #[test]
    fn an_entry_inherits_path_and_home() {
        let server = converted(json!({"command": "c", "env": {"A": "${env:B}"}})).server.unwrap();
        assert_eq!(server.inherit_env.unwrap(), ["PATH", "HOME"]);
        assert_eq!(server.env["A"], "${B}");
    }
}
