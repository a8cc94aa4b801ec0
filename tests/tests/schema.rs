//! The OpenAPI document held against the running gateway by schemathesis: whatever is sent, no answer is a server
//! error, and every answer has a status, a content type and a shape that the document names.
//!
//! The cases come from one seed, so a run can be repeated; a failure prints the request that failed.

use std::process::Command;
use testkit::{TestGateway, lockgate};

const SEED: &str = "1";

/// The key of an operator: with it every route is open, also after others were made.
const KEY: &str = "operator-0123456789-0123456789-0123456789";

/// Operations that are left out, and why.
const LEFT_OUT: [(&str, &str); 1] = [("events", "the answer is a stream that does not end")];

/// Checks that are left out, and why.
const UNCHECKED: [(&str, &str); 3] = [
    ("positive_data_acceptance", "no schema can say that a graph leads to its end or that a script compiles"),
    (
        "negative_data_rejection",
        "a member that nobody knows is passed over in some bodies, as JSON readers do",
    ),
    ("ignored_auth", "the document names no scheme; the scenarios of access try every route without a key"),
];

/// Runs schemathesis with these words and fails with its report.
#[track_caller]
fn hold(words: &[&str]) {
    // Without PATH no generated command finds a program to run.
    let keys = format!(r#"keys: [{{name: otto, key: "{KEY}", role: operator}}]"#);
    let builder = TestGateway::builder().setting(&keys).server("test-server", |s| s);
    let gateway = builder.without_path().start();
    let mut command = Command::new(program());
    command.arg("run").arg(format!("http://127.0.0.1:{}/api/openapi.json", gateway.http().port));
    command.arg("--header").arg(format!("Authorization: Bearer {KEY}"));
    command.args(["--seed", SEED, "--no-color", "--generation-database", "none", "--warnings", "off"]);
    command
        .args(["--request-timeout", "20", "--continue-on-failure", "--suppress-health-check", "all"])
        .args(words);
    LEFT_OUT.iter().for_each(|(operation, _)| _ = command.args(["--exclude-operation-id", operation]));
    let unchecked: Vec<&str> = UNCHECKED.iter().map(|(check, _)| *check).collect();
    command.arg("--exclude-checks").arg(unchecked.join(","));
    let output = command.current_dir(gateway.folder().path()).output().expect("schemathesis can be started");
    let report = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{report}\n{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(gateway.health()["status"], "ok");
    let panics: Vec<String> = gateway.log_lines().into_iter().filter(|line| line.contains("panic")).collect();
    assert_eq!(panics, Vec::<String>::new());
}

/// The program that `make python-packages` installs.
fn program() -> std::path::PathBuf {
    let built = lockgate();
    let target = built.ancestors().nth(2).expect("the binary lies in target/<profile>");
    let program = target.join("python/bin/schemathesis");
    assert!(program.exists(), "schemathesis is not there; install it first: make python-packages");
    program
}

#[test]
fn examples_and_edge_cases_are_answered_as_documented() {
    hold(&["--phases", "examples,coverage"]);
}

#[test]
fn random_requests_are_answered_as_documented() {
    hold(&["--phases", "fuzzing", "--max-examples", "15"]);
}

#[test]
fn requests_that_build_on_each_other_are_answered_as_documented() {
    hold(&["--phases", "stateful", "--max-examples", "15"]);
}
