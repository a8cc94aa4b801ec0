//! Relative links of the documents point at files and folders that exist.

use crate::finding::Finding;
use crate::tree::Tree;

/// Finds links that lead nowhere, in every Markdown file.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.ending(".md") {
        let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let mut fenced = false;
        for (n, line) in file.text.lines().enumerate() {
            if line.trim_start().starts_with("```") {
                fenced = !fenced;
            }
            if fenced {
                continue;
            }
            for target in targets(line) {
                let path = target.split('#').next().unwrap_or_default();
                if !path.is_empty() && !resolve(folder, path).is_some_and(|path| tree.holds(&path)) {
                    findings.push(Finding::line(
                        &file.path,
                        n + 1,
                        format!("links to {target}, which does not exist"),
                    ));
                }
            }
        }
    }
    findings
}

/// The relative targets of `[text](target)` and `[text]: target` outside inline code.
fn targets(line: &str) -> Vec<&str> {
    let is_relative = |target: &&str| !target.contains("://") && !target.starts_with("mailto:");
    let prose = line.split('`').step_by(2);
    let inline = prose.flat_map(|part| part.split("](").skip(1).filter_map(|rest| rest.split(')').next()));
    let reference = line.strip_prefix('[').and_then(|rest| rest.split_once("]: ")).map(|(_, target)| target);
    // A link whose text is code, [`a`](b), starts its target in the next piece of prose.
    inline
        .chain(reference)
        .filter_map(|target| target.split_whitespace().next())
        .filter(is_relative)
        .collect()
}

/// The path from the root; nothing when it leaves the repository.
fn resolve(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::lines;

    fn check(text: &str, expected: &[&str]) {
        let tree = Tree::of(&[("docs/guide/a.md", text), ("docs/b.md", ""), ("README.md", "")]);
        assert_eq!(lines(&super::check(&tree)), expected, "{text}");
    }

    #[test]
    fn a_relative_link_leads_somewhere() {
        check("[b](../b.md) and [here](a.md#part) and [this](#part)", &[]);
        check("[`b`](../b.md), [root](../../README.md), [folder](..)", &[]);
        check("[out](https://example.com/x.md) [mail](mailto:a@example.com)", &[]);
        check("`[c](c.md)`\n```\n[c](c.md)\n```", &[]);
        check("x\n[c](c.md)", &["docs/guide/a.md:2 links to c.md, which does not exist"]);
        check("[`c`](../c.md#x)", &["docs/guide/a.md:1 links to ../c.md#x, which does not exist"]);
        check("[c]: c.md", &["docs/guide/a.md:1 links to c.md, which does not exist"]);
        check("[far](../../../x.md)", &["docs/guide/a.md:1 links to ../../../x.md, which does not exist"]);
    }
}
