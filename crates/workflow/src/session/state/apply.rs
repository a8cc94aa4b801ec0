//! How an event changes a session.

use super::{Answer, Child, Done, Hold, State, Tried, Work};
use crate::session::event::{self, Ended, Event, Held, Outcome, Started};
use crate::session::memory;
use model::session::{
    BranchDecision, BranchOption, Decision, INPUT_KEY, RunningStep, SessionStatus, StepExecution,
    UncertainMember, Waiting, WorkflowSession,
};
use serde_json::{Map, Value};
use std::sync::Arc;

impl State {
    /// The session that these texts of events make.
    pub(crate) fn replay(id: &str, events: &[String]) -> Result<Self, serde_json::Error> {
        let mut state = State::default();
        state.session.session_id = id.to_owned();
        for text in events {
            state.apply(&serde_json::from_str(text)?);
        }
        Ok(state)
    }

    /// Brings in what happened.
    pub(crate) fn apply(&mut self, event: &Event) {
        self.events += 1;
        // A call that let steps follow came as far as what is waited for now.
        let more = self.following || (self.reached && matches!(event, Event::Nested { .. }));
        let waits = matches!(
            event,
            Event::Held(_) | Event::Awaits { .. } | Event::Nested { .. } | Event::Doubted { .. }
        );
        // Whoever pauses it takes nothing back of how far that call came.
        let paused = matches!(event, Event::Paused { .. });
        let resumed = matches!(event, Event::Resumed { .. });
        self.reached = (more && waits) || (self.reached && (paused || resumed));
        self.following &= event.is_own() || paused;
        match event {
            Event::Started(started) => self.started(started),
            Event::Asked { more, .. } => self.more = *more,
            Event::Given { result, .. } => self.given(result),
            Event::Chosen { at, step, tool, pattern, key } => {
                // Repetitions may overlap, so that each is recorded before the other is seen.
                let fresh = |key: &String| Arc::make_mut(&mut self.keyed).insert((tool.clone(), key.clone()));
                if key.as_ref().is_none_or(fresh) {
                    self.session.branch_history.push(BranchDecision {
                        step_index: *step,
                        branch_pattern: pattern.clone(),
                        tool_name: tool.clone(),
                        timestamp: *at,
                    });
                }
            }
            Event::Passed { step } => self.next = step.saturating_add(1),
            Event::Judged { at, node, way, error, passes } => {
                self.session.decisions.push(Arc::new(Decision {
                    node_id: node.clone(),
                    way: *way,
                    error: error.clone(),
                    passed_steps: passes.clone(),
                    timestamp: *at,
                }));
                self.judged = true;
            }
            Event::Held(held) => self.held(held),
            Event::Allowed { .. } => {
                self.session.waiting = None;
                if let Some(Hold::Question(held)) = self.hold.take() {
                    self.hold = Some(Hold::Allowed(held));
                }
            }
            Event::Awaits { .. } => self.awaits(event),
            Event::Came { step, data, .. } => self.came(*step, data.as_ref()),
            Event::Began { at, step, inputs, tries, nulls, unmapped } => {
                self.began(*at, *step, event::inputs(inputs, nulls), *tries);
                if let (Some(work), Some(_)) = (&mut self.work, unmapped) {
                    work.unmapped.clone_from(unmapped);
                }
            }
            Event::Failing { member, attempts, next, late, .. } => {
                if let Some(work) = &mut self.work {
                    let tried = Tried { attempts: *attempts, next: *next, late: *late, begun: false };
                    work.failing.insert(*member, tried);
                    // The next attempt is a session of its own.
                    if work.nested.remove(member).is_some() {
                        self.session.waiting = None;
                        self.wait_for_children();
                    }
                }
            }
            Event::Retried { at, member } => {
                let tried = self.work.as_mut().and_then(|work| work.failing.get_mut(member));
                if let Some(tried) = tried {
                    (tried.next, tried.begun) = (*at, true);
                }
            }
            Event::Nested { at, member, activity, session, until } => {
                let (session, activity) = (session.clone(), activity.clone());
                self.nested(*at, *member, Child { session, activity, until: *until });
            }
            Event::Did { member, outcome, .. } => {
                if let Some(work) = &mut self.work {
                    work.failing.remove(member);
                    work.ended.insert(*member, (**outcome).clone());
                    self.wait_for_children();
                }
            }
            Event::Ended(ended) => self.ended(ended),
            Event::Doubted { at, step, activity, members } => self.doubted(*at, *step, activity, members),
            Event::Completed { at } => self.completed(*at),
            Event::Failed { at, step, error, undo } => self.failed(*at, *step, error, undo),
            Event::Cancelled { at, undo, compensate } => {
                self.compensates = *compensate;
                self.close(*at, SessionStatus::Cancelled, None, undo);
            }
            Event::Undone { .. } => self.undone(event),
            Event::Paused { at } => {
                self.session.status = SessionStatus::Paused;
                (self.paused_since, self.paused_by) = (Some(*at), self.events);
            }
            Event::Resumed { at } => {
                self.session.status = SessionStatus::Running;
                if let Some(since) = self.paused_since.take() {
                    self.paused_ms = self.paused_ms.saturating_add(at.saturating_sub(since).max(0));
                }
            }
            Event::Remembered { changes, nulls, .. } => memory::apply(self.memory(), changes, nulls),
        }
        let at = event.at().unwrap_or(self.updated_at);
        self.updated_at = self.updated_at.max(at);
        if event.is_own() {
            self.seen_at = self.seen_at.max(at);
        }
    }

