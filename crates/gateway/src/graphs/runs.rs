//! The records of runs, as the admin API reads them (spec 3.6).

use super::brief::{Wanted, brief};
use super::faults;
use crate::gateway::{Gateway, unread};
use model::{Fault, RunId};
use serde::Deserialize;
use workflow::recorder::Handle;

/// How many runs one answer has at most, and by default.
const LIMIT_MAX: usize = 500;
const LIMIT: usize = 50;

/// Which runs are wanted.
#[derive(Clone, Debug, Default, Deserialize, utoipa::ToSchema, utoipa::IntoParams)]
#[serde(rename_all = "camelCase", default)]
#[into_params(parameter_in = Query)]
pub struct RunQuery {
    /// Only those of this workflow.
    pub workflow_id: Option<String>,
    /// Only those that are so far: `running`, `completed`, `error` or `cancelled`.
    pub status: Option<String>,
    /// Only calls of tools with this text in their name, in any case.
    pub tool: Option<String>,
    /// `true`: without what was sent, answered and changed.
    pub brief: Option<bool>,
    /// At most so many: 1 to 500, 50 by default.
    pub limit: Option<usize>,
    /// Without so many of the newest.
    pub offset: Option<usize>,
}

impl Gateway {
    /// Runs as a JSON list, the newest first; those that have not ended are among them.
    pub async fn runs(&self, query: &RunQuery) -> Result<String, Fault> {
        let limit = query.limit.unwrap_or(LIMIT);
        if !(1..=LIMIT_MAX).contains(&limit) {
            return Err(faults::wrong("limit", format!("limit must be between 1 and {LIMIT_MAX}")));
        }
        let wanted = Wanted::of(query)?;
        let Some(recorder) = self.graphs.recorder() else { return Ok("[]".into()) };
        let (workflow, offset) = (query.workflow_id.as_deref(), query.offset.unwrap_or(0));
        let found = if wanted.is_everything() {
            recorder.list(workflow, limit, offset).await
        } else {
            sifted(recorder, workflow, &wanted, limit, offset).await
        };
        let mut found = found.map_err(|error| unread(&error))?;
        if query.brief == Some(true) {
            found = found.into_iter().map(brief).collect();
        }
        Ok(self.shown(format!("[{}]", found.join(","))).await)
    }

    /// The runs of one workflow, which must exist.
    pub async fn runs_of(&self, workflow: &str, query: RunQuery) -> Result<String, Fault> {
        self.any_workflow(workflow)?;
        self.runs(&RunQuery { workflow_id: Some(workflow.to_owned()), ..query }).await
    }

    /// One run as JSON.
    pub async fn run(&self, id: &str) -> Result<String, Fault> {
        let known: Option<RunId> = id.parse().ok();
        let (Some(known), Some(recorder)) = (known, self.graphs.recorder()) else {
            return Err(faults::unknown_run(id));
        };
        let found = recorder.get(known).await.map_err(|error| unread(&error))?;
        match found {
            Some(record) => Ok(self.shown(record).await),
            None => Err(faults::unknown_run(id)),
        }
    }
}

/// The wanted ones among all that are kept, looked at one stretch after the other.
async fn sifted(
    recorder: &Handle,
    workflow: Option<&str>,
    wanted: &Wanted<'_>,
    limit: usize,
    offset: usize,
) -> Result<Vec<String>, store::Error> {
    let (mut found, mut seen) = (Vec::new(), 0);
    loop {
        let stretch = recorder.list(workflow, LIMIT_MAX, seen).await?;
        let over = stretch.is_empty();
        seen += stretch.len();
        found.extend(stretch.into_iter().filter(|record| wanted.fits(record)));
        if over || found.len() >= offset.saturating_add(limit) {
            return Ok(found.into_iter().skip(offset).take(limit).collect());
        }
    }
}
