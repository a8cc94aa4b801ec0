//! The packages of the workspace as `cargo metadata` tells them, and who may use which library.

use crate::finding::Finding;
use anyhow::Context;
use cargo_metadata::{DependencyKind, MetadataCommand};
use std::path::Path;

/// One package: ours, or a library.
#[derive(Debug)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) ours: bool,
    /// The manifest relative to the root when ours, else name and version.
    pub(crate) place: String,
    pub(crate) licence: Option<String>,
    pub(crate) uses: Vec<Use>,
}

/// One line of a manifest's dependencies.
#[derive(Debug)]
pub(crate) struct Use {
    pub(crate) name: String,
    /// Only for tests, examples and benches of the package.
    pub(crate) dev: bool,
}

/// Libraries that only some packages may name, for any kind of dependency.
const RESERVED: [(&str, &[&str], &str); 3] = [
    ("rusqlite", &["lockgate-store", "bench"], "store is the one speaker to databases"),
    (
        "rmcp",
        &["conformance", "bench", "lockgate-workflow"],
        "the SDK serves as a test partner and to attach workflows, not on the road of a call",
    ),
    ("anyhow", &["lockgate", "xtask", "bench", "testkit"], "a library has its own error enum"),
];

/// Every package that takes part in a build, on any platform.
pub(crate) fn read(root: &Path) -> anyhow::Result<Vec<Package>> {
    let metadata = MetadataCommand::new().current_dir(root).exec().context("running cargo metadata")?;
    let ours = |id| metadata.workspace_members.contains(id);
    let packages = metadata.packages.iter().map(|package| {
        let manifest = package.manifest_path.strip_prefix(root).map(ToString::to_string);
        Package {
            name: package.name.to_string(),
            ours: ours(&package.id),
            place: manifest.unwrap_or_else(|_| format!("{} {}", package.name, package.version)),
            licence: package.license.clone(),
            uses: package
                .dependencies
                .iter()
                .map(|d| Use { name: d.name.clone(), dev: d.kind == DependencyKind::Development })
                .collect(),
        }
    });
    Ok(packages.collect())
}

/// Holds the reserved libraries to the packages they are meant for.
pub(crate) fn check(packages: &[Package]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in packages.iter().filter(|package| package.ours) {
        for (library, allowed, why) in RESERVED {
            let named = package.uses.iter().any(|u| u.name == library);
            if named && !allowed.contains(&package.name.as_str()) {
                findings.push(Finding::file(&package.place, format!("must not use {library}: {why}")));
            }
        }
    }
    findings
}

/// A package of ours from memory; a name in `dev` is a dev-dependency.
#[cfg(test)]
pub(crate) fn ours(name: &str, normal: &[&str], dev: &[&str]) -> Package {
    let uses = |names: &[&str], dev| -> Vec<Use> {
        names.iter().map(|name| Use { name: (*name).to_owned(), dev }).collect()
    };
    let place = format!("{name}/Cargo.toml");
    let uses = uses(normal, false).into_iter().chain(uses(dev, true)).collect();
    Package { name: name.to_owned(), ours: true, place, licence: None, uses }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::lines;

    #[test]
    fn a_reserved_library_is_refused_elsewhere_even_for_tests() {
        let packages = [
            ours("lockgate-store", &["rusqlite"], &[]),
            ours("lockgate-gateway", &["rusqlite", "serde"], &["rmcp"]),
            ours("lockgate", &["anyhow"], &[]),
        ];
        assert_eq!(
            lines(&check(&packages)),
            [
                "lockgate-gateway/Cargo.toml must not use rusqlite: store is the one speaker to databases",
                "lockgate-gateway/Cargo.toml must not use rmcp: the SDK serves as a test partner and to attach workflows, not on the road of a call",
            ]
        );
    }
}
