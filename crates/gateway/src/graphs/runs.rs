//! The records of runs, as the admin API reads them (spec 3.6).

use super::faults;
use crate::gateway::{Gateway, unstored};
use model::{Code, Fault, RunId};
use serde::Deserialize;

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
        let Some(recorder) = self.graphs.recorder() else { return Ok("[]".into()) };
        let found = recorder.list(query.workflow_id.as_deref(), limit, query.offset.unwrap_or(0)).await;
        Ok(format!("[{}]", found.map_err(|error| unread(&error))?.join(",")))
    }

    /// The runs of one workflow, which must exist.
    pub async fn runs_of(&self, workflow: &str, query: RunQuery) -> Result<String, Fault> {
        self.graphs.shelf.row().get(workflow)?;
        self.runs(&RunQuery { workflow_id: Some(workflow.to_owned()), ..query }).await
    }

    /// One run as JSON.
    pub async fn run(&self, id: &str) -> Result<String, Fault> {
        let known: Option<RunId> = id.parse().ok();
        let (Some(known), Some(recorder)) = (known, self.graphs.recorder()) else {
            return Err(faults::unknown_run(id));
        };
        let found = recorder.get(known).await.map_err(|error| unread(&error))?;
        found.ok_or_else(|| faults::unknown_run(id))
    }
}

fn unread(error: &store::Error) -> Fault {
    if error.code() == Code::StoreUnavailable {
        return unstored(error);
    }
    tracing::error!(reason = %error, "the store failed");
    Fault::new(Code::InternalError, "The runs could not be read from the store; try again")
}
