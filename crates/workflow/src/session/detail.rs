//! What the events of a session say of one step: what it was given, what it gave, and how often it was tried.

use super::event::{self, Ended, Event, Outcome};
use model::session::{ExecutionDetail, StepDetail};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The events of a session, read for one step.
struct Reading {
    detail: StepDetail,
    /// Whether the event that was read last is about this step.
    here: bool,
    /// What is known of the members while the step is under way.
    open: Option<Open>,
}

#[derive(Default)]
struct Open {
    began: i64,
    inputs: Vec<Option<Value>>,
    attempts: BTreeMap<usize, u32>,
}

/// What happened in that step, as far as it is recorded.
pub(crate) fn detail<'a>(events: impl IntoIterator<Item = &'a Event>, step: usize) -> StepDetail {
    let detail = StepDetail { step_index: step, ..StepDetail::default() };
    let mut reading = Reading { detail, here: false, open: None };
    for event in events {
        reading.read(event, step);
    }
    reading.finish()
}

impl Reading {
    fn read(&mut self, event: &Event, wanted: usize) {
        match event {
            Event::Began { at, step, inputs, nulls, .. } => {
                self.here = *step == wanted;
                if self.here {
                    // It may be begun again after a crash; what was tried before counts.
                    let attempts = self.open.take().map(|open| open.attempts).unwrap_or_default();
                    self.open = Some(Open { began: *at, inputs: event::inputs(inputs, nulls), attempts });
                }
            }
            Event::Failing { member, attempts, .. } if self.here => {
                let open = self.open.get_or_insert_default();
                open.attempts.insert(*member, *attempts);
            }
            Event::Allowed { step, by, .. } if *step == wanted => {
                self.detail.allowed_by = Some(by.clone());
            }
            Event::Ended(ended) if ended.step == wanted => self.ended(ended),
            Event::Undone { began, at, step, activity, error, .. } if *step == wanted => {
                self.detail.executions.push(ExecutionDetail {
                    activity_name: Some(activity.clone()),
                    started_at: *began,
                    completed_at: Some(*at),
                    attempts: 1,
                    error: error.clone(),
                    compensation: true,
                    ..ExecutionDetail::default()
                });
            }
            _ => {}
        }
    }

    fn ended(&mut self, ended: &Ended) {
        let open = self.open.take().unwrap_or_default();
        for (member, outcome) in ended.outcomes.iter().enumerate() {
            let before = open.attempts.get(&member).copied().unwrap_or(0);
            let input = open.inputs.get(member).cloned().flatten();
            self.detail.executions.push(of(outcome, input, before + 1));
        }
        self.here = false;
    }

    /// What runs still is there too.
    fn finish(mut self) -> StepDetail {
        let Some(open) = self.open else { return self.detail };
        for (member, input) in open.inputs.into_iter().enumerate() {
            let attempts = open.attempts.get(&member).copied().unwrap_or(0) + 1;
            let started_at = open.began;
            self.detail.executions.push(ExecutionDetail {
                started_at,
                attempts,
                input,
                ..ExecutionDetail::default()
            });
        }
        self.detail
    }
}

fn of(outcome: &Outcome, input: Option<Value>, attempts: u32) -> ExecutionDetail {
    let written = outcome.memory.iter();
    let memory: Map<String, Value> =
        written.map(|(key, value)| (key.clone(), value.clone().unwrap_or_default())).collect();
    ExecutionDetail {
        activity_name: Some(outcome.activity.clone()),
        started_at: outcome.began,
        completed_at: Some(outcome.ended),
        attempts,
        input: input.or_else(|| outcome.input.clone()),
        output: outcome.data.clone(),
        memory,
        error: outcome.error.clone(),
        compensation: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn events(all: &Value) -> Vec<Event> {
        let all = all.as_array().expect("a list");
        all.iter().map(|one| serde_json::from_value(one.clone()).expect("an event")).collect()
    }

    fn ended(step: usize, outcomes: &Value) -> Value {
        json!({"is": "ended", "step": step, "name": "s", "outcomes": outcomes})
    }

    fn check(all: &Value, step: usize, expected: &Value) {
        let found = serde_json::to_value(detail(&events(all), step)).expect("plain data");
        assert_eq!(found, *expected, "{all}");
    }

    #[test]
    fn a_step_shows_what_it_was_given_and_what_it_gave_and_no_other_step_does() {
        let all = json!([
            {"is": "began", "at": 10, "step": 0, "inputs": [{"a": 1}], "tries": 1},
            {"is": "failing", "at": 11, "member": 0, "attempts": 1, "error": "no", "next": 12},
            {"is": "failing", "at": 13, "member": 0, "attempts": 2, "error": "no", "next": 14},
            ended(0, &json!([{"activity": "add", "began": 10, "ended": 15, "data": {"r": 3}, "memory": {"k": 1, "gone": null}}])),
            ended(1, &json!([{"activity": "bad", "began": 16, "ended": 17, "error": "nope"}])),
        ]);
        check(
            &all,
            0,
            &json!({"stepIndex": 0, "executions": [{
                "activityName": "add", "startedAt": 10, "completedAt": 15, "attempts": 3, "input": {"a": 1},
                "output": {"r": 3}, "memory": {"k": 1, "gone": null},
            }]}),
        );
        check(
            &all,
            1,
            &json!({"stepIndex": 1, "executions": [
                {"activityName": "bad", "startedAt": 16, "completedAt": 17, "attempts": 1, "error": "nope"},
            ]}),
        );
        check(&all, 2, &json!({"stepIndex": 2, "executions": []}));
    }

    #[test]
    fn members_of_a_group_who_allowed_it_and_what_undid_it_are_told() {
        let all = json!([
            {"is": "allowed", "at": 9, "step": 0, "by": "olga"},
            {"is": "began", "at": 10, "step": 0, "inputs": [{"a": 1}, null], "tries": 1},
            ended(0, &json!([
                {"activity": "one", "began": 10, "ended": 11, "data": 1},
                {"activity": "two", "began": 10, "ended": 12, "data": 2},
            ])),
            {"is": "undone", "began": 20, "at": 21, "step": 0, "member": 1, "activity": "undo"},
        ]);
        check(
            &all,
            0,
            &json!({"stepIndex": 0, "allowedBy": "olga", "executions": [
                {"activityName": "one", "startedAt": 10, "completedAt": 11, "attempts": 1, "input": {"a": 1}, "output": 1},
                {"activityName": "two", "startedAt": 10, "completedAt": 12, "attempts": 1, "output": 2},
                {"activityName": "undo", "startedAt": 20, "completedAt": 21, "attempts": 1, "compensation": true},
            ]}),
        );
    }

    #[test]
    fn a_step_that_runs_still_shows_what_it_was_given() {
        let all = json!([{"is": "began", "at": 10, "step": 2, "inputs": [{"a": 1}], "tries": 1}]);
        let running = json!([{"startedAt": 10, "attempts": 1, "input": {"a": 1}}]);
        check(&all, 2, &json!({"stepIndex": 2, "executions": running}));
    }
}
