//! Where each value in effect comes from: the command line, the file, the environment or the default.

use crate::{CANDIDATES, Config, Environment, Error, Source, find, yaml};
use serde_json::{Map, Value};
use std::net::IpAddr;
use std::path::PathBuf;

/// What the command line says in place of variables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Given {
    /// `--port`.
    pub port: Option<u16>,
    /// `--host`.
    pub host: Option<IpAddr>,
}

/// The whole configuration, value by value.
pub struct Explained {
    /// What was read.
    pub config: Config,
    /// Every setting, secrets masked, in the order of the description.
    pub values: Vec<Explanation>,
    /// The servers of the file as written, secrets masked.
    pub servers: Vec<Value>,
}

/// One setting.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// Its path in the file, such as `http.timeoutStatus`, or its word where the file cannot say it.
    pub key: String,
    /// Its value.
    pub value: Value,
    /// `flag`, `file`, `environment` or `default`.
    pub origin: &'static str,
    /// The flag or the variable.
    pub from: Option<&'static str>,
}

/// Settings that a variable may say.
const VARIABLES: [(&str, &str); 9] = [
    ("port", "PORT"),
    ("host", "HOST"),
    ("log.level", "LOG_LEVEL"),
    ("log.includeStack", "LOG_INCLUDE_STACK"),
    ("defaultTimeout", "DEFAULT_TIMEOUT"),
    ("maxTimeout", "MAX_TIMEOUT"),
    ("validationDisabled", "DISABLE_VALIDATION"),
    ("healthCheckInterval", "HEALTH_CHECK_INTERVAL"),
    ("restartPolicy", "MCP_SERVER_RESTART_POLICY"),
];

/// Reads the file and tells of each value in effect where it comes from.
pub fn explain(source: &Source, env: &Environment, given: Given) -> Result<Explained, Error> {
    let path = find::find(source, env, &CANDIDATES.map(PathBuf::from))?;
    let text = find::read(&path)?;
    let config = Config::from_text(path, &text, env)?.with_flags(given.port, given.host);
    let written = yaml::read(&text)?;
    let mut described = config.describe();
    let servers = match described["servers"].take() {
        Value::Array(servers) => servers,
        _ => Vec::new(),
    };
    let mut values = Vec::new();
    for (key, value) in described.as_object().into_iter().flatten() {
        match (key.as_str(), value) {
            ("path" | "servers", _) => {}
            ("settings", Value::Object(settings)) => flatten("", settings, &mut values),
            _ => leaf(key.clone(), value, &mut values),
        }
    }
    values.iter_mut().for_each(|value| place(value, &written, env, given));
    Ok(Explained { config, values, servers })
}

fn flatten(prefix: &str, section: &Map<String, Value>, values: &mut Vec<Explanation>) {
    section.iter().for_each(|(key, value)| leaf(format!("{prefix}{key}"), value, values));
}

/// Adds a value; a section is taken apart.
fn leaf(key: String, value: &Value, values: &mut Vec<Explanation>) {
    match value {
        Value::Object(section) => flatten(&format!("{key}."), section, values),
        _ => values.push(Explanation { key, value: value.clone(), origin: "default", from: None }),
    }
}

fn place(value: &mut Explanation, written: &Map<String, Value>, env: &Environment, given: Given) {
    let flag = match value.key.as_str() {
        "port" => given.port.map(|_| "--port"),
        "host" => given.host.map(|_| "--host"),
        _ => None,
    };
    let variable = VARIABLES.iter().find(|(key, _)| *key == value.key).map(|(_, name)| *name);
    let variable = variable.filter(|name| env.setting(name).is_some());
    (value.origin, value.from) = if flag.is_some() {
        ("flag", flag)
    } else if is_written(&value.key, written) {
        ("file", None)
    } else if variable.is_some() {
        ("environment", variable)
    } else {
        ("default", None)
    };
}

fn is_written(key: &str, written: &Map<String, Value>) -> bool {
    let (first, rest) = key.split_once('.').map_or((key, None), |(first, rest)| (first, Some(rest)));
    match (written.get(first), rest) {
        (Some(Value::Object(section)), Some(rest)) => is_written(rest, section),
        (found, None) => found.is_some(),
        // A section in one word says all of it.
        (found, Some(_)) => found.is_some_and(|word| !word.is_null()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn explained(text: &str, env: &Environment, given: Given) -> Explained {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lockgate.yaml");
        std::fs::write(&path, text).unwrap();
        explain(&Source { path: Some(path) }, env, given).unwrap()
    }

    #[test]
    fn every_value_says_where_it_comes_from() {
        let text =
            "http: {timeoutStatus: 504}\nrestartPolicy: on-failure\nservers: [{name: s, command: c}]\n";
        let variables = [("PORT", "4000"), ("HOST", "0.0.0.0"), ("MCP_SERVER_RESTART_POLICY", "never")];
        let env = Environment::from_pairs(variables);
        let given = Given { port: Some(5000), host: None };
        let Explained { values, config, .. } = explained(text, &env, given);
        let check = |key: &str, value: Value, origin: &str, from: Option<&str>| {
            let found = values.iter().find(|found| found.key == key).unwrap();
            assert_eq!((&found.value, found.origin, found.from), (&value, origin, from), "{key}");
        };
        check("port", json!(5000), "flag", Some("--port"));
        check("host", json!("0.0.0.0"), "environment", Some("HOST"));
        check("http.timeoutStatus", json!(504), "file", None);
        check("http.resultMode", json!("value"), "default", None);
        check("restartPolicy", json!("on-failure"), "file", None);
        check("log.level", json!("info"), "default", None);
        check("inheritEnv", json!(["PATH"]), "default", None);
        assert_eq!(config.port, 5000);
        assert!(values.iter().all(|value| !value.value.is_object()));
    }

    #[test]
    fn secrets_are_masked_and_servers_stand_apart() {
        let text = "mcp: {sessionKey: s3cret-key-0123456789-0123456789}\ncaptures: off\nservers: [{name: s, command: c, env: {A: s3cret}}]\n";
        let Explained { values, servers, .. } = explained(text, &Environment::default(), Given::default());
        assert_eq!(servers, [json!({"name": "s", "command": "c", "env": {"A": "***"}})]);
        assert!(!format!("{values:?}").contains("s3cret"));
        assert!(values.iter().any(|value| value.key == "mcp.sessionKey" && value.origin == "file"));
        assert!(values.iter().any(|value| value.key == "captures.keep" && value.origin == "file"));
        assert!(!values.iter().any(|value| value.key.starts_with("servers") || value.key == "path"));
    }
}