    fn started(&mut self, started: &Started) {
        let id = std::mem::take(&mut self.session.session_id);
        self.session = WorkflowSession {
            session_id: id,
            workflow_name: started.workflow.clone(),
            client_id: started.caller.clone(),
            status: if started.pending { SessionStatus::Pending } else { SessionStatus::Running },
            total_steps: started.steps,
            started_at: started.at,
            parent_session_id: started.parent.clone(),
            schedule_id: started.schedule.clone(),
            workflow_version: started.version,
            ..WorkflowSession::default()
        };
        self.memory().insert(INPUT_KEY.into(), started.input.clone());
        self.definition = started.definition.clone();
        (self.timeout, self.active, self.more) = (started.timeout, started.active, started.more);
        self.whole = started.whole;
    }

    fn given(&mut self, result: &Value) {
        let answer = self.answers.last().filter(|answer| answer.step.is_some()).cloned();
        if let Some(answer) = answer {
            // The output of a group is an object by the names of its activities.
            for name in &answer.group {
                result
                    .get(name)
                    .cloned()
                    .into_iter()
                    .for_each(|one| _ = self.memory().insert(name.clone(), one));
            }
            if answer.group.is_empty() {
                self.memory().insert(answer.name.clone(), result.clone());
            }
        }
        self.previous = Some(result.clone());
    }

    fn held(&mut self, held: &Held) {
        self.session.waiting = Some(Waiting::Approval {
            step_index: held.step,
            activity_name: held.activity.clone(),
            input: match &held.inputs[..] {
                [one] => one.clone().unwrap_or(Value::Null),
                several => several.iter().map(|one| one.clone().unwrap_or(Value::Null)).collect(),
            },
            digest: held.digest.clone(),
            message: held.message.clone(),
            since: held.at,
            expires_at: held.expires,
            api_only: held.api_only,
        });
        Arc::make_mut(&mut self.asked).insert(held.digest.clone(), held.step);
        let inputs = event::inputs(&held.inputs, &held.nulls);
        self.hold = Some(Hold::Question(Held { inputs, ..held.clone() }));
    }

