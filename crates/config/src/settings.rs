//! The settings of the file: their shapes and bounds (spec 1.11), and how they become [`Settings`].

use crate::oauth;
use crate::shape::{self, Fields, Shape, filled};
use crate::visitors::{host, origin};
use model::session::Face;
use model::settings as words;
use model::{Address, FieldError, SecretValues, Settings};
use serde_json::{Map, Value};

const GIB: u64 = 1 << 30;
const HOUR: u64 = 3_600_000;
const YEAR: u64 = 365 * 24 * HOUR;

/// Every key of the file. `servers`, definitions and the settings with lines of their own are checked elsewhere.
const FIELDS: Fields = &[
    ("servers", Shape::Elsewhere),
    ("healthCheckInterval", Shape::Elsewhere),
    ("missedPings", Shape::Integer(1, 1000)),
    ("restartPolicy", Shape::Elsewhere),
    ("activities", Shape::Elsewhere),
    ("workflows", Shape::Elsewhere),
    ("startup", Shape::Section(&[("onServerFailure", Shape::Word(words::OnServerFailure::WORDS))])),
    ("inheritEnv", Shape::Texts(shape::variable)),
    ("timeoutResetOnProgress", Shape::Flag),
    ("mcp", Shape::Section(MCP)),
    ("http", Shape::Section(HTTP)),
    ("routing", Shape::Section(&[("allowToolOnly", Shape::Flag)])),
    ("limits", Shape::Section(LIMITS)),
    ("tools", Shape::Section(TOOLS)),
    ("config", Shape::Section(CONFIG)),
    ("store", Shape::Section(&[("url", Shape::Text(store_url))])),
    ("outbound", Shape::Section(&[("allow", Shape::Texts(outbound))])),
    ("hooks", Shape::Section(HOOKS)),
    ("captures", Shape::Section(&[("keep", Shape::Integer(0, 100_000))])),
    ("workflow", Shape::Section(WORKFLOW)),
    ("restate", Shape::Section(RESTATE)),
    ("plugins", Shape::Section(&[("folder", Shape::Text(filled))])),
    ("templates", Shape::Section(&[("catalogue", Shape::Text(catalogue))])),
    ("runs", Shape::Section(RUNS)),
    ("sessions", Shape::Section(SESSIONS)),
    ("requests", Shape::Section(&[("keep", Shape::Integer(0, 100_000))])),
    ("tracing", Shape::Section(TRACING)),
    ("keys", Shape::Elsewhere),
    ("oauth", Shape::Elsewhere),
    ("audit", Shape::Section(&[("calls", Shape::Flag), ("days", Shape::Integer(1, 36_500))])),
];

const TRACING: Fields = &[("otlp", Shape::Text(otlp)), ("sample", Shape::Part), ("headers", Shape::Strings)];

const RUNS: Fields = &[("keep", Shape::Integer(0, 10_000_000)), ("days", Shape::Integer(1, 3650))];

const MCP: Fields = &[
    ("cancelOnTimeout", Shape::Flag),
    ("sse", Shape::Flag),
    ("toolNames", Shape::Word(words::ToolNames::WORDS)),
    // A shorter name has no room for the hash of the whole.
    ("maxNameLength", Shape::ZeroOr(16, 1000)),
    ("sessionKey", Shape::Text(session_key)),
];

const HTTP: Fields = &[
    ("timeoutStatus", Shape::Either(408, 504)),
    ("resultMode", Shape::Word(words::ResultMode::WORDS)),
    ("allowedHosts", Shape::Texts(host)),
    ("allowedOrigins", Shape::Texts(origin)),
    ("clientTimeout", Shape::Integer(100, HOUR)),
    ("publicUrl", Shape::Text(oauth::public_url)),
];

const LIMITS: Fields = &[
    ("body", Shape::Integer(1, GIB)),
    ("input", Shape::Integer(1, GIB)),
    // JSON is read to 128 levels, and `input` is not the outermost.
    ("depth", Shape::Integer(1, 100)),
    ("inFlight", Shape::Integer(0, 10_000_000)),
    ("calls", Shape::Section(shape::BOUNDS)),
];

