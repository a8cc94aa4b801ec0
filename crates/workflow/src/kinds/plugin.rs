//! A node type that is added by a plug-in: its manifest, and what it does in a graph (spec 5.1).
//!
//! Its script runs as a hook does, in the same sandbox and under the same limits, with the node's data as
//! `context.data`. Without outputs it runs beside the way.

use super::schema;
use super::types::{NodeType, Outputs};
use crate::kind::{Kind, Role, Shape, stops};
use crate::plan::{Action, Source};
use model::Node;
use sandbox::{Phase, Script};
use serde::Deserialize;
use serde_json::Value;

/// The longest name of a plug-in.
const NAME_MAX: usize = 64;

/// Why a manifest is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PluginError(String);

/// What a manifest says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    name: String,
    label: String,
    #[serde(default)]
    description: String,
    inputs: Option<Value>,
    outputs: Value,
    schema: Option<Value>,
    script: String,
    phase: Option<String>,
}

/// A plug-in whose manifest is sound.
#[derive(Clone, Debug, PartialEq)]
pub struct Plugin {
    name: String,
    label: String,
    description: String,
    outputs: Outputs,
    schema: Value,
    script: String,
    phase: Option<Phase>,
}

impl Plugin {
    /// Reads a manifest. The first rule broken is the error; whether the script compiles is not looked at.
    pub fn parse(text: &str) -> Result<Self, PluginError> {
        let refuse = |reason: &str| PluginError(reason.to_owned());
        let manifest: Manifest =
            serde_json::from_str(text).map_err(|error| PluginError(error.to_string()))?;
        let Manifest { name, label, description, inputs, outputs, schema, script, phase } = manifest;
        let letters = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
        if !letters || !name.starts_with(|c: char| c.is_ascii_lowercase()) || name.len() > NAME_MAX {
            return Err(refuse("name must be lower case letters, digits and -, a letter first, at most 64"));
        }
        if crate::kind::of(&name).is_some() {
            return Err(PluginError(format!("name is '{name}', which is built in")));
        }
        if label.trim().is_empty() {
            return Err(refuse("label must not be blank"));
        }
        if inputs.is_some_and(|inputs| inputs != 1) {
            return Err(refuse("inputs must be 1"));
        }
        let outputs = match &outputs {
            Value::String(word) if word == "many" => Outputs::Many,
            number if *number == 0 => Outputs::Number(0),
            number if *number == 1 => Outputs::Number(1),
            _ => return Err(refuse("outputs must be 0, 1 or \"many\"")),
        };
        let phase = match phase.as_deref() {
            None => None,
            Some("pre") => Some(Phase::Pre),
            Some("post") => Some(Phase::Post),
            Some(_) => return Err(refuse("phase must be pre or post")),
        };
        let schema = schema.unwrap_or_else(|| serde_json::json!({"type": "object"}));
        schema::check_schema(&schema, "schema").map_err(PluginError)?;
        if script.trim().is_empty() {
            return Err(refuse("script must not be blank"));
        }
        model::check_script(&script).map_err(|error| PluginError(error.under("")))?;
        Ok(Self { name, label, description, outputs, schema, script, phase })
    }

    /// Its word in `type`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its script.
    pub fn script(&self) -> &str {
        &self.script
    }

    /// The data that its schema is about: what every node may have belongs to it only where it says so.
    fn own_data(&self, node: &Node) -> Value {
        let mut data = data(node);
        if let Some(members) = data.as_object_mut() {
            let own = |key: &str| self.schema["properties"].get(key).is_some();
            members.retain(|key, _| own(key) || !matches!(key.as_str(), "label" | "onError"));
        }
        data
    }

    pub(super) fn node_type(&self) -> NodeType {
        NodeType {
            name: self.name.clone(),
            label: self.label.clone(),
            description: self.description.clone(),
            inputs: 1,
            outputs: self.outputs,
            schema: self.schema.clone(),
            plugin: true,
        }
    }
}

