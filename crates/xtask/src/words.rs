//! Text that belongs to one machine or one network and not to the project.

use crate::finding::Finding;
use crate::tree::Tree;

/// Files that tools write.
const WRITTEN_BY_TOOLS: [&str; 2] = ["Cargo.lock", "package-lock.json"];

/// Folder names at the root of a machine whose contents are somebody's own.
const OWN_FOLDERS: [&str; 5] = ["home", "Users", "root", "work", "farm"];

/// Names that stand for any reader in an example, such as the folder of `you`.
const ANYBODY: [&str; 3] = ["you", "me", "user"];

/// Hosts of package registries: tools know them, and a mirror is a matter of each machine.
const HOSTS: [(&str, &str); 6] = [
    ("index.crates", "io"),
    ("static.crates", "io"),
    ("registry.npmjs", "org"),
    ("registry.yarnpkg", "com"),
    ("files.pythonhosted", "org"),
    ("pypi", "org/simple"),
];

/// Finds absolute paths of one machine and hosts of registries.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let hosts: Vec<String> = HOSTS.iter().map(|(name, end)| format!("{name}.{end}")).collect();
    let mut findings = Vec::new();
    for file in &tree.files {
        if WRITTEN_BY_TOOLS.iter().any(|name| file.path.ends_with(name)) {
            continue;
        }
        for (n, line) in file.text.lines().enumerate() {
            if let Some(folder) = OWN_FOLDERS.iter().find(|folder| has_own_path(line, folder)) {
                let message = format!("names a path below '{folder}' of one machine");
                findings.push(Finding::line(&file.path, n + 1, message));
            }
            if let Some(host) = hosts.iter().find(|host| line.contains(host.as_str())) {
                findings.push(Finding::line(&file.path, n + 1, format!("names the registry host {host}")));
            }
        }
    }
    findings
}

/// Whether the line holds an absolute path below that folder of somebody in particular.
fn has_own_path(line: &str, folder: &str) -> bool {
    let pattern = format!("/{folder}/");
    line.match_indices(&pattern).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let absolute =
            !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '}' | ')' | '/'));
        let after = &line[at + pattern.len()..];
        let name =
            after.split(|c: char| !c.is_alphanumeric() && c != '-' && c != '_').next().unwrap_or_default();
        absolute && !ANYBODY.contains(&name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_one_machine_is_told_from_an_example() {
        for (before, folder, after, expected) in [
            ("cd ", "home", "ada/src", true),
            ("\"", "Users", "ada", true),
            ("see ", "work", "main", true),
            ("", "root", ".cargo", true),
            ("cd ", "home", "you/src", false),
            ("\"", "Users", "me\"", false),
            ("docs", "work", "a.md", false),
            ("https://example.com", "home", "x", false),
            ("../", "work", "x", false),
        ] {
            let line = format!("{before}/{folder}/{after}");
            assert_eq!(has_own_path(&line, folder), expected, "{line}");
        }
    }

    #[test]
    fn a_registry_host_is_found_except_in_lock_files() {
        let line = format!("https://{}.{}/x", HOSTS[0].0, HOSTS[0].1);
        let tree = Tree::of(&[("a.md", &line), ("ui/package-lock.json", &line), ("Cargo.lock", &line)]);
        assert_eq!(check(&tree).len(), 1);
    }
}
