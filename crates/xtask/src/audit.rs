//! Known holes in what we ship, and where it comes from. Where an auditor is missing or its list gives no answer, nothing
//! is known: that is said, and fails nothing.

use anyhow::Context;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::{Command, ExitCode};

/// A program that knows holes.
struct Auditor {
    name: &'static str,
    command: &'static [&'static str],
    /// What it says of what is well.
    clean: &'static str,
    /// How to come by it.
    install: &'static str,
    /// Whether a failure is an answer, by what was printed.
    answered: fn(&str) -> bool,
}

const AUDITORS: [Auditor; 4] = [
    // What needs no list of holes is asked apart, so that it is known also where no list can be had.
    Auditor {
        name: "cargo deny, rules",
        command: &["cargo", "deny", "--workspace", "check", "bans", "licenses", "sources"],
        clean: "versions, licences and sources are as deny.toml says",
        install: "cargo install cargo-deny --locked",
        answered: |_| true,
    },
    Auditor {
        name: "cargo deny, advisories",
        command: &["cargo", "deny", "--workspace", "check", "advisories"],
        clean: "no known holes",
        install: "cargo install cargo-deny --locked",
        answered: |printed| !printed.contains("failed to fetch advisory database"),
    },
    Auditor {
        name: "cargo audit",
        command: &["cargo", "audit", "--deny", "warnings"],
        clean: "no known holes",
        install: "cargo install cargo-audit --locked",
        answered: |printed| !printed.contains("couldn't fetch advisory database"),
    },
    Auditor {
        name: "npm audit",
        command: &["npm", "audit", "--prefix", "ui", "--omit=dev", "--json"],
        clean: "no known holes",
        install: "apt install npm",
        answered: |printed| printed.contains("auditReportVersion"),
    },
];

#[derive(Debug, PartialEq)]
enum Verdict {
    Clean,
    Missing,
    Silent,
    Holes,
}

/// Asks every auditor, and fails when one of them knows a hole.
pub(crate) fn run(root: &Path) -> anyhow::Result<ExitCode> {
    let mut out = std::io::stdout().lock();
    let mut failed = false;
    for auditor in &AUDITORS {
        let (program, arguments) = auditor.command.split_first().context("an auditor is a command")?;
        let (verdict, printed) = match Command::new(program).args(arguments).current_dir(root).output() {
            Ok(output) => {
                let printed =
                    [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
                let printed = printed.concat();
                (judge(auditor, output.status.success(), &printed), printed)
            }
            Err(error) if error.kind() == ErrorKind::NotFound => (Verdict::Missing, String::new()),
            Err(error) => return Err(error).with_context(|| format!("running {}", auditor.name)),
        };
        let name = auditor.name;
        match verdict {
            Verdict::Clean => writeln!(out, "{name}: {}", auditor.clean)?,
            Verdict::Missing => writeln!(out, "{name}: NOT CHECKED, it is not there ({})", auditor.install)?,
            Verdict::Silent => writeln!(out, "{name}: NOT CHECKED, its list of known holes gave no answer")?,
            Verdict::Holes => writeln!(out, "{printed}\n{name}: see above")?,
        }
        failed |= verdict == Verdict::Holes;
    }
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn judge(auditor: &Auditor, succeeded: bool, printed: &str) -> Verdict {
    match succeeded {
        true => Verdict::Clean,
        false if printed.contains("no such command") => Verdict::Missing,
        false if (auditor.answered)(printed) => Verdict::Holes,
        false => Verdict::Silent,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_answer_is_a_finding() {
        let [rules, deny, audit, npm] = &AUDITORS;
        for (auditor, succeeded, printed, expected) in [
            (rules, true, "bans ok, licenses ok, sources ok", Verdict::Clean),
            (rules, false, "error: no such command: `deny`", Verdict::Missing),
            (rules, false, "error[rejected]: failed to satisfy license requirements", Verdict::Holes),
            (deny, true, "advisories ok", Verdict::Clean),
            (deny, false, "error: no such command: `deny`", Verdict::Missing),
            (deny, false, "error[vulnerability]: a hole\nadvisories FAILED", Verdict::Holes),
            (deny, false, "[ERROR] failed to fetch advisory database https://…", Verdict::Silent),
            (audit, false, "error: no such command: `audit`", Verdict::Missing),
            (audit, false, "error: 1 vulnerability found!", Verdict::Holes),
            (audit, false, "error: couldn't fetch advisory database: git operation failed", Verdict::Silent),
            (npm, true, "{\"auditReportVersion\": 2}", Verdict::Clean),
            (npm, false, "{\"auditReportVersion\": 2, \"vulnerabilities\": {}}", Verdict::Holes),
            (npm, false, "{\"error\": {\"code\": \"ENOAUDIT\"}}", Verdict::Silent),
        ] {
            assert_eq!(judge(auditor, succeeded, printed), expected, "{}: {printed}", auditor.name);
        }
    }
}
