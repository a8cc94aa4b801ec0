//! From text and environment to a config: YAML over environment over default (spec 1.11).

use crate::variables::{self, HEALTH_RANGE, Log};
use crate::{CANDIDATES, Environment, Error, Source};
use crate::{definitions, expand, find, keys, secret, server, settings, yaml};
use model::session::{Activity, Procedure};
use model::settings::RestartPolicy;
use model::{Args, ServerEntry, Settings};
use serde_json::{Map, Value};
use std::net::IpAddr;
use std::path::PathBuf;

/// The whole configuration of a gateway. Every rule was checked when it was made.
#[derive(Clone, PartialEq)]
pub struct Config {
    /// The file that was read.
    pub path: PathBuf,
    /// Settings of the file, joined with the environment.
    pub settings: Settings,
    /// Servers in the order of the file, variables expanded.
    pub servers: Vec<ServerEntry>,
    /// Activities of the file; they name nothing that is not there.
    pub activities: Vec<Activity>,
    /// Session workflows of the file, the same.
    pub procedures: Vec<Procedure>,
    /// `PORT`; 0 stands for any free port.
    pub port: u16,
    /// `HOST`.
    pub host: IpAddr,
    /// What is logged.
    pub log: Log,
    /// Servers as written, for descriptions that must not show what variables hold.
    pub(crate) written: Vec<ServerEntry>,
}

/// What a file says, joined with the environment.
#[derive(Clone, PartialEq)]
pub struct Parsed {
    /// Settings of the file, joined with the environment.
    pub settings: Settings,
    /// Servers in the order of the file, variables expanded.
    pub servers: Vec<ServerEntry>,
    /// Activities of the file; they name nothing that is not there.
    pub activities: Vec<Activity>,
    /// Session workflows of the file, the same.
    pub procedures: Vec<Procedure>,
    pub(crate) written: Vec<ServerEntry>,
}

/// Finds the file, reads it and checks it.
pub fn load(source: &Source, env: &Environment) -> Result<Config, Error> {
    let path = find::find(source, env, &CANDIDATES.map(PathBuf::from))?;
    let text = find::read(&path)?;
    Config::from_text(path, &text, env)
}

/// Checks a text. Reads no variable of the process, and no file but those that secrets of the text name.
pub fn parse(text: &str, env: &Environment) -> Result<Parsed, Error> {
    let (default_timeout, max_timeout) = variables::timeouts(env)?;
    let written = yaml::read(text)?;
    let root = expanded(&written, env)?;
    let settings = Settings {
        health_check_interval: health_interval(&written, env)?,
        restart_policy: restart_policy(&root, &written, env)?,
        default_timeout,
        max_timeout,
        validation_disabled: variables::validation_disabled(env)?,
        keys: keys::read(&root, env)?,
        ..settings::settings(&root).map_err(Error::Field)?
    };
    settings::check_restate(&settings).map_err(Error::Field)?;
    let servers = servers(&root, env, max_timeout)?;
    let (activities, procedures) = definitions::read(&written, env, settings::expands_all(&written))?;
    let written =
        list(&written)?.iter().zip(&servers).map(|(value, server)| as_written(value, server)).collect();
    Ok(Parsed { settings, servers, activities, procedures, written })
}

impl Config {
    /// The same as [`load`] for a text that was already read from `path`.
    pub fn from_text(path: impl Into<PathBuf>, text: &str, env: &Environment) -> Result<Self, Error> {
        let (port, host, log) = (variables::port(env)?, variables::host(env)?, variables::log(env)?);
        let Parsed { settings, servers, activities, procedures, written } = parse(text, env)?;
        let path = path.into();
        Ok(Self { path, settings, servers, activities, procedures, port, host, log, written })
    }

    /// The same config with the flags `--port` and `--host`, which go before the variables.
    #[must_use]
    pub fn with_flags(mut self, port: Option<u16>, host: Option<IpAddr>) -> Self {
        self.port = port.unwrap_or(self.port);
        self.host = host.unwrap_or(self.host);
        self
    }
}

fn expanded(written: &Map<String, Value>, env: &Environment) -> Result<Map<String, Value>, Error> {
    let mut root = written.clone();
    let everywhere = settings::expands_all(written);
    if everywhere {
        root.values_mut().for_each(|value| expand::expand_all(value, env));
    }
    secret::resolve_settings(&mut root, (!everywhere).then_some(env)).map_err(Error::Field)?;
    Ok(root)
}

fn health_interval(written: &Map<String, Value>, env: &Environment) -> Result<u64, Error> {
    match written.get("healthCheckInterval") {
        None => variables::health_interval(env),
        Some(value) => {
            let number = value.as_u64().filter(|n| HEALTH_RANGE.contains(n));
            // A number in quotes keeps them: they are what is wrong with it.
            let word = value.as_str().filter(|text| text.parse::<f64>().is_err());
            let shown = || word.map_or_else(|| value.to_string(), str::to_owned);
            number.ok_or_else(|| Error::HealthCheckInterval { value: shown() })
        }
    }
}

fn restart_policy(
    root: &Map<String, Value>,
    written: &Map<String, Value>,
    env: &Environment,
) -> Result<RestartPolicy, Error> {
    let Some(value) = root.get("restartPolicy") else { return variables::restart_policy(env) };
    let policy = value.as_str().and_then(variables::parse_policy);
    policy.ok_or_else(|| {
        // As written: what a variable holds is not shown.
        let value = written.get("restartPolicy").unwrap_or(value);
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        Error::RestartPolicy { field: "restartPolicy", value }
    })
}

/// The entry before its variables were expanded, under the name it has afterwards.
fn as_written(value: &Value, expanded: &ServerEntry) -> ServerEntry {
    let name = expanded.name.clone();
    match server::shaped(value) {
        Ok(written) => ServerEntry { name, ..written },
        // An entry that only its expansion made valid: what may hold a secret is left out.
        Err(_) => ServerEntry { name, command: None, args: Args::None, ..expanded.clone() },
    }
}

fn list(root: &Map<String, Value>) -> Result<&[Value], Error> {
    match root.get("servers") {
        None | Some(Value::Null) => Err(Error::field_at("servers", "is required")),
        Some(Value::Array(items)) if items.is_empty() => {
            Err(Error::field_at("servers", "must have at least one entry"))
        }
        Some(Value::Array(items)) => Ok(items),
        Some(_) => Err(Error::field_at("servers", "must be a list")),
    }
}

fn servers(
    root: &Map<String, Value>,
    env: &Environment,
    max_timeout: u64,
) -> Result<Vec<ServerEntry>, Error> {
    // With `config.expand: all` the strings are expanded already, and nothing is expanded twice.
    let env = (!settings::expands_all(root)).then_some(env);
    let mut servers: Vec<ServerEntry> = Vec::new();
    let mut names = std::collections::HashSet::new();
    for (index, value) in list(root)?.iter().enumerate() {
        let entry = server::expanded_entry(value, env, max_timeout).map_err(|mut error| {
            let separator = if error.path.is_empty() { "" } else { "." };
            error.path = format!("servers[{index}]{separator}{}", error.path);
            Error::Field(error)
        })?;
        if !names.insert(entry.name.clone()) {
            return Err(Error::Duplicate { index, name: entry.name });
        }
        servers.push(entry);
    }
    Ok(servers)
}

#[cfg(test)]
#[path = "read_tests.rs"]
mod tests;
