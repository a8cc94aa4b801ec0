//! A config file in the making.

use crate::binaries;
use serde_json::{Value, json};

/// Servers and settings; `yaml` gives the text of the file.
#[derive(Clone, Default)]
pub struct Config {
    servers: Vec<Server>,
    settings: Vec<String>,
}

impl Config {
    /// A config without servers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a server that runs the fixture unless the closure says otherwise.
    #[must_use]
    pub fn server(mut self, name: &str, edit: impl FnOnce(Server) -> Server) -> Self {
        self.servers.push(edit(Server::new(name)));
        self
    }

    /// Adds raw YAML at the top level.
    #[must_use]
    pub fn setting(mut self, yaml: &str) -> Self {
        self.settings.push(yaml.to_owned());
        self
    }

    /// The text of the file. JSON is YAML, so values are written as JSON.
    pub fn yaml(&self) -> String {
        let mut text = self.settings.join("\n");
        if self.servers.is_empty() {
            return text;
        }
        text.push_str("\nservers:\n");
        self.servers.iter().for_each(|server| text.push_str(&server.yaml()));
        text
    }
}

/// One entry of `servers`.
#[derive(Clone)]
pub struct Server {
    fields: Vec<(String, String)>,
    envs: Vec<Value>,
}

impl Server {
    fn new(name: &str) -> Self {
        let command = binaries::fixture();
        let command = command.to_str().expect("the path of the build is UTF-8");
        Self { fields: Vec::new(), envs: Vec::new() }
            .raw("name", &json!(name).to_string())
            .raw("command", &json!(command).to_string())
    }

    /// Adds one variable to `envs`.
    #[must_use]
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.envs.push(json!({"name": name, "value": value}));
        self
    }

    /// Sets `timeout`.
    #[must_use]
    pub fn timeout(self, ms: u64) -> Self {
        self.raw("timeout", &ms.to_string())
    }

    /// Sets `command`.
    #[must_use]
    pub fn command(self, command: &str) -> Self {
        self.raw("command", &json!(command).to_string())
    }

    /// Sets `args` as a list.
    #[must_use]
    pub fn args(self, args: &[&str]) -> Self {
        self.raw("args", &json!(args).to_string())
    }

    /// Runs a shell script instead; `FIXTURE` in it stands for the path of the fixture.
    #[must_use]
    pub fn shell(self, script: &str) -> Self {
        let fixture = binaries::fixture();
        let script = script.replace("FIXTURE", fixture.to_str().expect("the path of the build is UTF-8"));
        self.command("sh").args(&["-c", &script])
    }

    /// Sets `required`.
    #[must_use]
    pub fn required(self, required: bool) -> Self {
        self.raw("required", &required.to_string())
    }

    /// Sets any field to raw YAML; an empty value takes the field out.
    #[must_use]
    pub fn raw(mut self, field: &str, yaml: &str) -> Self {
        self.fields.retain(|(name, _)| name != field);
        if !yaml.is_empty() {
            self.fields.push((field.to_owned(), yaml.to_owned()));
        }
        self
    }

    fn yaml(&self) -> String {
        let mut fields = self.fields.clone();
        if !self.envs.is_empty() {
            fields.push(("envs".into(), json!(self.envs).to_string()));
        }
        let lines: Vec<String> = fields.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        format!("  - {}\n", lines.join("\n    "))
    }
}
