//! What the description of the API says of the bodies that make and change a workflow: everything that may be
//! written, the shorthand of steps included.

use super::{Viewport, WorkflowDraft, WorkflowPatch, WorkflowType};
use crate::session::{Step, TimeoutScope, Tools};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

macro_rules! body {
    ($(#[$doc:meta])* $shadow:ident for $type:ident, $name:literal {
        $($(#[$fdoc:meta])* $field:ident: $of:ty),+ $(,)?
    }) => {
        $(#[$doc])*
        #[derive(ToSchema)]
        #[schema(rename_all = "camelCase")]
        #[expect(dead_code, reason = "only its schema is used")]
        struct $shadow {
            $($(#[$fdoc])* $field: $of,)+
            /// The steps of a session workflow, in order: shorthand for nodes and edges; given besides them it must be theirs.
            steps: Option<Vec<Step>>,
            /// Its nodes.
            #[schema(value_type = Option<Vec<Object>>)]
            nodes: (),
            /// Its edges.
            #[schema(value_type = Option<Vec<Object>>)]
            edges: (),
            /// The part of it that an editor showed last.
            viewport: Option<Viewport>,
            /// Milliseconds for the whole of a session.
            timeout: Option<u64>,
            /// Which time counts for `timeout`.
            timeout_scope: Option<TimeoutScope>,
            /// How the tools of a session workflow are shown.
            tools: Option<Tools>,
            /// A script that runs when a session has succeeded.
            on_success: Option<String>,
            /// A script that runs when a session has failed.
            on_failure: Option<String>,
            /// A script that runs last, whatever came of a session.
            on_complete: Option<String>,
        }

        impl PartialSchema for $type {
            fn schema() -> RefOr<Schema> {
                $shadow::schema()
            }
        }

        impl ToSchema for $type {
            fn name() -> std::borrow::Cow<'static, str> {
                $name.into()
            }

            fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
                $shadow::schemas(schemas);
            }
        }
    };
}

body! {
    /// What a user gives to create a workflow.
    Draft for WorkflowDraft, "WorkflowDraft" {
        /// Not blank; under the rule for names for a session workflow.
        name: String,
        /// What it is for.
        description: Option<String>,
        /// Which requests pass through it, or session.
        workflow_type: WorkflowType,
        /// Whether it is to be activated at once; false by default.
        enabled: Option<bool>,
    }
}

body! {
    /// What a user gives to change a workflow: the fields that change.
    Patch for WorkflowPatch, "WorkflowPatch" {
        /// Another name.
        name: Option<String>,
        /// Another description; null takes it away.
        description: Option<String>,
        /// Another type.
        workflow_type: Option<WorkflowType>,
        /// Whether it is to be active.
        enabled: Option<bool>,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use std::collections::BTreeSet;

    fn references(value: &Value, all: &mut BTreeSet<String>) {
        match value {
            Value::Object(map) => {
                let name = map.get("$ref").and_then(Value::as_str).and_then(|path| path.rsplit('/').next());
                all.extend(name.map(str::to_owned));
                map.values().for_each(|value| references(value, all));
            }
            Value::Array(list) => list.iter().for_each(|value| references(value, all)),
            _ => {}
        }
    }

    fn check<T: ToSchema>(required: &[&str]) {
        let schema = serde_json::to_value(T::schema()).expect("JSON");
        let mut fields: Vec<&str> =
            schema["properties"].as_object().expect("a map").keys().map(String::as_str).collect();
        let mut expected =
            vec!["name", "description", "workflowType", "enabled", "steps", "nodes", "edges", "viewport"];
        expected.extend(crate::session::parse::TERMS);
        fields.sort_unstable();
        expected.sort_unstable();
        assert_eq!(fields, expected);
        let found = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        assert_eq!(found, required);
        let mut parts = Vec::new();
        T::schemas(&mut parts);
        let known: BTreeSet<String> = parts.iter().map(|(name, _)| name.clone()).collect();
        let mut named = BTreeSet::new();
        references(&schema, &mut named);
        for (_, part) in &parts {
            references(&serde_json::to_value(part).expect("JSON"), &mut named);
        }
        assert_eq!(named.difference(&known).collect::<Vec<_>>(), Vec::<&String>::new());
        assert!(known.contains("Step") && known.contains("SessionTools"), "{known:?}");
    }

    #[test]
    fn every_field_that_is_read_is_described() {
        check::<WorkflowDraft>(&["name", "workflowType"]);
        check::<WorkflowPatch>(&[]);
    }
}
