//! One entry of `servers`: its shape, its expansion, its rules.

use crate::Environment;
use crate::secret;
use crate::shape::{self, Fields, Shape, any, filled};
use model::oauth::GrantType;
use model::text::shown;
use model::{FieldError, IDLE_TIMEOUT, Scope, ServerEntry, harden};
use serde_json::Value;

const FIELDS: Fields = &[
    ("name", Shape::Text(any)),
    ("command", Shape::Text(any)),
    ("args", Shape::Line),
    ("envs", Shape::Records(VARIABLE, "{name, value}")),
    ("env", Shape::Strings),
    ("timeout", Shape::Positive),
    ("required", Shape::Flag),
    ("inheritEnv", Shape::Texts(shape::variable)),
    ("url", Shape::Text(any)),
    ("headers", Shape::Strings),
    ("scope", Shape::Word(Scope::WORDS)),
    ("idleTimeout", Shape::Integer(IDLE_TIMEOUT.0, IDLE_TIMEOUT.1)),
    ("cwd", Shape::Text(filled)),
    ("harden", Shape::Section(HARDEN)),
    ("limits", Shape::Section(LIMITS)),
    ("oauth", Shape::Section(OAUTH)),
];

const OAUTH: Fields = &[
    ("clientId", Shape::Text(any)),
    ("clientSecret", Shape::Text(any)),
    ("privateKey", Shape::Text(any)),
    ("issuer", Shape::Text(any)),
    ("scopes", Shape::Texts(any)),
    ("grant", Shape::Word(GrantType::WORDS)),
];

const HARDEN: Fields = &[
    ("memory", Shape::Integer(harden::MEMORY.0, harden::MEMORY.1)),
    ("cpuTime", Shape::Integer(harden::CPU_TIME.0, harden::CPU_TIME.1)),
    ("files", Shape::Integer(harden::FILES.0, harden::FILES.1)),
    ("processes", Shape::Integer(harden::PROCESSES.0, harden::PROCESSES.1)),
    ("noNewPrivileges", Shape::Flag),
    ("landlock", Shape::Section(&[("read", Shape::Texts(folder)), ("write", Shape::Texts(folder))])),
    ("seccomp", Shape::Flag),
    ("optional", Shape::Flag),
];

/// A place in the file system, by its full path: a relative one would depend on where the gateway was started.
fn folder(path: &str) -> Option<&'static str> {
    (!path.starts_with('/') || path.contains('\0')).then_some("must be a full path, beginning with /")
}

const LIMITS: Fields = &[
    ("rate", Shape::Section(shape::RATE)),
    ("concurrency", Shape::Integer(0, shape::MANY)),
    ("queue", shape::QUEUE),
    (
        "breaker",
        Shape::Section(&[("failures", Shape::Integer(0, 1000)), ("openMs", Shape::Integer(1, HOUR))]),
    ),
    ("tools", Shape::Each(shape::BOUNDS)),
];

const HOUR: u64 = 3_600_000;

const VARIABLE: Fields = &[("name", Shape::Text(any)), ("value", Shape::Text(any))];

/// Refuses a timeout that is above every bound, so that no integer of ours holds it, in the words for any other that is
/// too large.
fn check_timeout(value: &Value, max_timeout: u64) -> Result<(), FieldError> {
    let beyond = value.get("timeout").and_then(Value::as_f64).is_some_and(shape::is_beyond);
    if beyond { Err(FieldError::new("timeout", ServerEntry::too_long(max_timeout))) } else { Ok(()) }
}

/// An entry that arrived over the API: every rule of the file, and no expansion, because a caller
/// must not read the gateway's own variables.
pub fn server_entry(value: &Value, max_timeout: u64) -> Result<ServerEntry, FieldError> {
    check_timeout(value, max_timeout)?;
    let entry = shaped(value)?;
    entry.check(max_timeout)?;
    Ok(entry)
}

/// An entry of the file: its variables are expanded and its files read first, so that lengths hold afterwards.
/// Without `env` the variables were expanded already.
pub(crate) fn expanded_entry(
    value: &Value,
    env: Option<&Environment>,
    max_timeout: u64,
) -> Result<ServerEntry, FieldError> {
    check_timeout(value, max_timeout)?;
    let mut entry = shaped(value)?;
    for (i, variable) in entry.envs.iter_mut().enumerate() {
        let at = |message| FieldError::new(format!("envs[{i}].value"), message);
        variable.value = secret::resolve(&variable.value, env).map_err(at)?;
    }
    for (field, map) in [("env", &mut entry.env), ("headers", &mut entry.headers)] {
        for (name, value) in map {
            let at = |message| FieldError::new(format!("{field}.{}", shown(name)), message);
            *value = secret::resolve(value, env).map_err(at)?;
        }
    }
    let oauth = entry.oauth.iter_mut();
    for (field, value) in oauth.flat_map(|oauth| {
        [("clientSecret", &mut oauth.client_secret), ("privateKey", &mut oauth.private_key)]
    }) {
        let at = |message| FieldError::new(format!("oauth.{field}"), message);
        *value = value.take().map(|text| secret::resolve(&text, env)).transpose().map_err(at)?;
    }
    entry.check(max_timeout)?;
    Ok(entry)
}

