//! Fire-and-forget hooks: launched, not awaited, and not without number.

use super::marks;
use crate::plan::{Graph, Ready};
use crate::record::{Run, SpotRun, SpotState};
use crate::scripts::Scripts;
use sandbox::{Form, Job, Phase, Rank, Verdict};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;

/// What the record says of a hook that was under way when the gateway stopped.
const BROKEN_OFF: &str = "The gateway stopped before the hook ended";

/// How long those that are broken off have to say so.
const LAST_WORD: Duration = Duration::from_secs(1);

/// The fire-and-forget hooks that are under way, of all runs. A clone counts the same ones.
#[derive(Clone, Debug)]
pub struct Sides {
    room: Arc<Semaphore>,
    most: u32,
    /// Whether none may go on.
    over: watch::Sender<bool>,
}

impl Sides {
    /// Room for this many at once.
    pub fn new(most: u32) -> Self {
        Self { room: Arc::new(Semaphore::new(most as usize)), most, over: watch::Sender::default() }
    }

    /// Waits for those that are under way, and breaks off what has not ended then. None runs afterwards.
    pub async fn finish(&self, within: Duration) {
        if timeout(within, self.ended()).await.is_err() {
            self.over.send_replace(true);
            let _ = timeout(LAST_WORD, self.ended()).await;
        }
        self.over.send_replace(true);
    }

    /// Until none is under way.
    async fn ended(&self) {
        // It is never closed.
        let _ = self.room.acquire_many(self.most).await;
    }
}

/// Room for 256 at once.
impl Default for Sides {
    fn default() -> Self {
        Self::new(256)
    }
}

/// The context as it was when a hook was launched.
pub(super) struct Snapshot {
    pub(super) phase: Phase,
    pub(super) limit: Duration,
    pub(super) method: String,
    pub(super) params: String,
    pub(super) response: Option<String>,
    pub(super) metadata: String,
    pub(super) shared: Option<String>,
    pub(super) variables: Option<String>,
    pub(super) top: String,
    pub(super) results: String,
}

/// A hook that is to be launched.
pub(super) struct Begun {
    /// Its node.
    pub(super) number: usize,
    /// Its script.
    pub(super) ready: Arc<Ready>,
    pub(super) snapshot: Snapshot,
}

impl Sides {
    /// Starts a hook, unless too many are under way; says whether it did.
    pub(super) fn launch<S: Scripts>(
        &self,
        graph: &Arc<Graph>,
        run: &Run,
        begun: Begun,
        scripts: &S,
    ) -> bool {
        let Begun { number, ready, snapshot } = begun;
        let spot = &graph.spots[number];
        let Ok(room) = Arc::clone(&self.room).try_acquire_owned() else {
            tracing::warn!(
                workflowId = graph.workflow(),
                nodeId = &*spot.id,
                node = &*spot.name,
                "too many fire-and-forget hooks are under way; this one does not run"
            );
            let error = Some("Too many fire-and-forget hooks are under way; it did not run".into());
            run.note(number, SpotRun { error, ..SpotRun::default() });
            return false;
        };
        let began = run.started(number);
        let (graph, run, scripts) = (Arc::clone(graph), run.clone(), scripts.clone());
        let mut over = self.over.subscribe();
        tokio::spawn(async move {
            let job = Job {
                phase: snapshot.phase,
                steps: &ready.steps,
                show: false,
                form: Form::Hook,
                rank: Rank::Side,
                limit: snapshot.limit,
                method: &snapshot.method,
                params: &snapshot.params,
                response: snapshot.response.as_deref(),
                metadata: &snapshot.metadata,
                shared: snapshot.shared.as_deref(),
                variables: snapshot.variables.as_deref(),
                top: &snapshot.top,
                results: &snapshot.results,
                follow: None,
                left: None,
            };
            let ran = tokio::select! {
                biased;
                // Where nobody is left who could say so, it goes on.
                Ok(_) = over.wait_for(|over| *over) => None,
                ran = scripts.run(&job) => Some(ran),
            };
            let mut did = SpotRun { began, ended: run.now(), ..SpotRun::default() };
            did.state = SpotState::Completed;
            if ran.is_none() {
                did.state = SpotState::Error;
                did.error = Some(BROKEN_OFF.into());
            }
            if let Some(report) = ran.and_then(|mut ran| ran.reports.pop()) {
                marks::log(graph.workflow(), &graph.spots[number], ready.module(0), &report);
                if let Verdict::Failed(error) = &report.verdict {
                    did.state = SpotState::Error;
                    did.error = Some(error.message.as_str().into());
                }
                did.console = report.console;
            }
            run.note(number, did);
            // Whoever waits for the last of them waits for what it left, too.
            drop(room);
        });
        true
    }
}
