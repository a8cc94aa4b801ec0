//! One run of the official suite, and what it found.

use crate::cell::Revision;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use testkit::{Folder, repository};

pub(crate) const PACKAGES: &str = "tests/conformance/node_modules";
pub(crate) const PROGRAM: &str = "@modelcontextprotocol/conformance/dist/index.js";
/// The end of a folder's name: a time such as `-2026-07-28T10-20-30-400Z`.
const STAMP: usize = "-2026-07-28T10-20-30-400Z".len();

/// The outcome of each check that is either passed or failed, by scenario and check.
pub(crate) type Checks = BTreeMap<(String, String), Outcome>;

/// What became of a check. One id may be reported several times: then it passes when all of them do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Passed,
    Failed(String),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Check {
    id: String,
    status: String,
    error_message: Option<String>,
}

/// Runs all scenarios that the revision requires, and those that are not scored.
pub(crate) fn run(url: &str, revision: Revision) -> Result<Checks, String> {
    let packages = repository(PACKAGES);
    assert!(packages.is_dir(), "{PACKAGES} is not there; install it first: make node-packages");
    let folder = Folder::new();
    let mut command = Command::new(packages.join(".bin/node"));
    command.arg(packages.join(PROGRAM)).args(["server", "--url", url]);
    command.args(["--requirements", &revision.to_string(), "-o"]).arg(folder.join("out"));
    // The exit code tells of failures, which the files tell in full.
    let output = command.output().map_err(|e| format!("Node does not start: {e}"))?;
    let (scenarios, checks) = read(&folder.join("out")).unwrap_or_default();
    if scenarios != scenarios_of(revision) {
        let text = String::from_utf8_lossy(&output.stdout);
        return Err(format!("the suite ran {scenarios} scenarios to their end:\n{text}"));
    }
    Ok(checks)
}

/// How many scenarios the suite has for a revision: a run that broke off is not a good one.
fn scenarios_of(revision: Revision) -> usize {
    match revision {
        Revision::R2025 => 33,
        Revision::R2026 => 50,
    }
}

/// The number of scenarios in a folder of results, and their checks.
fn read(folder: &Path) -> std::io::Result<(usize, Checks)> {
    let mut checks = Checks::new();
    let mut scenarios = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let scenario = name.strip_prefix("server-").and_then(|n| n.get(..n.len().checked_sub(STAMP)?));
        let Some(scenario) = scenario else { continue };
        let found: Vec<Check> = serde_json::from_slice(&fs::read(entry.path().join("checks.json"))?)?;
        scenarios += 1;
        for check in found {
            let outcome = match check.status.as_str() {
                "SUCCESS" => Outcome::Passed,
                // A warning is a SHOULD that is not met; the fixture meets them all.
                "FAILURE" | "WARNING" => Outcome::Failed(check.error_message.unwrap_or(check.status)),
                _ => continue,
            };
            let slot = checks.entry((scenario.to_owned(), check.id)).or_insert(Outcome::Passed);
            if outcome != Outcome::Passed {
                *slot = outcome;
            }
        }
    }
    Ok((scenarios, checks))
}

/// How many checks passed.
pub(crate) fn summary(checks: &Checks) -> String {
    let passed = checks.values().filter(|outcome| **outcome == Outcome::Passed).count();
    format!("{passed} of {} checks passed", checks.len())
}