/// An entry as it is written.
pub(crate) fn shaped(value: &Value) -> Result<ServerEntry, FieldError> {
    let Value::Object(map) = value else {
        return Err(FieldError::new("", "must be a map with 'name' and 'command' or 'url'"));
    };
    shape::check_map(FIELDS, "", map)?;
    let mut map = map.clone();
    shape::prune(&mut map);
    serde_json::from_value(Value::Object(map)).map_err(|_| FieldError::new("", "cannot be read"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(extra: Value, expected: &str) {
        let mut value = json!({"name": "s", "command": "c"});
        value.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        let env = Environment::from_pairs([("LONG", "x".repeat(600))]);
        let found = expanded_entry(&value, Some(&env), 300_000);
        assert_eq!(found.map_or_else(|e| e.under("servers[0]"), |_| "ok".into()), expected, "{value}");
    }

    #[test]
    fn every_rule_of_an_entry_names_its_field() {
        let envs = |value: Value| json!({"envs": [{"name": "A", "value": value}]});
        for (extra, expected) in [
            (json!({"args": ["a"], "timeout": 1, "required": false, "inheritEnv": ["HOME"]}), "ok"),
            (json!({"args": "a b", "env": {"A": "1"}}), "ok"),
            (json!({"args": null, "env": null, "envs": null}), "ok"),
            (json!({"timeout": 0}), "servers[0].timeout must be a positive integer"),
            (json!({"timeout": -5}), "servers[0].timeout must be a positive integer"),
            (json!({"timeout": "5000"}), "servers[0].timeout must be a positive integer"),
            (json!({"timeout": 1.5}), "servers[0].timeout must be a positive integer"),
            (json!({"timeout": 1e30}), "servers[0].timeout exceeds maximum value (300000)"),
            (json!({"timeout": null}), "servers[0].timeout must be a positive integer"),
            (json!({"timeout": 300_001}), "servers[0].timeout exceeds maximum value (300000)"),
            (json!({"envs": {"A": "s3cret"}}), "servers[0].envs must be a list of {name, value}"),
            (json!({"envs": ["A=s3cret"]}), "servers[0].envs[0] must be {name, value}"),
            (json!({"envs": [{"name": "A"}]}), "servers[0].envs[0].value is required"),
            (json!({"envs": [{"value": "s3cret"}]}), "servers[0].envs[0].name is required"),
            (
                json!({"envs": [{"name": "A", "val": "s3cret"}]}),
                "servers[0].envs[0].val is not a known field",
            ),
            (envs(json!(8080)), "servers[0].envs[0].value must be a string (put it in quotes)"),
            (envs(json!(true)), "servers[0].envs[0].value must be a string (put it in quotes)"),
            (envs(json!(null)), "servers[0].envs[0].value must be a string (put it in quotes)"),
            (json!({"env": {"A": 1}}), "servers[0].env.A must be a string (put it in quotes)"),
            (json!({"env": [["A", "1"]]}), "servers[0].env must be a map of names to values"),
            (
                json!({"env": {"a-b": "1"}}),
                "servers[0].env.a-b contains invalid characters (use A-Z, 0-9 and _)",
            ),
            (json!({"name": 5}), "servers[0].name must be a string (put it in quotes)"),
            (json!({"name": ""}), "servers[0].name is required"),
            (json!({"command": 5}), "servers[0].command must be a string (put it in quotes)"),
            (json!({"command": " "}), "servers[0].command must not be empty"),
            (json!({"args": 5}), "servers[0].args must be a list of strings, or one string"),
            (json!({"args": ["-p", 5]}), "servers[0].args[1] must be a string (put it in quotes)"),
            (json!({"required": "no"}), "servers[0].required must be true or false"),
            (
                json!({"inheritEnv": [""]}),
                "servers[0].inheritEnv[0] must be the name of an environment variable",
            ),
            (json!({"scope": "client", "idleTimeout": 1000}), "ok"),
            (json!({"scope": "shared"}), "ok"),
            (json!({"scope": "session"}), "servers[0].scope must be one of shared, client"),
            (json!({"idleTimeout": 60_000}), "servers[0].idleTimeout is for a server with 'scope: client'"),
            (
                json!({"scope": "client", "idleTimeout": "10m"}),
                "servers[0].idleTimeout must be an integer between 1000 and 86400000",
            ),
            (
                json!({"cwd": "/srv", "harden": {"memory": 268_435_456, "landlock": {"write": ["/srv"]}}}),
                "ok",
            ),
            (json!({"harden": null}), "ok"),
            (json!({"cwd": ""}), "servers[0].cwd must not be empty"),
            (
                json!({"harden": {"memory": 1}}),
                "servers[0].harden.memory must be an integer between 1048576 and 1125899906842624",
            ),
            (
                json!({"harden": {"landlock": {"read": ["data"]}}}),
                "servers[0].harden.landlock.read[0] must be a full path, beginning with /",
            ),
            (json!({"harden": {"cpu": 5}}), "servers[0].harden.cpu is not a known field"),
            (json!({"limits": {"rate": {"perSecond": 5}, "tools": {"t": {"concurrency": 1}}}}), "ok"),
            (json!({"limits": {"breaker": {"failures": 3, "openMs": 1000}}}), "ok"),
            (json!({"limits": {"rate": {"burst": 0}, "queue": 0}}), "ok"),
            (
                json!({"limits": {"rate": {"burst": 5}}}),
                "servers[0].limits.rate.burst needs 'perSecond' above 0 beside it",
            ),
            (
                json!({"limits": {"concurrency": 0, "queue": 1}}),
                "servers[0].limits.queue needs 'concurrency' above 0 beside it",
            ),
            (
                json!({"limits": {"tools": {"t": {"rate": {"perSecond": 0, "burst": 5}}}}}),
                "servers[0].limits.tools.t.rate.burst needs 'perSecond' above 0 beside it",
            ),
            (
                json!({"limits": {"concurrency": -1}}),
                "servers[0].limits.concurrency must be an integer between 0 and 10000000",
            ),
            (
                json!({"limits": {"tools": {"t": {"rates": {}}}}}),
                "servers[0].limits.tools.t.rates is not a known field (did you mean 'rate'?)",
            ),
            (
                json!({"limits": {"tools": ["t"]}}),
                "servers[0].limits.tools must be a map of names to settings",
            ),
            (json!({"url": "http://x"}), "servers[0] must have either 'command' or 'url'"),
            (json!({"comand": "x"}), "servers[0].comand is not a known field (did you mean 'command'?)"),
        ] {
            check(extra, expected);
        }
    }

    #[test]
    fn lengths_are_checked_after_expansion() {
        check(json!({"env": {"A": "$LONG"}}), "ok");
        check(
            json!({"env": {"A": "$LONG$LONG"}}),
            "servers[0].env.A exceeds maximum length (1000 characters)",
        );
        check(
            json!({"envs": [{"name": "A", "value": "${LONG}${LONG}"}]}),
            "servers[0].envs[0].value exceeds maximum length (1000 characters)",
        );
    }

    #[test]
    fn a_remote_entry_has_its_headers_expanded_and_its_address_left_alone() {
        let value =
            json!({"name": "s", "url": "https://h/$KEY", "headers": {"Authorization": "Bearer ${KEY}"}});
        let env = Environment::from_pairs([("KEY", "s3cret")]);
        let entry = expanded_entry(&value, Some(&env), 1).unwrap();
        assert_eq!(entry.headers["Authorization"], "Bearer s3cret");
        assert_eq!(entry.url.as_deref(), Some("https://h/$KEY"));
        let wrong = json!({"name": "s", "url": "https://h", "headers": {"A": 5}});
        let error = expanded_entry(&wrong, Some(&env), 1).unwrap_err().under("servers[0]");
        assert_eq!(error, "servers[0].headers.A must be a string (put it in quotes)");
        let broken = json!({"name": "s", "url": "https://h", "headers": {"A": "$KEY"}});
        let env = Environment::from_pairs([("KEY", "s3cret\r\nX: y")]);
        let error = expanded_entry(&broken, Some(&env), 1).unwrap_err().under("servers[0]");
        assert_eq!(error, "servers[0].headers.A must not contain line breaks or control characters");
    }

    #[test]
    fn an_entry_of_the_api_is_not_expanded() {
        let value = json!({"name": "s", "command": "c", "env": {"A": "${PATH}"}});
        assert_eq!(server_entry(&value, 1).unwrap().env["A"], "${PATH}");
        assert_eq!(
            server_entry(&json!("s"), 1).unwrap_err().under("body"),
            "body must be a map with 'name' and 'command' or 'url'"
        );
    }
}
