//! `lockgate tools`: what every server offers, and the gateway itself.

use crate::args::{Flags, Tools};
use crate::wire::{self, say};
use gateway::{Caller, Failure};
use model::PRODUCT;
use model::text::on_one_line;
use serde_json::Value;
use std::process::ExitCode;

pub(crate) fn run(flags: &Flags, options: &Tools) -> anyhow::Result<ExitCode> {
    wire::runtime()?.block_on(list(flags, options))
}

async fn list(flags: &Flags, options: &Tools) -> anyhow::Result<ExitCode> {
    let wanted = options.server.as_deref();
    let gateway = wire::passing(flags, |entry| wanted.is_none_or(|name| name == entry.name)).await?;
    let unknown = wanted.filter(|name| gateway.registry().get(name).is_none());
    if let Some(name) = unknown.filter(|name| *name != PRODUCT) {
        anyhow::bail!("MCP Server '{name}' not found");
    }
    let caller = Caller::new(None);
    // The gateway's own tools stand under its own name, unless a server has that.
    let listed = match wanted.is_none() || unknown.is_some() {
        true => gateway.every_tool_json(caller).await.0,
        false => gateway.tools_json(caller).await.0,
    };
    let json = match listed {
        Ok(json) => json,
        Err(Failure::Fault(fault)) => anyhow::bail!("{fault}"),
        Err(Failure::Rpc(error)) => anyhow::bail!("{}", gateway::fault_of(&error, "", "")),
    };
    if options.json {
        say(String::from_utf8_lossy(&json));
    } else {
        print_table(&serde_json::from_slice(&json)?);
    }
    let failed = wire::complain_of_servers(&gateway);
    gateway.stop().await;
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn print_table(list: &Value) {
    let empty = Vec::new();
    // A server may put anything there, and a terminal obeys it.
    let text = |tool: &Value, key: &str| on_one_line(tool[key].as_str().unwrap_or_default());
    let rows: Vec<_> = list["tools"].as_array().unwrap_or(&empty).iter().collect();
    let width = |key: &str| rows.iter().map(|tool| text(tool, key).chars().count()).max().unwrap_or(0);
    let (servers, names) = (width("server"), width("name"));
    for tool in rows {
        let description = tool["description"].as_str().unwrap_or_default();
        let first_line = on_one_line(description.lines().next().unwrap_or_default());
        let line = format!("{:servers$}  {:names$}  {first_line}", text(tool, "server"), text(tool, "name"));
        say(line.trim_end());
    }
}
