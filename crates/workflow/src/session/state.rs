//! A session as its events made it: a pure function of them, without clock, network or chance.

mod apply;
mod ending;
mod hands;

use super::event::{Ended, Held, Offer, Outcome};
use model::session::{SessionStatus, Trail, Waiting, WorkflowSession};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use store::{AT_WORK, SessionRow};

/// A session, with all that its next step depends on.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct State {
    /// What clients see.
    pub(crate) session: WorkflowSession,
    /// Names the definition it stays on.
    pub(crate) definition: String,
    /// How many events made it.
    pub(crate) events: u64,
    pub(crate) updated_at: i64,
    /// The step that is tried next.
    pub(crate) next: usize,
    /// The output of the last step that produced one.
    pub(crate) previous: Option<Value>,
    /// What calls were answered with, in order.
    pub(crate) answers: Trail<Answer>,
    /// How many of them there were when the call that started it had run as far as it was to.
    first_call: Option<usize>,
    /// Whether a condition was judged since the last of them.
    judged: bool,
    /// Whether nobody has called since the last of them, and the next step follows all the same.
    following: bool,
    /// Whether the call that gave the last of them is the one that came to what is waited for.
    reached: bool,
    /// The tools that were chosen with a key, each with its key: a start that comes again is no further choice.
    pub(crate) keyed: Arc<BTreeSet<(String, String)>>,
    /// How many further steps may follow without a call.
    pub(crate) more: usize,
    /// Whether it goes on to its end, because nobody chooses what follows a step.
    pub(crate) whole: bool,
    /// The step that was begun and has not ended.
    pub(crate) work: Option<Work>,
    /// What keeps the next step from running.
    pub(crate) hold: Option<Hold>,
    /// The steps that somebody was asked about, by the digests of the questions and the times of the doubts.
    pub(crate) asked: Arc<BTreeMap<String, usize>>,
    /// The steps that succeeded and can be undone, with what they were run with.
    pub(crate) done: Trail<Done>,
    /// Set while steps are being undone.
    pub(crate) undo: Option<Undo>,
    /// Whether it was ended by somebody who asked for its steps to be undone.
    pub(crate) compensates: bool,
    timeout: Option<u64>,
    active: bool,
    pub(crate) paused_since: Option<i64>,
    /// The number of the event that paused it last.
    paused_by: u64,
    paused_ms: i64,
    active_ms: i64,
    running_since: Option<i64>,
    /// When whoever runs its steps last recorded something.
    seen_at: i64,
}

/// What one call was answered with; enough to give the same answer again.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Answer {
    /// The first step that the call could have run; those before `step` were passed over.
    pub(crate) first: usize,
    /// The step that ran, if one did.
    pub(crate) step: Option<usize>,
    pub(crate) name: String,
    /// The activities of a group.
    pub(crate) group: Vec<String>,
    pub(crate) data: Value,
    pub(crate) error: Option<String>,
    /// Whether the failure was passed over.
    pub(crate) optional: bool,
    pub(crate) offers: Vec<Offer>,
    /// Whether its step followed the one before without a call.
    pub(crate) follows: bool,
}

/// A step under way.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Work {
    pub(crate) step: usize,
    /// When it was begun last.
    pub(crate) began: i64,
    /// From when its time counts, however often the process ends meanwhile.
    pub(crate) since: i64,
    pub(crate) inputs: Vec<Option<Value>>,
    /// The input that it has without mappers, where its branches ask for it.
    pub(crate) unmapped: Option<Value>,
    /// How often it was begun.
    pub(crate) tries: u32,
    /// What became of members.
    pub(crate) ended: BTreeMap<usize, Outcome>,
    /// Members that run as sessions of their own.
    pub(crate) nested: BTreeMap<usize, Child>,
    /// Members of which attempts failed.
    pub(crate) failing: BTreeMap<usize, Tried>,
    /// Whether nobody knows what became of it.
    pub(crate) doubted: bool,
}

/// What is known of a member that is tried more than once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tried {
    /// How many attempts failed.
    pub(crate) attempts: u32,
    /// When the next one is due, or began.
    pub(crate) next: i64,
    /// Whether the time of one was over, so that it may have taken effect all the same.
    pub(crate) late: bool,
    /// Whether the next one was begun.
    pub(crate) begun: bool,
}

