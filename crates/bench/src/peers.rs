//! Other gateways on the same work: how each is found, installed and started.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, anyhow};

use crate::load::{Door, Mode};
use crate::run::{Lab, Spec, free_port};

struct Peer {
    name: &'static str,
    /// What it is called on PATH. Three projects are called `mcp-proxy`; `kind` tells them apart.
    command: &'static str,
    kind: Kind,
    install: &'static str,
    mode: Mode,
    path: &'static str,
    tool: &'static str,
    /// Words of the command line; `{port}`, `{echo}` (the server's program) and `{config}` are filled in.
    arguments: &'static [&'static str],
    config: &'static str,
}

/// What a command is written in, as its first bytes tell.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Python,
    Node,
    Native,
}

const PEERS: [Peer; 5] = [
    Peer {
        name: "mcpo",
        command: "mcpo",
        kind: Kind::Python,
        install: "pip install mcpo 'mcp<2' 'fastapi==0.128.*'",
        mode: Mode::Mcpo,
        path: "/echo",
        tool: "echo",
        arguments: &["--host", "127.0.0.1", "--port", "{port}", "--", "{echo}", "echo"],
        config: "",
    },
    Peer {
        name: "mcp-proxy-rs",
        command: "mcp-proxy",
        kind: Kind::Native,
        install: "cargo install mcp-proxy",
        mode: Mode::Mcp,
        path: "/",
        tool: "echo/echo",
        arguments: &["--config", "{config}"],
        config: "[proxy]\nname = \"bench\"\nseparator = \"/\"\n[proxy.listen]\nhost = \"127.0.0.1\"\nport = {port}\n\
                 [[backends]]\nname = \"echo\"\ntransport = \"stdio\"\ncommand = \"{echo}\"\nargs = [\"echo\"]\n",
    },
    Peer {
        name: "supergateway",
        command: "supergateway",
        kind: Kind::Node,
        install: "npm install supergateway",
        mode: Mode::Mcp,
        path: "/mcp",
        tool: "echo",
        arguments: &[
            "--stdio",
            "{echo} echo",
            "--outputTransport",
            "streamableHttp",
            "--stateful",
            "--logLevel",
            "none",
            "--port",
            "{port}",
        ],
        config: "",
    },
    Peer {
        name: "mcp-proxy-npm",
        command: "mcp-proxy",
        kind: Kind::Node,
        install: "npm install mcp-proxy",
        mode: Mode::Mcp,
        path: "/mcp",
        tool: "echo",
        arguments: &["--host", "127.0.0.1", "--port", "{port}", "--server", "stream", "--", "{echo}", "echo"],
        config: "",
    },
    Peer {
        name: "mcp-proxy-py",
        command: "mcp-proxy",
        kind: Kind::Python,
        install: "pip install mcp-proxy",
        mode: Mode::Mcp,
        path: "/mcp",
        tool: "echo",
        arguments: &["--host", "127.0.0.1", "--port", "{port}", "--", "{echo}", "echo"],
        config: "",
    },
];

/// The peers that were asked for: ready to start, or why not.
pub(crate) fn find(names: &[String], folder: Option<&Path>, lab: &Lab) -> Vec<anyhow::Result<Spec>> {
    let all = names.iter().any(|name| name == "all");
    let known = PEERS.iter().filter(|peer| all || names.iter().any(|name| name == peer.name));
    let unknown =
        names.iter().filter(|name| *name != "all" && PEERS.iter().all(|peer| peer.name != name.as_str()));
    let list = || PEERS.map(|peer| peer.name).join(", ");
    let unknown = unknown.map(|name| Err(anyhow!("{name} is not a known peer; known are {}", list())));
    known.map(|peer| peer.spec(folder, lab)).chain(unknown).collect()
}

impl Peer {
    fn spec(&self, folder: Option<&Path>, lab: &Lab) -> anyhow::Result<Spec> {
        let program = self.program(folder).with_context(|| {
            format!("{} was not measured: it is not installed (`{}`)", self.name, self.install)
        })?;
        let port = free_port()?;
        let config = lab.folder.path().join(format!("{}.conf", self.name));
        let fill = |text: &str| {
            let text = text.replace("{port}", &port.to_string()).replace("{echo}", &lab.bench);
            text.replace("{config}", &config.to_string_lossy())
        };
        fs::write(&config, fill(self.config))?;
        let door = Door { tool: self.tool.into(), ..Door::to_echo(self.mode, port, self.path) };
        Ok(Spec {
            name: self.name.into(),
            program,
            arguments: self.arguments.iter().map(|word| fill(word)).collect(),
            doors: vec![(self.name.into(), door)],
            patience: Duration::from_secs(60),
        })
    }

    /// Looks into the folder of installations first, then along PATH.
    fn program(&self, folder: Option<&Path>) -> Option<PathBuf> {
        let places = ["bin", "node_modules/.bin", "target/release", "."];
        let own = folder.iter().flat_map(|folder| places.map(|place| folder.join(self.name).join(place)));
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut found = own.chain(std::env::split_paths(&path)).map(|folder| folder.join(self.command));
        found.find(|program| kind(program) == Some(self.kind))
    }
}

fn kind(program: &Path) -> Option<Kind> {
    let bytes = fs::read(program).ok()?;
    let first = bytes.split(|byte| *byte == b'\n').next()?;
    Some(match first {
        _ if first.starts_with(b"\x7fELF") => Kind::Native,
        _ if memchr::memmem::find(first, b"python").is_some() => Kind::Python,
        _ if memchr::memmem::find(first, b"node").is_some() => Kind::Node,
        _ => return None,
    })
}
