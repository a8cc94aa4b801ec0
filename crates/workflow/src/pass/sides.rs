//! Fire-and-forget hooks: launched, not awaited, and not without number.

use super::marks;
use crate::plan::{Graph, Ready};
use crate::record::{Run, SpotRun, SpotState};
use crate::scripts::Scripts;
use sandbox::{Job, Phase, Verdict};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

/// The fire-and-forget hooks that are under way, of all runs. A clone counts the same ones.
#[derive(Clone, Debug)]
pub struct Sides(Arc<Semaphore>);

impl Sides {
    /// Room for this many at once.
    pub fn new(most: usize) -> Self {
        Self(Arc::new(Semaphore::new(most.min(Semaphore::MAX_PERMITS))))
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
        let Ok(room) = Arc::clone(&self.0).try_acquire_owned() else {
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
        tokio::spawn(async move {
            let job = Job {
                phase: snapshot.phase,
                steps: &ready.steps,
                show: false,
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
            let report = scripts.run(&job).await.reports.pop();
            drop(room);
            let mut did = SpotRun { began, ended: run.now(), ..SpotRun::default() };
            did.state = SpotState::Completed;
            if let Some(report) = report {
                marks::log(graph.workflow(), &graph.spots[number], ready.module(0), &report);
                if let Verdict::Failed(error) = &report.verdict {
                    did.state = SpotState::Error;
                    did.error = Some(error.message.as_str().into());
                }
                did.console = report.console;
            }
            run.note(number, did);
        });
        true
    }
}
