//! What is to be run, and what came of it.

use crate::{Json, Place, ScriptError};
use serde_json::value::RawValue;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

/// A script as it is kept. Its number tells versions apart, so that a worker compiles each version once.
#[derive(Debug)]
pub struct Script {
    /// The name of the hook, for messages.
    pub name: Arc<str>,
    /// The source: the body of an async function of `context`.
    pub source: Arc<str>,
    number: u64,
    /// What it usually takes, in microseconds.
    usual: AtomicU32,
}

/// What a script is taken to need before it has run.
const UNKNOWN: u32 = 2000;

impl Script {
    /// A new version of a script.
    pub fn new(name: impl Into<Arc<str>>, source: impl Into<Arc<str>>) -> Arc<Self> {
        static NUMBERS: AtomicU64 = AtomicU64::new(1);
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        let usual = AtomicU32::new(UNKNOWN);
        Arc::new(Self { name: name.into(), source: source.into(), number, usual })
    }

    pub(crate) const fn number(&self) -> u64 {
        self.number
    }

    /// What it usually takes, in microseconds.
    pub(crate) fn usual(&self) -> u32 {
        self.usual.load(Ordering::Relaxed)
    }

    /// Notes what it took. One slow execution says little: the machine may have been busy.
    pub(crate) fn took(&self, micros: u64) {
        let (old, new) = (self.usual(), u32::try_from(micros).unwrap_or(u32::MAX));
        let usual = match old {
            UNKNOWN => new.min(UNKNOWN - 1),
            _ if new < old => old - (old - new).div_ceil(4),
            _ => old.saturating_add((new - old).min(old + 16) / 4),
        };
        self.usual.store(usual, Ordering::Relaxed);
    }
}

/// On which side of the call the hooks run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Before the request goes to its server.
    Pre,
    /// After the reply came back.
    Post,
}

/// What a script is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// A hook, or a node of a graph: it judges a request.
    #[default]
    Hook,
    /// A function of its own: what it returns is `response`, whatever it is; its context holds no request and calls the
    /// variables `memory`; its errors are told by their messages alone.
    Function,
    /// The same, where errors are told with their class.
    Expression,
}

/// Who waits for a job. One that is no part of a request leaves workers to those that are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rank {
    /// A request: it may have any worker.
    #[default]
    Request,
    /// Somebody else, such as a session, or whoever tries a draft.
    Work,
    /// Nobody.
    Side,
}

/// One script to run, in its place.
#[derive(Clone, Debug)]
pub struct Step {
    /// What runs.
    pub script: Arc<Script>,
    /// Its place in a graph, where it is a node.
    pub place: Option<Arc<Place>>,
    /// Whether its failure ends the whole job.
    pub stop_on_error: bool,
    /// Whether its report is to hold what it returned.
    pub tell: bool,
}

impl Step {
    /// A script that is no node of a graph.
    pub const fn new(script: Arc<Script>, stop_on_error: bool) -> Self {
        Self { script, place: None, stop_on_error, tell: false }
    }
}

/// All hooks of one phase of one call.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// On which side of the call they run.
    pub phase: Phase,
    /// The hooks, in order.
    pub steps: &'a [Step],
    /// Whether the report of each is to hold what it changed.
    pub show: bool,
    /// What the scripts are.
    pub form: Form,
    /// Who waits for it.
    pub rank: Rank,
    /// The wall clock of one execution, awaited time included.
    pub limit: Duration,
    /// `context.request.method`.
    pub method: &'a str,
    /// `context.request.params`: JSON text, `{}` where the client sent none.
    pub params: &'a str,
    /// `context.response`: JSON text, in the post phase only; nothing when the call failed.
    pub response: Option<&'a str>,
    /// `context.metadata`: the text of a JSON object, without `shared`.
    pub metadata: &'a str,
    /// `context.metadata.shared` as earlier hooks left it; nothing is `{}`.
    pub shared: Option<&'a str>,
    /// `context.variables` as earlier nodes left them: the text of a JSON object; nothing where there are none.
    pub variables: Option<&'a str>,
    /// Further members of `context`: the text of a JSON object.
    pub top: &'a str,
    /// The members of `context.previousResults` as the job begins, without braces; for steps that have a place. What
    /// the steps before one in the same job did is added.
    pub results: &'a str,
    /// Tells what stands in `metadata` and `top` anew for parameters that name something else; nothing where they name nothing.
    pub follow: Option<Follow<'a>>,
    /// Is asked for an heir when nobody waits for the job any more.
    pub left: Option<Left<'a>>,
}

