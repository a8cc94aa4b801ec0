//! Every library's licence lets us ship it under Apache-2.0, and others use it under MIT too.

use crate::finding::Finding;
use crate::packages::Package;

/// Where the licences stand that are allowed; `cargo deny` reads them there too.
const RULES: &str = include_str!("../../../deny.toml");

/// The texts of the list `allow`.
fn allowed() -> impl Iterator<Item = &'static str> {
    let list = RULES.split_once("\nallow = [").and_then(|(_, rest)| Some(rest.split_once(']')?.0));
    list.unwrap_or_default().split('"').skip(1).step_by(2)
}

/// Finds libraries without a licence that is allowed.
pub(crate) fn check(packages: &[Package]) -> Vec<Finding> {
    let libraries = packages.iter().filter(|package| !package.ours);
    libraries
        .filter_map(|package| match &package.licence {
            None => Some(Finding::file(&package.place, "states no licence")),
            Some(licence) if allows(licence) => None,
            Some(licence) => Some(Finding::file(&package.place, format!("has the licence {licence}"))),
        })
        .collect()
}

/// Whether an SPDX expression can be met with allowed licences alone. `/` is the old form of `OR`.
fn allows(expression: &str) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut words = spaced.split_whitespace().peekable();
    any(&mut words) && words.next().is_none()
}

type Words<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

fn any(words: &mut Words<'_>) -> bool {
    let mut met = all(words);
    while words.next_if_eq(&"OR").is_some() {
        met |= all(words);
    }
    met
}

fn all(words: &mut Words<'_>) -> bool {
    let mut met = one(words);
    while words.next_if_eq(&"AND").is_some() {
        met &= one(words);
    }
    met
}

fn one(words: &mut Words<'_>) -> bool {
    match words.next() {
        Some("(") => {
            let met = any(words);
            words.next() == Some(")") && met
        }
        Some(name) if words.next_if_eq(&"WITH").is_some() => {
            let exception = words.next().unwrap_or_default();
            let whole = format!("{name} WITH {exception}");
            allowed().any(|licence| licence == whole)
        }
        Some(name) => allowed().any(|licence| licence == name),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_is_met_by_allowed_licences_alone() {
        for (expression, expected) in [
            ("MIT", true),
            ("MIT/Apache-2.0", true),
            ("Unlicense OR MIT", true),
            ("MIT OR Apache-2.0 OR LGPL-2.1-or-later", true),
            ("Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT", true),
            ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
            ("MIT AND GPL-3.0-only", false),
            ("(MIT OR Apache-2.0) AND MPL-2.0", false),
            ("GPL-2.0-only WITH Classpath-exception-2.0", false),
            ("LGPL-3.0-only", false),
            ("(MIT", false),
            ("", false),
        ] {
            assert_eq!(allows(expression), expected, "{expression}");
        }
    }

    #[test]
    fn a_library_without_a_licence_is_found() {
        let library =
            Package { ours: false, place: "left-pad 1.0.0".into(), ..crate::packages::ours("x", &[], &[]) };
        assert_eq!(crate::finding::lines(&check(&[library])), ["left-pad 1.0.0 states no licence"]);
    }
}
