//! One hook: the same type in the store and in the API body (spec 2.2).

mod draft;

pub use draft::{HOOK_NAME_MAX, HookDraft, HookPatch, SCRIPT_MAX, check_script};

use serde::{Deserialize, Serialize};
use serde_json::Number;
use std::cmp::Ordering;

/// The phases in which a hook of the list runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum HookType {
    /// Before the request goes to the server.
    Pre,
    /// After the reply came back.
    Post,
    /// In both phases.
    Both,
}

/// What a failing script does to the request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnError {
    /// The flow goes on as if the hook were absent.
    #[default]
    Continue,
    /// The client gets an error.
    Stop,
}

/// A hook as it is kept.
#[derive(Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Hook {
    /// Given by the gateway.
    pub id: String,
    /// Unique among all hooks; not blank, at most 100 characters.
    pub name: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// `false` means never run by the list.
    pub enabled: bool,
    /// Its place in the list: smaller runs earlier, ties run by creation time.
    #[schema(value_type = f64)]
    pub execution_order: Number,
    /// The phases in which it runs.
    pub hook_type: HookType,
    /// What a failure does to the request.
    pub on_error: OnError,
    /// The body of an async function; at most 1048576 bytes.
    pub script: String,
    /// Counts the changes, from 1; logs name it, so that a line can be traced to the script that ran.
    pub version: u64,
    /// When it was created, in milliseconds since 1970.
    pub created_at: i64,
    /// When it was last changed, in milliseconds since 1970; grows with every change.
    pub updated_at: i64,
}

/// Scripts may hold secrets and are long, so only the rest is shown.
impl std::fmt::Debug for Hook {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hook")
            .field("id", &self.id)
            .field("name", &self.name)
            .field("execution_order", &self.execution_order)
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}

impl Hook {
    /// A new hook from a draft, at `order` unless the draft names its place.
    pub fn new(id: String, draft: HookDraft, order: Number, now: i64) -> Self {
        Self {
            id,
            name: draft.name,
            description: draft.description,
            enabled: draft.enabled.unwrap_or(true),
            execution_order: draft.execution_order.unwrap_or(order),
            hook_type: draft.hook_type,
            on_error: draft.on_error.unwrap_or_default(),
            script: draft.script,
            version: 1,
            created_at: now,
            updated_at: now,
        }
    }

    /// The same hook with the fields that the patch names.
    #[must_use]
    pub fn patched(&self, patch: HookPatch, now: i64) -> Self {
        let mut hook = self.clone();
        let HookPatch { name, description, enabled, execution_order, hook_type, on_error, script } = patch;
        hook.name = name.unwrap_or(hook.name);
        hook.description = description.unwrap_or(hook.description);
        hook.enabled = enabled.unwrap_or(hook.enabled);
        hook.execution_order = execution_order.unwrap_or(hook.execution_order);
        hook.hook_type = hook_type.unwrap_or(hook.hook_type);
        hook.on_error = on_error.unwrap_or(hook.on_error);
        hook.script = script.unwrap_or(hook.script);
        hook.touch(now);
        hook
    }

    /// The same hook in another place.
    #[must_use]
    pub fn moved(&self, place: Number, now: i64) -> Self {
        let mut hook = Self { execution_order: place, ..self.clone() };
        hook.touch(now);
        hook
    }

    /// Marks a change: its version and `updatedAt` grow, even when the clock stood still or went back.
    fn touch(&mut self, now: i64) {
        self.version = self.version.saturating_add(1);
        self.updated_at = now.max(self.updated_at.saturating_add(1));
    }

    /// Whether it runs before requests.
    pub fn is_pre(&self) -> bool {
        matches!(self.hook_type, HookType::Pre | HookType::Both)
    }

    /// Whether it runs after replies.
    pub fn is_post(&self) -> bool {
        matches!(self.hook_type, HookType::Post | HookType::Both)
    }

    /// Puts hooks into the order in which they run: `executionOrder`, then creation; what is still
    /// equal stays as it was.
    pub fn sort(hooks: &mut [Self]) {
        hooks.sort_by(Self::compare);
    }

    /// Which of two hooks runs first.
    pub fn compare(&self, other: &Self) -> Ordering {
        // Minus nothing is nothing.
        let place = |hook: &Self| hook.execution_order.as_f64().unwrap_or(f64::MAX) + 0.0;
        place(self).total_cmp(&place(other)).then(self.created_at.cmp(&other.created_at))
    }

