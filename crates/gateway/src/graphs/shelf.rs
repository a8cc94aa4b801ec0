//! The definitions of workflows in memory, the active ones compiled.
//!
//! A request reads one unchanging [`Row`] and never waits for the database. A change goes to the store first
//! and then becomes the next row; one at a time, so that both always agree.

use super::active::{Active, Broken};
use super::{faults, versions};
use crate::cluster::Setback;
use arc_swap::{ArcSwap, Guard};
use model::{Fault, Workflow, WorkflowType};
use std::sync::Arc;
use store::{Counts, Store};
use tokio::sync::OnceCell;
use workflow::{Graph, Kinds, Modules, Problem};

/// All workflows, and the one way to change them.
pub(super) struct Shelf {
    store: Store,
    row: ArcSwap<Row>,
}

/// What happens to the workflows.
pub(super) enum Change {
    /// This one is new; with a graph it is active.
    Add(Workflow, Option<Arc<Graph>>),
    /// This one takes the place of the one with its id. With a name, only if no session of that name is open.
    Edit(Workflow, Option<Arc<Graph>>, Option<String>),
    /// The workflow of this id goes. With a name, only if no session of that name is open.
    Remove(String, Option<String>),
}

/// One workflow.
pub(super) struct Entry {
    pub(super) workflow: Workflow,
    /// What requests meet, while it is active.
    pub(super) active: Option<Active>,
    /// What is wrong with it, once somebody asked.
    pub(super) problems: OnceCell<Vec<Problem>>,
}

impl Entry {
    fn new(workflow: Workflow, active: Option<Active>) -> Arc<Self> {
        Arc::new(Self { workflow, active, problems: OnceCell::new() })
    }

    /// Why it cannot run though it is active.
    pub(super) fn broken(&self) -> Option<&Arc<Broken>> {
        self.active.as_ref()?.broken()
    }

    /// The same workflow, not active any more.
    fn off(&self) -> Arc<Self> {
        let problems = self.problems.clone();
        Arc::new(Self { workflow: self.workflow.switched(false), active: None, problems })
    }
}

impl Shelf {
    /// The workflows that the store keeps.
    pub(super) async fn load(
        store: &Store,
        modules: &dyn Modules,
        kinds: &Kinds,
    ) -> Result<Self, store::Error> {
        let kept = store.workflows().list().await?;
        let all = kept.into_iter().map(|workflow| woken(workflow, None, modules, kinds));
        let row = ArcSwap::from_pointee(Row::new(all.collect()));
        Ok(Self { store: store.clone(), row })
    }

    /// The workflows as they are now.
    pub(super) fn row(&self) -> Guard<Arc<Row>> {
        self.row.load()
    }

    pub(super) fn active(&self, method: &str) -> Option<Active> {
        let row = self.row.load();
        match method {
            "tools/call" => row.call.clone(),
            "tools/list" => row.list.clone(),
            _ => None,
        }
    }

    /// Whether a script may run for a request.
    pub(super) fn runs_scripts(&self) -> bool {
        let row = self.row.load();
        let mut graphs = [&row.call, &row.list].into_iter().flatten().filter_map(Active::graph);
        graphs.any(|graph| graph.is_scripted())
    }

    pub(super) fn user_of(&self, hook: &str) -> Option<String> {
        let row = self.row.load();
        let user = row.all.iter().find(|entry| entry.workflow.modules().any(|id| id == hook));
        user.map(|entry| entry.workflow.name.clone())
    }

    /// The workflow that has a node of this kind.
    pub(super) fn user_of_kind(&self, kind: &str) -> Option<String> {
        let row = self.row.load();
        let uses = |entry: &&Arc<Entry>| entry.workflow.nodes.iter().any(|node| node.kind == kind);
        row.all.iter().find(uses).map(|entry| entry.workflow.name.clone())
    }

    /// Compiles the active workflows with other kinds of nodes. One that runs and does not fit them goes on as it is;
    /// one that could not run may now. Whoever calls holds `followed`.
    pub(super) fn renew(&self, modules: &dyn Modules, kinds: &Kinds) {
        let renewed = |entry: &Arc<Entry>| {
            let Some(Active::Graph(graph)) = &entry.active else {
                return woken(entry.workflow.clone(), Some(entry), modules, kinds);
            };
            let graph = kinds.compile(&entry.workflow).unwrap_or_else(|problem| {
                tracing::warn!(
                    workflowId = entry.workflow.id,
                    workflow = entry.workflow.name,
                    reason = problem.message,
                    "a plug-in changed, and the workflow does not fit it; it goes on with the plug-in as it was"
                );
                Arc::clone(graph)
            });
            Entry::new(entry.workflow.clone(), Some(Active::Graph(graph)))
        };
        let row = self.row.load();
        self.row.store(Arc::new(Row::new(row.all.iter().map(renewed).collect())));
    }

    /// Takes over what the store keeps now; says whether that is something else than was known. Whoever calls holds
    /// `followed`.
    pub(super) async fn catch_up(&self, modules: &dyn Modules, kinds: &Kinds) -> Result<bool, store::Error> {
        let before = self.row.load_full();
        let kept = self.store.workflows().list().await?;
        let known = |workflow: &Workflow| before.all.iter().find(|entry| entry.workflow == *workflow);
        let all = kept.into_iter().map(|workflow| match known(&workflow) {
            Some(entry) if entry.broken().is_none() => Arc::clone(entry),
            // What could not run is looked at again: the hook that it lacked may have come meanwhile.
            entry => woken(workflow, entry, modules, kinds),
        });
        let all: Vec<_> = all.collect();
        let same = |(now, before): (&Arc<Entry>, &Arc<Entry>)| Arc::ptr_eq(now, before);
        if all.len() == before.all.len() && all.iter().zip(&before.all).all(same) {
            return Ok(false);
        }
        self.row.store(Arc::new(Row::new(all)));
        Ok(true)
    }

