//! The hooks of the gateway under test, set over its API.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::time::Duration;

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use super::cases::Case;
use crate::load::http::parse;

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
            self.ask("DELETE", &format!("/api/hooks/{id}"), "")?;
        }
        for n in 0..case.count {
            let name = format!("{} {n}", case.name);
            let hook = json!({"name": name, "hookType": "pre", "onError": "stop", "script": case.script});
            let made = self.ask("POST", "/api/hooks", &hook.to_string())?;
            self.ids.push(made["id"].as_str().context("a hook without an id")?.to_owned());
        }
        Ok(())
    }

    /// How often the hooks of now have run.
    pub(super) fn executions(&self) -> anyhow::Result<u64> {
        let hooks = self.ask("GET", "/api/hooks", "")?;
        let list = hooks.as_array().or_else(|| hooks["hooks"].as_array()).context("no list of hooks")?;
        Ok(list.iter().filter_map(|hook| hook["stats"]["executions"].as_u64()).sum())
    }

    fn ask(&self, method: &str, path: &str, body: &str) -> anyhow::Result<Value> {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port))?;
        stream.set_read_timeout(Some(Duration::from_secs(10)))?;
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\n\
             Connection: close\r\nContent-Length: {}\r\n\r\n{body}",
            self.port,
            body.len()
        )?;
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).with_context(|| format!("{method} {path}"))?;
        let response = parse(&bytes, true)?.with_context(|| format!("{method} {path} was not answered"))?;
        let text = String::from_utf8_lossy(&response.body);
        ensure!(response.status / 100 == 2, "{method} {path}: {} {text}", response.status);
        Ok(serde_json::from_slice(&response.body).unwrap_or_default())
    }
}
