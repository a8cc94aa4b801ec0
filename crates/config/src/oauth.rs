//! `oauth` and `http.publicUrl`: whose tokens open the gateway, and where the gateway is.

use crate::keys::GRANT;
use crate::shape::{self, Fields, Shape, any};
use model::{Address, FieldError, Settings};
use serde_json::{Map, Value};

const FIELDS: Fields = &[
    ("issuer", Shape::Text(any)),
    ("audience", Shape::Text(any)),
    ("jwks", Shape::Text(any)),
    ("scopes", Shape::Each(GRANT)),
];

/// Checks what the section is made of, before it is read.
pub(crate) fn check_shape(root: &Map<String, Value>) -> Result<(), FieldError> {
    let map = match root.get("oauth") {
        None | Some(Value::Null) => return Ok(()),
        Some(Value::Object(map)) => map,
        Some(_) => return Err(FieldError::new("oauth", "must be a map of settings")),
    };
    if let Some(name) =
        ["issuer", "scopes"].into_iter().find(|name| map.get(*name).is_none_or(Value::is_null))
    {
        return Err(FieldError::new(format!("oauth.{name}"), "is required"));
    }
    shape::check_map(FIELDS, "oauth", map)
}

/// Checks the rules that its shape does not hold.
pub(crate) fn check(settings: &Settings) -> Result<(), FieldError> {
    let Some(issuer) = &settings.oauth else { return Ok(()) };
    issuer.check().map_err(|error| FieldError { path: format!("oauth.{}", error.path), ..error })?;
    if settings.http.public_url.is_none() {
        let message = "needs http.publicUrl, the address under which clients reach the gateway";
        return Err(FieldError::new("oauth", message));
    }
    Ok(())
}

/// An origin and nothing else: every path below it is the gateway's.
pub(crate) fn public_url(url: &str) -> Option<&'static str> {
    match Address::parse(url) {
        Err(message) => Some(message),
        Ok(address) if address.path != "/" || address.credentials.is_some() => {
            Some("must be an origin such as https://gate.example.com, without a path")
        }
        Ok(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::Environment;
    use serde_json::{Value, json};

    fn check(extra: Value, expected: &str) {
        let mut root = json!({
            "servers": [{"name": "s", "command": "c"}],
            "http": {"publicUrl": "https://gate.example"},
            "oauth": {"issuer": "https://id.example", "scopes": {"mcp": {"tools": ["get-*"], "role": "viewer"}}},
        });
        for (name, value) in extra.as_object().unwrap() {
            match (root.pointer_mut(&format!("/{name}")), value) {
                (Some(Value::Object(map)), Value::Object(more)) => map.extend(more.clone()),
                _ => root[name] = value.clone(),
            }
        }
        let found = crate::parse(&root.to_string(), &Environment::default());
        assert_eq!(found.map_or_else(|e| e.message(), |_| "ok".into()), expected, "{root}");
    }

    #[test]
    fn what_is_wrong_with_the_issuer_is_named() {
        for (extra, expected) in [
            (json!({}), "ok"),
            (json!({"oauth": null}), "ok"),
            (json!({"oauth": []}), "oauth must be a map of settings"),
            (json!({"oauth": {"issuer": null}}), "oauth.issuer is required"),
            (json!({"oauth": {"scopes": null}}), "oauth.scopes is required"),
            (json!({"oauth": {"isuer": "x"}}), "oauth.isuer is not a known field (did you mean 'issuer'?)"),
            (
                json!({"oauth": {"scopes": {"mcp": {"role": "root"}}}}),
                "oauth.scopes.mcp.role must be one of viewer, editor, operator",
            ),
            (
                json!({"oauth": {"scopes": {"mcp": {"expires": "2027-01-01T00:00:00Z"}}}}),
                "oauth.scopes.mcp.expires is not a known field",
            ),
            (
                json!({"http": null}),
                "oauth needs http.publicUrl, the address under which clients reach the gateway",
            ),
            (
                json!({"http": {"publicUrl": "https://gate.example/mcp"}}),
                "http.publicUrl must be an origin such as https://gate.example.com, without a path",
            ),
            (json!({"http": {"publicUrl": "gate"}}), "http.publicUrl must be an http or https URL"),
        ] {
            check(extra, expected);
        }
    }
}