    fn awaits(&mut self, event: &Event) {
        let Event::Awaits { at, step, activity, event, until, arguments } = event else { return };
        self.session.waiting = Some(Waiting::Event {
            step_index: *step,
            activity_name: activity.clone(),
            event: event.clone(),
            since: *at,
            until: *until,
        });
        let (event, arguments) = (event.clone(), arguments.clone());
        self.hold = Some(Hold::Event { step: *step, event, until: *until, arguments });
    }

    fn came(&mut self, step: usize, data: Option<&Value>) {
        self.session.waiting = None;
        let arguments = match self.hold.take() {
            Some(Hold::Event { arguments, .. }) => arguments,
            _ => serde_json::Map::new(),
        };
        self.hold = Some(Hold::Came { step, data: data.cloned(), arguments });
    }

    fn began(&mut self, at: i64, step: usize, inputs: Vec<Option<Value>>, tries: u32) {
        self.hold = None;
        self.session.waiting = None;
        // What is known of its members stays known when it is begun again.
        let before = self.work.take().filter(|work| work.step == step);
        let mut work = before.unwrap_or_else(|| Work { since: at, ..Work::default() });
        if std::mem::take(&mut work.doubted) {
            // Somebody answered: its time begins anew, and sessions are looked for.
            work.since = at;
            work.nested.clear();
            work.failing.values_mut().filter(|tried| tried.begun).for_each(|tried| tried.next = at);
        }
        self.work = Some(Work { step, began: at, inputs, tries, ..work });
        // Whoever ran it before is gone: until now nobody did.
        self.count_until_last_seen();
        self.running_since = Some(at);
        self.session.running = Some(RunningStep { step_index: step, since: at });
        self.wait_for_children();
    }

    /// Ends the time in which a step ran, for one that was cut short: with the last that was recorded of it.
    fn count_until_last_seen(&mut self) {
        let ran = self.running_since.take().map_or(0, |since| self.seen_at.saturating_sub(since).max(0));
        self.active_ms = self.active_ms.saturating_add(ran);
    }

    fn nested(&mut self, at: i64, member: usize, child: Child) {
        if self.undo.is_some() {
            return self.undo_waits(at, child);
        }
        let Some(work) = &mut self.work else { return };
        work.nested.insert(member, child);
        self.wait_for_children();
    }

    /// Names the sessions that run as members and have not ended. The last one stays named until the step has.
    fn wait_for_children(&mut self) {
        let Some(work) = self.work.as_ref().filter(|work| !work.doubted) else { return };
        let open = work.nested.iter().filter(|(member, _)| !work.ended.contains_key(member));
        let open: Vec<&Child> = open.map(|(_, child)| child).collect();
        let Some(first) = open.first() else { return };
        let all = open.iter().map(|child| child.session.clone());
        self.session.waiting = Some(Waiting::Session {
            step_index: work.step,
            activity_name: first.activity.clone(),
            session_id: first.session.clone(),
            session_ids: if open.len() > 1 { all.collect() } else { Vec::new() },
        });
    }

    fn doubted(&mut self, since: i64, step: usize, activity: &str, members: &[(usize, String)]) {
        Arc::make_mut(&mut self.asked).insert(since.to_string(), step);
        let Some(work) = &mut self.work else { return };
        work.doubted = true;
        self.session.running = None;
        let input = |member: usize| work.inputs.get(member).cloned().flatten().unwrap_or(Value::Null);
        let unsure = |(member, name): &(usize, String)| UncertainMember {
            activity_name: name.clone(),
            input: input(*member),
        };
        let first = input(members.first().map_or(0, |(member, _)| *member));
        let members = members.iter().map(unsure).collect();
        // Nothing runs while somebody is asked.
        self.count_until_last_seen();
        self.session.waiting = Some(Waiting::Uncertain {
            step_index: step,
            activity_name: activity.to_owned(),
            input: first,
            members,
            choices: ["retry", "done", "compensate"].map(str::to_owned).to_vec(),
            since,
        });
    }

