//! One entry of `servers`: the same type in the config file, in the store and in the API body.

use crate::access::ServerLimits;
use crate::address::Address;
use crate::harden::Harden;
use crate::headers::check_headers;
use crate::names::{NameError, SERVER_NAME_MAX, check_name};
use crate::oauth::Registration;
use crate::scope::{Scope, check_idle_timeout};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How one server is started, as the user writes it.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ServerEntry {
    /// Unique among all servers; `^[a-zA-Z0-9-_]+$`, at most 50 characters.
    #[serde(default)]
    pub name: String,
    /// The program: absolute, relative, or found on `PATH`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Its arguments: a list, or one string split on white space. No shell, no quoting.
    #[serde(default, skip_serializing_if = "Args::is_empty")]
    pub args: Args,
    /// Environment variables as a list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub envs: Vec<EnvVar>,
    /// Environment variables as a map, under the same rules.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Milliseconds for one call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u64>,
    /// Whether a failed first start ends the gateway; overrides `startup.onServerFailure`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required: Option<bool>,
    /// Names of the gateway's own variables that this child receives; overrides the global list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inherit_env: Option<Vec<String>>,
    /// Address of a remote server; instead of `command`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Headers that every request to `url` carries; values may hold `${NAME}` in the config file.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// Whether all clients share one process, or each session has its own.
    #[serde(default, skip_serializing_if = "Scope::is_shared")]
    pub scope: Scope,
    /// Milliseconds without a request after which a client's own process is ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle_timeout: Option<u64>,
    /// The folder in which the program starts; the gateway's own when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// What the program must not do, and how much it may use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub harden: Option<Harden>,
    /// How many calls may pass, and when the server is left alone for a while.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<ServerLimits>,
    /// What the gateway is known as at the issuer of a remote server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oauth: Option<Registration>,
}

/// Arguments, variables, headers and addresses may hold secrets, so only the rest is shown.
impl std::fmt::Debug for ServerEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServerEntry")
            .field("name", &self.name)
            .field("command", &self.command)
            .finish_non_exhaustive()
    }
}

/// One environment variable of a child.
#[derive(Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EnvVar {
    /// `^[A-Z0-9_]+$`.
    pub name: String,
    /// At most 1000 characters; may hold `${NAME}` in the config file.
    pub value: String,
}

impl std::fmt::Debug for EnvVar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}=***", self.name)
    }
}

/// Arguments of a command: a list, or one string that is split on white space.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(untagged)]
pub enum Args {
    /// No argument.
    #[default]
    #[serde(skip)]
    None,
    /// Taken as they are.
    List(Vec<String>),
    /// Split on white space, without quoting.
    Line(String),
}

impl Args {
    /// The arguments one by one.
    pub fn to_vec(&self) -> Vec<String> {
        match self {
            Args::None => Vec::new(),
            Args::List(list) => list.clone(),
            Args::Line(line) => line.split_whitespace().map(str::to_owned).collect(),
        }
    }

    /// Whether there is no argument at all.
    pub fn is_empty(&self) -> bool {
        match self {
            Args::None => true,
            Args::List(list) => list.is_empty(),
            Args::Line(line) => line.trim().is_empty(),
        }
    }

    fn characters(&self) -> usize {
        match self {
            Args::None => 0,
            Args::List(list) => list.iter().map(|arg| arg.chars().count()).sum(),
            Args::Line(line) => line.chars().count(),
        }
    }
}

/// A rule that one field of a definition breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path} {message}")]
pub struct FieldError {
    /// Path of the field inside the definition, such as `envs[0].name`; empty for the whole.
    pub path: String,
    /// What is wrong, to be read after the path.
    pub message: String,
}

impl FieldError {
    /// An error at `path`.
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into() }
    }

    /// The whole sentence, with the path below `base` (such as `servers[1]`).
    pub fn under(&self, base: &str) -> String {
        let separator = if base.is_empty() || self.path.is_empty() { "" } else { "." };
        format!("{base}{separator}{} {}", self.path, self.message).trim_start().to_owned()
    }
}

const ARGS_MAX: usize = 1000;
const ENVS_MAX: usize = 50;
const ENV_VALUE_MAX: usize = 1000;
const URL_MAX: usize = 2000;

