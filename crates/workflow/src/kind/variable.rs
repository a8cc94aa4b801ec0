//! `variable`: sets named values that later nodes of the run read as `context.variables` (spec 5.1).
//!
//! Its `data` is `{label, scope?, set: [{name, value} | {name, expression}], onError?}`. With the scope `run`,
//! the default, the values end with the run; with `workflow` they are kept for later runs of the workflow.
//! Expressions are computed in their order, all in one script; each sees the value as it was as `current`, and
//! those before it in `context.variables`. Constants are set as they were written, digit for digit. With
//! `onError: continue`, a node that fails sets nothing.

use super::{Kind, Role, Shape, hook};
use crate::plan::{Action, Origins, Scope, Setting, Source};
use crate::text::quote;
use model::Node;
use sandbox::Script;
use serde_json::Value;
use serde_json::value::to_raw_value;
use std::borrow::Cow;
use std::collections::HashSet;

/// The most values that one node sets.
const MOST: usize = 50;

/// The longest name.
const LONGEST: usize = 64;

pub(super) struct Variable;

impl Kind for Variable {
    fn name(&self) -> &'static str {
        "variable"
    }

    fn title(&self) -> &'static str {
        "Variable"
    }

    fn role(&self, _node: &Node) -> Role {
        Role::Step
    }

    fn shape(&self, _node: &Node) -> Shape {
        Shape::Box
    }

    fn check(&self, node: &Node) -> Vec<String> {
        let mut broken = Vec::new();
        let word = |key: &str| node.data.get(key).map(|word| word.as_str().unwrap_or(""));
        if !matches!(word("scope"), None | Some("run" | "workflow")) {
            broken.push("has a scope that is neither run nor workflow".into());
        }
        if !matches!(word("onError"), None | Some("stop" | "continue")) {
            broken.push("has an onError that is neither stop nor continue".into());
        }
        match node.data.get("set").and_then(Value::as_array) {
            Some(set) if (1..=MOST).contains(&set.len()) => check_all(set, &mut broken),
            Some(set) if set.is_empty() => broken.push("sets nothing; add a value to data.set".into()),
            Some(set) => broken.push(format!("sets {} values; at most {MOST} are allowed", set.len())),
            None => broken.push("needs data.set, a list of {name, value} or {name, expression}".into()),
        }
        broken
    }

    fn script<'a>(&self, node: &'a Node) -> Option<Cow<'a, str>> {
        let all = entries(node);
        all.iter().any(|(_, entry)| matches!(entry, Entry::Expression(_))).then(|| as_script(&all).0.into())
    }

    fn expressions<'a>(&self, node: &'a Node) -> Vec<&'a str> {
        let expression = |(_, entry)| match entry {
            Entry::Expression(text) => Some(text),
            Entry::Constant(_) => None,
        };
        entries(node).into_iter().filter_map(expression).collect()
    }

    fn action(&self, node: &Node) -> Action {
        let setting = |(name, entry): &(&str, Entry<'_>)| Setting {
            name: (*name).into(),
            constant: match entry {
                Entry::Constant(value) => Some(to_raw_value(value).expect("a JSON value has a text")),
                Entry::Expression(_) => None,
            },
        };
        let kept = node.data.get("scope").is_some_and(|scope| scope == "workflow");
        Action::Set {
            settings: entries(node).iter().map(setting).collect(),
            scope: if kept { Scope::Workflow } else { Scope::Run },
            source: self.script(node).map(|script| Source::Own(Script::new(node.label(), script))),
            origins: as_script(&entries(node)).1,
            stop: hook::stops(node.data.get("onError")),
        }
    }
}

