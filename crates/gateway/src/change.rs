//! How the tools of a server changed between two lists.

use crate::tools::ToolSet;
use serde::Serialize;
use std::time::{SystemTime, UNIX_EPOCH};

/// The difference between two lists of tools.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolChange {
    /// When the newer list came, in milliseconds since 1970.
    pub at: u64,
    /// Names that are new.
    pub added: Vec<String>,
    /// Names that are gone.
    pub removed: Vec<String>,
    /// Names whose definition is another.
    pub changed: Vec<String>,
}

impl ToolChange {
    /// What is different in the newer list; `None` when nothing is.
    pub(crate) fn between(old: &ToolSet, new: &ToolSet) -> Option<Self> {
        let names = |tools: &ToolSet, keep: &dyn Fn(&mcp::Entry) -> bool| -> Vec<String> {
            tools.entries().iter().filter(|tool| keep(tool)).map(|tool| tool.key.clone()).collect()
        };
        let added = names(new, &|tool| old.get(&tool.key).is_none());
        let removed = names(old, &|tool| new.get(&tool.key).is_none());
        let before: std::collections::HashMap<&str, &str> =
            old.entries().iter().map(|tool| (tool.key.as_str(), tool.raw.get())).collect();
        let changed =
            names(new, &|tool| before.get(tool.key.as_str()).is_some_and(|raw| *raw != tool.raw.get()));
        if added.is_empty() && removed.is_empty() && changed.is_empty() {
            return None;
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Some(Self { at: u64::try_from(now.as_millis()).unwrap_or(u64::MAX), added, removed, changed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::value::RawValue;

    fn tools(entries: &[(&str, &str)]) -> ToolSet {
        let entries = entries.iter().map(|(name, title)| mcp::Entry {
            key: (*name).into(),
            raw: RawValue::from_string(format!(r#"{{"name":"{name}","title":"{title}"}}"#))
                .expect("it is JSON"),
        });
        ToolSet::new(entries.collect(), |_| std::sync::Arc::default())
    }

    #[test]
    fn a_difference_names_what_is_new_gone_and_another() {
        let old = tools(&[("a", "A"), ("b", "B"), ("c", "C")]);
        let change = ToolChange::between(&old, &tools(&[("d", "D"), ("b", "B"), ("c", "other")]))
            .expect("they differ");
        assert_eq!((change.added, change.removed), (vec!["d".to_owned()], vec!["a".to_owned()]));
        assert_eq!(change.changed, ["c"]);
    }

    #[test]
    fn another_order_is_no_difference() {
        let old = tools(&[("a", "A"), ("b", "B")]);
        assert_eq!(ToolChange::between(&old, &tools(&[("b", "B"), ("a", "A")])), None);
    }
}
