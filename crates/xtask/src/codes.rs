//! Every error code has its page, and every page its code.

use crate::finding::Finding;
use crate::tree::Tree;

const TABLE: &str = "crates/model/src/code.rs";
const PAGES: &str = "docs/errors/";

/// Compares the table of codes with the pages.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let names = names(tree.text(TABLE).unwrap_or_default());
    if names.is_empty() {
        return vec![Finding::file(TABLE, "holds no rows that this check can read")];
    }
    let mut findings = Vec::new();
    for name in &names {
        let page = format!("{PAGES}{name}.md");
        match tree.text(&page) {
            None => findings.push(Finding::file(&page, format!("is missing; {TABLE} has {name}"))),
            Some(text) if !text.starts_with(&format!("# {name}\n")) => {
                findings.push(Finding::line(&page, 1, format!("must begin with the heading '# {name}'")));
            }
            Some(_) => {}
        }
    }
    for file in tree.files.iter().filter(|file| file.path.starts_with(PAGES)) {
        let name = file.path[PAGES.len()..].strip_suffix(".md");
        if !name.is_some_and(|name| names.contains(&name)) {
            findings.push(Finding::file(&file.path, format!("describes no code of {TABLE}")));
        }
    }
    findings
}

/// The names on the wire: the first argument of each `row("NAME", …)`.
fn names(table: &str) -> Vec<&str> {
    table.split("row(\"").skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::lines;

    #[test]
    fn codes_and_pages_match_one_to_one() {
        let table = "Code::A => row(\"A_B\", 400),\nCode::C => row(\"C\", 500),\nconst fn row(name: &str) {}";
        let tree =
            Tree::of(&[(TABLE, table), ("docs/errors/A_B.md", "# A_B\n"), ("docs/errors/OLD.md", "# OLD\n")]);
        assert_eq!(
            lines(&check(&tree)),
            [
                "docs/errors/C.md is missing; crates/model/src/code.rs has C",
                "docs/errors/OLD.md describes no code of crates/model/src/code.rs",
            ]
        );
        let tree = Tree::of(&[(TABLE, "row(\"A\", 1)"), ("docs/errors/A.md", "# Another\n")]);
        assert_eq!(lines(&check(&tree)), ["docs/errors/A.md:1 must begin with the heading '# A'"]);
    }
}
