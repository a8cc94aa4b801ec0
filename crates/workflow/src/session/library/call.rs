//! A call of one of a workflow's tools, with its arguments read.

use super::{LibraryError, Workflow};
use crate::session::arguments;
use crate::session::engine::Continue;
use crate::session::reply::Reply;
use model::session::Face;
use serde_json::{Map, Value};

/// A call of one of a workflow's five tools.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Which tool.
    pub face: Face,
    /// Who calls. A session belongs to the caller that started it.
    pub client_id: String,
    /// What it is called with.
    pub arguments: Map<String, Value>,
}

impl Workflow {
    /// Does what a tool of this workflow does when a client calls it, and answers in its words.
    pub async fn call(&self, call: Call) -> Reply {
        match self.called(call).await {
            Ok(reply) => reply,
            Err(LibraryError::Session(error)) => error.into(),
            Err(error) => Reply::error(error.to_string()),
        }
    }

    async fn called(&self, call: Call) -> Result<Reply, LibraryError> {
        let Call { face, client_id, mut arguments } = call;
        let engine = self.manager().engine();
        let refused = |message: &str| LibraryError::refused(message.to_owned());
        match face {
            Face::Start => {
                if let Some(session) = arguments.shift_remove("sessionId").filter(|id| !id.is_null()) {
                    let session = session.as_str().ok_or_else(|| refused("sessionId must be a text."))?;
                    engine.chosen(Some(&client_id), session, &self.plan().tool(face)).await?;
                }
                let start = arguments::start(arguments, &Map::new(), &client_id, None).map_err(refused)?;
                self.start_with(start).await
            }
            Face::Continue => {
                let request = arguments::proceed(arguments, &Map::new(), None).map_err(refused)?;
                self.continue_with(Continue { client_id: Some(client_id), ..request }).await
            }
            Face::Status | Face::Pause | Face::Cancel => {
                let id = arguments.get("sessionId").and_then(Value::as_str);
                let id = id.ok_or_else(|| refused("sessionId is required."))?;
                let (workflow, client) = (Some(self.name()), Some(client_id.as_str()));
                engine.chosen(client, id, &self.plan().tool(face)).await?;
                Ok(match face {
                    Face::Pause => engine.pause(workflow, client, id).await?,
                    Face::Cancel => {
                        let undo = arguments::compensates(&arguments).map_err(refused)?;
                        engine.cancel(workflow, client, id, undo).await?
                    }
                    _ => engine.status(workflow, client, id).await?,
                })
            }
        }
    }
}
