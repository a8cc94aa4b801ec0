//! The record of one run: what every node did, when, and what came of it (spec 3.6).

mod json;
mod progress;

pub use json::Mask;
pub(crate) use json::{Text, masked};

use crate::plan::{Graph, Made};
use crate::recorder::Handle;
use model::RunId;
use sandbox::{ConsoleLine, short};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// What a run says that was left in the middle.
const CANCELLED: &str = "The request was cancelled before the run ended";

/// One run. A clone is the same run, so that hooks that end late can fill in what they did.
#[derive(Clone, Debug)]
pub struct Run(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    id: RunId,
    graph: Arc<Graph>,
    /// Milliseconds since 1970.
    began_at: i64,
    began: Instant,
    /// The context with which it began, as JSON text; nothing where nobody will read the record.
    context: Option<String>,
    /// Whether what nodes do is noted.
    watched: bool,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    ended: Option<Ended>,
    /// Whether the plain request was made in the place of a graph that failed.
    bypassed: bool,
    /// What the call brought back, as JSON text.
    reply: Option<Box<str>>,
    /// What each node did; nothing where nobody will look at it.
    spots: Box<[SpotRun]>,
    /// Who wants to know of what happens after the end.
    recorder: Option<Handle>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It came to its end.
    Completed,
    /// It failed.
    Failed,
    /// Nobody waited for its end.
    Cancelled,
}

#[derive(Debug)]
struct Ended {
    at: u64,
    error: Option<Box<str>>,
    /// Nobody waited for the end.
    cancelled: bool,
}

/// What one node did. Times are in microseconds from the beginning of the run.
#[derive(Debug, Default)]
pub(crate) struct SpotRun {
    pub(crate) state: SpotState,
    pub(crate) began: u64,
    pub(crate) ended: u64,
    /// What came of it, as JSON text.
    pub(crate) result: Option<Box<str>>,
    /// The variables after it, where it sets any: the text of a JSON object. Then they are its result.
    pub(crate) values: Option<Box<str>>,
    /// How its reply came about, of a call on terms.
    pub(crate) made: Option<Made>,
    pub(crate) error: Option<Box<str>>,
    pub(crate) console: Vec<ConsoleLine>,
    /// What it changed: the text of a JSON object.
    pub(crate) changes: Option<Box<str>>,
}

/// How far a node is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SpotState {
    #[default]
    Skipped,
    Running,
    Completed,
    Error,
}

impl SpotState {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            SpotState::Skipped => "skipped",
            SpotState::Running => "running",
            SpotState::Completed => "completed",
            SpotState::Error => "error",
        }
    }
}

impl Run {
    /// A run that begins now. `context` is given as JSON text where somebody will read the record; unless it is `watched`, what
    /// nodes do is not noted.
    pub(crate) fn begin(graph: &Arc<Graph>, context: Option<String>, watched: bool) -> Self {
        /// Random at first, so that two processes with one store do not meet.
        static SERIAL: LazyLock<AtomicU32> =
            LazyLock::new(|| AtomicU32::new(RandomState::new().build_hasher().finish() as u32));
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let began_at = i64::try_from(now.as_millis()).unwrap_or(i64::MAX);
        let count = if watched { graph.spots.len() } else { 0 };
        let spots = std::iter::repeat_with(SpotRun::default).take(count).collect();
        let state = State { ended: None, bypassed: false, reply: None, spots, recorder: None };
        Self(Arc::new(Inner {
            id: RunId::new(began_at, SERIAL.fetch_add(1, Ordering::Relaxed)),
            graph: Arc::clone(graph),
            began_at,
            began: Instant::now(),
            context,
            watched,
            state: Mutex::new(state),
        }))
    }

    /// Its name.
    pub fn id(&self) -> RunId {
        self.0.id
    }

    /// How long it took and how it ended, once it has.
    pub fn ended(&self) -> Option<(Duration, End)> {
        let state = self.state();
        let ended = state.ended.as_ref()?;
        let end = match ended.error {
            _ if ended.cancelled => End::Cancelled,
            Some(_) => End::Failed,
            None => End::Completed,
        };
        Some((Duration::from_micros(ended.at), end))
    }

