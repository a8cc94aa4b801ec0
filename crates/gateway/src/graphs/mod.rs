//! The graphs that requests pass through, one active per type, and the records of their runs.

mod active;
mod brief;
mod execute;
mod faults;
mod ops;
mod plugins;
mod running;
mod runs;
mod shelf;
mod sketch;
mod tally;
mod templates;
mod versions;

pub(crate) use active::Active;
pub use ops::{Verdict, WorkflowView};
pub use running::Running;
pub use runs::RunQuery;
pub use tally::RunTally;
pub use templates::{Parameter, ParameterType, Template, TemplateSource, TemplateView};
pub use versions::{FieldChange, ItemChange, ListChange, VersionDiff, VersionQuery, VersionView};

use crate::hooks::{self, Hooks};
use arc_swap::ArcSwap;
pub(crate) use faults::unfit;
use model::{RunId, Settings, Workflow, WorkflowType};
use shelf::Shelf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use store::Store;
use tally::RunTallies;
use tokio::sync::{broadcast, oneshot};
use tokio::task::JoinHandle;
use workflow::recorder::{self, Limits, Recorder};
use workflow::{Graph, Kinds, Run, Sides};

/// How many runs a slow listener may lag behind. They have a channel of their own, so that a flood of runs
/// takes nothing else from anybody.
const LAG_MAX: usize = 256;

const DAY: u64 = 24 * 60 * 60;

/// The workflow graphs of a gateway.
pub(crate) struct Graphs {
    shelf: Shelf,
    lasting: Store,
    /// The kinds of nodes; those of plug-ins may change at a reload.
    kinds: ArcSwap<Kinds>,
    sides: Sides,
    recorder: recorder::Handle,
    /// Whether runs are recorded at all; a reload may change it.
    recording: AtomicBool,
    ended: broadcast::Sender<RunEnded>,
    catalogue: templates::Catalogue,
    tallies: RunTallies,
    writing: Mutex<Option<Writing>>,
}

/// The task of the recorder, and what ends it.
struct Writing {
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

/// A run that has ended.
#[derive(Clone, Debug)]
pub struct RunEnded {
    /// Its name.
    pub id: RunId,
    /// The graph it passed through.
    pub graph: Arc<Graph>,
}

impl Graphs {
    /// The graphs that the store keeps; the active ones are compiled. Runs and variables go where they last.
    pub(crate) async fn load(
        store: &Store,
        lasting: Store,
        hooks: &Hooks,
        settings: &Settings,
    ) -> Result<Self, store::Error> {
        let kinds = plugins::load(settings, &hooks.sandbox).await;
        let shelf = Shelf::load(store, hooks, &kinds).await?;
        let (recorder, handle) = Recorder::new(recorder::Options {
            store: lasting.clone(),
            limits: limits(settings),
            mask: Some(hooks::hidden),
        });
        let (stop, stopped) = oneshot::channel::<()>();
        let task = tokio::spawn(recorder.run(async {
            // A sender that is gone stops it too.
            let _ = stopped.await;
        }));
        if shelf.runs_scripts() {
            hooks.sandbox.warm();
        }
        Ok(Self {
            shelf,
            lasting,
            kinds: ArcSwap::from_pointee(kinds),
            sides: Sides::default(),
            recorder: handle,
            recording: AtomicBool::new(settings.runs.keep > 0),
            ended: broadcast::channel(LAG_MAX).0,
            catalogue: templates::Catalogue::default(),
            tallies: RunTallies::default(),
            writing: Mutex::new(Some(Writing { stop, task })),
        })
    }

    /// The runs of each workflow since the gateway started.
    pub(crate) fn run_tallies(&self) -> Vec<(String, Arc<RunTally>)> {
        self.tallies.all()
    }

    /// What requests of that method pass through.
    pub(crate) fn active(&self, method: &str) -> Option<Active> {
        self.shelf.active(method)
    }

    /// The workflow that lists of tools pass through, and whether it can run.
    pub(crate) fn lister(&self) -> Option<(Workflow, bool)> {
        let row = self.shelf.row();
        let active = |entry: &&Arc<shelf::Entry>| {
            entry.active.is_some() && entry.workflow.workflow_type == WorkflowType::ToolsList
        };
        let entry = row.all().iter().find(active)?;
        Some((entry.workflow.clone(), entry.broken().is_none()))
    }

    /// The workflows of one type, active or not, in the order of creation.
    pub(crate) fn of_type(&self, kind: WorkflowType) -> Vec<Workflow> {
        let row = self.shelf.row();
        let all = row.all().iter().map(|entry| &entry.workflow);
        all.filter(|workflow| workflow.workflow_type == kind).cloned().collect()
    }

    /// The fire-and-forget hooks that are under way.
    pub(crate) fn sides(&self) -> &Sides {
        &self.sides
    }

    /// Who keeps the records, where they are kept.
    pub(crate) fn recorder(&self) -> Option<&recorder::Handle> {
        self.recording.load(Ordering::Relaxed).then_some(&self.recorder)
    }

    /// This process is the only one that uses the store.
    pub(crate) fn alone(&self) {
        self.recorder.alone();
    }

    /// Takes over what the settings say of runs.
    pub(crate) fn limit_runs(&self, settings: &Settings) {
        let recording = settings.runs.keep > 0;
        self.recording.store(recording, Ordering::Relaxed);
        // Those that are kept stay when recording is switched off.
        if recording {
            self.recorder.limit(limits(settings));
        }
    }

    /// Where the variables of workflows are kept, and all else that outlasts a gateway of one command.
    pub(crate) fn store(&self) -> &Store {
        &self.lasting
    }

    /// Takes over the workflows that the store keeps now; says whether they are others than was known.
    pub(crate) async fn catch_up(&self, hooks: &Hooks) -> Result<bool, store::Error> {
        self.shelf.catch_up(hooks, &self.kinds.load()).await
    }

    /// Whether a script may run for a request.
    pub(crate) fn runs_scripts(&self) -> bool {
        self.shelf.runs_scripts()
    }

    /// Tells those who listen that a run is over.
    pub(crate) fn ended(&self, run: &Run) {
        self.tallies.add(run);
        if self.ended.receiver_count() > 0 {
            let _ = self.ended.send(RunEnded { id: run.id(), graph: run.graph().clone() });
        }
    }

    /// The workflow that names this hook as a module.
    pub(crate) fn user_of(&self, hook: &str) -> Option<String> {
        self.shelf.user_of(hook)
    }

    /// Writes what is still to be written. Nothing is recorded afterwards.
    pub(crate) async fn stop(&self) {
        let writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(Writing { stop, task }) = writing {
            let _ = stop.send(());
            let _ = task.await;
        }
    }
}

/// What the settings say of how many runs are kept.
fn limits(settings: &Settings) -> Limits {
    let age = Duration::from_secs(settings.runs.days.saturating_mul(DAY));
    Limits { most: settings.runs.keep, age }
}
