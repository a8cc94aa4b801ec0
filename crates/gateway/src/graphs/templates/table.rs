//! The one list of templates.

use super::{Parameter, Template};
use model::WorkflowType;

/// How a workflow is made: one script in its place around the call.
pub(super) struct Made {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) description: &'static str,
    pub(super) workflow_type: WorkflowType,
    pub(super) place: Place,
    pub(super) parameters: &'static [Asked],
    pub(super) script: &'static str,
}

/// Where the script stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Awaited before the call.
    Before,
    /// Awaited after the call.
    After,
    /// Not awaited, after the call.
    Beside,
}

/// Something that a template asks for.
pub(super) struct Asked {
    pub(super) name: &'static str,
    pub(super) kind: &'static str,
    pub(super) description: &'static str,
    /// As JSON text.
    pub(super) default: Option<&'static str>,
}

impl Made {
    pub(super) fn show(&self) -> Template {
        let value = |text| serde_json::from_str(text).expect("defaults are JSON");
        let parameters = self.parameters.iter().map(|one| Parameter {
            name: one.name,
            kind: one.kind,
            description: one.description,
            default: one.default.map(value),
        });
        Template {
            name: self.name,
            title: self.title,
            description: self.description,
            workflow_type: self.workflow_type,
            parameters: parameters.collect(),
        }
    }
}

const fn asked(
    name: &'static str,
    kind: &'static str,
    description: &'static str,
    default: Option<&'static str>,
) -> Asked {
    Asked { name, kind, description, default }
}

pub(super) const TABLE: &[Made] = &[
    Made {
        name: "redact-secrets",
        title: "Redact secrets",
        description: "Replaces secrets and personal data in replies.",
        workflow_type: WorkflowType::ToolsCall,
        place: Place::After,
        parameters: &[
            asked(
                "patterns",
                "strings",
                "Regular expressions, or email, creditCard, jwt, apiKey, ipAddress",
                Some(r#"["email","creditCard","jwt","apiKey"]"#),
            ),
            asked("replacement", "string", "What stands in the place of a match", Some(r#""[redacted]""#)),
        ],
        script: include_str!("redact-secrets.js"),
    },
    Made {
        name: "allow-list",
        title: "Allow-list",
        description: "Lets only the named tools be called.",
        workflow_type: WorkflowType::ToolsCall,
        place: Place::Before,
        parameters: &[asked("tools", "strings", "The tools that may be called, by their own names", None)],
        script: include_str!("allow-list.js"),
    },
    Made {
        name: "hide-tools",
        title: "Hide tools",
        description: "Takes tools out of lists. They can still be called: use the allow-list to forbid that.",
        workflow_type: WorkflowType::ToolsList,
        place: Place::After,
        parameters: &[asked("tools", "strings", "The tools that are not shown, by their listed names", None)],
        script: include_str!("hide-tools.js"),
    },
    Made {
        name: "argument-defaults",
        title: "Argument defaults",
        description: "Adds arguments that the caller left out of calls of one tool.",
        workflow_type: WorkflowType::ToolsCall,
        place: Place::Before,
        parameters: &[
            asked("tool", "string", "The tool, by its own name", None),
            asked("defaults", "object", "The arguments, by their names", None),
        ],
        script: include_str!("argument-defaults.js"),
    },
    Made {
        name: "guard-arguments",
        title: "Guard arguments",
        description: "Blocks calls that have a text in their arguments which matches a pattern.",
        workflow_type: WorkflowType::ToolsCall,
        place: Place::Before,
        parameters: &[
            asked("patterns", "strings", "Regular expressions; case does not matter", None),
            asked(
                "message",
                "string",
                "What the client is told",
                Some(r#""The arguments hold something that is not allowed here""#),
            ),
        ],
        script: include_str!("guard-arguments.js"),
    },
    Made {
        name: "log-calls",
        title: "Log calls",
        description: "Writes a line to the log for every call, beside the way: client, tool, time, outcome.",
        workflow_type: WorkflowType::ToolsCall,
        place: Place::Beside,
        parameters: &[],
        script: include_str!("log-calls.js"),
    },
    Made {
        name: "slow-call-alarm",
        title: "Slow-call alarm",
        description: "Writes a warning to the log for every call that took too long, beside the way.",
        workflow_type: WorkflowType::ToolsCall,
        place: Place::Beside,
        parameters: &[asked("thresholdMs", "number", "From how many milliseconds on", Some("1000"))],
        script: include_str!("slow-call-alarm.js"),
    },
    Made {
        name: "shape-replies",
        title: "Shape replies",
        description: "Cuts long texts in replies, so that they do not flood a model.",
        workflow_type: WorkflowType::ToolsCall,
        place: Place::After,
        parameters: &[asked("maxCharacters", "number", "How much of a text stays", Some("4000"))],
        script: include_str!("shape-replies.js"),
    },
];
