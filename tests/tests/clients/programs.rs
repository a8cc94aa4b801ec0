//! The programs that run clients: the Node and the Python that `make` installs.

use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;
use testkit::{Output, lockgate, repository};

const PACKAGES: &str = "tests/conformance/node_modules";

/// A file of an npm package, or one of the programs in `.bin`.
pub(crate) fn package(path: &str) -> PathBuf {
    let packages = repository(PACKAGES);
    assert!(packages.is_dir(), "{PACKAGES} is not there; install it first: make node-packages");
    packages.join(path)
}

/// The Node that the packages need.
pub(crate) fn node() -> PathBuf {
    package(".bin/node")
}

/// A program of the Python packages.
pub(crate) fn python(name: &str) -> PathBuf {
    let built = lockgate();
    let target = built.ancestors().nth(2).expect("the binary lies in target/<profile>");
    let program = target.join("python/bin").join(name);
    assert!(program.exists(), "{name} is not there; install it first: make python-packages");
    program
}

/// Runs a script of `tests/conformance` with one JSON argument and gives the JSON it prints.
#[track_caller]
pub(crate) fn script(program: PathBuf, name: &str, plan: &Value) -> Value {
    let mut command = Command::new(program);
    command.arg(repository("tests/conformance").join(name)).arg(plan.to_string());
    let output = Output::of(&mut command);
    assert_eq!(output.code, Some(0), "{output:#?}");
    serde_json::from_str(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:#?}"))
}
