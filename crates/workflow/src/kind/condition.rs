//! `condition`: an expression over the context chooses one of two ways (spec 5.1).
//!
//! Its `data` is `{label, expression, onError?}`; the two edges that leave it name their way in `sourceHandle`.
//! With `onError: continue`, an expression that throws counts as false.

use super::{Kind, Role, Shape, hook};
use crate::plan::{Action, Source};
use model::Node;
use sandbox::Script;
use serde_json::Value;

pub(super) struct Condition;

impl Kind for Condition {
    fn name(&self) -> &'static str {
        "condition"
    }

    fn title(&self) -> &'static str {
        "Condition"
    }

    fn role(&self, _node: &Node) -> Role {
        Role::Choice
    }

    fn shape(&self, _node: &Node) -> Shape {
        Shape::Rhombus
    }

    fn check(&self, node: &Node) -> Vec<String> {
        let mut broken = Vec::new();
        match expression(node) {
            Some(text) => broken.extend(model::check_script(text).err().map(|error| error.under(""))),
            None => broken.push("has no expression".into()),
        }
        if !matches!(
            node.data.get("onError").map(|word| word.as_str().unwrap_or("")),
            None | Some("stop" | "continue")
        ) {
            broken.push("has an onError that is neither stop nor continue".into());
        }
        broken
    }

    fn script(&self, node: &Node) -> Option<String> {
        expression(node).map(as_script)
    }

    fn expressions<'a>(&self, node: &'a Node) -> Vec<&'a str> {
        expression(node).into_iter().collect()
    }

    fn action(&self, node: &Node) -> Action {
        let script = as_script(expression(node).unwrap_or("false"));
        let source = Source::Own(Script::new(node.label(), script));
        Action::Choose { source, stop: hook::stops(node.data.get("onError")) }
    }
}

fn expression(node: &Node) -> Option<&str> {
    node.data.get("expression").and_then(Value::as_str).filter(|text| !text.trim().is_empty())
}

/// A verdict says whether the flow goes on, which here is the question itself.
fn as_script(expression: &str) -> String {
    // The line breaks keep a comment at its end from hiding what follows.
    format!("const chosen = (\n{expression}\n); return {{continue: !!chosen}}")
}