impl Kind for Plugin {
    fn name(&self) -> &str {
        &self.name
    }

    fn title(&self) -> &str {
        &self.label
    }

    fn role(&self, _node: &Node) -> Role {
        if self.outputs == Outputs::Number(0) { Role::Side } else { Role::Step }
    }

    fn shape(&self, node: &Node) -> Shape {
        if self.role(node) == Role::Side { Shape::Dashed } else { Shape::Box }
    }

    fn check(&self, node: &Node) -> Vec<String> {
        let mut broken = Vec::new();
        schema::check(&self.schema, &self.own_data(node), "data", &mut broken);
        if !matches!(
            node.data.get("onError").map(|word| word.as_str().unwrap_or("")),
            None | Some("stop" | "continue")
        ) {
            broken.push("has an onError that is neither stop nor continue".into());
        }
        broken
    }

    fn most_outputs(&self) -> Option<usize> {
        (self.outputs == Outputs::Number(1)).then_some(1)
    }

    fn phase(&self) -> Option<Phase> {
        self.phase
    }

    fn top(&self, node: &Node) -> Option<String> {
        Some(format!("\"data\":{}", data(node)))
    }

    fn action(&self, node: &Node) -> Action {
        let source = Source::Own(Script::new(node.label(), self.script.as_str()));
        Action::Hook { source, stop: stops(node.data.get("onError")) }
    }
}

fn data(node: &Node) -> Value {
    serde_json::to_value(&node.data).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn manifest(change: &Value) -> String {
        let mut all = json!({"name": "stamp", "label": "Stamp", "outputs": "many", "script": "return"});
        for (key, value) in change.as_object().expect("an object") {
            all[key] = value.clone();
        }
        all.to_string()
    }

    #[test]
    fn a_manifest_that_breaks_a_rule_is_refused_with_the_reason() {
        for good in [json!({}), json!({"outputs": 0, "phase": "post", "inputs": 1, "description": "d"})] {
            Plugin::parse(&manifest(&good)).expect("sound");
        }
        for (change, expected) in [
            (
                json!({"name": "Stamp"}),
                "name must be lower case letters, digits and -, a letter first, at most 64",
            ),
            (json!({"name": "hook"}), "name is 'hook', which is built in"),
            (json!({"label": " "}), "label must not be blank"),
            (json!({"inputs": 2}), "inputs must be 1"),
            (json!({"outputs": 3}), "outputs must be 0, 1 or \"many\""),
            (json!({"phase": "both"}), "phase must be pre or post"),
            (
                json!({"schema": {"type": "x"}}),
                "schema.type must be one of object, array, string, number, integer, boolean, null",
            ),
            (json!({"script": ""}), "script must not be blank"),
        ] {
            assert_eq!(Plugin::parse(&manifest(&change)).expect_err("broken").to_string(), expected);
        }
        assert!(Plugin::parse("{").is_err());
        let unknown = Plugin::parse(&manifest(&json!({"scrpt": ""}))).expect_err("unknown").to_string();
        assert!(unknown.contains("unknown field `scrpt`"), "{unknown}");
    }

    #[test]
    fn what_every_node_may_have_is_not_forbidden_by_the_schema() {
        let strict = json!({"type": "object", "properties": {"text": {"type": "string"}}, "additionalProperties": false});
        let plugin = Plugin::parse(&manifest(&json!({"schema": strict}))).expect("sound");
        let node = |data: Value| {
            let data = data.as_object().expect("an object").clone();
            Node { id: "p".into(), kind: "stamp".into(), position: None, data }
        };
        assert_eq!(
            plugin.check(&node(json!({"label": "P", "onError": "stop", "text": "x"}))),
            Vec::<String>::new()
        );
        assert_eq!(plugin.check(&node(json!({"label": "P", "other": 1}))).len(), 1);
    }
}
