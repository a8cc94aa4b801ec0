//! What is recorded of a session, in the order in which it happened. A session is what its events make of it.

use model::session::BranchOption;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// One thing that happened to a session. `at` is in milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(crate) enum Event {
    /// It was created.
    Started(Box<Started>),
    /// Steps may follow without a further call: that many after the next one.
    Asked { at: i64, more: usize },
    /// The client gave the output of the step before.
    Given { at: i64, result: Value },
    /// A tool that a step offered was called.
    Chosen {
        at: i64,
        step: usize,
        tool: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pattern: Option<String>,
        /// The key of a start that may be repeated.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<String>,
    },
    /// A step was passed over.
    Passed { step: usize },
    /// A condition of the graph was judged: the way that is taken, or none where it failed.
    Judged {
        at: i64,
        node: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        way: Option<bool>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<String>,
        /// The steps that are passed over for it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        passes: Vec<usize>,
    },
    /// A step is held until somebody allows it.
    Held(Box<Held>),
    /// Somebody allowed it.
    Allowed { at: i64, step: usize, by: String },
    /// A step waits for an event.
    Awaits {
        at: i64,
        step: usize,
        activity: String,
        event: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<i64>,
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        arguments: Map<String, Value>,
    },
    /// The event came, or the waiting was over without it.
    Came {
        at: i64,
        step: usize,
        #[serde(
            default,
            deserialize_with = "super::activity::given",
            skip_serializing_if = "Option::is_none"
        )]
        data: Option<Value>,
    },
    /// A step is about to run, with an input for each member.
    Began {
        at: i64,
        step: usize,
        inputs: Vec<Option<Value>>,
        /// How often it was begun.
        tries: u32,
        /// The inputs that are null, and not left out.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        nulls: Vec<usize>,
        /// The input that the step has without mappers, where its branches ask for it.
        #[serde(
            default,
            deserialize_with = "super::activity::given",
            skip_serializing_if = "Option::is_none"
        )]
        unmapped: Option<Value>,
    },
    /// An attempt failed; the next one is due at `next`.
    Failing {
        at: i64,
        member: usize,
        attempts: u32,
        error: String,
        next: i64,
        /// Whether its time, or that of one before, was over, so that it may have taken effect all the same.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        late: bool,
    },
    /// The next attempt begins.
    Retried { at: i64, member: usize },
    /// A member runs as a session of its own, and that session has not ended; its time is over at `until`.
    Nested {
        at: i64,
        member: usize,
        activity: String,
        session: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<i64>,
    },
    /// One member of a group ended.
    Did { at: i64, member: usize, outcome: Box<Outcome> },
    /// A step ended.
    Ended(Box<Ended>),
    /// What became of a step is not known.
    Doubted {
        at: i64,
        step: usize,
        activity: String,
        /// The members of a group that somebody is asked about, with their activities.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        members: Vec<(usize, String)>,
    },
    /// All steps are done.
    Completed { at: i64 },
    /// It failed, or is about to, once the steps that must be are undone.
    Failed { at: i64, step: usize, error: String, undo: Vec<usize> },
    /// It was ended, or is about to be.
    Cancelled {
        at: i64,
        undo: Vec<usize>,
        /// Whether that was asked for, also where there was nothing to undo.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        compensate: bool,
    },
    /// A step was undone, or could not be.
    Undone {
        began: i64,
        at: i64,
        step: usize,
        member: usize,
        activity: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    },
    /// It is held until the next continue.
    Paused { at: i64 },
    /// It goes on, or begins where it was pending.
    Resumed { at: i64 },
    /// Something was remembered.
    Remembered {
        at: i64,
        changes: BTreeMap<String, Option<Value>>,
        /// The keys of which null is the value, and not the end.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        nulls: Vec<String>,
    },
}

/// The beginning of a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Started {
    pub(crate) at: i64,
    pub(crate) workflow: String,
    /// Names the definition that it stays on.
    pub(crate) definition: String,
    pub(crate) steps: usize,
    pub(crate) caller: String,
    pub(crate) input: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) timeout: Option<u64>,
    /// Whether only time in which a step runs counts for the timeout.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) active: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) parent: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) schedule: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) version: Option<u64>,
    /// Whether its first step was left to a later call.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) pending: bool,
    /// How many steps may follow the first one without a further call.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) more: usize,
    /// Whether it goes on to its end, because nobody chooses what follows a step.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) whole: bool,
}

/// A question to somebody who may allow a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Held {
    pub(crate) at: i64,
    pub(crate) step: usize,
    pub(crate) activity: String,
    pub(crate) inputs: Vec<Option<Value>>,
    pub(crate) digest: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) expires: Option<i64>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) api_only: bool,
    /// The inputs that are null, and not left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) nulls: Vec<usize>,
    /// The input that the step has without mappers, where its branches ask for it.
    #[serde(default, deserialize_with = "super::activity::given", skip_serializing_if = "Option::is_none")]
    pub(crate) unmapped: Option<Value>,
}