    /// The graph that it passes.
    pub fn graph(&self) -> &Arc<Graph> {
        &self.0.graph
    }

    /// Microseconds since it began.
    pub(crate) fn now(&self) -> u64 {
        u64::try_from(self.0.began.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    /// Whether what nodes do is noted.
    pub(crate) fn is_watched(&self) -> bool {
        self.0.watched
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every change is one assignment, so a poisoned lock is still good.
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A node begins; gives the time, which is of no use where nothing is noted.
    pub(crate) fn started(&self, spot: usize) -> u64 {
        if !self.0.watched {
            return 0;
        }
        let now = self.now();
        self.state().spots[spot] =
            SpotRun { state: SpotState::Running, began: now, ended: now, ..SpotRun::default() };
        now
    }

    /// A node that takes no time is passed.
    pub(crate) fn passed(&self, spot: usize) {
        if !self.0.watched {
            return;
        }
        let now = self.now();
        self.state().spots[spot] =
            SpotRun { state: SpotState::Completed, began: now, ended: now, ..SpotRun::default() };
    }

    /// What a node did.
    pub(crate) fn note(&self, spot: usize, did: SpotRun) {
        if !self.0.watched {
            return;
        }
        let late = {
            let mut state = self.state();
            state.spots[spot] = did;
            state.recorder.clone()
        };
        if let Some(recorder) = late {
            recorder.queue(self);
        }
    }

    /// How the call is being made.
    pub(crate) fn made(&self, spot: usize, made: Made) {
        if self.0.watched {
            self.state().spots[spot].made = Some(made);
        }
    }

    /// The call came back, with a reply or a message.
    pub(crate) fn called(&self, spot: usize, outcome: Result<&str, &str>) {
        if !self.0.watched {
            return;
        }
        let now = self.now();
        let mut state = self.state();
        let node = &mut state.spots[spot];
        node.ended = now;
        match outcome {
            Ok(reply) => {
                node.state = SpotState::Completed;
                state.reply = self.0.context.is_some().then(|| short(reply).into());
            }
            Err(message) => {
                node.state = SpotState::Error;
                node.error = Some(message.into());
            }
        }
    }

    /// The plain request brought this, in the place of the graph.
    pub(crate) fn bypassed(&self, reply: Option<&str>) {
        let mut state = self.state();
        state.bypassed = true;
        state.reply = reply.map(|reply| short(reply).into());
    }

    /// The run is over.
    pub(crate) fn end(&self, error: Option<String>) {
        self.close(error.map(String::into), false);
    }

    /// Nobody waits for the run any more: it ends where it is.
    pub(crate) fn cancel(&self) {
        self.close(Some(CANCELLED.into()), true);
    }

    fn close(&self, error: Option<Box<str>>, cancelled: bool) {
        let at = self.now();
        let mut state = self.state();
        if let Some(message) = &error {
            // Hooks beside the way go on; what stands on it does not.
            let beside = |number| self.0.graph.spots.iter().any(|spot| spot.sides.contains(&number));
            for (number, did) in state.spots.iter_mut().enumerate() {
                if did.state == SpotState::Running && !beside(number) {
                    (did.state, did.ended, did.error) = (SpotState::Error, at, Some(message.clone()));
                }
            }
        }
        state.ended = Some(Ended { at, error, cancelled });
    }

    /// A span for each node that the run came to.
    pub(crate) fn trace(&self) {
        let state = self.state();
        for (spot, did) in self.0.graph.spots.iter().zip(&state.spots) {
            if matches!(did.state, SpotState::Completed | SpotState::Error) {
                let began = self.0.began + Duration::from_micros(did.began);
                let took = Duration::from_micros(did.ended.saturating_sub(did.began));
                otlp::past(
                    || format!("node {}", spot.name),
                    began,
                    took,
                    |span| {
                        span.set("lockgate.node", &*spot.id);
                        if did.state == SpotState::Error {
                            span.fail("NODE_FAILED");
                        }
                    },
                );
            }
        }
    }

    /// From now on this recorder is told of every change.
    pub(crate) fn follow(&self, recorder: &Handle) {
        self.state().recorder = Some(recorder.clone());
    }
}
