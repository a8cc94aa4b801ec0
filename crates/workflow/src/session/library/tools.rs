//! The tools that a session workflow shows itself as (spec 4.5).

use crate::session::plan::Plan;
use crate::session::schema::of_arguments;
use model::session::Face;
use serde_json::{Value, json};

/// One tool of a workflow, as clients see it.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolShown {
    /// Which of the five it is.
    pub face: Face,
    /// Its name.
    pub name: String,
    /// Its title.
    pub title: String,
    /// What it does.
    pub description: String,
    /// JSON Schema of its arguments.
    pub input_schema: Value,
}

impl Plan {
    /// Its tools. `all` are those that are shown where the workflow does not say.
    pub fn tools(&self, all: &[Face]) -> Vec<ToolShown> {
        self.procedure.faces(all).into_iter().map(|face| self.shown(face)).collect()
    }

    fn shown(&self, face: Face) -> ToolShown {
        let titles = self.procedure.tools.as_ref().map(|tools| &tools.titles);
        let own = titles.and_then(|titles| titles.get(&face).cloned());
        ToolShown {
            face,
            name: self.tool(face),
            title: own.unwrap_or_else(|| title(face, self.name())),
            description: self.said(face),
            input_schema: self.arguments(face),
        }
    }

    fn said(&self, face: Face) -> String {
        let name = self.name();
        match face {
            Face::Start => self.procedure.description.clone(),
            Face::Continue => format!("Continues the {name} workflow from a session"),
            Face::Status => format!("Shows where a session of the {name} workflow stands"),
            Face::Pause => format!("Pauses a session of the {name} workflow until it is continued"),
            Face::Cancel => format!("Cancels a session of the {name} workflow"),
        }
    }

    fn arguments(&self, face: Face) -> Value {
        let id = json!({"type": "string", "description": "The session"});
        match face {
            Face::Start => of_arguments(self.input_schema()),
            Face::Continue => json!({"type": "object", "properties": {
                "sessionId": {"type": "string", "description": "The session; may be left out when only one is open"},
                "result": {"description": "Takes the place of the output of the step before"},
                "expectedStep": {"type": "integer", "minimum": 0, "description": "The step this call is meant to run"},
                "approval": {"type": "object", "description": "The answer to a step that waits for approval"},
                "resolve": {"enum": ["retry", "done", "compensate"], "description": "What became of an uncertain step"},
            }}),
            Face::Cancel => json!({"type": "object", "required": ["sessionId"], "properties": {
                "sessionId": id,
                "compensate": {"type": "boolean", "description": "Whether the steps that succeeded are undone"},
            }}),
            Face::Status | Face::Pause => {
                json!({"type": "object", "properties": {"sessionId": id}, "required": ["sessionId"]})
            }
        }
    }
}

fn title(face: Face, name: &str) -> String {
    match face {
        Face::Start => format!("Start {name} Workflow"),
        Face::Continue => format!("Continue {name} Workflow"),
        Face::Status => format!("Status of {name} Workflow"),
        Face::Pause => format!("Pause {name} Workflow"),
        Face::Cancel => format!("Cancel {name} Workflow"),
    }
}