impl ServerEntry {
    /// Checks every rule that needs nothing but the entry itself.
    pub fn check(&self, max_timeout: u64) -> Result<(), FieldError> {
        match check_name(&self.name, SERVER_NAME_MAX) {
            Ok(()) => {}
            Err(NameError::Missing) => return Err(FieldError::new("name", "is required")),
            Err(NameError::TooLong(max)) => {
                return Err(FieldError::new("name", format!("exceeds maximum length ({max} characters)")));
            }
            Err(NameError::Characters) => {
                return Err(FieldError::new("name", "contains invalid characters"));
            }
        }
        match (&self.command, &self.url) {
            (Some(command), None) if command.trim().is_empty() => {
                return Err(FieldError::new("command", "must not be empty"));
            }
            (Some(command), None) if command.contains('\0') => {
                return Err(FieldError::new("command", "must not contain NUL"));
            }
            (Some(_), None) if !self.headers.is_empty() => {
                return Err(FieldError::new("headers", "are for a server with 'url'"));
            }
            (Some(_), None) if self.oauth.is_some() => {
                return Err(FieldError::new("oauth", "is for a server with 'url'"));
            }
            (Some(_), None) => {}
            (None, Some(url)) => self.check_remote(url)?,
            _ => return Err(FieldError::new("", "must have either 'command' or 'url'")),
        }
        if self.args.characters() > ARGS_MAX {
            return Err(FieldError::new("args", format!("exceeds maximum length ({ARGS_MAX} characters)")));
        }
        if self.args.to_vec().iter().any(|arg| arg.contains('\0')) {
            return Err(FieldError::new("args", "must not contain NUL"));
        }
        self.check_environment()?;
        check_idle_timeout(self.scope, self.idle_timeout)?;
        match self.timeout {
            Some(0) => Err(FieldError::new("timeout", "must be a positive integer")),
            Some(n) if n > max_timeout => Err(FieldError::new("timeout", Self::too_long(max_timeout))),
            _ => Ok(()),
        }
    }

    /// What is said of a timeout above the longest.
    pub fn too_long(max_timeout: u64) -> String {
        format!("exceeds maximum value ({max_timeout})")
    }

    fn check_remote(&self, url: &str) -> Result<(), FieldError> {
        if url.chars().count() > URL_MAX {
            return Err(FieldError::new("url", format!("exceeds maximum length ({URL_MAX} characters)")));
        }
        Address::parse(url).map_err(|message| FieldError::new("url", message))?;
        let of_children = [
            ("args", !self.args.is_empty()),
            ("envs", !self.envs.is_empty()),
            ("env", !self.env.is_empty()),
            ("inheritEnv", self.inherit_env.is_some()),
            ("cwd", self.cwd.is_some()),
            ("harden", self.harden.is_some()),
        ];
        if let Some((field, _)) = of_children.into_iter().find(|(_, given)| *given) {
            return Err(FieldError::new(field, "is for a server with 'command'"));
        }
        self.oauth.as_ref().map_or(Ok(()), Registration::check)?;
        check_headers(&self.headers)
    }

    fn check_environment(&self) -> Result<(), FieldError> {
        if self.envs.len() + self.env.len() > ENVS_MAX {
            let field = if self.envs.is_empty() { "env" } else { "envs" };
            return Err(FieldError::new(field, format!("exceeds maximum count ({ENVS_MAX})")));
        }
        let list = self.envs.iter().enumerate();
        for (i, EnvVar { name, value }) in list {
            check_variable(name, value, &format!("envs[{i}].name"), &format!("envs[{i}].value"))?;
        }
        for (name, value) in &self.env {
            let path = format!("env.{}", name.escape_debug());
            check_variable(name, value, &path, &path)?;
        }
        let mut seen = std::collections::BTreeSet::new();
        for name in self.variables().map(|(name, _)| name) {
            if !seen.insert(name) {
                return Err(FieldError::new("envs", format!("names '{name}' twice")));
            }
        }
        Ok(())
    }

    /// Every variable of `envs` and `env`.
    pub fn variables(&self) -> impl Iterator<Item = (&str, &str)> {
        let list = self.envs.iter().map(|v| (v.name.as_str(), v.value.as_str()));
        list.chain(self.env.iter().map(|(name, value)| (name.as_str(), value.as_str())))
    }
}

