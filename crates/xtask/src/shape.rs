//! The shape of a source file: it says what it is, and it can be read in one sitting.

use crate::finding::Finding;
use crate::tree::{File, Tree};

const LONG: usize = 300;
const TOO_LONG: usize = 450;

/// Finds files without a paragraph of introduction and files that have grown a tail.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    tree.ending(".rs").flat_map(|file| introduction(file).into_iter().chain(length(file))).collect()
}

fn introduction(file: &File) -> Option<Finding> {
    let first = file.text.lines().next().unwrap_or_default();
    let said = first.strip_prefix("//!").is_some_and(|words| !words.trim().is_empty());
    (!said).then(|| Finding::line(&file.path, 1, "must begin with `//!` and what this file is"))
}

fn length(file: &File) -> Option<Finding> {
    let lines = file.text.lines().count();
    if is_generated(file) || lines <= LONG {
        None
    } else if lines <= TOO_LONG {
        Some(Finding::note(&file.path, format!("has {lines} lines")))
    } else {
        Some(Finding::file(&file.path, format!("has {lines} lines; split it by noun (at most {TOO_LONG})")))
    }
}

fn is_generated(file: &File) -> bool {
    file.path.contains("/generated/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::lines;

    fn check(path: &str, text: &str, expected: &[&str]) {
        assert_eq!(lines(&super::check(&Tree::of(&[(path, text)]))), expected);
    }

    #[test]
    fn a_file_says_what_it_is_and_stays_short() {
        let of = |lines: usize| format!("//! A.{}", "\n// more".repeat(lines - 1));
        check("a.rs", &of(300), &[]);
        check("a.rs", &of(301), &["a.rs note: has 301 lines"]);
        check("a.rs", &of(450), &["a.rs note: has 450 lines"]);
        check("a.rs", &of(451), &["a.rs has 451 lines; split it by noun (at most 450)"]);
        check("src/generated/a.rs", &of(451), &[]);
        for text in ["", "fn f() {}", "//!\n//! Late.", "// A."] {
            check("a.rs", text, &["a.rs:1 must begin with `//!` and what this file is"]);
        }
    }
}
