//! Sessions whose journals are kept by somebody else: what is asked of them, and how far it came.
//!
//! A [`Host`] keeps the journal of each session and has orders carried out on it one at a time. An order is carried
//! out in strides, each of which ends with events that the host keeps before the next one begins. The store has a
//! copy of every journal, from which lists, statistics and pages are made.

use super::{Continue, Error, Start, Steps, Wake};
use crate::session::activity::Running;
use crate::session::reply::Reply;
use model::session::WorkflowSession;
use serde::{Deserialize, Serialize};

/// Keeps journals, and has orders carried out by some instance.
pub trait Host: Send + Sync {
    /// Has an order carried out and gives the answer; an error says why nothing is known of it. The name makes
    /// sure that it is carried out once, however often it is sent.
    fn ask<'a>(
        &'a self,
        session: &'a str,
        name: &'a str,
        order: Order,
    ) -> Running<'a, Result<Answer, String>>;

    /// Has an order carried out some time, and returns when that is certain.
    fn post<'a>(&'a self, session: &'a str, order: Order) -> Running<'a, Result<(), String>>;
}

/// What is asked of one session.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Order {
    /// To begin.
    Start {
        /// Names the definition that it stays on.
        definition: String,
        /// What it begins with.
        start: Box<Start>,
        /// Whether nobody waits for its steps.
        detached: bool,
    },
    /// To give the reply of its start again.
    Again {
        /// How far the start was to go.
        steps: Steps,
    },
    /// To go on.
    Continue {
        /// The name of the workflow.
        workflow: String,
        /// What was asked.
        request: Box<Continue>,
    },
    /// To hold until the next continue.
    Pause {
        /// The step that it means.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        step: Option<usize>,
    },
    /// To end.
    Cancel {
        /// Whether its steps are undone.
        compensate: bool,
        /// Whether somebody asked for that, and it does not end with the session that runs it as a step.
        #[serde(default)]
        asked: bool,
    },
    /// To fail, as the session that runs it as a step did.
    Fail {
        /// Why.
        error: String,
    },
    /// To note that an offered tool was called.
    Chosen {
        /// The tool.
        tool: String,
        /// The key of a start that may be repeated.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<String>,
    },
    /// To take an event, where it waits for it.
    Event(Wake),
    /// To do what is due.
    Look,
}

/// What came of an order.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "is", content = "with", rename_all = "camelCase")]
pub enum Answer {
    /// The reply to a call.
    Reply(Box<Reply>),
    /// The session that was started.
    Session(Box<WorkflowSession>),
    /// The session that was started before with the same key.
    First(String),
    /// Whether there was something to do.
    Done(bool),
    /// Why it was not carried out.
    Refused(Refusal),
}

/// An [`Error`] on its way to whoever asked.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "why", content = "with", rename_all = "camelCase")]
pub enum Refusal {
    /// [`Error::NotFound`].
    NotFound(String),
    /// [`Error::NoWorkflow`].
    NoWorkflow(String),
    /// [`Error::Full`].
    Full(u64),
    /// [`Error::TooDeep`].
    TooDeep,
    /// [`Error::Overtaken`].
    Overtaken,
    /// [`Error::Definition`].
    Definition(String),
    /// [`Error::Store`] or [`Error::Away`].
    Away(String),
}

/// One order on its way through one instance.
#[derive(Clone, Debug)]
pub struct Duty {
    /// The session.
    pub session: String,
    /// Names the call of the host, so that a broken one is taken up where it was.
    pub invocation: String,
    /// Names the order.
    pub name: String,
    /// What is asked.
    pub order: Order,
    /// Every event that the host keeps of the session.
    pub journal: Vec<String>,
    /// How many of them there were when the order came.
    pub before: usize,
    /// The number of the next stride.
    pub stride: usize,
}

/// How far an order came.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Stride {
    /// These events are to be kept before it goes on.
    Keep(Vec<String>),
    /// It was carried out.
    Over(Box<Over>),
}

/// The end of an order.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Over {
    /// What whoever asked is told.
    pub answer: Answer,
    /// Other orders that were carried out meanwhile, by their names, and what those who asked are told.
    pub meanwhile: Vec<(String, Answer)>,
    /// When it must be looked at: the time in milliseconds since 1970, and how far away that is.
    pub due: Option<(i64, u64)>,
    /// Whether it is not finished.
    pub open: bool,
    /// Whether steps follow without anybody asking.
    pub follows: bool,
}

impl Order {
    /// Whether it does not wait for the step that is under way.
    pub fn interrupts(&self) -> bool {
        matches!(self, Order::Pause { .. } | Order::Cancel { .. } | Order::Fail { .. })
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        match error {
            Error::NotFound(id) => Refusal::NotFound(id),
            Error::NoWorkflow(name) => Refusal::NoWorkflow(name),
            Error::Full(most) => Refusal::Full(most),
            Error::TooDeep => Refusal::TooDeep,
            Error::Overtaken => Refusal::Overtaken,
            Error::Definition(why) => Refusal::Definition(why),
            Error::Away(why) => Refusal::Away(why),
            Error::Stopping => Refusal::Away("the instance that had it in hand is stopping".into()),
            Error::Store(_) | Error::Unread(_) | Error::Unrecorded(_) => {
                Refusal::Away("the store does not answer".into())
            }
        }
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::NotFound(id) => Error::NotFound(id),
            Refusal::NoWorkflow(name) => Error::NoWorkflow(name),
            Refusal::Full(most) => Error::Full(most),
            Refusal::TooDeep => Error::TooDeep,
            Refusal::Overtaken => Error::Overtaken,
            Refusal::Definition(why) => Error::Definition(why),
            Refusal::Away(why) => Error::Away(why),
        }
    }
}

impl From<Result<Answer, Error>> for Answer {
    fn from(done: Result<Answer, Error>) -> Self {
        done.unwrap_or_else(|error| Answer::Refused(error.into()))
    }
}