/// A session that runs as a member of a step.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Child {
    pub(crate) session: String,
    /// The activity that it runs as.
    pub(crate) activity: String,
    /// When its time is over.
    pub(crate) until: Option<i64>,
}

/// What keeps a step from running.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Hold {
    /// Somebody must allow it.
    Question(Held),
    /// Somebody allowed it, and it has not begun.
    Allowed(Held),
    /// An event must come.
    Event { step: usize, event: String, until: Option<i64>, arguments: Map<String, Value> },
    /// The event came, and the step has not begun.
    Came { step: usize, data: Option<Value>, arguments: Map<String, Value> },
}

/// A step that succeeded, or may have.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Done {
    pub(crate) step: usize,
    pub(crate) member: usize,
    pub(crate) input: Option<Value>,
    pub(crate) data: Option<Value>,
    /// Whether nobody knows if it took effect.
    pub(crate) doubtful: bool,
}

/// Steps that are being undone, and what follows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Undo {
    /// Positions in `done` that are left, the next one last.
    pub(crate) left: Vec<usize>,
    /// How the session ends then.
    pub(crate) status: SessionStatus,
    pub(crate) error: Option<String>,
    /// The session that the next one of them waits for, and since when it is being undone.
    pub(crate) waits: Option<(i64, Child)>,
}

impl Work {
    /// When a member is to be tried again, or its time is over. While somebody is asked, nothing is.
    fn due(&self) -> Option<i64> {
        let open = |member: &usize| !self.doubted && !self.ended.contains_key(member);
        let tried = self.failing.iter().filter(|(member, _)| self.rests(**member));
        let tried = tried.map(|(member, one)| (member, one.next));
        let over = self.nested.iter().filter_map(|(member, child)| Some((member, child.until?)));
        tried.chain(over).filter(|(member, _)| open(member)).map(|(_, at)| at).min()
    }

    /// Whether a member is between two attempts. One that runs as a session has begun.
    pub(crate) fn rests(&self, member: usize) -> bool {
        self.failing.get(&member).is_some_and(|one| !one.begun) && !self.nested.contains_key(&member)
    }

    /// When the time of a member is over that may take so long.
    pub(crate) fn until(&self, member: usize, most: Duration) -> Option<i64> {
        let began = self.failing.get(&member).map_or(self.since, |tried| tried.next);
        began.checked_add(i64::try_from(most.as_millis()).ok()?)
    }
}

impl State {
    /// What the start input was.
    pub(crate) fn input(&self) -> Option<&Value> {
        self.session.memory.get(model::session::INPUT_KEY)
    }

    /// The previous output, for expressions and inputs.
    pub(crate) fn previous(&self) -> Option<&Value> {
        self.previous.as_ref().or_else(|| self.input())
    }

    /// When time runs out, where there is a limit and it is counting.
    pub(crate) fn deadline(&self) -> Option<i64> {
        let timeout = i64::try_from(self.timeout?).unwrap_or(i64::MAX);
        if !self.session.status.is_open() || self.undo.is_some() {
            return None;
        }
        if self.active {
            return Some(self.running_since?.saturating_add(timeout.saturating_sub(self.active_ms)));
        }
        match self.paused_since {
            Some(_) => None,
            None => Some(self.session.started_at.saturating_add(timeout).saturating_add(self.paused_ms)),
        }
    }

    /// The deadline that a step which begins now has.
    pub(crate) fn deadline_from(&self, now: i64) -> Option<i64> {
        match (self.active, self.timeout) {
            (true, Some(timeout)) => {
                let timeout = i64::try_from(timeout).unwrap_or(i64::MAX);
                Some(now.saturating_add(timeout.saturating_sub(self.active_ms)))
            }
            _ => self.deadline(),
        }
    }

    /// Whether only the time of running steps counts.
    pub(crate) fn counts_running_only(&self) -> bool {
        self.active
    }

    /// Whether its time stands still although a step may be running.
    pub(crate) fn stands_still(&self) -> bool {
        !self.active && self.paused_since.is_some()
    }

    /// The timeout in milliseconds, for messages.
    pub(crate) fn timeout(&self) -> u64 {
        self.timeout.unwrap_or(0)
    }

    /// When a question or the waiting for an event is over.
    pub(crate) fn hold_ends(&self) -> Option<i64> {
        match &self.hold {
            Some(Hold::Question(held)) => held.expires,
            Some(Hold::Event { until, .. }) => *until,
            _ => None,
        }
    }

