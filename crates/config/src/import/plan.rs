//! What an import would do, entry by entry. This is what the dry run prints.

use super::{Error, client, convert, emit};
use crate::describe::mask_server;
use model::ServerEntry;
use serde::{Serialize, Serializer};
use std::collections::{HashMap, HashSet};

/// What an import would do.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Plan {
    /// One line per entry, in the order of the imported text.
    pub entries: Vec<Planned>,
}

/// What an import would do with one entry.
#[derive(Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Planned {
    /// Name in the config file.
    pub name: String,
    /// Path of the entry in the imported text.
    pub at: String,
    /// What would happen.
    pub verdict: Verdict,
    /// Why it would not be added.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What is not carried over as it stands, such as a changed name.
    pub notes: Vec<String>,
    /// The entry that would be added; serialised with every value of its variables masked.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "masked")]
    pub server: Option<ServerEntry>,
}

/// The gateway that the servers are for.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The port on which it listens.
    pub port: u16,
    /// What becomes of values that name variables or files.
    pub values: Values,
}

/// How the values of variables and headers are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// As the config file takes them: names of variables and files are replaced by what these hold.
    Replaced,
    /// As the API takes them: as they stand.
    Kept,
}

/// What would happen to an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It would be added.
    New,
    /// A server of this name is there already.
    Exists,
    /// It breaks a rule.
    Invalid,
    /// It cannot, or should not, be run by this version.
    Skipped,
}

impl Plan {
    /// The entries that would be added.
    pub fn new_servers(&self) -> impl Iterator<Item = &ServerEntry> {
        let new = self.entries.iter().filter(|entry| entry.verdict == Verdict::New);
        new.filter_map(|entry| entry.server.as_ref())
    }

    /// The entries that would be added, as a config file has them, secrets included.
    pub fn yaml(&self) -> String {
        let items = self.new_servers().map(|server| emit::item(server, 2, "\n"));
        items.fold("servers:\n".to_owned(), |text, item| text + &item)
    }
}

impl std::fmt::Debug for Planned {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {:?} {}", self.at, self.verdict, self.reason.as_deref().unwrap_or_default())
    }
}

fn masked<S: Serializer>(server: &Option<ServerEntry>, serializer: S) -> Result<S::Ok, S::Error> {
    server.as_ref().map(mask_server).serialize(serializer)
}

/// Says what would be added to the servers `existing` of that gateway.
pub fn plan(source_text: &str, existing: &[ServerEntry], target: Target) -> Result<Plan, Error> {
    let taken: HashSet<&str> = existing.iter().map(|server| server.name.as_str()).collect();
    let mut entries: Vec<Planned> = Vec::new();
    // Where the new entries stand, by their names.
    let mut new: HashMap<String, usize> = HashMap::new();
    for found in client::read(source_text)? {
        let mut planned = convert::convert(&found, target);
        let twin = new.get(&planned.name).map(|&at| &entries[at]);
        match planned.verdict {
            Verdict::New | Verdict::Invalid if taken.contains(planned.name.as_str()) => {
                settle(&mut planned, Verdict::Exists, "a server of this name is in the config already");
            }
            Verdict::New if twin.is_some_and(|twin| twin.server == planned.server) => {
                settle(&mut planned, Verdict::Skipped, "the same server is listed before");
            }
            Verdict::New if twin.is_some() => {
                settle(&mut planned, Verdict::Invalid, "another server of this name is listed before");
            }
            Verdict::New => drop(new.insert(planned.name.clone(), entries.len())),
            _ => {}
        }
        entries.push(planned);
    }
    Ok(Plan { entries })
}

fn settle(planned: &mut Planned, verdict: Verdict, reason: &str) {
    planned.verdict = verdict;
    planned.reason = Some(reason.to_owned());
    planned.server = None;
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const TARGET: Target = Target { port: 3001, values: Values::Replaced };

    fn lines(plan: &Plan) -> Vec<String> {
        let line = |e: &Planned| {
            let verdict = serde_json::to_value(e.verdict).unwrap();
            format!("{} {}: {}", e.name, verdict.as_str().unwrap(), e.reason.as_deref().unwrap_or("-"))
        };
        plan.entries.iter().map(line).collect()
    }

    #[test]
    fn every_entry_has_a_verdict_and_a_reason() {
        let source = json!({"mcpServers": {
            "fs": {"command": "npx", "args": ["-y", "fs"], "env": {"KEY": "s3cret"}},
            "there": {"command": "x"},
            "far": {"url": "https://x/mcp", "headers": {"A": "s3cret"}},
            "off": {"command": "x", "disabled": true},
            "bad": {"command": "x", "env": {"low": "s3cret"}},
        }, "projects": {
            "/p": {"mcpServers": {"fs": {"command": "npx", "args": ["-y", "fs"], "env": {"KEY": "s3cret"}}}},
            "/q": {"mcpServers": {"fs": {"command": "other"}}},
        }});
        let existing = [ServerEntry { name: "there".into(), ..entry() }];
        let plan = plan(&source.to_string(), &existing, TARGET).unwrap();
        assert_eq!(
            lines(&plan),
            [
                "fs new: -",
                "there exists: a server of this name is in the config already",
                "far new: -",
                "off skipped: disabled",
                "bad invalid: mcpServers.bad.env.low contains invalid characters (use A-Z, 0-9 and _)",
                "fs skipped: the same server is listed before",
                "fs invalid: another server of this name is listed before",
            ]
        );
        let printed = format!("{} {plan:?}", serde_json::to_string(&plan).unwrap());
        assert!(!printed.contains("s3cret"), "{printed}");
        assert_eq!(plan.new_servers().count(), 2);
        let first = serde_json::to_value(&plan.entries[0]).unwrap();
        assert_eq!(
            first,
            json!({
                "name": "fs", "at": "mcpServers.fs", "verdict": "new", "notes": [],
                "server": {"name": "fs", "command": "npx", "args": ["-y", "fs"], "env": {"KEY": "***"},
                           "inheritEnv": ["PATH", "HOME"]},
            })
        );
    }

    #[test]
    fn many_entries_are_no_burden() {
        // Comparing each with each would go on until the deadline of the test.
        let servers: serde_json::Map<_, _> =
            (0..40_000).map(|n| (format!("a b {n}"), json!({"command": "c"}))).collect();
        let text = json!({"mcpServers": servers}).to_string();
        let all: Vec<ServerEntry> = plan(&text, &[], TARGET).unwrap().new_servers().cloned().collect();
        assert_eq!((all.len(), plan(&text, &all, TARGET).unwrap().new_servers().count()), (40_000, 0));
    }

    fn entry() -> ServerEntry {
        serde_json::from_value(json!({"name": "s", "command": "c"})).unwrap()
    }
}