fn check_variable(name: &str, value: &str, name_path: &str, value_path: &str) -> Result<(), FieldError> {
    let valid = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_';
    if name.is_empty() || !name.bytes().all(valid) {
        return Err(FieldError::new(name_path, "contains invalid characters (use A-Z, 0-9 and _)"));
    }
    if value.chars().count() > ENV_VALUE_MAX {
        return Err(FieldError::new(
            value_path,
            format!("exceeds maximum length ({ENV_VALUE_MAX} characters)"),
        ));
    }
    if value.contains('\0') {
        return Err(FieldError::new(value_path, "must not contain NUL"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn check(entry: Value, expected: &str) {
        let entry: ServerEntry = serde_json::from_value(entry).expect("the shape is right");
        let found = entry.check(300_000).map_or_else(|e| e.under("servers[1]"), |()| "ok".into());
        assert_eq!(found, expected, "{entry:?}");
    }

    #[test]
    fn an_entry_is_refused_at_the_field_that_breaks_a_rule() {
        check(json!({"name": "s", "command": "c"}), "ok");
        check(json!({"name": "s", "command": "c", "args": "a b"}), "ok");
        check(json!({"name": "s", "command": "c", "timeout": 300000}), "ok");
        check(json!({"command": "c"}), "servers[1].name is required");
        check(json!({"name": "a.b", "command": "c"}), "servers[1].name contains invalid characters");
        check(
            json!({"name": "a".repeat(51), "command": "c"}),
            "servers[1].name exceeds maximum length (50 characters)",
        );
        check(json!({"name": "s"}), "servers[1] must have either 'command' or 'url'");
        check(
            json!({"name": "s", "command": "c", "url": "http://x"}),
            "servers[1] must have either 'command' or 'url'",
        );
        check(
            json!({"name": "s", "command": "c", "timeout": 400000}),
            "servers[1].timeout exceeds maximum value (300000)",
        );
        check(
            json!({"name": "s", "command": "c", "timeout": 0}),
            "servers[1].timeout must be a positive integer",
        );
        check(
            json!({"name": "s", "command": "c", "args": ["x".repeat(1001)]}),
            "servers[1].args exceeds maximum length (1000 characters)",
        );
        check(
            json!({"name": "s", "command": "c", "envs": [{"name": "low", "value": ""}]}),
            "servers[1].envs[0].name contains invalid characters (use A-Z, 0-9 and _)",
        );
        check(
            json!({"name": "s", "command": "c", "env": {"A": "v".repeat(1001)}}),
            "servers[1].env.A exceeds maximum length (1000 characters)",
        );
        check(
            json!({"name": "s", "command": "c", "env": {"A": ""}, "envs": [{"name": "A", "value": ""}]}),
            "servers[1].envs names 'A' twice",
        );
    }

    #[test]
    fn a_remote_entry_is_refused_at_the_field_that_breaks_a_rule() {
        let remote = |extra: Value| {
            let mut entry = json!({"name": "s", "url": "https://h/mcp"});
            entry.as_object_mut().expect("a map").extend(extra.as_object().expect("a map").clone());
            entry
        };
        check(remote(json!({})), "ok");
        check(remote(json!({"headers": {"Authorization": "Bearer k", "X-A": "日本\t"}, "timeout": 5})), "ok");
        check(remote(json!({"url": "ftp://h"})), "servers[1].url must be an http or https URL");
        check(
            remote(json!({"url": format!("http://h/{}", "x".repeat(2000))})),
            "servers[1].url exceeds maximum length (2000 characters)",
        );
        check(remote(json!({"args": ["a"]})), "servers[1].args is for a server with 'command'");
        check(remote(json!({"env": {"A": ""}})), "servers[1].env is for a server with 'command'");
        check(remote(json!({"headers": {"a b": ""}})), "servers[1].headers.a b contains invalid characters");
        for name in ["Host", "content-type", "Mcp-Session-Id"] {
            let expected = format!("servers[1].headers.{name} is set by the gateway itself");
            check(remote(json!({"headers": {name: "x"}})), &expected);
        }
        check(
            remote(json!({"headers": {"A": "x\r\ny"}})),
            "servers[1].headers.A must not contain line breaks or control characters",
        );
        check(
            remote(json!({"headers": {"A": "v".repeat(1001)}})),
            "servers[1].headers.A exceeds maximum length (1000 characters)",
        );
        check(remote(json!({"headers": {"a": "", "A": ""}})), "servers[1].headers names 'a' twice");
        let many: BTreeMap<String, String> = (0..51).map(|i| (format!("x-{i}"), String::new())).collect();
        check(remote(json!({"headers": many})), "servers[1].headers exceeds maximum count (50)");
        check(
            json!({"name": "s", "command": "c", "headers": {"A": ""}}),
            "servers[1].headers are for a server with 'url'",
        );
    }

    #[test]
    fn an_entry_is_printed_without_its_secrets() {
        let entry = json!({"name": "s", "url": "https://u:s3cret@h/s3cret", "headers": {"A": "s3cret"}});
        let entry: ServerEntry = serde_json::from_value(entry).expect("the shape is right");
        assert!(!format!("{entry:?}").contains("s3cret"));
    }

    #[test]
    fn one_string_of_arguments_is_split_on_white_space() {
        assert_eq!(Args::Line(" a  'b c'\t".into()).to_vec(), ["a", "'b", "c'"]);
    }

    #[test]
    fn a_value_is_never_printed_with_its_variable() {
        let var = EnvVar { name: "KEY".into(), value: "s3cret".into() };
        assert_eq!(format!("{var:?}"), "KEY=***");
    }
}
