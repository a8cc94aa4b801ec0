//! What workflows were (spec 5.2): every change of a definition leaves the one before as a numbered version.
//!
//! The current version is the workflow itself. It goes to the store in the moment in which another one takes its
//! place, so that a workflow from before there were versions has them too.

mod diff;

pub use diff::{FieldChange, ItemChange, ListChange, VersionDiff};

use super::faults;
use super::shelf::Change;
use crate::gateway::{Gateway, unread, unstored};
use crate::graphs::WorkflowView;
use crate::hooks::now;
use model::session::{SessionStatus, WorkflowSession};
use model::{Code, Fault, Workflow, WorkflowDraft, WorkflowType};
use serde::{Deserialize, Serialize};
use store::{SessionFilter, Store, StoredVersion};

/// How many versions one answer has at most, and by default.
const LIMIT_MAX: usize = 500;
const LIMIT: usize = 50;

/// How many sessions are looked at together.
const PAGE: usize = 500;

/// One version of a workflow, as lists show it.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct VersionView {
    /// Its number.
    pub version: u64,
    /// The name that the workflow had.
    pub name: String,
    /// Whether it is the one in use.
    pub current: bool,
    /// When it was made, in milliseconds since 1970.
    pub made_at: i64,
}

/// Which versions are wanted.
#[derive(Clone, Copy, Debug, Default, Deserialize, utoipa::ToSchema, utoipa::IntoParams)]
#[serde(rename_all = "camelCase", default)]
#[into_params(parameter_in = Query)]
pub struct VersionQuery {
    /// At most so many: 1 to 500, 50 by default.
    pub limit: Option<usize>,
    /// Without so many of the newest.
    pub offset: Option<usize>,
}

