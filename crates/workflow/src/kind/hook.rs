//! `hook`: a script of the user, awaited or beside the way (spec 3.1).

use super::{Kind, Role, Shape};
use crate::plan::{Action, Source};
use model::Node;
use sandbox::Script;
use serde_json::Value;
use std::borrow::Cow;

pub(super) struct Hook;

impl Kind for Hook {
    fn name(&self) -> &'static str {
        "hook"
    }

    fn title(&self) -> &'static str {
        "Hook"
    }

    fn role(&self, node: &Node) -> Role {
        if is_blocking(node) { Role::Step } else { Role::Side }
    }

    fn shape(&self, node: &Node) -> Shape {
        if is_blocking(node) { Shape::Box } else { Shape::Dashed }
    }

    fn check(&self, node: &Node) -> Vec<String> {
        let mut broken = Vec::new();
        if !node.has_hook() {
            return vec!["needs data.hook with a script or a hookModuleId".into()];
        }
        if !matches!(node.of_hook("blocking"), Some(Value::Bool(_))) {
            broken.push("needs data.hook.blocking, which is true or false".into());
        }
        if !matches!(
            node.of_hook("onError").map(|word| word.as_str().unwrap_or("")),
            None | Some("stop" | "continue")
        ) {
            broken.push("has an onError that is neither stop nor continue".into());
        }
        match (own_script(node), node.module()) {
            (Some(_), Some(_)) => broken.push("has both a script and a hookModuleId; remove one".into()),
            (None, None) => broken.push("has no script".into()),
            (Some(script), None) => {
                broken.extend(model::check_script(script).err().map(|error| error.under("")))
            }
            (None, Some(_)) => {}
        }
        broken
    }

    fn script<'a>(&self, node: &'a Node) -> Option<Cow<'a, str>> {
        own_script(node).map(Cow::Borrowed)
    }

    fn action(&self, node: &Node) -> Action {
        let source = match (node.module(), own_script(node)) {
            (Some(id), _) => Source::Module(id.into()),
            (None, script) => Source::Own(Script::new(node.label(), script.unwrap_or_default())),
        };
        Action::Hook { source, stop: stops(node.of_hook("onError")) }
    }
}

fn is_blocking(node: &Node) -> bool {
    // What does not say is taken for awaited, and refused for not saying.
    node.of_hook("blocking").and_then(Value::as_bool).unwrap_or(true)
}

fn own_script(node: &Node) -> Option<&str> {
    node.of_hook("script")?.as_str().filter(|script| !script.trim().is_empty())
}

/// Whether a failure ends the run, which is the default.
pub(crate) fn stops(on_error: Option<&Value>) -> bool {
    on_error.and_then(Value::as_str) != Some("continue")
}
