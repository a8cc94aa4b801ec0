//! Where the steps of a session workflow lead, when conditions part their ways (spec 5.1).

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The ways of a graph: from its start, and from each step. Steps stand in an order in which no way leads back.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Road {
    /// Where the start leads.
    pub start: Onward,
    /// Where each step leads.
    pub after: Vec<Onward>,
    /// The conditions.
    pub forks: Vec<Fork>,
}

impl Road {
    /// The steps to which only the other way of a condition leads, in order.
    pub fn passed_by(&self, fork: &Fork, way: bool) -> Vec<usize> {
        let (taken, other) = if way { (fork.yes, fork.no) } else { (fork.no, fork.yes) };
        let taken = self.steps_from(taken);
        self.steps_from(other).into_iter().filter(|step| !taken.contains(step)).collect()
    }

    /// The steps to which some way leads from there.
    fn steps_from(&self, from: Onward) -> BTreeSet<usize> {
        let (mut steps, mut forks, mut left) = (BTreeSet::new(), BTreeSet::new(), vec![from]);
        while let Some(at) = left.pop() {
            match at {
                Onward::Step(step) if steps.insert(step) => left.extend(self.after.get(step)),
                Onward::Fork(fork) if forks.insert(fork) => {
                    left.extend(self.forks.get(fork).iter().flat_map(|fork| [fork.yes, fork.no]));
                }
                Onward::Step(_) | Onward::Fork(_) | Onward::End => {}
            }
        }
        steps
    }
}

/// What comes next on a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum Onward {
    /// The step of that index.
    Step(usize),
    /// The condition of that index.
    Fork(usize),
    /// The end.
    End,
}

/// A condition, which has one way in and two ways out.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Fork {
    /// The id of its node.
    pub node: String,
    /// What people call it.
    pub label: String,
    /// An expression over `memory`, `input` and `previous`.
    pub expression: String,
    /// Whether an expression that throws counts as false; else it fails the session.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub goes_on: bool,
    /// Where it leads when the expression is true.
    pub yes: Onward,
    /// Where it leads when it is not.
    pub no: Onward,
}

#[cfg(test)]
mod tests {
    use super::*;
    use Onward::{End, Fork as At, Step};

    #[test]
    fn the_other_way_of_a_condition_is_passed_over_up_to_where_both_meet() {
        let fork = |yes, no| Fork {
            node: String::new(),
            label: String::new(),
            expression: String::new(),
            goes_on: false,
            yes,
            no,
        };
        // 0, then 1 and 2 or another condition before 3 or 4, and 5 for all but those of 4.
        let forks = vec![fork(Step(1), At(1)), fork(Step(3), Step(4))];
        let after = vec![At(0), Step(2), Step(5), Step(5), End, End];
        let road = Road { start: Step(0), after, forks };
        let check = |fork: usize, way, expected: &[usize]| {
            assert_eq!(road.passed_by(&road.forks[fork], way), expected, "{fork} {way}");
        };
        check(0, true, &[3, 4]);
        check(0, false, &[1, 2]);
        check(1, true, &[4]);
        check(1, false, &[3, 5]);
    }
}
