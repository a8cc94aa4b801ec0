//! The failures that are known, each with its reason. A known failure that passes is a fault too.

use crate::cell::Cell;
use crate::suite::{Checks, Outcome};
use libtest_mimic::Trial;
use serde::Deserialize;
use testkit::repository;

/// A check that may fail in a cell.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Known {
    /// The name of the cell; a `*` at the end stands for any end.
    cell: String,
    scenario: String,
    check: String,
    reason: String,
}

/// The list as it stands in the repository.
pub(crate) fn read() -> Vec<Known> {
    let path = repository("tests/conformance/baseline.json");
    let text = std::fs::read_to_string(path).expect("the baseline can be read");
    serde_json::from_str(&text).expect("the baseline is a list of cell, scenario, check and reason")
}

/// What differs between the list and a run of the cell.
pub(crate) fn faults(known: &[Known], cell: &str, checks: &Checks) -> Vec<String> {
    let known: Vec<&Known> = known.iter().filter(|known| known.covers(cell)).collect();
    let mut faults = Vec::new();
    for ((scenario, check), outcome) in checks {
        let expected = known.iter().any(|known| known.scenario == *scenario && known.check == *check);
        match outcome {
            Outcome::Failed(why) if !expected => faults.push(format!("{scenario}:{check} failed: {why}")),
            Outcome::Passed if expected => {
                faults.push(format!("{scenario}:{check} passes now: take it out of the baseline"));
            }
            _ => {}
        }
    }
    for known in known {
        if !checks.contains_key(&(known.scenario.clone(), known.check.clone())) {
            let (scenario, check) = (&known.scenario, &known.check);
            faults.push(format!("{scenario}:{check} is not run: take it out of the baseline"));
        }
    }
    faults
}

impl Known {
    fn covers(&self, cell: &str) -> bool {
        match self.cell.strip_suffix('*') {
            Some(start) => cell.starts_with(start),
            None => self.cell == cell,
        }
    }
}

/// The tests of this file, which has no harness of its own.
pub(crate) fn trials() -> Vec<Trial> {
    vec![
        Trial::test("baseline::each_entry_has_a_cell_and_a_reason", || {
            let cells = Cell::matrix();
            for known in read() {
                assert!(cells.iter().any(|cell| known.covers(&cell.name())), "no cell {}", known.cell);
                assert!(!known.reason.is_empty(), "{}:{} has no reason", known.scenario, known.check);
            }
            Ok(())
        }),
        Trial::test("baseline::the_list_only_shrinks", || {
            let known = |cell: &str, check: &str| Known {
                cell: cell.into(),
                scenario: "s".into(),
                check: check.into(),
                reason: "why".into(),
            };
            let list =
                [known("a/*", "fails"), known("a/b", "passes"), known("a/b", "gone"), known("c", "new")];
            let check = |name: &str, outcome| (("s".to_owned(), name.to_owned()), outcome);
            let failed = || Outcome::Failed("no".into());
            let checks = Checks::from([
                check("fails", failed()),
                check("passes", Outcome::Passed),
                check("new", failed()),
                check("fine", Outcome::Passed),
            ]);
            let expected = [
                "s:new failed: no",
                "s:passes passes now: take it out of the baseline",
                "s:gone is not run: take it out of the baseline",
            ];
            assert_eq!(faults(&list, "a/b", &checks), expected);
            Ok(())
        }),
    ]
}