const TOOLS: Fields =
    &[("refresh", Shape::Word(&["startup", "on-change"])), ("expose", Shape::Words(&Face::WORDS))];

const CONFIG: Fields = &[("expand", Shape::Word(words::Expand::WORDS)), ("watch", Shape::Flag)];

const HOOKS: Fields = &[
    ("list", Shape::Section(&[("enabled", Shape::Flag)])),
    ("timeoutMs", Shape::Integer(1, HOUR)),
    ("trace", Shape::Word(words::Trace::WORDS)),
];

const WORKFLOW: Fields = &[
    ("onError", Shape::Word(words::OnGraphError::WORDS)),
    ("activation", Shape::Word(words::Activation::WORDS)),
    ("engine", Shape::Word(words::EngineKind::WORDS)),
];

const RESTATE: Fields = &[
    ("ingress", Shape::Text(address)),
    ("admin", Shape::Text(address)),
    ("listen", Shape::Text(socket)),
    ("endpoint", Shape::Text(address)),
    ("identityKey", Shape::Text(identity)),
];

const SESSIONS: Fields = &[
    ("maxSessions", Shape::Integer(1, 1_000_000)),
    ("sessionTTLMs", Shape::Integer(1, 100 * YEAR)),
    ("onFull", Shape::Word(words::OnFull::WORDS)),
    ("shared", Shape::Flag),
    ("leaseMs", Shape::Integer(500, HOUR)),
];

/// The settings of a file, apart from `servers` and those that the environment may give.
pub(crate) fn settings(root: &Map<String, Value>) -> Result<Settings, FieldError> {
    let mut map = root.clone();
    captures_in_a_word(&mut map);
    shape::check_map(FIELDS, "", &map)?;
    oauth::check_shape(&map)?;
    map.retain(|key, _| !matches!(key.as_str(), "servers" | "activities" | "workflows" | "keys"));
    map.retain(|key, _| !matches!(key.as_str(), "healthCheckInterval" | "restartPolicy"));
    shape::prune(&mut map);
    let settings: Settings = serde_json::from_value(Value::Object(map))
        .map_err(|_| FieldError::new("", "a setting cannot be read"))?;
    if let Some(SecretValues(headers)) = &settings.tracing.headers {
        model::check_headers(headers)
            .map_err(|error| FieldError { path: format!("tracing.{}", error.path), ..error })?;
    }
    oauth::check(&settings)?;
    Ok(settings)
}

/// `captures: off` is short for a section that keeps none, and `on` for one that keeps as many as usual.
fn captures_in_a_word(map: &mut Map<String, Value>) {
    let Some(captures) = map.get_mut("captures") else { return };
    match (captures.as_bool(), captures.as_str()) {
        (Some(false), _) | (_, Some("off")) => *captures = serde_json::json!({"keep": 0}),
        (Some(true), _) | (_, Some("on")) => *captures = Value::Object(Map::new()),
        _ => {}
    }
}

/// Whoever runs sessions on Restate must say where it is.
pub(crate) fn check_restate(settings: &Settings) -> Result<(), FieldError> {
    if settings.workflow.engine != words::EngineKind::Restate {
        return Ok(());
    }
    let words::Restate { ingress, admin, .. } = &settings.restate;
    for (path, set) in [("restate.ingress", ingress), ("restate.admin", admin)] {
        if set.is_none() {
            return Err(FieldError::new(path, "is required with workflow.engine: restate"));
        }
    }
    Ok(())
}

/// Whether every string of the file is to be expanded; read before the rest is.
pub(crate) fn expands_all(root: &Map<String, Value>) -> bool {
    root.get("config").and_then(|config| config.get("expand")).is_some_and(|word| word == "all")
}

/// As long as every other secret that is chosen by people.
fn session_key(key: &str) -> Option<&'static str> {
    let short = key.trim().chars().count() < model::access::KEY_MIN;
    let rule = "must have at least 32 characters; `openssl rand -hex 32` makes a good one";
    filled(key).or(short.then_some(rule))
}

