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

/// The scenarios of authorization of each revision; those of the second also hold in the first where it has them.
/// What the suite has besides is for extensions that the gateway does not have: proof of possession (`auth/dpop`,
/// `auth/dpop-nonce`), tokens of an enterprise (`auth/enterprise-managed-authorization`) and of workloads
/// (`auth/wif-jwt-bearer`).
const OF_BOTH: &[&str] = &[
    "metadata-default",
    "metadata-var1",
    "metadata-var2",
    "metadata-var3",
    "basic-cimd",
    "scope-from-www-authenticate",
    "scope-from-scopes-supported",
    "scope-omitted-when-undefined",
    "scope-step-up",
    "scope-retry-limit",
    "token-endpoint-auth-basic",
    "token-endpoint-auth-post",
    "token-endpoint-auth-none",
    "pre-registration",
];
const OF_2026: &[&str] = &[
    "resource-mismatch",
    "offline-access-scope",
    "offline-access-not-supported",
    "authorization-server-migration",
    "iss-supported",
    "iss-not-advertised",
    "iss-supported-missing",
    "iss-wrong-issuer",
    "iss-unexpected",
    "iss-normalized",
    "metadata-issuer-mismatch",
    "client-credentials-jwt",
    "client-credentials-basic",
];
const OF_2025_03: &[&str] = &["2025-03-26-oauth-metadata-backcompat", "2025-03-26-oauth-endpoint-fallback"];

/// The same by revision.
const AUTHORIZATION: [(&str, &[&str]); 4] =
    [("2025-11-25", OF_BOTH), ("2026-07-28", OF_BOTH), ("2026-07-28", OF_2026), ("2025-03-26", OF_2025_03)];

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
                trials.push(Trial::test(name, move || run(revision, scenario, mode, "driver.mjs")));
            }
        }
    }
    for (revision, scenarios) in AUTHORIZATION {
        for scenario in scenarios.iter().map(|name| format!("auth/{name}")) {
            let name = format!("client/{revision}/{scenario}");
            trials.push(Trial::test(name, move || run(revision, &scenario, "auto", "auth.mjs")));
        }
    }
    trials
}

fn run(revision: &str, scenario: &str, mode: &str, driver: &str) -> Result<(), Failed> {
    let packages = repository(PACKAGES);
    assert!(packages.is_dir(), "{PACKAGES} is not there; install it first: make node-packages");
    let node = packages.join(".bin/node");
    let driver = repository(&format!("tests/conformance/{driver}"));
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
