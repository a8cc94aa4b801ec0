//! What a user gives to create or to change a hook, and the rules it is held to.

use super::{HookType, OnError};
use crate::server::FieldError;
use serde::Deserialize;
use serde_json::{Map, Number, Value};

/// The longest name of a hook, in characters.
pub const HOOK_NAME_MAX: usize = 100;

/// The longest script, in bytes.
pub const SCRIPT_MAX: usize = 1_048_576;

/// The most hooks in one import.
const IMPORT_MAX: usize = 1000;

/// What a user gives to create a hook.
#[derive(Clone, PartialEq, utoipa::ToSchema)]
#[schema(rename_all = "camelCase")]
pub struct HookDraft {
    /// Unique among all hooks; not blank, at most 100 characters.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// Whether the list runs it; `true` when absent.
    pub enabled: Option<bool>,
    /// Its place in the list; after the last when absent.
    #[schema(value_type = Option<f64>)]
    pub execution_order: Option<Number>,
    /// The phases in which it runs.
    pub hook_type: HookType,
    /// What a failure does to the request; `continue` when absent.
    pub on_error: Option<OnError>,
    /// The body of an async function; at most 1048576 bytes.
    pub script: String,
}

impl HookDraft {
    /// Reads and checks a body. The first rule broken is the error.
    pub fn parse(body: &Value) -> Result<Self, FieldError> {
        let HookPatch { name, description, enabled, execution_order, hook_type, on_error, script } =
            read(body, Null::Absent)?;
        Ok(Self {
            name: name.ok_or_else(|| missing("name"))?,
            description: description.flatten(),
            enabled,
            execution_order,
            hook_type: hook_type.ok_or_else(|| missing("hookType"))?,
            on_error,
            script: script.ok_or_else(|| missing("script"))?,
        })
    }
}

impl HookDraft {
    /// Reads and checks a body with any number of drafts: one object, an array of them, or an object
    /// with such an array as `hooks`. Errors name the draft, as in `hooks[2].name`, unless it stands alone.
    pub fn parse_all(body: &Value) -> Result<Vec<Self>, FieldError> {
        let bodies = match (body, body.get("hooks")) {
            (Value::Array(bodies), _) | (_, Some(Value::Array(bodies))) => bodies.as_slice(),
            (Value::Object(_), None) => std::slice::from_ref(body),
            (_, Some(_)) => return Err(FieldError::new("hooks", "must be an array of hooks")),
            _ => return Err(FieldError::new("body", "must be a hook or an array of hooks")),
        };
        if bodies.len() > IMPORT_MAX {
            return Err(FieldError::new("hooks", format!("exceeds maximum count ({IMPORT_MAX})")));
        }
        let alone = Self::is_alone(body);
        let named = |i: usize, error: FieldError| FieldError {
            path: match error.path.as_str() {
                path if alone => path.to_owned(),
                "body" => format!("hooks[{i}]"),
                path => format!("hooks[{i}].{path}"),
            },
            ..error
        };
        bodies.iter().enumerate().map(|(i, body)| Self::parse(body).map_err(|e| named(i, e))).collect()
    }

    /// Whether such a body is one draft and no list.
    pub fn is_alone(body: &Value) -> bool {
        body.is_object() && body.get("hooks").is_none()
    }
}

/// What a user gives to change a hook: the fields that change.
#[derive(Clone, Default, PartialEq, utoipa::ToSchema)]
#[schema(rename_all = "camelCase")]
pub struct HookPatch {
    /// Another name.
    pub name: Option<String>,
    /// Another description; null takes it away.
    #[schema(value_type = Option<String>)]
    pub description: Option<Option<String>>,
    /// Whether the list runs it.
    pub enabled: Option<bool>,
    /// Another place in the list.
    #[schema(value_type = Option<f64>)]
    pub execution_order: Option<Number>,
    /// Other phases.
    pub hook_type: Option<HookType>,
    /// Another policy for failures.
    pub on_error: Option<OnError>,
    /// Another script.
    pub script: Option<String>,
}

