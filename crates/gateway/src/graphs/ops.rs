//! What the admin API does with workflows: list, create, change, activate, import, check, draw.

use super::shelf::{Change, Entry, Row};
use super::sketch::Sketch;
use super::{Active, RunEnded, faults};
use crate::gateway::{Gateway, unstored};
use crate::hooks::{fresh_id, now};
use crate::hub::News;
use crate::sessions::DefinitionSource;
use model::session::Step;
use model::{Code, Fault, Workflow, WorkflowDraft, WorkflowPatch, WorkflowType};
use serde::Serialize;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::sync::broadcast;
use workflow::{Graph, Problem, Rule, Severity, diagram};

/// A workflow as the admin API shows it.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkflowView {
    /// Its definition.
    #[serde(flatten)]
    pub workflow: Workflow,
    /// The steps of a session workflow, as its graph has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<Vec<Step>>,
    /// Where it comes from.
    pub source: DefinitionSource,
    /// Whether it could be activated.
    pub valid: bool,
    /// Why it could not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What is wrong where it is active and cannot run on this instance: every request of its type fails with this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// What is wrong with a definition.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct Verdict {
    /// Whether it could be activated.
    pub valid: bool,
    /// Everything that was found, the reason first.
    #[schema(value_type = Vec<Object>)]
    pub problems: Vec<Problem>,
}

impl Gateway {
    /// Every workflow, in the order of creation.
    pub async fn workflows(&self) -> Vec<WorkflowView> {
        let row = Arc::clone(&self.graphs.shelf.row());
        let mut views = Vec::with_capacity(row.all().len());
        for entry in row.all() {
            views.push(self.view(entry).await);
        }
        views.extend(self.file_workflows());
        views
    }

    /// One workflow.
    pub async fn workflow(&self, id: &str) -> Result<WorkflowView, Fault> {
        if let Some(view) = self.file_workflows().into_iter().find(|view| view.workflow.id == id) {
            return Ok(view);
        }
        let row = Arc::clone(&self.graphs.shelf.row());
        Ok(self.view(row.get(id)?).await)
    }

    /// Keeps a new workflow, and activates it if the body wants that.
    pub async fn create_workflow(&self, body: &str) -> Result<WorkflowView, Fault> {
        self.add_workflow(WorkflowDraft::parse(body, &self.graphs.kinds().names())?).await
    }

    /// Keeps a workflow that was exported; it is not active.
    pub async fn import_workflow(&self, body: &str) -> Result<WorkflowView, Fault> {
        self.add_workflow(WorkflowDraft::import(body, &self.graphs.kinds().names())?).await
    }

    pub(super) async fn add_workflow(&self, draft: WorkflowDraft) -> Result<WorkflowView, Fault> {
        let (id, activate) = (fresh_id(), draft.enabled);
        let workflow = &Workflow::new(id.clone(), draft, now()).switched(activate);
        let row = self.change_workflows(|_| async move {
            self.check_new(workflow).await?;
            let graph = if activate { self.compile(workflow).await? } else { None };
            Ok(Change::Add(workflow.clone(), graph))
        });
        Ok(self.view(row.await?.get(&id)?).await)
    }

    /// Changes what the body names. With `revision`, only if the workflow is still at that one.
    pub async fn change_workflow(
        &self,
        id: &str,
        body: &str,
        revision: Option<u64>,
    ) -> Result<WorkflowView, Fault> {
        self.not_of_the_file(id)?;
        let patch = &WorkflowPatch::parse(body, &self.graphs.kinds().names())?;
        let row = self.change_workflows(|row| async move {
            let entry = row.get(id)?;
            at_revision(entry, revision)?;
            let enabled = patch.enabled.unwrap_or(entry.workflow.enabled);
            patch.check_for(entry.workflow.workflow_type)?;
            let same = patch.is_switch();
            let workflow =
                if same { entry.workflow.clone() } else { entry.workflow.patched(patch.clone(), now())? };
            let workflow = workflow.switched(enabled);
            let graph = match &entry.active {
                _ if !enabled => None,
                Some(Active::Graph(graph)) if same => Some(graph.clone()),
                _ => self.compile(&workflow).await?,
            };
            // What it needs may have gone meanwhile, and its name may be that of a workflow of the file.
            if !same || enabled {
                self.check_new(&workflow).await?;
            }
            let freed = match same {
                true => None,
                false => self.check_name_free(&entry.workflow, Some(&workflow)).await?,
            };
            Ok(Change::Edit(workflow, graph, freed))
        });
        Ok(self.view(row.await?.get(id)?).await)
    }

