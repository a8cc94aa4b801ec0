//! Calls and words that code must not hold, each with the place that may and the reason.

use crate::finding::Finding;
use crate::rust::{code, places};
use crate::tree::{File, Tree, line_of};

struct Ban {
    pattern: &'static str,
    /// Beginnings of the paths that may hold it.
    allowed: &'static [&'static str],
    why: &'static str,
}

const SPAWNERS: &[&str] =
    &["crates/process/", "crates/databases/", "crates/testkit/", "crates/bench/", "crates/xtask/", "tests/"];
const ONE_SPAWNER: &str = "process is the one spawner of children";

const COMMAND: Ban = Ban { pattern: "std::process::Command", allowed: SPAWNERS, why: ONE_SPAWNER };
const UNSAFE: Ban = Ban {
    pattern: "unsafe",
    allowed: &["crates/process/src/", "crates/sandbox/src/worker/allocator.rs"],
    why: "only process talks to the system itself, and only the allocator to the engine",
};

const BANS: [Ban; 6] = [
    UNSAFE,
    Ban { pattern: "tokio::process", allowed: SPAWNERS, why: ONE_SPAWNER },
    Ban { pattern: "todo!", allowed: &[], why: "finish it, or leave it out" },
    Ban { pattern: "unimplemented!", allowed: &[], why: "finish it, or leave it out" },
    Ban { pattern: "dbg!", allowed: &[], why: "use tracing, or nothing" },
    Ban { pattern: "#[ignore", allowed: &[], why: "a test runs, or it is not there" },
];

/// Finds banned words, and `unsafe` in more than one file of a crate.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let sources: Vec<(&File, String)> = tree.ending(".rs").map(|file| (file, code(&file.text))).collect();
    let banned = sources.iter().flat_map(|(file, code)| {
        let bans = BANS.iter().filter(|ban| !ban.permits(&file.path));
        bans.flat_map(|ban| ban.find(file, code)).chain(commands(file, code))
    });
    banned.chain(scattered_unsafe(&sources)).collect()
}

/// Every file after the first of its crate that holds `unsafe` where it is allowed.
fn scattered_unsafe(sources: &[(&File, String)]) -> Vec<Finding> {
    let mut first: Vec<&str> = Vec::new();
    let mut findings = Vec::new();
    let holders = sources
        .iter()
        .filter(|(file, code)| UNSAFE.permits(&file.path) && places(code, UNSAFE.pattern).next().is_some())
        .map(|(file, _)| file.path.as_str());
    for path in holders {
        let krate = |path: &str| path.split('/').nth(1).map(str::to_owned);
        match first.iter().find(|other| krate(other) == krate(path)) {
            Some(other) => {
                let message = format!("unsafe stands in {other} already: keep it in one file");
                findings.push(Finding::file(path, message));
            }
            None => first.push(path),
        }
    }
    findings
}

impl Ban {
    fn permits(&self, path: &str) -> bool {
        // The integration tests of a crate may spawn its binary.
        let tests = self.why == ONE_SPAWNER && path.contains("/tests/");
        tests || self.allowed.iter().any(|allowed| path.starts_with(allowed))
    }

    fn message(&self) -> String {
        format!("{} is not for here: {}", self.pattern, self.why)
    }

    fn find(&self, file: &File, code: &str) -> Vec<Finding> {
        let message = self.message();
        places(code, self.pattern)
            .map(|at| Finding::line(&file.path, line_of(code, at), message.clone()))
            .collect()
    }
}

/// The standard `Command` by its full name, in a group of imports, or by way of the module. Ours,
/// `process::Command`, is another.
fn commands(file: &File, code: &str) -> Vec<Finding> {
    if COMMAND.permits(&file.path) {
        return Vec::new();
    }
    let modules = places(code, "std::process").map(|at| at + "std::".len());
    let nested = places(code, "std::{").flat_map(|at| {
        let start = at + "std::{".len();
        places(group(&code[start..]), "process").map(move |inside| start + inside)
    });
    let found = modules.chain(nested).filter(|&at| brings_command(&code[at..]));
    found.map(|at| Finding::line(&file.path, line_of(code, at), COMMAND.message())).collect()
}

/// Whether a path that goes on with `process…` makes `Command` available.
fn brings_command(path: &str) -> bool {
    match path["process".len()..].strip_prefix("::") {
        Some(rest) if rest.starts_with('{') => places(group(&rest[1..]), "Command").next().is_some(),
        Some(rest) => rest.starts_with('*') || places(rest, "Command").next() == Some(0),
        None => true,
    }
}

/// The text up to the brace that closes a group.
fn group(text: &str) -> &str {
    let mut depth = 1;
    let end = text.find(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        depth == 0
    });
    &text[..end.unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::lines;

    fn check(path: &str, text: &str, expected: &[&str]) {
        assert_eq!(lines(&super::check(&Tree::of(&[(path, text)]))), expected, "{path}: {text}");
    }

    #[test]
    fn a_banned_call_is_found_where_it_must_not_stand() {
        let spawner = "crates/api/src/a.rs:2 std::process::Command is not for here: process is the one spawner of children";
        for code in [
            "use std::process::Command;",
            "std::process::Command::new(x)",
            "use std::process::{Stdio,\n Command};",
            "use std::{io, process::{Stdio, Command}};",
            "use std::{io, process::Command};",
            "use std::process;",
            "use std::process::*;",
        ] {
            check("crates/api/src/a.rs", &format!("//! A.\n{code}"), &[spawner]);
        }
        for code in ["use std::process::{ExitCode, exit};", "use process::Command;", "std::process::exit(1)"]
        {
            check("crates/api/src/a.rs", code, &[]);
        }
        check("crates/process/src/a.rs", "use std::process::Command;", &[]);
        check("crates/cli/tests/a.rs", "use std::process::Command;", &[]);
        check("crates/api/src/a.rs", "// dbg!(x)\nlet s = \"todo!\";", &[]);
        check(
            "tests/tests/a.rs",
            "fn f() { dbg!(1); }",
            &["tests/tests/a.rs:1 dbg! is not for here: use tracing, or nothing"],
        );
        check(
            "tests/tests/a.rs",
            "#[ignore = \"slow\"]",
            &["tests/tests/a.rs:1 #[ignore is not for here: a test runs, or it is not there"],
        );
    }

    #[test]
    fn unsafe_code_stands_in_one_file_of_process() {
        check("crates/process/src/os.rs", "unsafe { f() }", &[]);
        check("crates/cli/src/a.rs", "#![deny(unsafe_code)]", &[]);
        check(
            "crates/cli/src/a.rs",
            "unsafe fn f() {}",
            &[
                "crates/cli/src/a.rs:1 unsafe is not for here: only process talks to the system itself, and only the allocator to the engine",
            ],
        );
        let two = [("crates/process/src/a.rs", "unsafe {}"), ("crates/process/src/b.rs", "unsafe {}")];
        assert_eq!(
            lines(&super::check(&Tree::of(&two))),
            ["crates/process/src/b.rs unsafe stands in crates/process/src/a.rs already: keep it in one file"]
        );
    }
}
