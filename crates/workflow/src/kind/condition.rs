//! `condition`: an expression over the context chooses one of two ways (spec 5.1); in a session workflow, over
//! `memory`, `input` and `previous`.
//!
//! Its `data` is `{label, expression, onError?}`; the two edges that leave it name their way in `sourceHandle`.
//! With `onError: continue`, an expression that throws counts as false.

use super::{Kind, Role, Shape};
use crate::plan::{Action, Origins, Source};
use model::{Node, WorkflowType};
use sandbox::Script;
use std::borrow::Cow;

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

    /// Session workflows may have it too; their engine reads it by itself.
    fn fits(&self, _workflow: WorkflowType) -> bool {
        true
    }

    fn check(&self, node: &Node) -> Vec<String> {
        node.judged().err().unwrap_or_default()
    }

    fn script<'a>(&self, node: &'a Node) -> Option<Cow<'a, str>> {
        expression(node).map(|expression| as_script(expression).0.into())
    }

    fn expressions<'a>(&self, node: &'a Node) -> Vec<&'a str> {
        expression(node).into_iter().collect()
    }

    fn action(&self, node: &Node) -> Action {
        let (expression, goes_on) = node.judged().unwrap_or(("false", false));
        let (script, origins) = as_script(expression);
        let source = Source::Own(Script::new(node.label(), script));
        Action::Choose { source, origins, stop: !goes_on }
    }
}

fn expression(node: &Node) -> Option<&str> {
    node.judged().ok().map(|(expression, _)| expression)
}

/// A verdict says whether the flow goes on, which here is the question itself.
fn as_script(expression: &str) -> (String, Origins) {
    let (mut script, mut origins) = (String::from("const chosen = await ("), Origins::default());
    origins.add(&script);
    script.push_str(expression);
    // The line break keeps a comment at its end from hiding what follows.
    script.push_str("\n); return {continue: !!chosen}");
    (script, origins)
}
