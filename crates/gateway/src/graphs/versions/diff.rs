//! What is different between two versions of a workflow.

use model::{Workflow, WorkflowError};
use serde::Serialize;
use serde_json::{Map, Value};

/// What is different in the newer of two versions.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
pub struct VersionDiff {
    /// The number of the first version.
    pub from: u64,
    /// The number of the second version.
    pub to: u64,
    /// Fields of the workflow itself, such as its name.
    pub fields: Vec<FieldChange>,
    /// Its nodes, by their ids.
    pub nodes: ListChange,
    /// Its edges, by their ids or by the nodes that they connect.
    pub edges: ListChange,
    /// The steps of a session workflow, by their activities.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<ListChange>,
}

/// What is different in a list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, utoipa::ToSchema)]
pub struct ListChange {
    /// Items that only the second version has.
    #[schema(value_type = Vec<Object>)]
    pub added: Vec<Value>,
    /// Items that only the first version has.
    #[schema(value_type = Vec<Object>)]
    pub removed: Vec<Value>,
    /// Items that are another than before.
    pub changed: Vec<ItemChange>,
    /// Items that stand in another order than before.
    pub moved: Vec<String>,
}

/// An item that is another than before.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
pub struct ItemChange {
    /// Which one.
    pub id: String,
    /// What is different in it.
    pub fields: Vec<FieldChange>,
}

/// A field that is another than before.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
pub struct FieldChange {
    /// Its path, such as `data.label`.
    pub field: String,
    /// What it was; absent where it was not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    pub from: Option<Value>,
    /// What it is; absent where it is not there any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    pub to: Option<Value>,
}

impl VersionDiff {
    /// What is different in the second version.
    pub(super) fn between(one: &Workflow, other: &Workflow) -> Result<Self, WorkflowError> {
        let (mut before, mut after) = (one.definition()?, other.definition()?);
        let mut list = |key: &str, name: &dyn Fn(&Value) -> String, ordered: bool| {
            let take = |map: &mut Map<String, Value>| match map.shift_remove(key) {
                Some(Value::Array(items)) => named(items, name),
                _ => Vec::new(),
            };
            ListChange::between(&take(&mut before), take(&mut after), ordered)
        };
        // The order of nodes and edges means nothing.
        let nodes = list("nodes", &|node| text(node, "id"), false);
        let edges = list("edges", &edge_name, false);
        let steps = |workflow: &Workflow| {
            let steps = workflow.steps()?.into_iter().filter_map(|step| {
                let name = step.name().to_owned();
                Some((name, serde_json::to_value(&step).ok()?))
            });
            Some(numbered(steps.collect()))
        };
        let steps = match (steps(one), steps(other)) {
            (None, None) => None,
            (one, other) => {
                Some(ListChange::between(&one.unwrap_or_default(), other.unwrap_or_default(), true))
            }
        };
        let mut fields = Vec::new();
        differences("", &before, &after, &mut fields);
        Ok(Self { from: one.revision, to: other.revision, fields, nodes, edges, steps })
    }
}

/// Items with names that are unique.
type Named = Vec<(String, Value)>;

impl ListChange {
    fn between(before: &Named, after: Named, ordered: bool) -> Self {
        let find = |list: &Named, name: &str| list.iter().position(|(other, _)| other == name);
        let mut change = Self::default();
        if ordered {
            let common = |list: &Named, other: &Named| -> Vec<String> {
                let names = list.iter().map(|(name, _)| name.clone());
                names.filter(|name| find(other, name).is_some()).collect()
            };
            let pairs = common(before, &after).into_iter().zip(common(&after, before));
            change.moved = pairs.filter(|(was, is)| was != is).map(|(_, is)| is).collect();
        }
        change.removed = before
            .iter()
            .filter(|(name, _)| find(&after, name).is_none())
            .map(|(_, item)| item.clone())
            .collect();
        for (name, item) in after {
            match find(before, &name).map(|at| &before[at].1) {
                None => change.added.push(item),
                Some(old) => {
                    let mut fields = Vec::new();
                    difference("", Some(old), Some(&item), &mut fields);
                    if !fields.is_empty() {
                        change.changed.push(ItemChange { id: name, fields });
                    }
                }
            }
        }
        change
    }
}

fn named(items: Vec<Value>, name: &dyn Fn(&Value) -> String) -> Named {
    numbered(items.into_iter().map(|item| (name(&item), item)).collect())
}

