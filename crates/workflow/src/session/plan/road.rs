//! What comes next in a session workflow.

use super::Plan;
use crate::session::state::State;
use model::session::{Fork, Onward};

impl Plan {
    /// What stands at the beginning.
    fn start(&self) -> Onward {
        self.procedure.road.as_ref().map_or_else(|| self.step_or_end(0), |road| road.start)
    }

    /// What follows a step.
    pub(crate) fn after(&self, step: usize) -> Onward {
        let road = self.procedure.road.as_ref();
        road.and_then(|road| road.after.get(step).copied()).unwrap_or_else(|| self.step_or_end(step + 1))
    }

    fn step_or_end(&self, step: usize) -> Onward {
        if step < self.steps.len() { Onward::Step(step) } else { Onward::End }
    }

    /// What a session comes to next: the step that is to be tried, a condition that is not judged, or the end.
    pub(crate) fn onward(&self, state: &State) -> Onward {
        let Some(road) = &self.procedure.road else { return self.step_or_end(state.next) };
        let mut at = road.start;
        loop {
            at = match at {
                Onward::Step(step) if step < state.next => self.after(step),
                Onward::Fork(fork) => {
                    match road.forks.get(fork).and_then(|one| Some((one, state.way(&one.node)?))) {
                        Some((fork, true)) => fork.yes,
                        Some((fork, false)) => fork.no,
                        None => return at,
                    }
                }
                Onward::Step(_) | Onward::End => return at,
            };
        }
    }

    /// The step that is tried after this one, as far as is known, and its name. Before a condition is judged, that is
    /// the first which may follow, under the name of the condition.
    pub(crate) fn next_of(&self, step: usize) -> (usize, &str) {
        match self.after(step) {
            Onward::Step(next) => (next, self.step_name(next)),
            Onward::Fork(fork) => (step + 1, self.fork_label(fork)),
            Onward::End => (step + 1, ""),
        }
    }

    fn forks(&self) -> &[Fork] {
        self.procedure.road.as_ref().map_or(&[], |road| &road.forks)
    }

    /// What people call a condition.
    pub(crate) fn fork_label(&self, fork: usize) -> &str {
        self.forks().get(fork).map_or("", |fork| &fork.label)
    }

    /// The same by the id of its node.
    pub(crate) fn label_of(&self, node: &str) -> &str {
        self.forks().iter().find(|fork| fork.node == node).map_or("", |fork| &fork.label)
    }

    /// The step that every session begins with; none where a condition comes first.
    pub(crate) fn first(&self) -> Option<&super::PlanStep> {
        match self.start() {
            Onward::Step(step) => self.steps.get(step),
            _ => None,
        }
    }
}
