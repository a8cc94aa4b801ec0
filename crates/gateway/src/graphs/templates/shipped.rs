//! The templates that come with the product.

use super::parameter::Parameter;
use super::template::Template;
use model::WorkflowType;
use serde_json::{Map, Value, json};
use std::sync::LazyLock;

/// Every one, by its id, in the order of the list.
pub(super) static SHIPPED: LazyLock<Vec<(&str, Template)>> = LazyLock::new(|| {
    let scripts = TABLE.iter().map(|made| (made.id, made.template()));
    scripts.chain(WHOLE.iter().map(|(id, text)| (*id, read(text)))).collect()
});

/// Those that stand in files of their own.
const WHOLE: [(&str, &str); 3] = [
    ("log-and-count", include_str!("log-and-count.json")),
    ("cache-read-only-calls", include_str!("cache-read-only-calls.json")),
    ("retry-once", include_str!("retry-once.json")),
];

/// A template of one script in its place around the call.
struct Made {
    id: &'static str,
    title: &'static str,
    description: &'static str,
    workflow_type: WorkflowType,
    place: Place,
    parameters: &'static [Asked],
    script: &'static str,
}

/// Where the script stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Awaited before the call.
    Before,
    /// Awaited after the call.
    After,
    /// Not awaited, after the call.
    Beside,
}

/// Something that a template asks for.
struct Asked {
    name: &'static str,
    kind: &'static str,
    description: &'static str,
    /// As JSON text.
    default: Option<&'static str>,
}

const fn asked(
    name: &'static str,
    kind: &'static str,
    description: &'static str,
    default: Option<&'static str>,
) -> Asked {
    Asked { name, kind, description, default }
}

impl Made {
    fn template(&self) -> Template {
        let parameter = |one: &Asked| {
            let default: Option<Value> =
                one.default.map(|text| serde_json::from_str(text).expect("a default is JSON"));
            json!({"name": one.name, "type": one.kind, "description": one.description, "default": default})
        };
        let parameters: Vec<Value> = self.parameters.iter().map(parameter).collect();
        template(self.title, self.description, &json!(parameters), self.workflow())
    }

    /// Start, call, end, and the script in its place.
    fn workflow(&self) -> Value {
        let blocking = self.place != Place::Beside;
        let mut hook = json!({"id": "script", "script": self.script, "blocking": blocking});
        if blocking {
            hook["onError"] = "stop".into();
        }
        let edge = |from: &str, to: &str| json!({"id": format!("{from}-{to}"), "source": from, "target": to});
        let (at, edges) = match self.place {
            Place::Before => ((300, 200), [edge("start", "hook"), edge("hook", "call"), edge("call", "end")]),
            Place::After => ((500, 200), [edge("start", "call"), edge("call", "hook"), edge("hook", "end")]),
            Place::Beside => ((500, 340), [edge("start", "call"), edge("call", "hook"), edge("call", "end")]),
        };
        let node = |id: &str, kind: &str, label: &str, (x, y): (i32, i32)| {
            let (position, data) = (json!({"x": x, "y": y}), json!({"label": label}));
            json!({"id": id, "type": kind, "position": position, "data": data, "deletable": false})
        };
        let mut own = node("hook", "hook", self.title, at);
        own["data"]["hook"] = hook;
        own["deletable"] = true.into();
        let call = if self.place == Place::Before { 500 } else { 300 };
        let nodes = [
            node("start", "start", "Start", (100, 200)),
            node("call", "mcp-call", "MCP Call", (call, 200)),
            own,
            node("end", "end", "End", (700, 200)),
        ];
        json!({
            "name": self.title,
            "description": self.description,
            "workflowType": self.workflow_type,
            "nodes": nodes,
            "edges": edges,
        })
    }
}

fn read(text: &str) -> Template {
    let all: Map<String, Value> = serde_json::from_str(text).expect("a shipped template is JSON");
    let text = |key: &str| all[key].as_str().expect("a shipped template has a name and a description");
    template(text("name"), text("description"), &all["parameters"], all["workflow"].clone())
}

