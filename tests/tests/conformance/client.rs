//! The suite's client scenarios: a server of the suite behind the gateway, and a driver before it.

use crate::suite::{PACKAGES, PROGRAM};
use libtest_mimic::{Failed, Trial};
use std::process::Command;
use testkit::{Folder, Output, lockgate, repository};

/// The scenarios of each revision, other than those of authorization.
const SCENARIOS: [(&str, &[&str]); 2] = [
    (
        "2025-11-25",
        &[
            "initialize",
            "tools_call",
            "elicitation-sep1034-client-defaults",
            "sse-retry",
            "json-schema-2020-12-preservation",
        ],
    ),
    (
        "2026-07-28",
        &[
            "tools_call",
            "request-metadata",
            "sep-2322-client-request-state",
            "http-standard-headers",
            "http-custom-headers",
            "http-invalid-tool-headers",
            "json-schema-ref-no-deref",
            "json-schema-2020-12-preservation",
        ],
    ),
];

/// How the client before the gateway finds its era: what the gateway does towards a server must not depend
/// on who asks.
const MODES: [&str; 2] = ["legacy", "auto"];

/// One test per scenario and client.
pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for (revision, scenarios) in SCENARIOS {
        for scenario in scenarios {
            for mode in MODES {
                let name = format!("client/{revision}/{scenario}/{mode}");
                trials.push(Trial::test(name, move || run(revision, scenario, mode)));
            }
        }
    }
    trials
}

fn run(revision: &str, scenario: &str, mode: &str) -> Result<(), Failed> {
    let packages = repository(PACKAGES);
    assert!(packages.is_dir(), "{PACKAGES} is not there; install it first: make node-packages");
    let node = packages.join(".bin/node");
    let driver = repository("tests/conformance/driver.mjs");
    let folder = Folder::new();
    let mut command = Command::new(&node);
    command.arg(packages.join(PROGRAM)).args(["client", "--scenario", scenario, "--spec-version", revision]);
    command.arg("--command").arg(format!("{} {}", node.display(), driver.display()));
    command.arg("-o").arg(folder.join("out")).env("LOCKGATE", lockgate()).env("CLIENT_MODE", mode);
    let output = Output::of(&mut command);
    match output.code {
        Some(0) => Ok(()),
        _ => Err(output.text().into()),
    }
}
