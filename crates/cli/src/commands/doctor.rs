//! `lockgate doctor`: tries everything that `serve` would need and says what is wrong and what helps.

mod hints;

use crate::args::Flags;
use crate::wire::{self, say};
use config::Config;
use gateway::Server;
use model::Status;
use std::net::{SocketAddr, TcpListener};
use std::process::ExitCode;

pub(crate) fn run(flags: &Flags) -> anyhow::Result<ExitCode> {
    let config = match wire::config(flags) {
        Ok(config) => config,
        Err(error) => {
            bad("config", &error.to_string());
            if error.position().is_some() {
                fix("look at that line and column; indent with spaces, and put values with ': ' in quotes");
            }
            return Ok(ExitCode::FAILURE);
        }
    };
    good("config", &config.path.display().to_string());
    let mut sound = check_port(&config);
    sound &= wire::runtime()?.block_on(check_parts(flags, &config));
    Ok(if sound { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn good(what: &str, text: &str) {
    say(format_args!("ok    {what}: {text}"));
}

fn bad(what: &str, text: &str) {
    say(format_args!("FAIL  {what}: {text}"));
}

fn fix(text: &str) {
    say(format_args!("      fix: {text}"));
}

fn check_port(config: &Config) -> bool {
    let address = SocketAddr::new(config.host, config.port);
    match TcpListener::bind(address) {
        Ok(_) => {
            good("port", &format!("{address} is free"));
            true
        }
        Err(error) => {
            bad("port", &format!("{address} cannot be used: {error}"));
            if let Some(text) = hints::for_port(error.kind()) {
                fix(text);
            }
            false
        }
    }
}

async fn check_parts(flags: &Flags, config: &Config) -> bool {
    let mut sound = match wire::store(config, flags).await {
        Ok(store) => {
            store.close().await;
            good("store", "can be opened");
            true
        }
        Err(error) => {
            bad("store", &format!("{:#}", anyhow::Error::new(error)));
            false
        }
    };
    let gateway = match wire::passing(flags, |_| true).await {
        Ok(gateway) => gateway,
        Err(error) => {
            bad("servers", &format!("{error:#}"));
            return false;
        }
    };
    for server in gateway.registry().servers() {
        sound &= check_server(server);
    }
    gateway.stop().await;
    sound
}

fn check_server(server: &Server) -> bool {
    let view = server.view();
    let name = format!("server {}", view.name);
    if view.status == Status::Running {
        let version = view.protocol_version.unwrap_or_default();
        good(&name, &format!("{} tools, MCP {version}", view.tools));
        return true;
    }
    let reason = server.reason();
    bad(&name, &reason);
    let lines = server.logs();
    for line in lines.iter().rev().take(10).rev() {
        say(format_args!("      | {line}"));
    }
    let hint = match server.entry().url {
        Some(_) => hints::for_remote(&reason),
        None => hints::for_child(&reason, &lines, server.entry().harden.as_ref()),
    };
    if let Some(text) = hint {
        fix(text);
    }
    false
}