    /// When the engine must look at it, whoever asks.
    pub(crate) fn due(&self) -> Option<i64> {
        if !self.session.status.is_open() {
            return None;
        }
        // Somebody allowed it or the event came, and then the process ended.
        let left = matches!(&self.hold, Some(Hold::Allowed(_) | Hold::Came { .. }));
        let held = self.hold_ends().or(left.then_some(self.updated_at));
        let held = held.filter(|_| self.paused_since.is_none());
        let work = self.work.as_ref().and_then(Work::due);
        let undo = self.undo.as_ref().and_then(|undo| match &undo.waits {
            Some((_, child)) => child.until,
            None => Some(self.updated_at),
        });
        [self.deadline(), held, work, undo].into_iter().flatten().min()
    }

    /// What lists, limits and timers look at.
    pub(crate) fn row(&self) -> SessionRow {
        let session = &self.session;
        SessionRow {
            id: session.session_id.clone(),
            workflow: session.workflow_name.clone(),
            caller: session.client_id.clone(),
            status: session.status.name().into(),
            open: session.status.is_open(),
            started_at: session.started_at,
            updated_at: self.updated_at,
            completed_at: session.completed_at,
            parent: session.parent_session_id.clone(),
            waiting: self.waiting_word(),
            due: self.due(),
            definition: self.definition.clone(),
        }
    }

    fn waiting_word(&self) -> Option<String> {
        match &self.session.waiting {
            Some(Waiting::Approval { .. }) => Some("approval".into()),
            Some(Waiting::Event { event, .. }) => Some(format!("event:{event}")),
            Some(Waiting::Session { session_id, .. }) => Some(format!("session:{session_id}")),
            Some(Waiting::Uncertain { .. }) => Some("uncertain".into()),
            None => self.at_work().then(|| AT_WORK.into()),
        }
    }

    /// The answers of the call that was meant to run this step, where there was one: that of the step, and those of
    /// the steps that the same call ran after it.
    pub(crate) fn answers_of(&self, step: usize) -> Vec<Arc<Answer>> {
        // Most calls mean the step after all of them.
        if self.answers.last().is_some_and(|last| last.step.is_some_and(|ran| ran < step)) {
            return Vec::new();
        }
        let meant = |answer: &Arc<Answer>| answer.first <= step && answer.step.is_none_or(|ran| step <= ran);
        let mut from = self.answers.iter().skip_while(|answer| !meant(answer));
        let first = from.next();
        first.into_iter().chain(from.take_while(|answer| answer.follows)).cloned().collect()
    }

    /// The way that was taken at a condition, where it was judged.
    pub(crate) fn way(&self, node: &str) -> Option<bool> {
        self.session.decisions.iter().find(|one| one.node_id == node)?.way
    }

    /// What the last step offered.
    pub(crate) fn last_offers(&self) -> &[Offer] {
        self.answers.last().map_or(&[], |answer| &answer.offers)
    }
}

