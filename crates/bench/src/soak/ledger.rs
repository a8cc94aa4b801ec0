//! What was acknowledged against what the store has.

use anyhow::Context;
use serde_json::Value;

use super::client::{Diary, Walked};
use super::fleet::activity;
use crate::admin::ask;
use crate::walk::NAME;

/// What does not match.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Losses {
    /// Steps that were acknowledged and are not there, or with another outcome.
    pub(super) lost: u64,
    /// Steps that count more than once.
    pub(super) doubled: u64,
    /// Sessions in the store that nobody asked for.
    pub(super) strangers: u64,
    /// Acknowledged steps that were looked for.
    pub(super) steps: u64,
    /// The first of them.
    pub(super) first: Option<String>,
}

impl Losses {
    /// How many there are.
    pub(super) fn total(&self) -> u64 {
        self.lost + self.doubled + self.strangers
    }

    /// Compares the number of new sessions in the store with those that were asked for. A start that was not
    /// acknowledged may have made one, or not.
    pub(super) fn count_sessions(&mut self, diaries: &[Diary], found: u64) {
        let asked = diaries.iter().map(|diary| diary.walked.len() as u64).sum();
        self.strangers = found.saturating_sub(asked);
    }

    fn note(&mut self, session: &str, what: impl FnOnce() -> String) {
        if self.first.is_none() {
            self.first = Some(format!("{session}: {}", what()));
        }
    }
}

/// Reads every session back from the gateway on this port.
pub(super) fn read_back(port: u16, diaries: &[Diary]) -> anyhow::Result<Losses> {
    let mut losses = Losses::default();
    for walked in diaries.iter().flat_map(|diary| &diary.walked) {
        let Some(session) = &walked.session else { continue };
        match ask(port, "GET", &format!("/api/sessions/{session}"), "") {
            Ok(found) => compare(session, walked, &found, &mut losses),
            Err(error) if error.to_string().contains(": 404 ") => {
                losses.steps += walked.marks.len() as u64;
                losses.lost += walked.marks.len() as u64;
                losses.note(session, || "the session is not there".into());
            }
            Err(error) => return Err(error).context("reading a session back"),
        }
    }
    Ok(losses)
}

/// Compares one session with what its client was told.
fn compare(session: &str, walked: &Walked, found: &Value, losses: &mut Losses) {
    let empty = Vec::new();
    let history = found["history"].as_array().unwrap_or(&empty);
    let done = |step: usize| {
        let of_step = |entry: &&Value| entry["stepIndex"] == step && entry["success"] == true;
        history.iter().filter(of_step).count() as u64
    };
    losses.steps += walked.marks.len() as u64;
    for (step, mark) in walked.marks.iter().enumerate() {
        let kept = &found["memory"][activity(step)]["mark"];
        if done(step) == 0 || kept.as_str() != Some(mark) {
            losses.lost += 1;
            losses
                .note(session, || format!("{NAME} step {step} was acknowledged with {mark}, kept is {kept}"));
        }
        if done(step) > 1 {
            losses.doubled += 1;
            losses.note(session, || format!("step {step} is {} times in its history", done(step)));
        }
    }
    let (counted, recorded) = (found["memory"]["count"].as_u64().unwrap_or_default(), history.len() as u64);
    if counted > recorded {
        losses.doubled += 1;
        losses.note(session, || format!("{counted} steps counted, {recorded} recorded"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn stored(steps: &[usize], count: u64) -> Value {
        let memory: serde_json::Map<String, Value> =
            steps.iter().map(|step| (activity(*step), json!({"mark": format!("m{step}")}))).collect();
        let history: Vec<Value> =
            steps.iter().map(|step| json!({"stepIndex": step, "success": true})).collect();
        let mut found = json!({"history": history, "memory": memory});
        found["memory"]["count"] = count.into();
        found
    }

    #[track_caller]
    fn check(found: &Value, lost: u64, doubled: u64) {
        let walked = Walked { session: Some("x".into()), marks: vec!["m0".into(), "m1".into()] };
        let mut losses = Losses::default();
        compare("x", &walked, found, &mut losses);
        assert_eq!((losses.lost, losses.doubled, losses.steps), (lost, doubled, 2), "{losses:?}");
    }

    #[test]
    fn what_was_acknowledged_is_found_again() {
        check(&stored(&[0, 1], 2), 0, 0);
        check(&stored(&[0, 1, 2], 3), 0, 0);
    }

    #[test]
    fn a_step_that_is_missing_or_different_is_lost() {
        check(&stored(&[0], 1), 1, 0);
        check(&json!({}), 2, 0);
        let mut other = stored(&[0, 1], 2);
        other["memory"]["s1"]["mark"] = "m9".into();
        check(&other, 1, 0);
    }

    #[test]
    fn a_step_that_counts_twice_is_doubled() {
        check(&stored(&[0, 1, 1], 3), 0, 1);
        check(&stored(&[0, 1], 3), 0, 1);
    }

    #[test]
    fn a_session_that_nobody_asked_for_is_a_stranger() {
        let mut losses = Losses::default();
        let diary = Diary { walked: vec![Walked::default()], ..Diary::default() };
        losses.count_sessions(&[diary], 3);
        assert_eq!((losses.strangers, losses.total()), (2, 2));
    }
}
