//! The new servers of a plan, added to the config file: whole and checked, or not at all.

use super::{Error, Plan, edit, replace};
use crate::{Environment, find, parse, server, yaml};
use model::ServerEntry;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What an import did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Applied {
    /// The config file.
    pub path: PathBuf,
    /// Names of the servers that were added, in order.
    pub added: Vec<String>,
    /// The file with the text from before; none when nothing was there or nothing was added.
    pub backup: Option<PathBuf>,
}

/// Adds the new servers of `plan` to the file at `config_path`, which is created when it is missing.
/// Comments and formatting stay. On an error nothing was changed.
pub fn apply(plan: &Plan, config_path: &Path, env: &Environment) -> Result<Applied, Error> {
    let new: Vec<ServerEntry> = plan.new_servers().cloned().collect();
    let added = new.iter().map(|server| server.name.clone()).collect();
    let mut applied = Applied { path: config_path.to_owned(), added, backup: None };
    if new.is_empty() {
        return Ok(applied);
    }
    let old = match find::read(config_path) {
        Ok(text) => Some(text),
        Err(crate::Error::NotFound { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    let text = merge(old.as_deref().unwrap_or_default(), &new, env)?;
    applied.backup = replace::replace(config_path, old.as_deref(), &text)?;
    Ok(applied)
}

/// The text with the new servers, after reading it back.
fn merge(old: &str, new: &[ServerEntry], env: &Environment) -> Result<String, Error> {
    let before = yaml::read(old)?;
    let text = edit::append(old, new)?;
    let differs = Error::Unsafe { reason: "its layout is not understood; add the servers by hand" };
    let Ok(after) = yaml::read(&text) else { return Err(differs) };
    if !says_the_same(&before, &after, new) {
        return Err(differs);
    }
    let parsed = parse(&text, env).map_err(Error::Invalid)?;
    let run = parsed.servers.iter().skip(parsed.servers.len().saturating_sub(new.len()));
    if !run.zip(new).all(|(run, new)| outside_of_values(run) == outside_of_values(new)) {
        return Err(Error::Unsafe {
            reason: "'config.expand: all' would change a '$' in a command, an argument, an address or a folder",
        });
    }
    Ok(text)
}

/// An entry without the values in which variables are meant to be replaced.
fn outside_of_values(server: &ServerEntry) -> ServerEntry {
    ServerEntry { env: BTreeMap::new(), headers: BTreeMap::new(), ..server.clone() }
}

/// Whether `after` is `before` with exactly the servers `new` at the end.
fn says_the_same(before: &Map<String, Value>, after: &Map<String, Value>, new: &[ServerEntry]) -> bool {
    let list = |root: &Map<String, Value>| match root.get("servers") {
        None | Some(Value::Null) => Some(Vec::new()),
        Some(Value::Array(items)) => Some(items.clone()),
        Some(_) => None,
    };
    let rest = |root: &Map<String, Value>| {
        let mut root = root.clone();
        root.remove("servers");
        root
    };
    let (Some(had), Some(has)) = (list(before), list(after)) else { return false };
    let Some((kept, added)) = has.split_at_checked(had.len()) else { return false };
    let added: Result<Vec<ServerEntry>, _> = added.iter().map(server::shaped).collect();
    kept == had && added.is_ok_and(|added| added == new) && rest(before) == rest(after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::{Target, Values, plan};
    use serde_json::json;

    fn planned(servers: Value) -> Plan {
        let target = Target { port: 3001, values: Values::Replaced };
        plan(&json!({ "mcpServers": servers }).to_string(), &[], target).unwrap()
    }

    fn applied(text: &str, plan: &Plan) -> Result<String, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c.yaml");
        std::fs::write(&path, text).unwrap();
        let done = apply(plan, &path, &Environment::default());
        let now = std::fs::read_to_string(&path).unwrap();
        match done {
            Ok(done) => {
                assert_eq!(std::fs::read_to_string(done.backup.unwrap()).unwrap(), text);
                Ok(now)
            }
            Err(error) => {
                assert_eq!(now, text, "an error leaves the file alone");
                assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "and leaves nothing behind");
                assert!(!error.to_string().contains('\n'));
                Err(error.to_string())
            }
        }
    }

    #[test]
    fn comments_and_formatting_are_kept() {
        let text = "# Mine.\nservers:   # all of them\n  - {name: a, command: c}   # first\n\n  # second\n  \
                    - name: b\n    command: 'c'\n    env:\n      T: |\n        # not a comment\n\n        end\n\n\
                    # Limits.\nlimits: { body:  5 }\n";
        let plan =
            planned(json!({"new": {"command": "npx", "args": ["-y"], "env": {"K": "a\nb: \"c\" #$5"}}}));
        let now = applied(text, &plan).unwrap();
        let added = "  - name: new\n    command: npx\n    args: [\"-y\"]\n    env:\n      \
                     K: \"a\\nb: \\\"c\\\" #$5\"\n    inheritEnv: [PATH, HOME]\n";
        assert_eq!(now, text.replace("        end\n", &format!("        end\n{added}")));
        let servers = parse(&now, &Environment::default()).unwrap().servers;
        assert_eq!(servers[2].env["K"], "a\nb: \"c\" #$5");
    }

    #[test]
    fn a_missing_file_is_created_and_an_empty_plan_writes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lockgate.yaml");
        let env = Environment::default();
        let nothing =
            apply(&planned(json!({"off": {"command": "c", "disabled": true}})), &path, &env).unwrap();
        assert_eq!((nothing.added.len(), path.exists()), (0, false));
        let done = apply(&planned(json!({"new": {"command": "c"}})), &path, &env).unwrap();
        assert_eq!((done.added, done.backup), (vec!["new".to_owned()], None));
        assert_eq!(
            std::fs::read_to_string(&path).unwrap(),
            "servers:\n  - name: new\n    command: c\n    inheritEnv: [PATH, HOME]\n"
        );
        let missing = folder.path().join("no/folder.yaml");
        let error = apply(&planned(json!({"new": {"command": "c"}})), &missing, &env).unwrap_err();
        assert!(error.to_string().starts_with("nothing was changed, cannot write in "), "{error}");
    }

    #[test]
    fn what_cannot_be_done_safely_is_not_done() {
        let plan = planned(json!({"new": {"command": "c", "args": ["$HOME"]}}));
        let layout = "nothing was changed, the file cannot be edited safely: its layout is not understood; \
                      add the servers by hand";
        for (text, expected) in [
            ("{servers: [], limits: {body: 5}}\n", layout),
            ("? servers\n: - {name: a, command: c}\n", layout),
            ("servers:\n  - name: a\n    command: |+\n      c\n\n", layout),
            (
                "servers: [{name: a, command: c}]\n",
                "nothing was changed, the file cannot be edited safely: 'servers' is written in one line; write \
                 each server as an item of its own below it",
            ),
            (
                "servers:\n  - name: new\n    command: c\n",
                "nothing was changed, the result would not be valid: Server name 'new' is duplicated",
            ),
            (
                "servers:\n  - name: a\n",
                "nothing was changed, the result would not be valid: servers[0] must have either 'command' or 'url'",
            ),
            (
                "config: {expand: all}\nservers:\n",
                "nothing was changed, the file cannot be edited safely: 'config.expand: all' would change a '$' in \
                 a command, an argument, an address or a folder",
            ),
            ("a: [\n", "Error: Invalid config.yaml: line 1, column 4: "),
        ] {
            let error = applied(text, &plan).unwrap_err();
            assert!(error.starts_with(expected), "{text}\n{error}");
        }
    }

    #[test]
    fn a_dollar_that_would_be_replaced_is_not_written_wherever_it_stands() {
        let changes =
            "'config.expand: all' would change a '$' in a command, an argument, an address or a folder";
        for server in [
            json!({"command": "run-$c"}),
            json!({"command": "c", "args": ["$top"]}),
            json!({"command": "c", "cwd": "/srv/$top"}),
            json!({"url": "http://127.0.0.1:1/mcp?f=$top"}),
        ] {
            let plan = planned(json!({"new": server}));
            let error = applied("config: {expand: all}\nservers:\n", &plan).unwrap_err();
            assert!(error.ends_with(changes), "{error}");
            applied("servers:\n", &plan).unwrap();
        }
        let replaced = planned(json!({"new": {"command": "c", "cwd": "/srv", "env": {"A": "${B}"}}}));
        applied("config: {expand: all}\nservers:\n", &replaced).unwrap();
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(128))]

        #[test]
        fn an_edit_of_any_text_is_exact_or_refused(
            lines in proptest::collection::vec(
                proptest::sample::select(vec![
                    "servers:", "servers: []", "- name: a", "  - name: a", "    command: c", "  command: c", "# c",
                    "    # c", "", "limits: {body: 5}", "    env: {K: |", "      T: |+", "    env:", "---", "...",
                    "  - {name: b, command: c}", "{", "}", "\"", "    args: [a,", "    b]", "\t", "mcp:", "  sse: true",
                ]),
                0..9,
            ),
        ) {
            let text = lines.join("\n");
            let new: Vec<ServerEntry> = planned(json!({"new": {"command": "c"}})).new_servers().cloned().collect();
            if let Ok(merged) = merge(&text, &new, &Environment::default()) {
                let (before, after) = (yaml::read(&text).unwrap(), yaml::read(&merged).unwrap());
                proptest::prop_assert!(says_the_same(&before, &after, &new));
                let kept = text.lines().filter(|line| line.trim_start().starts_with('#')).count();
                let still = merged.lines().filter(|line| line.trim_start().starts_with('#')).count();
                proptest::prop_assert_eq!(kept, still);
            }
        }
    }
}