    /// Lets `decide` look at the workflows and carries out what it wants: in the store, if that still keeps what it did
    /// at these counts, then in memory. An error of either changes nothing. Whoever calls holds `followed`. The future
    /// must be driven to its end, or the store may be ahead of the memory until the next start.
    pub(super) async fn change<F>(
        &self,
        since: Counts,
        decide: impl FnOnce(Arc<Row>) -> F,
    ) -> Result<Arc<Row>, Setback>
    where
        F: Future<Output = Result<Change, Fault>>,
    {
        let before = self.row.load_full();
        let change = decide(before.clone()).await?;
        let workflows = self.store.workflows().since(since);
        let kept = match &change {
            Change::Add(workflow, _) => workflows.add(workflow.clone()).await,
            Change::Edit(workflow, _, freed) => {
                let old = &before.get(&workflow.id)?.workflow;
                versions::keep(&self.store, old, workflow).await.map_err(faults::unkept)?;
                workflows.freeing(freed.as_deref()).replace(workflow.clone()).await
            }
            Change::Remove(id, freed) => workflows.freeing(freed.as_deref()).remove(id).await.map(drop),
        };
        kept.map_err(|error| Setback::of(error, faults::unkept))?;
        if let Change::Remove(id, _) = &change {
            versions::forget(&self.store, id).await;
        }
        let after = Arc::new(before.after(change));
        self.row.store(after.clone());
        Ok(after)
    }
}

/// A stored workflow, compiled if it is active. One that cannot run stays active and is broken, so that nothing passes
/// without it. One that is known as such stays as it is.
fn woken(workflow: Workflow, known: Option<&Arc<Entry>>, modules: &dyn Modules, kinds: &Kinds) -> Arc<Entry> {
    if !workflow.enabled || workflow.workflow_type == WorkflowType::Session {
        return Entry::new(workflow, None);
    }
    let gone = workflow.modules().find(|id| modules.module(id).is_none());
    let gone = gone.map(|id| format!("it names the hook '{id}', which does not exist"));
    let names = kinds.names();
    let lacking = || workflow.nodes.iter().map(|node| &*node.kind).find(|kind| !names.contains(kind));
    let gone =
        gone.or_else(|| lacking().map(|kind| format!("it needs the plug-in '{kind}', which is not there")));
    let compiled = gone.map_or_else(|| kinds.compile(&workflow).map_err(|problem| problem.message), Err);
    let active = match compiled {
        Ok(graph) => Active::Graph(graph),
        Err(reason) => {
            let broken = Broken { workflow: workflow.id.clone(), name: workflow.name.clone(), reason };
            if let Some(known) = known.filter(|known| known.broken().is_some_and(|before| **before == broken))
            {
                return Arc::clone(known);
            }
            broken.log(workflow.workflow_type);
            Active::Broken(Arc::new(broken))
        }
    };
    Entry::new(workflow, Some(active))
}

/// An unchanging list of workflows in the order of their creation; a change makes a new one.
pub(super) struct Row {
    all: Vec<Arc<Entry>>,
    call: Option<Active>,
    list: Option<Active>,
}

impl Row {
    fn new(all: Vec<Arc<Entry>>) -> Self {
        let active = |kind: WorkflowType| {
            let mut of_kind = all.iter().filter(|entry| entry.workflow.workflow_type == kind);
            of_kind.find_map(|entry| entry.active.clone())
        };
        Self { call: active(WorkflowType::ToolsCall), list: active(WorkflowType::ToolsList), all }
    }

    /// Every workflow.
    pub(super) fn all(&self) -> &[Arc<Entry>] {
        &self.all
    }

    /// The workflow of that id.
    pub(super) fn get(&self, id: &str) -> Result<&Arc<Entry>, Fault> {
        self.all.iter().find(|entry| entry.workflow.id == id).ok_or_else(|| faults::unknown(id))
    }

    fn after(&self, change: Change) -> Self {
        let mut all = self.all.clone();
        match change {
            Change::Remove(id, _) => all.retain(|entry| entry.workflow.id != id),
            Change::Add(workflow, graph) => {
                turn_off_others(&mut all, &workflow);
                all.push(Entry::new(workflow, graph.map(Active::Graph)));
            }
            Change::Edit(workflow, graph, _) => {
                turn_off_others(&mut all, &workflow);
                let edited = all.iter_mut().find(|entry| entry.workflow.id == workflow.id);
                let active = graph.map(Active::Graph);
                edited.into_iter().for_each(|entry| *entry = Entry::new(workflow.clone(), active.clone()));
            }
        }
        Self::new(all)
    }
}

/// What the store does in the same step.
fn turn_off_others(all: &mut [Arc<Entry>], one: &Workflow) {
    if !one.enabled || !one.workflow_type.is_single() {
        return;
    }
    let same = |entry: &&mut Arc<Entry>| entry.workflow.workflow_type == one.workflow_type;
    for entry in all.iter_mut().filter(same).filter(|entry| entry.workflow.enabled) {
        *entry = entry.off();
    }
}

#[cfg(test)]
mod tests;