impl Ended {
    /// The data of the step: that of its activity, or by activity name for a group.
    pub(crate) fn data(&self) -> Option<Value> {
        if !self.group {
            return self.outcomes.first().filter(|one| one.error.is_none()).and_then(|one| one.data.clone());
        }
        let all = self.outcomes.iter().filter(|one| one.error.is_none());
        let all: Map<String, Value> =
            all.map(|one| (one.activity.clone(), one.data.clone().unwrap_or(Value::Null))).collect();
        Some(Value::Object(all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::event::Event;
    use serde_json::json;

    /// The session that these events make, as they come back from the store.
    fn replayed(events: &[Event]) -> State {
        let texts: Vec<String> = events.iter().map(Event::text).collect();
        let mut direct = State::default();
        direct.session.session_id = "s".into();
        events.iter().for_each(|event| direct.apply(event));
        let read = State::replay("s", &texts).expect("events");
        assert_eq!(read, direct, "{texts:#?}");
        read
    }

    fn read(value: Value) -> Event {
        serde_json::from_value(value).expect("an event")
    }

    fn started() -> Event {
        read(json!({"is": "started", "at": 1, "workflow": "w", "definition": "d", "steps": 1, "caller": "c",
            "input": null}))
    }

    #[test]
    fn an_input_that_is_null_is_one_after_a_restart() {
        let nothing = || vec![None, Some(Value::Null), Some(json!({"a": 1}))];
        let state = replayed(&[started(), Event::began(2, 0, nothing(), 1)]);
        assert_eq!(state.input(), Some(&Value::Null));
        assert_eq!(state.work.expect("it runs").inputs, nothing());
        let held = Held {
            at: 2,
            step: 0,
            activity: "a".into(),
            nulls: crate::session::event::nulls(&nothing()),
            inputs: nothing(),
            digest: "d".into(),
            message: None,
            expires: None,
            api_only: false,
            unmapped: Some(Value::Null),
        };
        let state = replayed(&[started(), Event::Held(Box::new(held))]);
        let Some(Hold::Question(held)) = state.hold else { panic!("{:?}", state.hold) };
        assert_eq!((held.inputs, held.unmapped), (nothing(), Some(Value::Null)));
        let state = replayed(&[started(), Event::Came { at: 2, step: 0, data: Some(Value::Null) }]);
        let Some(Hold::Came { data, .. }) = state.hold else { panic!("{:?}", state.hold) };
        assert_eq!(data, Some(Value::Null));
        let outcome = Outcome { input: Some(Value::Null), ..Outcome::default() };
        let did = Event::Did { at: 3, member: 0, outcome: Box::new(outcome) };
        let state = replayed(&[started(), Event::began(2, 0, nothing(), 1), did]);
        assert_eq!(state.work.expect("it runs").ended[&0].input, Some(Value::Null));
    }

    #[test]
    fn no_time_passes_while_nobody_runs_the_step_or_somebody_is_asked() {
        let started = read(json!({"is": "started", "at": 1, "workflow": "w", "definition": "d", "steps": 1,
            "caller": "c", "input": null, "timeout": 100, "active": true}));
        let began = |at, tries| Event::began(at, 0, vec![None], tries);
        let failing = read(
            json!({"is": "failing", "at": 30, "member": 0, "attempts": 1, "error": "e", "next": 35, "late": false}),
        );
        let doubted = read(json!({"is": "doubted", "at": 600, "step": 0, "activity": "a"}));
        let all = [started, began(10, 1), failing, began(500, 2), doubted, began(1000, 1)];
        let deadlines: Vec<_> = (2..=all.len()).map(|count| replayed(&all[..count]).deadline()).collect();
        // What was recorded of it, until 30, is known to have run.
        assert_eq!(deadlines, [Some(110), Some(110), Some(580), None, Some(1080)]);
    }

    #[test]
    fn a_step_is_due_when_an_attempt_is_or_its_time_is_over_and_never_while_somebody_is_asked() {
        let began = || Event::began(10, 0, vec![None, None], 1);
        let failing = |next: i64| {
            read(json!({"is": "failing", "at": 11, "member": 0, "attempts": 1, "error": "e", "next": next}))
        };
        let nested = |until: Value| {
            read(
                json!({"is": "nested", "at": 12, "member": 0, "activity": "a", "session": "t", "until": until}),
            )
        };
        let doubted = || read(json!({"is": "doubted", "at": 13, "step": 0, "activity": "a"}));
        let check = |events: Vec<Event>, due: Option<i64>| {
            let all: Vec<Event> = [started(), began()].into_iter().chain(events).collect();
            assert_eq!(replayed(&all).due(), due, "{all:#?}");
        };
        check(vec![failing(20)], Some(20));
        check(vec![failing(20), nested(Value::Null)], None);
        check(vec![failing(20), nested(json!(50))], Some(50));
        check(vec![nested(json!(50)), failing(20)], Some(20));
        check(vec![failing(20), doubted()], None);
        check(vec![nested(json!(50)), doubted()], None);
        let retried = || read(json!({"is": "retried", "at": 21, "member": 0}));
        check(vec![failing(20), retried()], None);
        let again = |at| Event::began(at, 0, vec![None, None], 2);
        let all = replayed(&[started(), began(), failing(20), retried(), again(90)]);
        let work = all.work.expect("it runs");
        assert_eq!(work.failing[&0], Tried { attempts: 1, next: 21, late: false, begun: true });
        let hour = Duration::from_secs(3600);
        assert_eq!((work.until(0, hour), work.until(1, hour)), (Some(3_600_021), Some(3_600_010)));
        let work = replayed(&[started(), began(), failing(20)]).work.expect("it runs");
        assert_eq!(work.until(0, Duration::from_millis(30)), Some(50), "from the beginning of the attempt");
    }
}