/// What a request is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// `context.metadata`, as in a job.
    pub metadata: String,
    /// Further members of `context`, as in a job.
    pub top: String,
}

/// Tells what a request with these parameters is about. It is asked only when a hook has changed what they name.
#[derive(Clone, Copy)]
pub struct Follow<'a>(pub &'a (dyn Fn(&RawValue) -> Option<About> + Send + Sync));

impl std::fmt::Debug for Follow<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Follow")
    }
}

/// Makes the heir of a job. It is asked only when the job is given up.
#[derive(Clone, Copy)]
pub struct Left<'a>(pub &'a (dyn Fn() -> Heir + Send + Sync));

/// Takes what is left of a job for which nobody waits, once, when the worker is done with it.
pub type Heir = Box<dyn FnOnce(Estate) + Send>;

/// What is left of a job for which nobody waits.
#[derive(Debug, Default)]
pub struct Estate {
    /// One report per step that came to its end, in order.
    pub reports: Vec<Report>,
    /// The step after them, where one was under way.
    pub broken: Option<Broken>,
}

/// A step that was broken off.
#[derive(Debug)]
pub struct Broken {
    /// How long it ran, in microseconds.
    pub micros: u64,
    /// What it had written to the console.
    pub console: Vec<ConsoleLine>,
}

impl std::fmt::Debug for Left<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Left")
    }
}

/// What came of a job.
#[derive(Debug)]
pub struct Ran {
    /// How it ended.
    pub end: End,
    /// The parameters, when hooks of the pre phase changed them.
    pub params: Option<Json>,
    /// The reply: changed or replaced in the post phase, given in the pre phase.
    pub response: Option<Json>,
    /// `metadata.shared`, when hooks changed it: JSON text.
    pub shared: Option<String>,
    /// `context.variables`, when scripts changed them: the text of a JSON object.
    pub variables: Option<String>,
    /// One report per step that ran, in order.
    pub reports: Vec<Report>,
}

/// How a job ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The flow goes on. In the pre phase a response that is set is the reply, and no server is called.
    Through,
    /// A pre hook gave the reply and passed over the hooks after it.
    Answered,
    /// A hook blocks the request or the reply.
    Blocked {
        /// Which step.
        step: usize,
        /// `error.code`, as JSON text.
        code: Option<String>,
        /// `error.message`.
        message: Option<String>,
    },
    /// A step whose failure ends the job failed; its report, the last one, holds the error.
    Failed {
        /// Which step.
        step: usize,
    },
}

/// What one step did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// What it decided.
    pub verdict: Verdict,
    /// How long it ran, in microseconds.
    pub micros: u64,
    /// The most bytes it held at one time.
    pub memory: u64,
    /// What it wrote to the console.
    pub console: Vec<ConsoleLine>,
    /// What it returned, as JSON text, where the step tells it.
    pub returned: Option<String>,
    /// What it changed, where the step shows it: the text of a JSON object.
    pub changes: Option<String>,
}

/// What a step decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Go on.
    Continue {
        /// Whether it changed the parameters, the reply, `metadata.shared` or the variables.
        changed: bool,
    },
    /// A pre hook gave the reply.
    Answered,
    /// A post hook replaced the reply.
    Replaced,
    /// It blocks.
    Blocked,
    /// It failed; the flow goes on as if it were absent, unless its step says otherwise.
    Failed(ScriptError),
}

/// One line that a script wrote to the console.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsoleLine {
    /// By which method.
    pub level: Level,
    /// What it says.
    pub text: String,
}

/// By which method of `console` a line was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// `console.log`
    Log,
    /// `console.debug`
    Debug,
    /// `console.info`
    Info,
    /// `console.warn`
    Warn,
    /// `console.error`
    Error,
}

impl Level {
    /// The name of the method.
    pub const fn name(self) -> &'static str {
        match self {
            Level::Log => "log",
            Level::Debug => "debug",
            Level::Info => "info",
            Level::Warn => "warn",
            Level::Error => "error",
        }
    }
}