fn template(name: &str, description: &str, parameters: &Value, workflow: Value) -> Template {
    let Value::Object(workflow) = workflow else { unreachable!("a definition is an object") };
    let parameters = Parameter::parse_all(Some(parameters)).expect("a shipped template has sound parameters");
    Template { name: name.into(), description: description.into(), parameters, workflow }
}

const TABLE: &[Made] = &[
    Made {
        id: "redact-secrets",
        title: "Redact secrets",
        description: "Replaces secrets and personal data in replies.",
        workflow_type: WorkflowType::ToolsCall,
        place: Place::After,
        parameters: &[
            asked(
                "patterns",
                "list",
                "Regular expressions, or email, creditCard, jwt, apiKey, ipAddress",
                Some(r#"["email","creditCard","jwt","apiKey"]"#),
            ),
            asked("replacement", "string", "What stands in the place of a match", Some(r#""[redacted]""#)),
        ],
        script: include_str!("redact-secrets.js"),
    },
    Made {
        id: "allow-list",
        title: "Allow-list",
        description: "Lets only the named tools be called.",
        workflow_type: WorkflowType::ToolsCall,
        place: Place::Before,
        parameters: &[asked("tools", "list", "The tools that may be called, by their own names", None)],
        script: include_str!("allow-list.js"),
    },
    Made {
        id: "hide-tools",
        title: "Hide tools",
        description: "Takes tools out of lists. They can still be called: use the allow-list to forbid that.",
        workflow_type: WorkflowType::ToolsList,
        place: Place::After,
        parameters: &[asked("tools", "list", "The tools that are not shown, by their listed names", None)],
        script: include_str!("hide-tools.js"),
    },
    Made {
        id: "argument-defaults",
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
        id: "guard-arguments",
        title: "Guard arguments",
        description: "Blocks calls that have a text in their arguments which matches a pattern.",
        workflow_type: WorkflowType::ToolsCall,
        place: Place::Before,
        parameters: &[
            asked("patterns", "list", "Regular expressions; case does not matter", None),
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
        id: "log-calls",
        title: "Log calls",
        description: "Writes a line to the log for every call, beside the way: client, tool, time, outcome.",
        workflow_type: WorkflowType::ToolsCall,
        place: Place::Beside,
        parameters: &[],
        script: include_str!("log-calls.js"),
    },
    Made {
        id: "slow-call-alarm",
        title: "Slow-call alarm",
        description: "Writes a warning to the log for every call that took too long, beside the way.",
        workflow_type: WorkflowType::ToolsCall,
        place: Place::Beside,
        parameters: &[asked("thresholdMs", "number", "From how many milliseconds on", Some("1000"))],
        script: include_str!("slow-call-alarm.js"),
    },
    Made {
        id: "shape-replies",
        title: "Shape replies",
        description: "Cuts long texts in replies, so that they do not flood a model.",
        workflow_type: WorkflowType::ToolsCall,
        place: Place::After,
        parameters: &[asked("maxCharacters", "number", "How much of a text stays", Some("4000"))],
        script: include_str!("shape-replies.js"),
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graphs::templates::parameter::samples;
    use model::Workflow;
    use workflow::KIND_NAMES;

    #[test]
    fn every_template_is_sound_and_makes_a_workflow_that_can_be_activated() {
        assert_eq!(SHIPPED.len(), 11);
        for (id, template) in &*SHIPPED {
            let body: Map<String, Value> = serde_json::from_str(&template.to_json()).expect(id);
            assert_eq!(Template::parse(&body, &KIND_NAMES).expect(id), *template, "it could be imported");
            let draft = template.make(None, &samples(&template.parameters), &KIND_NAMES).expect(id);
            let problems = workflow::validate(&Workflow::new("w".into(), draft, 0));
            assert_eq!(problems, [], "{id}");
        }
    }
}
