//! `activity`: one step of a session workflow (spec 4.9).
//!
//! Its `data` is `{label, step}`. Only session workflows have it, in one line from start to end.

use super::{Kind, Role, Shape};
use crate::plan::Action;
use model::session::{Branches, PatternBranch, Step};
use model::{Node, WorkflowType};
use serde::Deserialize;
use serde_json::Value;

/// The longest expression that a diagram shows, in characters.
const SHOWN: usize = 60;

/// The most members of a group that a diagram names.
const MEMBERS: usize = 8;

pub(super) struct Activity;

impl Kind for Activity {
    fn name(&self) -> &'static str {
        "activity"
    }

    fn title(&self) -> &'static str {
        "Activity"
    }

    fn fits(&self, workflow: WorkflowType) -> bool {
        workflow == WorkflowType::Session
    }

    fn role(&self, _node: &Node) -> Role {
        Role::Step
    }

    fn shape(&self, node: &Node) -> Shape {
        match step(node) {
            Some(step) if !step.parallel.is_empty() => Shape::Double,
            Some(step) if step.condition.is_some() => Shape::Rhombus,
            _ => Shape::Box,
        }
    }

    fn notes(&self, node: &Node) -> Vec<String> {
        let Some(step) = step(node) else { return Vec::new() };
        let mut notes = Vec::new();
        if !step.parallel.is_empty() {
            notes.extend(step.parallel.iter().take(MEMBERS).map(|one| format!("+ {}", member(one))));
            let more = step.parallel.len().saturating_sub(MEMBERS);
            notes.extend((more > 0).then(|| format!("and {more} more")));
        } else if node.label() != step.activity {
            notes.push(step.activity.clone());
        }
        notes.extend(step.condition.as_deref().map(|text| format!("if {}", short(text))));
        notes.extend(step.wait_for.as_ref().map(|wait| format!("waits for {}", wait.event)));
        let asks = step.approve.as_ref().is_some_and(|approve| approve.rules().is_some());
        notes.extend(asks.then(|| "asks first".to_owned()));
        notes.extend(step.optional.then(|| "optional".to_owned()));
        notes.extend(step.compensate.as_ref().map(|name| format!("undone by {name}")));
        notes
    }

    fn offers(&self, node: &Node) -> Vec<(String, String)> {
        match step(node).and_then(|step| step.branches) {
            None => Vec::new(),
            Some(Branches::Patterns(patterns)) => {
                let tool = |target: &Value| PatternBranch::deserialize(target).ok().map(|to| to.tool_name);
                patterns.iter().filter_map(|(when, to)| tool(to).map(|tool| (when.clone(), tool))).collect()
            }
            Some(Branches::Predicates(list)) => {
                let when = |text: Option<String>, expression: &str| text.unwrap_or_else(|| short(expression));
                list.into_iter().map(|one| (when(one.description, &one.when), one.call)).collect()
            }
        }
    }

    fn is_optional(&self, node: &Node) -> bool {
        step(node).is_some_and(|step| step.optional)
    }

    fn check(&self, node: &Node) -> Vec<String> {
        node.step("").err().map(|error| error.message).into_iter().collect()
    }

    /// No graph with such a node is valid, so none of them runs.
    fn action(&self, _node: &Node) -> Action {
        Action::Pass
    }
}

/// Its step, where that can be read.
fn step(node: &Node) -> Option<Step> {
    node.step("").ok()
}

fn member(step: &Step) -> String {
    let optional = if step.optional { " (optional)" } else { "" };
    format!("{}{optional}", step.activity)
}

fn short(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