/// Names that come again are told apart by a number.
fn numbered(items: Named) -> Named {
    let mut seen: std::collections::HashMap<String, usize> = std::collections::HashMap::new();
    let tell_apart = |(name, item): (String, Value)| {
        let count = seen.entry(name.clone()).or_default();
        *count += 1;
        if *count == 1 { (name, item) } else { (format!("{name}#{count}"), item) }
    };
    items.into_iter().map(tell_apart).collect()
}

fn text(item: &Value, key: &str) -> String {
    item.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn edge_name(edge: &Value) -> String {
    let id = text(edge, "id");
    if id.is_empty() { format!("{} -> {}", text(edge, "source"), text(edge, "target")) } else { id }
}

/// Objects are looked into; everything else is compared as a whole.
fn difference(path: &str, before: Option<&Value>, after: Option<&Value>, found: &mut Vec<FieldChange>) {
    match (before, after) {
        (Some(Value::Object(before)), Some(Value::Object(after))) => differences(path, before, after, found),
        (before, after) if before == after => {}
        (before, after) => {
            found.push(FieldChange { field: path.to_owned(), from: before.cloned(), to: after.cloned() });
        }
    }
}

fn differences(
    path: &str,
    before: &Map<String, Value>,
    after: &Map<String, Value>,
    found: &mut Vec<FieldChange>,
) {
    let new = after.keys().filter(|key| !before.contains_key(*key));
    for key in before.keys().chain(new) {
        let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        difference(&path, before.get(key), after.get(key), found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::WorkflowDraft;
    use serde_json::json;

    fn workflow(name: &str, steps: &Value) -> Workflow {
        let body = json!({"name": name, "workflowType": "session", "steps": steps});
        Workflow::new(
            "w".into(),
            WorkflowDraft::parse(&body.to_string(), &workflow::KIND_NAMES).expect("a workflow"),
            1,
        )
    }

    #[test]
    fn a_difference_says_what_is_new_gone_and_another() {
        let one = workflow("a", &json!([{"activity": "x"}, {"activity": "y"}, {"activity": "z"}]));
        let other = workflow(
            "b",
            &json!([{"activity": "w"}, {"activity": "y", "optional": true}, {"activity": "x"}]),
        );
        let diff = VersionDiff::between(&one, &other).expect("definitions");
        assert_eq!(
            diff.fields,
            [FieldChange { field: "name".into(), from: Some("a".into()), to: Some("b".into()) }]
        );
        let steps = diff.steps.expect("a session workflow has steps");
        assert_eq!(
            (steps.added, steps.removed),
            (vec![json!({"activity": "w"})], vec![json!({"activity": "z"})])
        );
        assert_eq!(steps.moved, ["y", "x"]);
        let [changed] = &steps.changed[..] else { panic!("{:?}", steps.changed) };
        assert_eq!((changed.id.as_str(), changed.fields[0].field.as_str()), ("y", "optional"));
        assert_eq!((&changed.fields[0].from, &changed.fields[0].to), (&None, &Some(true.into())));
        assert!(diff.nodes.changed.iter().any(|node| node.id == "step-1"), "{:?}", diff.nodes);
    }

    #[test]
    fn a_version_from_before_there_was_a_limit_is_compared_too() {
        let deep =
            format!(r#"[{{"id":"a","type":"start","data":{{"x":{}{}}}}}]"#, "[".repeat(124), "]".repeat(124));
        let stored = |nodes: &str| -> Workflow {
            let rest = r#""id":"w","name":"W","workflowType":"tools/call","enabled":false,"edges":[]"#;
            let times = r#""createdAt":0,"updatedAt":0,"revision":1"#;
            serde_json::from_str(&format!("{{{rest},\"nodes\":{nodes},{times}}}")).expect("a workflow")
        };
        let diff = VersionDiff::between(&stored(&deep), &stored("[]")).expect("definitions");
        assert_eq!((diff.fields, diff.nodes.removed.len()), (vec![], 1));
    }

    #[test]
    fn a_version_is_like_itself() {
        let one = workflow("a", &json!([{"activity": "x"}, {"activity": "x"}]));
        let diff = VersionDiff::between(&one, &one).expect("definitions");
        let none = ListChange::default();
        assert_eq!(
            (diff.fields, diff.nodes, diff.edges, diff.steps),
            (vec![], none.clone(), none.clone(), Some(none))
        );
    }
}