    /// Switches a workflow on, the others of its type off; or switches it off.
    pub async fn switch_workflow(&self, id: &str, on: bool) -> Result<WorkflowView, Fault> {
        self.change_workflow(id, if on { r#"{"enabled":true}"# } else { r#"{"enabled":false}"# }, None).await
    }

    /// Forgets a workflow; its runs stay until they are trimmed.
    pub async fn remove_workflow(&self, id: &str, revision: Option<u64>) -> Result<(), Fault> {
        self.not_of_the_file(id)?;
        let row = self.change_workflows(|row| async move {
            let entry = row.get(id)?;
            at_revision(entry, revision)?;
            let freed = self.check_name_free(&entry.workflow, None).await?;
            if let Some(name) = &freed {
                self.check_unused(&entry.workflow, None, &format!("Workflow '{name}'")).await?;
            }
            Ok(Change::Remove(id.to_owned(), freed))
        });
        row.await.map(drop)
    }

    /// The definition of a workflow as JSON text, and the name of a file for it.
    pub fn export_workflow(&self, id: &str) -> Result<(String, String), Fault> {
        let workflow = self.any_workflow(id)?;
        Ok((workflow.export(), file_name(&workflow.name)))
    }

    /// Everything that is wrong with a definition, which need not be stored.
    pub async fn validate_workflow(&self, body: &str) -> Result<Verdict, Fault> {
        let mut sketch = Sketch::read(body)
            .map_err(|error| faults::wrong("body", format!("body must be a JSON object: {error}")))?;
        let mut problems = std::mem::take(&mut sketch.problems);
        if let Some(draft) = sketch.draft.take() {
            // One that is stored keeps its own name.
            let mut workflow = Workflow::new(std::mem::take(&mut sketch.id), draft, 0);
            problems.extend(self.problems(&workflow).await.into_iter().filter(|one| sketch.concerns(one)));
            if workflow.workflow_type == WorkflowType::Session {
                // A name that was not given is no name of others, nor is one that nobody may have.
                if !sketch.is_named || problems.iter().any(|problem| problem.code == Rule::Name) {
                    workflow.name.clear();
                }
                let further = self.session_problems(&workflow).await;
                problems.extend(further.into_iter().filter(|one| sketch.concerns(one)));
            }
        }
        Ok(Verdict { valid: workflow::reason(&problems).is_none(), problems })
    }

    /// A workflow as a picture, in SVG or in Mermaid, with what a run or a session did in it if one is named. That one
    /// is drawn on the version that it used, as long as that is kept.
    pub async fn draw_workflow(
        &self,
        id: &str,
        format: &str,
        run: Option<&str>,
        session: Option<&str>,
    ) -> Result<String, Fault> {
        let mut workflow = self.any_workflow(id)?;
        let states = match (run, session) {
            (None, None) => None,
            (Some(run), _) => {
                let Ok(drawn) = diagram::DrawnRun::parse(&self.run(run).await?) else {
                    return Err(Fault::new(Code::InternalError, format!("Run {run} cannot be read")));
                };
                if drawn.workflow_id != id {
                    let message = format!("Run {run} is one of another workflow");
                    return Err(Fault::new(Code::NotFound, message).with("id", run));
                }
                workflow = self.used_workflow(workflow, drawn.version).await;
                Some(drawn.states)
            }
            (None, Some(session)) => {
                let session = self.show_session(session).await?;
                workflow = self.used_workflow(workflow, session.workflow_version).await;
                if session.workflow_name != workflow.name {
                    let message = format!("Session {} is one of another workflow", session.session_id);
                    return Err(Fault::new(Code::NotFound, message).with("sessionId", session.session_id));
                }
                Some(diagram::States::of_session(&workflow, &session))
            }
        };
        let workflow = &workflow;
        match format {
            "svg" => Ok(diagram::svg(workflow, states.as_ref())),
            "mermaid" => Ok(diagram::mermaid(workflow, states.as_ref())),
            _ => Err(faults::wrong("format", "format must be one of svg, mermaid")),
        }
    }

    /// A workflow as it was in the version that somebody used, or as it is where that one is not kept.
    async fn used_workflow(&self, current: Workflow, version: Option<u64>) -> Workflow {
        match version {
            Some(version) => self.workflow_at(&current.id, version).await.unwrap_or(current),
            None => current,
        }
    }

    /// A workflow, of the file or of the API.
    pub(super) fn any_workflow(&self, id: &str) -> Result<Workflow, Fault> {
        let of_file = self.file_workflows().into_iter().find(|view| view.workflow.id == id);
        match of_file {
            Some(view) => Ok(view.workflow),
            None => Ok(self.graphs.shelf.row().get(id)?.workflow.clone()),
        }
    }

    /// Runs that end from now on.
    pub fn runs_ended(&self) -> broadcast::Receiver<RunEnded> {
        self.graphs.ended.subscribe()
    }

    /// What keeps a workflow from being stored at all: a session workflow must fit its activities.
    pub(super) async fn check_new(&self, workflow: &Workflow) -> Result<(), Fault> {
        match workflow.workflow_type {
            WorkflowType::Session => self.check_session_workflow(workflow).await,
            WorkflowType::ToolsCall | WorkflowType::ToolsList => Ok(()),
        }
    }

    /// The compiled form of a workflow, or why it cannot be activated. Sessions have one of their own.
    pub(super) async fn compile(&self, workflow: &Workflow) -> Result<Option<Arc<Graph>>, Fault> {
        let problems = self.problems(workflow).await;
        match faults::unfit(&problems) {
            Some(fault) => Err(fault),
            None if workflow.workflow_type == WorkflowType::Session => Ok(None),
            None => {
                self.graphs.kinds().compile(workflow).map(Some).map_err(|problem| {
                    faults::unfit(&[problem]).expect("what cannot be compiled has a reason")
                })
            }
        }
    }

    /// Everything that is wrong with a workflow, the reason first.
    async fn problems(&self, workflow: &Workflow) -> Vec<Problem> {
        let kinds = self.graphs.kinds();
        // The scripts compile elsewhere while the graph is looked at here.
        let scripts = kinds.check_scripts(workflow, &self.hooks.sandbox, &self.hooks);
        let (scripts, mut problems) = tokio::join!(scripts, async { kinds.validate(workflow) });
        // Warnings come last, so that the list begins with the reason.
        let warnings = problems.iter().position(|problem| problem.severity == Severity::Warning);
        let place = warnings.unwrap_or(problems.len());
        problems.splice(place..place, scripts);
        problems
    }

    pub(super) async fn view(&self, entry: &Entry) -> WorkflowView {
        let problems = entry.problems.get_or_init(|| self.problems(&entry.workflow)).await;
        let reason = workflow::reason(problems).map(str::to_owned);
        let reason = reason.or_else(|| self.unfit_session(&entry.workflow.id));
        let steps = entry.workflow.steps();
        WorkflowView {
            workflow: entry.workflow.clone(),
            steps,
            source: DefinitionSource::Api,
            valid: reason.is_none(),
            reason,
            problem: entry.broken().map(|broken| broken.message()),
        }
    }

    pub(super) async fn change_workflows<F>(&self, decide: impl Fn(Arc<Row>) -> F) -> Result<Arc<Row>, Fault>
    where
        F: Future<Output = Result<Change, Fault>>,
    {
        let decide = &decide;
        self.settle(|since| async move {
            let row = self.graphs.shelf.change(since, decide).await?;
            self.sessions.unoffered.store(true, Ordering::Relaxed);
            if self.graphs.shelf.runs_scripts() {
                self.hooks.sandbox.warm();
            }
            self.offer_sessions().await.map_err(|error| unstored(&error))?;
            self.around.hub.tell(News::Workflows);
            Ok(row)
        })
        .await
    }
}

fn at_revision(entry: &Entry, wanted: Option<u64>) -> Result<(), Fault> {
    match wanted {
        Some(wanted) if wanted != entry.workflow.revision => Err(faults::outdated(entry.workflow.revision)),
        _ => Ok(()),
    }
}

/// A name that every file system and every header takes.
fn file_name(name: &str) -> String {
    format!("{}.workflow.json", stem(name, "workflow"))
}

/// The words of a name in lower case, with dashes between them, or what stands for a name without any.
pub(super) fn stem(name: &str, otherwise: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let words: String = name.chars().take(60).map(plain).collect();
    let words: Vec<&str> = words.split('-').filter(|word| !word.is_empty()).collect();
    if words.is_empty() { otherwise.to_owned() } else { words.join("-") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_after_its_workflow() {
        for (name, expected) in [
            ("Redact replies", "redact-replies.workflow.json"),
            ("../../etc/passwd\"\r\n", "etc-passwd.workflow.json"),
            ("検査", "workflow.workflow.json"),
        ] {
            assert_eq!(file_name(name), expected);
        }
    }
}