fn store_url(url: &str) -> Option<&'static str> {
    let scheme = url.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
    match (scheme.as_deref(), url.split_once(':').map_or("", |(_, rest)| rest)) {
        (Some("memory"), "") => None,
        (Some("sqlite"), path) if path.starts_with("//") || path.starts_with(':') => {
            Some("must be memory:, sqlite:<path> without //, or postgres://…")
        }
        (Some("sqlite"), path) if !path.trim().is_empty() && !path.contains('\0') => None,
        (Some("postgres" | "postgresql" | "redis" | "rediss"), rest) if rest.starts_with("//") => {
            (!names_host(rest))
                .then_some("needs a host, such as postgres://user@localhost/lockgate or redis://localhost")
        }
        _ => Some("must be memory:, sqlite:<path>, postgres://user:password@host/database or redis://host"),
    }
}

/// Whether what follows the scheme names a host: after `//` and who signs in, or, as PostgreSQL's sockets are, in
/// the query. The store reads the rest.
fn names_host(rest: &str) -> bool {
    let Some(rest) = rest.strip_prefix("//") else { return false };
    let from_host = rest.rsplit('@').next().unwrap_or_default();
    !from_host.is_empty() && !from_host.starts_with([':', '/', '?']) || from_host.contains("host=/")
}

fn address(url: &str) -> Option<&'static str> {
    Address::parse(url).err()
}

fn socket(text: &str) -> Option<&'static str> {
    let known = text.parse::<std::net::SocketAddr>();
    known.is_err().then_some("must be an IP address and a port, such as 127.0.0.1:9080")
}

fn identity(key: &str) -> Option<&'static str> {
    (!key.starts_with("publickeyv1_")).then_some("must be a public key of Restate: publickeyv1_…")
}

fn otlp(url: &str) -> Option<&'static str> {
    Address::parse(url).err()
}

/// A folder, or an address that can be read.
fn catalogue(place: &str) -> Option<&'static str> {
    match place.split_once("://") {
        Some(_) => Address::parse(place).err(),
        None => filled(place),
    }
}