    /// The place after all of these; 0 when there is none.
    pub fn place_after<'a>(hooks: impl IntoIterator<Item = &'a Self>) -> Number {
        /// Up to here every integer has a float of its own.
        const EXACT: f64 = 9_007_199_254_740_992.0;
        let last = hooks.into_iter().filter_map(|hook| hook.execution_order.as_f64()).reduce(f64::max);
        let Some(last) = last else { return 0.into() };
        let next = last.floor() + 1.0;
        // Beyond, the next place is the same place, and creation time decides.
        if next.abs() <= EXACT { (next as i64).into() } else { Number::from_f64(next).unwrap_or(0.into()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn draft(extra: &Value) -> HookDraft {
        let mut body = json!({"name": "h", "hookType": "pre", "script": "return"});
        body.as_object_mut().expect("a map").extend(extra.as_object().expect("a map").clone());
        HookDraft::parse(&body).expect("valid")
    }

    #[test]
    fn a_patch_changes_what_it_names_and_nothing_else() {
        let parse = |body: Value| HookPatch::parse(&body).map_err(|e| e.under(""));
        let body = draft(&json!({"description": "d"}));
        let hook = Hook::new("1".into(), body, 3.into(), 1000);
        assert_eq!((hook.created_at, hook.updated_at, hook.version), (1000, 1000, 1));
        let patch =
            parse(json!({"description": null, "enabled": false, "executionOrder": 1.5})).expect("valid");
        let changed = hook.patched(patch, 900);
        assert_eq!((changed.description.as_deref(), changed.enabled), (None, false));
        assert_eq!((changed.updated_at, changed.version, changed.created_at), (1001, 2, 1000));
        assert_eq!(changed.execution_order.as_f64(), Some(1.5));
        assert_eq!((&changed.name, &changed.script), (&hook.name, &hook.script));
        assert!(parse(json!({"id": "other"})).expect("valid").is_empty());
        assert_eq!(parse(json!({"name": null})).err().as_deref(), Some("name must be a string"));
        assert_eq!(parse(json!({"script": ""})).err().as_deref(), Some("script is required"));
    }

    #[test]
    fn hooks_are_ordered_by_place_then_by_creation() {
        let hook = |id: &str, order: Value, created: i64| {
            let body = draft(&json!({"executionOrder": order}));
            Hook::new(id.into(), body, 0.into(), created)
        };
        let mut hooks = vec![
            hook("d", json!(2), 1),
            hook("c", json!(1.5), 9),
            hook("b", json!(1.0), 7),
            hook("a", json!(1), 5),
            hook("e", json!(2), 1),
        ];
        Hook::sort(&mut hooks);
        assert_eq!(hooks.iter().map(|hook| hook.id.as_str()).collect::<String>(), "abcde");
        for (orders, expected) in [
            (vec![], json!(0)),
            (vec![json!(0)], json!(1)),
            (vec![json!(7), json!(-1)], json!(8)),
            (vec![json!(1.5)], json!(2)),
            (vec![json!(-3)], json!(-2)),
            (vec![json!(1e300)], json!(1e300)),
        ] {
            let hooks: Vec<_> = orders.into_iter().map(|order| hook("x", order, 0)).collect();
            assert_eq!(Value::Number(Hook::place_after(&hooks)), expected);
        }
    }

    #[test]
    fn minus_nothing_is_the_same_place_as_nothing() {
        // As the store of an earlier version may hold it.
        let later = Hook {
            execution_order: Number::from_f64(-0.0).expect("a number"),
            ..Hook::new("b".into(), draft(&json!({})), 0.into(), 2)
        };
        let earlier = Hook::new("a".into(), draft(&json!({})), 0.into(), 1);
        assert_eq!(earlier.compare(&later), Ordering::Less);
    }

    #[test]
    fn a_place_is_kept_as_it_was_written() {
        for (given, text) in
            [("0", "0"), ("-3", "-3"), ("1.5", "1.5"), ("10", "10"), ("-0", "0"), ("-0.0", "0")]
        {
            let order: Value = serde_json::from_str(given).expect("a number");
            let body = draft(&json!({"executionOrder": order}));
            let hook = serde_json::to_string(&Hook::new("1".into(), body, 0.into(), 0)).expect("plain data");
            assert!(hook.contains(&format!("\"executionOrder\":{text},")), "{hook}");
        }
    }
}
