//! A graph in the form in which it runs: nodes by number, ways by number, scripts ready.

mod cache;
mod compile;
mod origins;
mod row;
mod tally;
mod terms;

pub(crate) use cache::{Cache, key as cache_key};
pub(crate) use origins::Origins;
pub(crate) use row::{Ready, Row};
pub use tally::NodeTally;
pub(crate) use terms::{Made, Retry, Terms};

use sandbox::{Phase, Place, Report, Script};
use serde_json::value::RawValue;
use std::sync::Arc;
use tokio::sync::Mutex;

/// A valid workflow, compiled. A run looks nothing up in it by name.
#[derive(Debug)]
pub struct Graph {
    pub(crate) workflow: Arc<str>,
    pub(crate) name: Arc<str>,
    pub(crate) revision: u64,
    /// Those on the way in the order in which they run, then those beside it.
    pub(crate) spots: Box<[Spot]>,
    /// The way; the first stage is the start.
    pub(crate) stages: Box<[Stage]>,
    /// The stage of the call.
    pub(crate) call: usize,
    /// Whether any script runs at all.
    pub(crate) scripted: bool,
    /// Whether any does behind the call.
    pub(crate) reads_reply: bool,
    /// Its three nodes, where nothing happens in it but the call, made as it came.
    pub(crate) line: Option<Line>,
    /// Where its variables live, when it has any; that of the longest-lived ones.
    pub(crate) scope: Option<Scope>,
    /// Held while kept variables are computed. Two that compute at once would still not overwrite each other,
    /// but one of them would have to begin anew.
    pub(crate) turn: Mutex<()>,
}

/// One node.
#[derive(Debug)]
pub(crate) struct Spot {
    pub(crate) id: Arc<str>,
    /// Its label, for people.
    pub(crate) name: Arc<str>,
    /// On which side of the call it stands.
    pub(crate) phase: Phase,
    /// The fire-and-forget hooks that hang off it, by number.
    pub(crate) sides: Box<[usize]>,
    pub(crate) action: Action,
    /// What its script sees besides.
    pub(crate) place: Arc<Place>,
    /// Its script, for a job of its own.
    pub(crate) alone: Row,
    /// The executions of its script, where that is its own.
    pub(crate) tally: NodeTally,
}

/// What a node does.
#[derive(Debug)]
pub(crate) enum Action {
    /// Nothing: it is a place.
    Pass,
    /// The request goes to its server, once unless there are terms.
    Call(Option<Box<Terms>>),
    /// A script runs.
    Hook {
        source: Source,
        /// Whether its failure ends the run.
        stop: bool,
    },
    /// Variables are set.
    Set {
        settings: Box<[Setting]>,
        scope: Scope,
        /// What computes them all; `None` where all are constants.
        source: Option<Source>,
        /// Where the expressions stand in it.
        origins: Origins,
        /// Whether its failure ends the run.
        stop: bool,
    },
    /// A script chooses the way.
    Choose {
        source: Source,
        /// Where the expression stands in it.
        origins: Origins,
        /// Whether its failure ends the run.
        stop: bool,
    },
}

/// How long variables live.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Scope {
    /// They end with the run.
    Run,
    /// They are kept in the store for later runs of the workflow.
    Workflow,
}

/// What a variable is set to.
#[derive(Debug)]
pub(crate) struct Setting {
    pub(crate) name: Box<str>,
    /// The constant, as JSON text; `None` where the script computes it.
    pub(crate) constant: Option<Box<RawValue>>,
}

impl Action {
    /// Its script, and whether a failure of it ends the run.
    pub(crate) const fn script(&self) -> Option<(&Source, bool)> {
        match self {
            Action::Hook { source, stop } | Action::Choose { source, stop, .. } => Some((source, *stop)),
            Action::Set { source: Some(source), stop, .. } => Some((source, *stop)),
            Action::Set { source: None, .. } | Action::Pass | Action::Call(_) => None,
        }
    }

    /// Tells the place of an error as whoever wrote the expression sees it.
    pub(crate) fn place(&self, report: &mut Report) {
        if let Action::Set { origins, .. } | Action::Choose { origins, .. } = self {
            origins.place(report);
        }
    }
}

/// Where the script of a node comes from.
#[derive(Debug)]
pub(crate) enum Source {
    /// It is the node's own.
    Own(Arc<Script>),
    /// It is that of a hook, as it stands at that moment.
    Module(Box<str>),
}

/// One move along the way.
#[derive(Debug)]
pub(crate) enum Stage {
    Start {
        spot: usize,
        next: usize,
    },
    /// Blocking hooks that stand next to each other on one side of the call; they share a job.
    Hooks {
        row: Row,
        next: usize,
    },
    Set {
        spot: usize,
        next: usize,
    },
    Choose {
        spot: usize,
        yes: usize,
        no: usize,
    },
    Call {
        spot: usize,
        next: usize,
    },
    End {
        spot: usize,
    },
}

/// The nodes of a graph that has no others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    pub(crate) start: usize,
    pub(crate) call: usize,
    pub(crate) end: usize,
}

impl Line {
    fn of(spots: &[Spot], stages: &[Stage]) -> Option<Self> {
        let bare = |spot: &Spot| matches!(spot.action, Action::Pass | Action::Call(None));
        match *stages {
            [Stage::Start { spot: start, .. }, Stage::Call { spot: call, .. }, Stage::End { spot: end }]
                if spots.iter().all(bare) =>
            {
                Some(Self { start, call, end })
            }
            _ => None,
        }
    }
}

impl Graph {
    /// The id of the workflow.
    pub fn workflow(&self) -> &str {
        &self.workflow
    }

    /// The name of the workflow.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The revision of the workflow that was compiled.
    pub const fn revision(&self) -> u64 {
        self.revision
    }

    /// Whether anything in it looks at the request: a script, or a call on terms.
    pub fn reads_request(&self) -> bool {
        let on_terms = |spot: &Spot| matches!(spot.action, Action::Call(Some(_)));
        self.scripted || self.spots.iter().any(on_terms)
    }

    /// Whether any script in it sees the reply.
    pub const fn reads_reply(&self) -> bool {
        self.reads_reply
    }

    /// Whether nothing happens in it but the call, made as it came.
    pub const fn is_bare(&self) -> bool {
        self.line.is_some()
    }

    /// Whether any script runs in it.
    pub const fn is_scripted(&self) -> bool {
        self.scripted
    }
}