/// Keeps a workflow that is about to be replaced, if its definition is.
pub(super) async fn keep(store: &Store, old: &Workflow, new: &Workflow) -> Result<(), store::Error> {
    if old.revision == new.revision {
        return Ok(());
    }
    let version = StoredVersion {
        workflow: old.id.clone(),
        revision: old.revision,
        body: serde_json::to_string(old).expect("a workflow is plain data"),
        made_at: old.updated_at,
    };
    match store.versions().add(version).await {
        // A change that did not come through left it there already.
        Ok(()) | Err(store::Error::Taken(_)) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Forgets the versions of a workflow that is gone. Those that stay harm nobody: no id is used twice.
pub(super) async fn forget(store: &Store, id: &str) {
    if let Err(error) = store.versions().delete_all(id).await {
        tracing::error!(workflow = id, reason = %error, "the versions of a deleted workflow could not be removed");
    }
}

impl Gateway {
    /// The versions of a workflow, the newest first.
    pub async fn versions(&self, id: &str, query: VersionQuery) -> Result<Vec<VersionView>, Fault> {
        let limit = query.limit.unwrap_or(LIMIT);
        if !(1..=LIMIT_MAX).contains(&limit) {
            return Err(faults::wrong("limit", format!("limit must be between 1 and {LIMIT_MAX}")));
        }
        let current = self.any_workflow(id)?;
        let offset = query.offset.unwrap_or(0);
        let mut views = Vec::new();
        if offset == 0 {
            views.push(view(&current, true));
        }
        let (rest, skip) = (limit - views.len(), offset.saturating_sub(1));
        let stored = self.store.versions().list(id, rest, skip).await.map_err(|error| unread(&error))?;
        for one in stored.iter().filter(|one| one.revision != current.revision) {
            views.push(view(&read(one)?, false));
        }
        Ok(views)
    }

    /// The definition of a version, as an export has it.
    pub async fn version(&self, id: &str, number: u64) -> Result<String, Fault> {
        Ok(self.workflow_at(id, number).await?.export())
    }

    /// What is different in one version from another.
    pub async fn compare_versions(&self, id: &str, from: u64, to: u64) -> Result<VersionDiff, Fault> {
        let (one, other) = (self.workflow_at(id, from).await?, self.workflow_at(id, to).await?);
        Ok(VersionDiff::between(&one, &other)?)
    }

    /// Makes the definition of a version current again, as a new version. With `revision`, only if the workflow is
    /// still at that one.
    pub async fn restore_version(
        &self,
        id: &str,
        number: u64,
        revision: Option<u64>,
    ) -> Result<WorkflowView, Fault> {
        self.not_of_the_file(id)?;
        let row = self.change_workflows(|row| async move {
            let wanted = self.workflow_at(id, number).await?;
            // What could be stored then must still fit the kinds of nodes that there are.
            let draft = WorkflowDraft::parse(&wanted.export(), &self.graphs.kinds().names())?;
            let current = &row.get(id)?.workflow;
            if let Some(wanted) = revision.filter(|wanted| *wanted != current.revision) {
                return Err(faults::outdated(current.revision).with("expected", wanted));
            }
            if number == current.revision {
                return Err(conflict(format!("Version {number} is the current one")));
            }
            let workflow = Workflow {
                created_at: current.created_at,
                revision: current.revision.saturating_add(1),
                ..Workflow::new(id.to_owned(), draft, now().max(current.updated_at.saturating_add(1)))
            };
            let workflow = workflow.switched(current.enabled);
            let graph = if workflow.enabled { self.compile(&workflow).await? } else { None };
            self.check_new(&workflow).await?;
            let freed = self.check_name_free(current, Some(&workflow)).await?;
            Ok(Change::Edit(workflow, graph, freed))
        });
        Ok(self.view(row.await?.get(id)?).await)
    }

    /// Forgets a version that nobody uses.
    pub async fn remove_version(&self, id: &str, number: u64) -> Result<(), Fault> {
        self.not_of_the_file(id)?;
        self.settle(|_| async move {
            let workflow = self.workflow_at(id, number).await?;
            if self.any_workflow(id)?.revision == number {
                return Err(
                    conflict(format!("Version {number} is the current one and cannot be deleted")).into()
                );
            }
            self.check_unused(&workflow, Some(number), &format!("Version {number}")).await?;
            // A version that is not the current one never becomes it again.
            self.store.versions().delete(id, number).await.map_err(|error| unstored(&error))?;
            Ok(())
        })
        .await
    }

    /// A workflow as it was in a version.
    pub(super) async fn workflow_at(&self, id: &str, number: u64) -> Result<Workflow, Fault> {
        let current = self.any_workflow(id)?;
        if current.revision == number {
            return Ok(current);
        }
        let stored = self.store.versions().get(id, number).await.map_err(|error| unread(&error))?;
        read(&stored.ok_or_else(|| unknown(id, number))?)
    }

    /// What keeps a version, or all of them, from being deleted: sessions that are open.
    pub(super) async fn check_unused(
        &self,
        workflow: &Workflow,
        version: Option<u64>,
        what: &str,
    ) -> Result<(), Fault> {
        let sessions = match self.sessions_on(workflow, version).await? {
            0 => return Ok(()),
            1 => (1, "1 open session uses it".to_owned()),
            open => (open, format!("{open} open sessions use it")),
        };
        Err(conflict(format!("{what} cannot be deleted: {}", sessions.1)).with("sessions", sessions.0))
    }

    /// How many open sessions stay on a version of this workflow, or on any.
    async fn sessions_on(&self, workflow: &Workflow, version: Option<u64>) -> Result<u64, Fault> {
        if workflow.workflow_type != WorkflowType::Session {
            return Ok(0);
        }
        let mut count = 0;
        for status in SessionStatus::ALL.into_iter().filter(|status| status.is_open()) {
            let filter = SessionFilter {
                workflow: Some(&workflow.name),
                status: Some(status.name()),
                ..SessionFilter::default()
            };
            for page in 0.. {
                let found = self.sessions.engine.list(filter, PAGE, page * PAGE).await;
                let found = found.map_err(|error| match error {
                    workflow::session::Error::Store(error) => unstored(&error),
                    other => Fault::new(Code::InternalError, other.to_string()),
                })?;
                let on_it = |one: &&WorkflowSession| version.is_none() || one.workflow_version == version;
                let on_it = found.iter().filter(on_it).count();
                count += u64::try_from(on_it).unwrap_or(u64::MAX);
                if found.len() < PAGE {
                    break;
                }
            }
        }
        Ok(count)
    }
}

fn view(workflow: &Workflow, current: bool) -> VersionView {
    let Workflow { revision, name, updated_at, .. } = workflow;
    VersionView { version: *revision, name: name.clone(), current, made_at: *updated_at }
}

fn read(stored: &StoredVersion) -> Result<Workflow, Fault> {
    serde_json::from_str(&stored.body).map_err(|error| {
        let (workflow, version) = (&stored.workflow, stored.revision);
        tracing::error!(workflow, version, reason = %error, "a stored version cannot be read");
        Fault::new(Code::InternalError, format!("Version {version} cannot be read"))
    })
}

fn unknown(id: &str, number: u64) -> Fault {
    let message = format!("Workflow '{id}' has no version {number}");
    Fault::new(Code::NotFound, message).with("id", id).with("version", number)
}

fn conflict(message: String) -> Fault {
    Fault::new(Code::Conflict, message)
}