impl HookPatch {
    /// Reads and checks a body. The first rule broken is the error.
    pub fn parse(body: &Value) -> Result<Self, FieldError> {
        read(body, Null::Value)
    }

    /// Whether it names nothing to change.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What null stands for: in a draft the field was left out, in a patch it is a value.
#[derive(Clone, Copy, PartialEq)]
enum Null {
    Absent,
    Value,
}

const FIELDS: [&str; 7] =
    ["name", "description", "enabled", "executionOrder", "hookType", "onError", "script"];

/// A place in the order; minus nothing is nothing.
fn place(value: &Value) -> Option<Number> {
    let number = value.as_number()?;
    let nothing = number.as_f64().is_some_and(|place| place == 0.0 && place.is_sign_negative());
    Some(if nothing { 0.into() } else { number.clone() })
}

/// Reads the fields that a user sets. Others are passed over, so that what the gateway shows can be sent
/// back as it is; but a field that is only spelt otherwise is surely meant.
fn read(body: &Value, null: Null) -> Result<HookPatch, FieldError> {
    let Value::Object(map) = body else { return Err(FieldError::new("body", "must be a JSON object")) };
    let plain = |word: &str| word.to_lowercase().replace(['_', '-'], "");
    for key in map.keys().filter(|key| !FIELDS.contains(&key.as_str())) {
        if let Some(meant) = FIELDS.iter().find(|field| plain(field) == plain(key)) {
            let message = format!("is not a known field (did you mean '{meant}'?)");
            return Err(FieldError::new(key.as_str(), message));
        }
    }
    let given = Given { map, null };
    let patch = HookPatch {
        name: given.text("name")?,
        description: match given.get("description") {
            Some(Value::Null) => Some(None),
            _ => given.text("description")?.map(Some),
        },
        enabled: given.read("enabled", Value::as_bool, "must be true or false")?,
        execution_order: given.read("executionOrder", place, "must be a number")?,
        hook_type: given.word("hookType", "must be one of pre, post, both")?,
        on_error: given.word("onError", "must be one of continue, stop")?,
        script: given.text("script")?,
    };
    if let Some(name) = &patch.name {
        check_name(name)?;
    }
    if let Some(script) = &patch.script {
        check_script(script)?;
    }
    Ok(patch)
}

struct Given<'a> {
    map: &'a Map<String, Value>,
    null: Null,
}

impl<'a> Given<'a> {
    fn get(&self, field: &str) -> Option<&'a Value> {
        self.map.get(field).filter(|value| self.null == Null::Value || !value.is_null())
    }

    fn read<T>(
        &self,
        field: &str,
        as_type: impl Fn(&'a Value) -> Option<T>,
        rule: &str,
    ) -> Result<Option<T>, FieldError> {
        let wrong = || FieldError::new(field, rule);
        self.get(field).map(|value| as_type(value).ok_or_else(wrong)).transpose()
    }

    fn text(&self, field: &str) -> Result<Option<String>, FieldError> {
        self.read(field, |value| value.as_str().map(str::to_owned), "must be a string")
    }

    fn word<T: Deserialize<'a>>(&self, field: &str, rule: &str) -> Result<Option<T>, FieldError> {
        self.read(field, |value| T::deserialize(value).ok(), rule)
    }
}

fn missing(field: &str) -> FieldError {
    FieldError::new(field, "is required")
}

fn check_name(name: &str) -> Result<(), FieldError> {
    if name.is_empty() {
        return Err(missing("name"));
    }
    if name.trim().is_empty() {
        return Err(FieldError::new("name", "must not be blank"));
    }
    if name.chars().count() > HOOK_NAME_MAX {
        return Err(FieldError::new("name", format!("exceeds maximum length ({HOOK_NAME_MAX} characters)")));
    }
    Ok(())
}