fn outbound(entry: &str) -> Option<&'static str> {
    let (scheme, host) = entry.split_once("://").unwrap_or(("https", entry));
    let forbidden = |c: char| c.is_whitespace() || c.is_control() || "/?#@*\\".contains(c);
    let fine = matches!(scheme, "http" | "https") && !host.is_empty() && !host.contains(forbidden);
    (!fine).then_some("must be a host, or an origin such as https://example.com")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(root: Value, expected: &str) {
        let found = settings(root.as_object().unwrap()).map_or_else(|e| e.under(""), |_| "ok".into());
        assert_eq!(found, expected, "{root}");
    }

    fn names(fields: Fields, prefix: &str, all: &mut Vec<String>) {
        for (name, shape) in fields {
            match shape {
                Shape::Section(inner) => names(inner, &format!("{prefix}{name}."), all),
                _ => all.push(format!("{prefix}{name}")),
            }
        }
    }

    fn keys(value: &Value, prefix: &str, all: &mut Vec<String>) {
        for (name, value) in value.as_object().unwrap() {
            match value {
                Value::Object(_) => keys(value, &format!("{prefix}{name}."), all),
                _ => all.push(format!("{prefix}{name}")),
            }
        }
    }

    #[test]
    fn the_table_has_every_setting_and_no_other() {
        let (mut table, mut model) = (Vec::new(), Vec::new());
        names(FIELDS, "", &mut table);
        table.retain(|name| !["servers", "activities", "workflows"].contains(&name.as_str()));
        keys(&serde_json::to_value(Settings::default()).unwrap(), "", &mut model);
        table.sort();
        model.sort();
        assert_eq!(table, model);
    }

    #[test]
    fn every_word_of_the_table_is_understood() {
        fn walk(fields: Fields, wrap: &dyn Fn(Value) -> Value) {
            for (name, shape) in fields {
                let wrap = |value: Value| wrap(json!({ *name: value }));
                match shape {
                    Shape::Section(inner) => walk(inner, &wrap),
                    Shape::Word(words) => words.iter().for_each(|word| check(wrap(json!(word)), "ok")),
                    Shape::Words(words) => check(wrap(json!(words)), "ok"),
                    _ => {}
                }
            }
        }
        walk(FIELDS, &|value| value);
    }

    #[test]
    fn a_setting_outside_its_rule_is_named() {
        for (root, expected) in [
            (json!({"http": {"timeoutStatus": 500}}), "http.timeoutStatus must be 408 or 504"),
            (json!({"http": {"timeoutStatus": "408"}}), "http.timeoutStatus must be 408 or 504"),
            (json!({"http": {"resultMode": "x"}}), "http.resultMode must be one of value, raw"),
            (json!({"http": {"allowedHosts": "a"}}), "http.allowedHosts must be a list of strings"),
            (json!({"http": {"allowedHosts": [""]}}), "http.allowedHosts[0] must not be empty"),
            (json!({"tools": {"refresh": "now"}}), "tools.refresh must be one of startup, on-change"),
            (
                json!({"tools": {"expose": ["start", "stop"]}}),
                "tools.expose[1] must be one of start, continue, status, pause, cancel",
            ),
            (
                json!({"startup": {"onServerFailure": "go"}}),
                "startup.onServerFailure must be one of exit, degrade",
            ),
            (json!({"timeoutResetOnProgress": "true"}), "timeoutResetOnProgress must be true or false"),
            (json!({"mcp": {"cancelOnTimeout": 1}}), "mcp.cancelOnTimeout must be true or false"),
            (json!({"mcp": {"toolNames": "long"}}), "mcp.toolNames must be one of auto, prefixed"),
            (json!({"mcp": {"maxNameLength": 3}}), "mcp.maxNameLength must be 0 or between 16 and 1000"),
            (json!({"mcp": {"sessionKey": ""}}), "mcp.sessionKey must not be empty"),
            (
                json!({"mcp": {"sessionKey": "0123456789012345678901234567890"}}),
                "mcp.sessionKey must have at least 32 characters; `openssl rand -hex 32` makes a good one",
            ),
            (json!({"captures": "of"}), "captures must be a map of settings"),
            (json!({"mcp": {"sessionKey": 5}}), "mcp.sessionKey must be a string (put it in quotes)"),
            (json!({"routing": {"allowToolOnly": null}}), "routing.allowToolOnly must be true or false"),
            (json!({"limits": {"body": 0}}), "limits.body must be an integer between 1 and 1073741824"),
            (json!({"limits": {"input": -1}}), "limits.input must be an integer between 1 and 1073741824"),
            (json!({"limits": {"depth": 1.5}}), "limits.depth must be an integer between 1 and 100"),
            (
                json!({"limits": {"calls": {"queue": 5}}}),
                "limits.calls.queue needs 'concurrency' above 0 beside it",
            ),
            (
                json!({"limits": {"calls": {"rate": {"burst": 5}}}}),
                "limits.calls.rate.burst needs 'perSecond' above 0 beside it",
            ),
            (json!({"hooks": {"timeoutMs": 0}}), "hooks.timeoutMs must be an integer between 1 and 3600000"),
            (json!({"hooks": {"list": {"enabled": "no"}}}), "hooks.list.enabled must be true or false"),
            (json!({"hooks": {"trace": "all"}}), "hooks.trace must be one of log, reply"),
            (json!({"captures": {"keep": -1}}), "captures.keep must be an integer between 0 and 100000"),
            (json!({"workflow": {"activation": "many"}}), "workflow.activation must be single"),
            (json!({"templates": {"catalogue": " "}}), "templates.catalogue must not be empty"),
            (
                json!({"templates": {"catalogue": "ftp://a/b"}}),
                "templates.catalogue must be an http or https URL",
            ),
            (json!({"runs": {"keep": -1}}), "runs.keep must be an integer between 0 and 10000000"),
            (json!({"runs": {"days": 0}}), "runs.days must be an integer between 1 and 3650"),
            (
                json!({"sessions": {"maxSessions": 0}}),
                "sessions.maxSessions must be an integer between 1 and 1000000",
            ),
            (json!({"sessions": {"onFull": "x"}}), "sessions.onFull must be one of reject, evict-oldest"),
            (json!({"sessions": {"shared": "yes"}}), "sessions.shared must be true or false"),
            (
                json!({"sessions": {"leaseMs": 1}}),
                "sessions.leaseMs must be an integer between 500 and 3600000",
            ),
            (json!({"workflow": {"engine": "temporal"}}), "workflow.engine must be one of local, restate"),
            (json!({"restate": {"ingress": "localhost"}}), "restate.ingress must be an http or https URL"),
            (
                json!({"restate": {"listen": "9080"}}),
                "restate.listen must be an IP address and a port, such as 127.0.0.1:9080",
            ),
            (
                json!({"restate": {"identityKey": "x"}}),
                "restate.identityKey must be a public key of Restate: publickeyv1_…",
            ),
            (json!({"inheritEnv": "PATH"}), "inheritEnv must be a list of strings"),
            (json!({"inheritEnv": ["A=B"]}), "inheritEnv[0] must be the name of an environment variable"),
            (json!({"config": {"expand": "args"}}), "config.expand must be one of envs, all"),
            (json!({"limits": [1]}), "limits must be a map of settings"),
            (json!({"sever": []}), "sever is not a known field (did you mean 'servers'?)"),
            (json!({"http": {"port": 1}}), "http.port is not a known field"),
            (
                json!({"mcp": {"sesionKey": "k"}}),
                "mcp.sesionKey is not a known field (did you mean 'sessionKey'?)",
            ),
        ] {
            check(root, expected);
        }
    }

    #[test]
    fn values_at_the_bounds_and_empty_sections_pass() {
        for root in [
            json!({"limits": {"body": 1, "input": 1_073_741_824, "depth": 100}}),
            json!({"mcp": {"maxNameLength": 0}}),
            json!({"captures": {"keep": 0}}),
            json!({"inheritEnv": [], "tools": {"expose": []}}),
            json!({"limits": null, "inheritEnv": null, "hooks": {"list": null}}),
        ] {
            check(root, "ok");
        }
    }

    #[test]
    fn a_store_is_memory_sqlite_or_postgresql() {
        const NO_HOST: &str =
            "store.url needs a host, such as postgres://user@localhost/lockgate or redis://localhost";
        const UNKNOWN: &str = "store.url must be memory:, sqlite:<path>, postgres://user:password@host/database or redis://host";
        for (url, expected) in [
            ("memory:", "ok"),
            ("sqlite:./data/lockgate.db", "ok"),
            ("sqlite:/var/lib/l.db", "ok"),
            ("sqlite:", UNKNOWN),
            ("sqlite://x.db", "store.url must be memory:, sqlite:<path> without //, or postgres://…"),
            ("sqlite::memory:", "store.url must be memory:, sqlite:<path> without //, or postgres://…"),
            ("memory:x", UNKNOWN),
            ("mysql://u:s3cret@h/d", UNKNOWN),
            ("", UNKNOWN),
            ("postgres://u:s3cret@h/d", "ok"),
            ("postgresql://h/d", "ok"),
            ("postgres:h", UNKNOWN),
            ("postgres:///d?host=/run/postgresql", "ok"),
            ("postgres://", NO_HOST),
            ("postgres://u:s3cret@/d", NO_HOST),
            ("redis://:s3cret@h", "ok"),
            ("redis://:6379", NO_HOST),
            ("rediss://h", "ok"),
        ] {
            check(json!({"store": {"url": url}}), expected);
        }
    }

    #[test]
    fn an_outbound_entry_is_a_host_or_an_origin() {
        for good in ["api.example.com", "http://127.0.0.1:9000", "https://a.b", "[::1]"] {
            check(json!({"outbound": {"allow": [good]}}), "ok");
        }
        for bad in ["", "*", "ftp://a", "https://a/path", "https://u:p@a", "a b", "https://"] {
            let expected = "outbound.allow[0] must be a host, or an origin such as https://example.com";
            check(json!({"outbound": {"allow": [bad]}}), expected);
        }
    }

    #[test]
    fn captures_are_switched_with_one_word() {
        for (word, keep) in [
            (json!("off"), 0),
            (json!(false), 0),
            (json!("on"), 200),
            (json!(true), 200),
            (json!({"keep": 7}), 7),
            (json!(null), 200),
        ] {
            let root = json!({ "captures": word });
            let found = settings(root.as_object().unwrap()).unwrap();
            assert_eq!(found.captures.keep, keep, "{root}");
        }
    }
}
