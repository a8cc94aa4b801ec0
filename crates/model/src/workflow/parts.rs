//! What the gateway reads of nodes and edges. Whatever else stands in them is kept and not looked at.

use super::WorkflowError;
use super::members::{Place, Word};
use super::written::{Item, no_string};
use crate::check_script;
use crate::session::{Step, parse};
use serde::de::MapAccess;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

/// One element of a graph.
#[derive(Clone, PartialEq)]
pub struct Node {
    /// Unique in its workflow.
    pub id: String,
    /// Its `type`: which kind of node it is.
    pub kind: String,
    /// Where the editor shows it.
    pub position: Option<(f64, f64)>,
    /// Its `data`.
    pub data: Map<String, Value>,
}

impl Node {
    /// What people call it: its label, or else its id.
    pub fn label(&self) -> &str {
        let label = member(&self.data, "label").and_then(Value::as_str).map(str::trim);
        label.filter(|label| !label.is_empty()).unwrap_or(&self.id)
    }

    /// Whether `data.hook` is an object.
    pub fn has_hook(&self) -> bool {
        member(&self.data, "hook").is_some_and(Value::is_object)
    }

    /// A member of `data.hook`.
    pub fn of_hook(&self, key: &str) -> Option<&Value> {
        member(member(&self.data, "hook")?.as_object()?, key)
    }

    /// The id of the hook that this node runs instead of a script of its own.
    pub fn module(&self) -> Option<&str> {
        self.of_hook("hookModuleId")?.as_str().filter(|id| !id.is_empty())
    }
}

impl Node {
    /// The step that an activity node carries in `data.step`; errors begin with the path of the node, which may
    /// be empty.
    pub fn step(&self, path: &str) -> Result<Step, WorkflowError> {
        let path = if path.is_empty() { "data.step".to_owned() } else { format!("{path}.data.step") };
        match self.data.get("step") {
            None | Some(Value::Null) => {
                let rule = "is required: it names the activity, as in {\"activity\": \"score\"}";
                Err(WorkflowError::new(&path, format!("{path} {rule}")))
            }
            Some(step) => parse::step(step, &path),
        }
    }

    /// What a condition node judges: its expression, and whether one that throws counts as false. Else the rules
    /// that its data breaks, to be read after the name of the node.
    pub fn judged(&self) -> Result<(&str, bool), Vec<String>> {
        let expression = self.data.get("expression").and_then(Value::as_str).unwrap_or_default();
        let mut broken = Vec::new();
        if expression.trim().is_empty() {
            broken.push("has no expression".into());
        } else if let Err(error) = check_script(expression) {
            broken.push(error.under(""));
        }
        let goes_on = match self.data.get("onError").map(|word| word.as_str().unwrap_or_default()) {
            None | Some("stop") => false,
            Some("continue") => true,
            Some(_) => {
                broken.push("has an onError that is neither stop nor continue".into());
                false
            }
        };
        if broken.is_empty() { Ok((expression, goes_on)) } else { Err(broken) }
    }
}

/// Scripts may hold secrets and are long, so only the rest is shown.
impl std::fmt::Debug for Node {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Node").field("id", &self.id).field("kind", &self.kind).finish_non_exhaustive()
    }
}

/// The members of a node: its id, its type, its position and its data.
type Own = (Word, Word, Place, Value);

impl Item for Node {
    const LIST: &'static str = "nodes";
    const MEMBERS: [&'static str; 4] = ["id", "type", "position", "data"];
    type Parts = Own;

    fn member<'de, M: MapAccess<'de>>(own: &mut Own, at: usize, map: &mut M) -> Result<(), M::Error> {
        match at {
            0 => own.0 = map.next_value()?,
            1 => own.1 = map.next_value()?,
            2 => own.2 = map.next_value()?,
            _ => own.3 = map.next_value()?,
        }
        Ok(())
    }

    fn read((id, kind, position, data): Own, place: usize) -> Result<Self, WorkflowError> {
        let id = text(id).ok_or_else(|| no_string::<Self>(place, "id"))?;
        let kind = text(kind).ok_or_else(|| no_string::<Self>(place, "type"))?;
        let data = match data {
            Value::Null => Map::new(),
            Value::Object(data) => data,
            _ => return Err(WorkflowError::at(&format!("nodes[{place}]"), "data", "must be a JSON object")),
        };
        Ok(Self { id, kind, position: position.0, data })
    }
}

/// A connection from one node to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Its id, where it has one.
    pub id: Option<String>,
    /// The id of the node that it leaves.
    pub source: String,
    /// The id of the node that it enters.
    pub target: String,
    /// Which of several labelled outputs it leaves: its `sourceHandle`.
    pub way: Option<String>,
}

impl Edge {
    /// What messages call it.
    pub fn name(&self) -> String {
        self.id.clone().unwrap_or_else(|| format!("{} -> {}", self.source, self.target))
    }
}

impl Item for Edge {
    const LIST: &'static str = "edges";
    const MEMBERS: [&'static str; 4] = ["id", "source", "target", "sourceHandle"];
    type Parts = [Word; 4];

    fn member<'de, M: MapAccess<'de>>(own: &mut [Word; 4], at: usize, map: &mut M) -> Result<(), M::Error> {
        own[at] = map.next_value()?;
        Ok(())
    }

    fn read([id, source, target, way]: [Word; 4], place: usize) -> Result<Self, WorkflowError> {
        Ok(Self {
            id: text(id),
            source: text(source).ok_or_else(|| no_string::<Self>(place, "source"))?,
            target: text(target).ok_or_else(|| no_string::<Self>(place, "target"))?,
            way: way.0,
        })
    }
}

/// The part of a graph that an editor shows, as React Flow saves it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Viewport {
    /// How far it was moved to the right.
    #[schema(value_type = f64)]
    pub x: Number,
    /// How far it was moved down.
    #[schema(value_type = f64)]
    pub y: Number,
    /// How much it is enlarged.
    #[schema(value_type = f64)]
    pub zoom: Number,
}

/// A member of an object. Among a few it is found sooner without its hash.
fn member<'a>(object: &'a Map<String, Value>, key: &str) -> Option<&'a Value> {
    if object.len() > 8 {
        return object.get(key);
    }
    object.iter().find(|(name, _)| *name == key).map(|(_, value)| value)
}

/// A text that is not empty.
fn text(word: Word) -> Option<String> {
    word.0.filter(|text| !text.is_empty())
}
