//! The order of the crates: which of ours each may import. This table is its only place.

use crate::finding::Finding;
use crate::packages::Package;

/// Each package with those of ours it may import.
const LAYERS: [(&str, &[&str]); 19] = [
    ("lockgate-model", &[]),
    ("lockgate-otlp", &[]),
    ("lockgate-config", &["lockgate-model"]),
    ("lockgate-store", &["lockgate-model"]),
    ("lockgate-process", &["lockgate-model"]),
    ("lockgate-sandbox", &["lockgate-model", "lockgate-process"]),
    ("lockgate-mcp", &["lockgate-model", "lockgate-otlp"]),
    ("lockgate-workflow", &["lockgate-model", "lockgate-otlp", "lockgate-store", "lockgate-sandbox"]),
    ("lockgate-restate", &["lockgate-model", "lockgate-mcp", "lockgate-workflow"]),
    (
        "lockgate-gateway",
        &[
            "lockgate-model",
            "lockgate-otlp",
            "lockgate-store",
            "lockgate-process",
            "lockgate-sandbox",
            "lockgate-mcp",
            "lockgate-workflow",
        ],
    ),
    ("lockgate-web", &[]),
    (
        "lockgate-api",
        &[
            "lockgate-web",
            "lockgate-model",
            "lockgate-config",
            "lockgate-store",
            "lockgate-workflow",
            "lockgate-gateway",
            "lockgate-mcp",
        ],
    ),
    (
        "lockgate",
        &[
            "lockgate-model",
            "lockgate-config",
            "lockgate-store",
            "lockgate-process",
            "lockgate-sandbox",
            "lockgate-mcp",
            "lockgate-workflow",
            "lockgate-restate",
            "lockgate-gateway",
            "lockgate-api",
        ],
    ),
    ("testkit", &["lockgate-model", "lockgate-mcp", "lockgate"]),
    ("conformance", &[]),
    ("databases", &[]),
    ("bench", &["lockgate-model", "lockgate-sandbox", "lockgate-mcp", "databases"]),
    ("xtask", &[]),
    ("scenarios", &[]),
];

/// What tests may import besides.
const FOR_TESTS: [&str; 2] = ["testkit", "databases"];

/// Holds the table against the manifests, in both directions.
pub(crate) fn check(packages: &[Package]) -> Vec<Finding> {
    against(&LAYERS, packages)
}

fn against(layers: &[(&str, &[&str])], packages: &[Package]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let ours: Vec<&Package> = packages.iter().filter(|package| package.ours).collect();
    for (name, _) in layers {
        if !ours.iter().any(|package| package.name == *name) {
            findings.push(Finding::file("crates/xtask/src/layers.rs", format!("{name} does not exist")));
        }
    }
    for package in &ours {
        let Some((_, allowed)) = layers.iter().find(|(name, _)| *name == package.name) else {
            findings.push(Finding::file(&package.place, "is not in the table of crates/xtask/src/layers.rs"));
            continue;
        };
        for used in package.uses.iter().filter(|used| ours.iter().any(|other| other.name == used.name)) {
            let for_tests =
                used.dev && (FOR_TESTS.contains(&used.name.as_str()) || used.name == package.name);
            if !allowed.contains(&used.name.as_str()) && !for_tests {
                findings.push(Finding::file(&package.place, format!("must not import {}", used.name)));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::lines;
    use crate::packages::ours;

    fn check(packages: &[Package], expected: &[&str]) {
        let layers: [(&str, &[&str]); 3] = [("low", &[]), ("high", &["low"]), ("testkit", &["high"])];
        assert_eq!(lines(&against(&layers, packages)), expected);
    }

    #[test]
    fn imports_go_one_way() {
        let testkit = || ours("testkit", &["high"], &[]);
        check(&[ours("low", &["serde"], &[]), ours("high", &["low"], &["testkit"]), testkit()], &[]);
        check(
            &[ours("low", &["high"], &[]), ours("high", &["testkit"], &[]), testkit()],
            &["low/Cargo.toml must not import high", "high/Cargo.toml must not import testkit"],
        );
        check(
            &[ours("low", &[], &["high"]), ours("high", &[], &[]), testkit()],
            &["low/Cargo.toml must not import high"],
        );
    }

    #[test]
    fn the_table_and_the_workspace_name_the_same_crates() {
        check(
            &[ours("low", &[], &[]), ours("new", &[], &[]), ours("testkit", &[], &[])],
            &[
                "crates/xtask/src/layers.rs high does not exist",
                "new/Cargo.toml is not in the table of crates/xtask/src/layers.rs",
            ],
        );
    }
}
