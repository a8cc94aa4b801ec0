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
        self.call_with(call, &Map::new()).await
    }

    /// The same with the `_meta` of the request, which may name a start that is repeated and how many steps run.
    pub async fn call_with(&self, call: Call, meta: &Map<String, Value>) -> Reply {
        match self.called(call, meta).await {
            Ok(reply) => reply,
            Err(LibraryError::Session(error)) => error.into(),
            Err(error) => Reply::error(error.to_string()),
        }
    }

    async fn called(&self, call: Call, meta: &Map<String, Value>) -> Result<Reply, LibraryError> {
        let Call { face, client_id, mut arguments } = call;
        let engine = self.manager().engine();
        let refused = |message: &str| LibraryError::refused(message.to_owned());
        match face {
            Face::Start => {
                let offered = arguments.shift_remove("sessionId").filter(|id| !id.is_null());
                let start = arguments::start(Some(self.plan()), arguments, meta, &client_id, None)
                    .map_err(refused)?;
                if let Some(session) = offered {
                    let session = session.as_str().ok_or_else(|| refused("sessionId must be a text."))?;
                    let (tool, key) = (self.plan().tool(face), start.key.as_deref());
                    engine.chosen(Some(&client_id), session, &tool, key).await?;
                }
                self.start_with(start).await
            }
            Face::Continue => {
                let request = arguments::proceed(arguments, None).map_err(refused)?;
                let request = Continue { client_id: Some(client_id), ..request };
                let limited = arguments::limited(engine, self.name(), request, meta).await;
                self.continue_with(limited.map_err(refused)?).await
            }
            Face::Status | Face::Pause | Face::Cancel => {
                let id = arguments.get("sessionId").and_then(Value::as_str);
                let id = id.ok_or_else(|| refused("sessionId is required."))?;
                let (workflow, client) = (Some(self.name()), Some(client_id.as_str()));
                let meant = match face {
                    Face::Pause => arguments::pauses_at(&arguments).map_err(refused)?,
                    _ => None,
                };
                let undo = face == Face::Cancel && arguments::compensates(&arguments).map_err(refused)?;
                Ok(match face {
                    Face::Pause => engine.pause_at(workflow, client, id, meant).await?,
                    Face::Cancel => engine.cancel(workflow, client, id, undo).await?,
                    _ => {
                        engine.chosen(client, id, &self.plan().tool(face), None).await?;
                        engine.status(workflow, client, id).await?
                    }
                })
            }
        }
    }
}