    fn ended(&mut self, ended: &Ended) {
        if self.session.status == SessionStatus::Pending {
            self.session.status = SessionStatus::Running;
        }
        let doubted = self.work.as_ref().is_some_and(|work| work.doubted);
        let since = self.running_since.take().or(doubted.then_some(i64::MAX));
        (self.work, self.hold, self.session.waiting, self.session.running) = (None, None, None, None);
        let from = ended.outcomes.iter().map(|one| one.began).min().unwrap_or(self.updated_at);
        let to = ended.outcomes.iter().map(|one| one.ended).max().unwrap_or(self.updated_at);
        self.active_ms = self.active_ms.saturating_add(to.saturating_sub(since.unwrap_or(from)).max(0));
        self.remember_outcomes(ended);
        let data = ended.data().filter(|_| ended.error.is_none());
        if data.is_some() {
            self.previous = data.clone();
        }
        self.answered(Answer {
            first: self.first_open(),
            step: Some(ended.step),
            name: ended.name.clone(),
            group: ended.outcomes.iter().filter(|_| ended.group).map(|one| one.activity.clone()).collect(),
            data: data.unwrap_or(Value::Null),
            error: ended.error.clone(),
            optional: ended.optional,
            offers: ended.offers.clone(),
            follows: false,
        });
        self.session.current_step = ended.step;
        self.next = ended.step.saturating_add(1);
        self.more = self.more.saturating_sub(1);
        self.following = self.goes_on();
        // One that fails the session is answered with the end of that.
        if !self.following && (ended.error.is_none() || ended.optional) {
            self.first_call.get_or_insert(self.answers.len());
        }
    }

    fn remember_outcomes(&mut self, ended: &Ended) {
        let last = ended.outcomes.len().saturating_sub(1);
        for (member, one) in ended.outcomes.iter().enumerate() {
            let offered = member == last && !ended.offers.is_empty();
            let options = || ended.offers.iter().map(|offer| BranchOption::clone(&offer.option)).collect();
            self.remember(ended.step, member, one, offered.then(options));
        }
    }

    pub(super) fn remember(
        &mut self,
        step: usize,
        member: usize,
        one: &Outcome,
        branch_options: Option<Vec<BranchOption>>,
    ) {
        self.session.history.push(StepExecution {
            step_index: step,
            activity_name: one.activity.clone(),
            started_at: one.began,
            completed_at: one.ended,
            success: one.error.is_none(),
            error: one.error.clone(),
            branch_options,
            compensation: false,
        });
        if one.error.is_none() {
            if !one.memory.is_empty() {
                memory::apply(self.memory(), &one.memory, &one.nulls);
            }
            if let Some(data) = &one.data {
                self.memory().insert(one.activity.clone(), data.clone());
            }
        }
        if one.counts() {
            let (input, data) = (one.input.clone(), one.data.clone());
            self.done.push(Done { step, member, input, data, doubtful: one.doubtful });
        }
    }

    /// The memory, to be changed.
    fn memory(&mut self) -> &mut Map<String, Value> {
        Arc::make_mut(&mut self.session.memory)
    }

    pub(super) fn answered(&mut self, answer: Answer) {
        let follows = std::mem::take(&mut self.following);
        self.judged = false;
        self.answers.push(Answer { follows, ..answer });
    }

    /// The first step that no answer covers.
    pub(super) fn first_open(&self) -> usize {
        self.answers.last().and_then(|answer| answer.step).map_or(0, |step| step.saturating_add(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_that_comes_again_with_its_key_is_one_choice() {
        let chosen = |key: Option<&str>| Event::Chosen {
            at: 1,
            step: 0,
            tool: "t_start".into(),
            pattern: None,
            key: key.map(str::to_owned),
        };
        let mut state = State::default();
        for (key, count) in [(Some("k"), 1), (Some("k"), 1), (Some("l"), 2), (None, 3), (None, 4)] {
            state.apply(&chosen(key));
            assert_eq!(state.session.branch_history.len(), count, "{key:?}");
        }
    }
}
