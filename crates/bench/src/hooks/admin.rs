//! The hooks of the gateway under test, set over its API.

use anyhow::Context;
use serde_json::json;

use super::cases::Case;
use crate::admin::ask;

/// The API of one gateway, and the hooks that were made over it.
pub(super) struct Admin {
    port: u16,
    ids: Vec<String>,
}

impl Admin {
    /// Speaks to the gateway on this port.
    pub(super) fn new(port: u16) -> Self {
        Self { port, ids: Vec::new() }
    }

    /// Puts these hooks in the place of those before. A hook that fails stops its call, so that it shows.
    pub(super) fn set(&mut self, case: &Case) -> anyhow::Result<()> {
        for id in std::mem::take(&mut self.ids) {
            ask(self.port, "DELETE", &format!("/api/hooks/{id}"), "")?;
        }
        for n in 0..case.count {
            let name = format!("{} {n}", case.name);
            let hook = json!({"name": name, "hookType": "pre", "onError": "stop", "script": case.script});
            let made = ask(self.port, "POST", "/api/hooks", &hook.to_string())?;
            self.ids.push(made["id"].as_str().context("a hook without an id")?.to_owned());
        }
        Ok(())
    }

    /// How often the hooks of now have run.
    pub(super) fn executions(&self) -> anyhow::Result<u64> {
        let hooks = ask(self.port, "GET", "/api/hooks", "")?;
        let list = hooks.as_array().or_else(|| hooks["hooks"].as_array()).context("no list of hooks")?;
        Ok(list.iter().filter_map(|hook| hook["stats"]["executions"].as_u64()).sum())
    }
}