/// What came of one member of a step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Outcome {
    pub(crate) activity: String,
    pub(crate) began: i64,
    pub(crate) ended: i64,
    #[serde(default, deserialize_with = "super::activity::given", skip_serializing_if = "Option::is_none")]
    pub(crate) data: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
    /// Whether a failure is passed over.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) optional: bool,
    /// What it wrote to the memory.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) memory: BTreeMap<String, Option<Value>>,
    /// The keys of which null is the value, and not the end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) nulls: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) suggestions: Vec<BranchOption>,
    /// What it was run with, where it may have to be undone.
    #[serde(default, deserialize_with = "super::activity::given", skip_serializing_if = "Option::is_none")]
    pub(crate) input: Option<Value>,
    /// Whether nobody knows if it took effect, so that it is undone as if it had.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) doubtful: bool,
}

impl Outcome {
    /// Whether it took effect, or may have.
    pub(crate) const fn counts(&self) -> bool {
        self.error.is_none() || self.doubtful
    }
}

/// The end of a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Ended {
    pub(crate) step: usize,
    /// What messages call it.
    pub(crate) name: String,
    /// Whether it is a group.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) group: bool,
    pub(crate) outcomes: Vec<Outcome>,
    /// Why the step as a whole failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
    /// Whether its failure is passed over.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) optional: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) offers: Vec<Offer>,
}

/// A tool that a client may call next, and the pattern that offered it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Offer {
    #[serde(flatten)]
    pub(crate) option: Arc<BranchOption>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) pattern: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
const fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// The inputs that are null.
pub(crate) fn nulls(inputs: &[Option<Value>]) -> Vec<usize> {
    let all = inputs.iter().enumerate();
    all.filter(|(_, one)| **one == Some(Value::Null)).map(|(at, _)| at).collect()
}

/// Inputs as they were before they were written down, which makes no difference between null and nothing.
pub(crate) fn inputs(read: &[Option<Value>], nulls: &[usize]) -> Vec<Option<Value>> {
    let mut all = read.to_vec();
    nulls.iter().filter_map(|at| read.get(*at).map(|_| *at)).for_each(|at| all[at] = Some(Value::Null));
    all
}

impl Event {
    /// A step is about to run.
    pub(crate) fn began(at: i64, step: usize, inputs: Vec<Option<Value>>, tries: u32) -> Self {
        let nulls = nulls(&inputs);
        Self::Began { at, step, inputs, tries, nulls, unmapped: None }
    }

    /// Something was remembered.
    pub(crate) fn remembered(at: i64, changes: BTreeMap<String, Option<Value>>) -> Self {
        let nulls = super::memory::nulls(&changes);
        Self::Remembered { at, changes, nulls }
    }

    /// Whether it happens by itself, as steps follow each other, and not because somebody called or must be asked.
    pub(crate) const fn is_own(&self) -> bool {
        matches!(
            self,
            Event::Passed { .. }
                | Event::Judged { .. }
                | Event::Began { .. }
                | Event::Failing { .. }
                | Event::Retried { .. }
                | Event::Did { .. }
                | Event::Ended(_)
                | Event::Completed { .. }
                | Event::Failed { .. }
                | Event::Remembered { .. }
        )
    }

    /// When it happened, where it says so.
    pub(crate) fn at(&self) -> Option<i64> {
        match self {
            Event::Started(started) => Some(started.at),
            Event::Held(held) => Some(held.at),
            Event::Ended(ended) => ended.outcomes.iter().map(|one| one.ended).max(),
            Event::Passed { .. } => None,
            Event::Asked { at, .. }
            | Event::Given { at, .. }
            | Event::Chosen { at, .. }
            | Event::Judged { at, .. }
            | Event::Allowed { at, .. }
            | Event::Awaits { at, .. }
            | Event::Came { at, .. }
            | Event::Began { at, .. }
            | Event::Failing { at, .. }
            | Event::Retried { at, .. }
            | Event::Nested { at, .. }
            | Event::Did { at, .. }
            | Event::Doubted { at, .. }
            | Event::Completed { at }
            | Event::Failed { at, .. }
            | Event::Cancelled { at, .. }
            | Event::Undone { at, .. }
            | Event::Paused { at }
            | Event::Resumed { at }
            | Event::Remembered { at, .. } => Some(*at),
        }
    }

    /// The text that is kept.
    pub(crate) fn text(&self) -> String {
        serde_json::to_string(self).expect("an event is plain data")
    }
}