/// What a variable is set to, as it was written.
enum Entry<'a> {
    Constant(&'a Value),
    Expression(&'a str),
}

fn check_all(set: &[Value], broken: &mut Vec<String>) {
    let mut seen = HashSet::new();
    for (place, one) in set.iter().enumerate() {
        let Some(name) = one.get("name").and_then(Value::as_str) else {
            broken.push(format!("has a value without a name in set[{place}]"));
            continue;
        };
        if !is_name(name) {
            broken.push(format!(
                "sets '{}', which is no name: letters, digits and _ are, at most {LONGEST}, no digit first",
                name.chars().take(LONGEST).collect::<String>()
            ));
        } else if !seen.insert(name) {
            broken.push(format!("sets '{name}' more than once"));
        }
        match (one.get("value"), one.get("expression")) {
            (Some(_), Some(_)) => {
                broken.push(format!("has a value and an expression for '{name}'; remove one"))
            }
            (None, None) => broken.push(format!("has neither a value nor an expression for '{name}'")),
            (Some(_), None) => {}
            (None, Some(Value::String(text))) if !text.trim().is_empty() => {
                broken.extend(model::check_script(text).err().map(|error| error.under("")));
            }
            (None, Some(_)) => broken.push(format!("has an expression for '{name}' that is no text")),
        }
    }
}

/// `__proto__` would be no member like others.
fn is_name(name: &str) -> bool {
    let first = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let rest = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    first && rest && name.len() <= LONGEST && name != "__proto__"
}

fn entries(node: &Node) -> Vec<(&str, Entry<'_>)> {
    node.data.get("set").and_then(Value::as_array).into_iter().flatten().filter_map(entry).collect()
}

fn entry(one: &Value) -> Option<(&str, Entry<'_>)> {
    let name = one.get("name")?.as_str()?;
    let entry = match one.get("value") {
        Some(value) => Entry::Constant(value),
        None => Entry::Expression(one.get("expression")?.as_str()?),
    };
    Some((name, entry))
}

/// All values in one script, in their order. Constants stand in it for the expressions behind them to read.
fn as_script(all: &[(&str, Entry<'_>)]) -> (String, Origins) {
    let mut origins = Origins::default();
    let mut script = String::from(
        "const set = async (name, make) => { const was = Object.hasOwn(context.variables, name); \
         const made = await make(was ? context.variables[name] ?? null : null); \
         context.variables[name] = ['undefined', 'function', 'symbol'].includes(typeof made) ? null : made; };",
    );
    for (name, entry) in all {
        script.push_str("await set(");
        quote(&mut script, name);
        match entry {
            Entry::Constant(value) => {
                // An object in JavaScript has keys with a meaning of their own, which one in JSON has not.
                script.push_str(", () => JSON.parse(");
                quote(&mut script, &value.to_string());
                script.push_str("));");
            }
            Entry::Expression(text) => {
                // The line break keeps a comment at its end from hiding what follows.
                script.push_str(", async current => (");
                origins.add(&script);
                script.push_str(text);
                script.push_str("\n));");
            }
        }
    }
    (script, origins)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn node(data: &Value) -> Node {
        let nodes = json!([{"id": "v", "type": "variable", "data": data}]);
        crate::testing::stored(&nodes, &json!([])).nodes[0].clone()
    }

    #[track_caller]
    fn check(data: &Value, expected: &[&str]) {
        assert_eq!(Variable.check(&node(data)), expected, "{data}");
    }

    #[test]
    fn what_is_set_has_a_good_name_and_one_source() {
        check(&json!({"set": [{"name": "_a1", "value": null}, {"name": "b", "expression": "1"}]}), &[]);
        check(&json!({"scope": "workflow", "onError": "continue", "set": [{"name": "a", "value": 1}]}), &[]);
        check(
            &json!({"set": [{"name": "a", "value": 1}, {"name": "a", "value": 2}]}),
            &["sets 'a' more than once"],
        );
        check(&json!({"set": [{"value": 1}]}), &["has a value without a name in set[0]"]);
        check(&json!({"set": [{"name": "a"}]}), &["has neither a value nor an expression for 'a'"]);
        check(
            &json!({"set": [{"name": "a", "value": 1, "expression": "1"}]}),
            &["has a value and an expression for 'a'; remove one"],
        );
        check(
            &json!({"set": [{"name": "a", "expression": " "}]}),
            &["has an expression for 'a' that is no text"],
        );
        check(&json!({"set": []}), &["sets nothing; add a value to data.set"]);
        check(&json!({}), &["needs data.set, a list of {name, value} or {name, expression}"]);
        check(
            &json!({"scope": "all", "onError": 1, "set": [{"name": "a", "value": 1}]}),
            &[
                "has a scope that is neither run nor workflow",
                "has an onError that is neither stop nor continue",
            ],
        );
    }

    #[test]
    fn a_node_sets_at_most_fifty_values() {
        let set = |n: usize| -> Vec<Value> {
            (0..n).map(|i| json!({"name": format!("v{i}"), "value": i})).collect()
        };
        check(&json!({"set": set(50)}), &[]);
        check(&json!({"set": set(51)}), &["sets 51 values; at most 50 are allowed"]);
    }

    #[test]
    fn names_are_words() {
        for good in ["a", "_", "A9_z", &"x".repeat(64)] {
            assert!(is_name(good), "{good}");
        }
        for bad in ["", "9a", "a-b", "a b", "é", "__proto__", "a\"]", &"x".repeat(65)] {
            assert!(!is_name(bad), "{bad}");
        }
    }

    #[test]
    fn constants_need_no_script() {
        assert_eq!(Variable.script(&node(&json!({"set": [{"name": "a", "value": {"b": 1}}]}))), None);
        let both = json!({"set": [{"name": "a", "value": "x"}, {"name": "b", "expression": "1 // one"}]});
        let both = node(&both);
        let script = Variable.script(&both).expect("a script");
        assert!(script.contains("await set(\"a\", () => JSON.parse(\"\\\"x\\\"\"));"), "{script}");
        assert!(script.ends_with("await set(\"b\", async current => (1 // one\n));"), "{script}");
    }
}