/// Checks what can be known of a script without an engine.
pub fn check_script(script: &str) -> Result<(), FieldError> {
    if script.is_empty() {
        return Err(missing("script"));
    }
    if script.len() > SCRIPT_MAX {
        return Err(FieldError::new("script", format!("exceeds maximum size ({SCRIPT_MAX} bytes)")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn draft(extra: &Value) -> Value {
        let mut body = json!({"name": "h", "hookType": "pre", "script": "return"});
        body.as_object_mut().expect("a map").extend(extra.as_object().expect("a map").clone());
        body
    }

    fn check(extra: &Value, expected: &str) {
        let found = HookDraft::parse(&draft(extra)).map_or_else(|e| e.under(""), |_| "ok".into());
        assert_eq!(found, expected, "{extra}");
    }

    #[test]
    fn a_draft_is_refused_at_the_field_that_breaks_a_rule() {
        check(&json!({}), "ok");
        check(&json!({"description": null, "enabled": null, "onError": null, "executionOrder": null}), "ok");
        check(&json!({"id": 7, "createdAt": "x", "stats": {}, "anything": []}), "ok");
        check(&json!({"executionOrder": -0.5}), "ok");
        check(&json!({"name": null}), "name is required");
        check(&json!({"name": ""}), "name is required");
        check(&json!({"name": " \t\u{3000}"}), "name must not be blank");
        check(&json!({"name": "鍵".repeat(100)}), "ok");
        check(&json!({"name": "鍵".repeat(101)}), "name exceeds maximum length (100 characters)");
        check(&json!({"name": 7}), "name must be a string");
        check(&json!({"description": 7}), "description must be a string");
        check(&json!({"enabled": "yes"}), "enabled must be true or false");
        check(&json!({"executionOrder": "1"}), "executionOrder must be a number");
        check(&json!({"hookType": null}), "hookType is required");
        for wrong in [json!("before"), json!("Pre"), json!(1), json!(["pre"]), json!("")] {
            check(&json!({"hookType": wrong}), "hookType must be one of pre, post, both");
        }
        check(&json!({"onError": "retry"}), "onError must be one of continue, stop");
        check(&json!({"script": null}), "script is required");
        check(&json!({"script": ""}), "script is required");
        check(&json!({"script": 1}), "script must be a string");
        check(&json!({"script": "é".repeat(SCRIPT_MAX / 2)}), "ok");
        check(
            &json!({"script": format!(" {}", "é".repeat(SCRIPT_MAX / 2))}),
            "script exceeds maximum size (1048576 bytes)",
        );
        check(&json!({"on_error": "stop"}), "on_error is not a known field (did you mean 'onError'?)");
        let list = HookDraft::parse(&json!([])).err().map(|e| e.under(""));
        assert_eq!(list.as_deref(), Some("body must be a JSON object"));
    }

    #[test]
    fn many_drafts_come_in_three_shapes() {
        let parse = |body: Value| HookDraft::parse_all(&body).map(|all| all.len()).map_err(|e| e.under(""));
        let good = draft(&json!({}));
        assert_eq!(parse(good.clone()), Ok(1));
        assert_eq!(parse(json!([good, good])), Ok(2));
        assert_eq!(parse(json!({"hooks": [good, good, good]})), Ok(3));
        assert_eq!(parse(json!([])), Ok(0));
        for (body, expected) in [
            (json!("x"), "body must be a hook or an array of hooks"),
            (json!({"hooks": 1}), "hooks must be an array of hooks"),
            (json!([good, 7]), "hooks[1] must be a JSON object"),
            (json!({"hooks": [good, {"name": "x"}]}), "hooks[1].hookType is required"),
            (json!({}), "name is required"),
            (json!([{}]), "hooks[0].name is required"),
            (Value::Array(vec![good; 1001]), "hooks exceeds maximum count (1000)"),
        ] {
            assert_eq!(parse(body), Err(expected.to_owned()));
        }
    }
}
