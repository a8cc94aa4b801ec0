//! A gateway under test: how it is started, when it answers, how it is ended.

use std::fs::{self, File};
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use serde_json::Value;

use super::{Lab, Memory, Moment};
use crate::load::{Door, Mode, probe};
use crate::procfs;

/// A log longer than this is emptied between windows.
const LOG_LIMIT: u64 = 16 << 20;

/// How to start a gateway, and its doors by the name of their row in the report.
pub(crate) struct Spec {
    pub(crate) name: String,
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<String>,
    pub(crate) doors: Vec<(String, Door)>,
    /// How long it may take until it answers.
    pub(crate) patience: Duration,
}

/// A port nobody listens on.
pub(crate) fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

impl Spec {
    /// The floor in front of one echo server; `ready_bytes` is the size of its tool list.
    pub(crate) fn floor(lab: &Lab, ready_bytes: usize, echo: &[&str]) -> anyhow::Result<Self> {
        let port = free_port()?;
        let mut arguments: Vec<String> = [
            "floor",
            "--port",
            &port.to_string(),
            "--ready-bytes",
            &ready_bytes.to_string(),
            "--",
            &lab.bench,
        ]
        .map(str::to_owned)
        .to_vec();
        arguments.extend(echo.iter().map(|&word| word.to_owned()));
        let doors = vec![
            ("floor_rest".into(), Door::to_echo(Mode::Rest, port, "/mcp/call")),
            ("floor_mcp".into(), Door::to_echo(Mode::Mcp, port, "/mcp")),
        ];
        let program = lab.bench.clone().into();
        Ok(Self { name: "floor".into(), program, arguments, doors, patience: Duration::from_secs(10) })
    }

    /// Lockgate as it comes, everything on, in front of these echo servers.
    pub(crate) fn lockgate(lab: &Lab, servers: &[String], echo: &[&str]) -> anyhow::Result<Self> {
        Self::lockgate_with(lab, servers, echo, serde_json::json!({}))
    }

    /// The same with these settings in its config file; servers that they name come after the echo servers.
    pub(crate) fn lockgate_with(
        lab: &Lab,
        servers: &[String],
        echo: &[&str],
        mut settings: Value,
    ) -> anyhow::Result<Self> {
        let port = free_port()?;
        let folder = lab.folder.path().join(format!("lockgate-{port}"));
        fs::create_dir(&folder)?;
        let config = folder.join("lockgate.yaml");
        let entry = |name: &String| serde_json::json!({"name": name, "command": lab.bench, "args": echo});
        let more = settings.get("servers").and_then(Value::as_array).cloned().unwrap_or_default();
        settings["servers"] = servers.iter().map(entry).chain(more).collect();
        fs::write(&config, settings.to_string())?; // JSON is YAML
        let arguments =
            ["serve", "--config", &config.to_string_lossy(), "--port", &port.to_string(), "--data"]
                .map(str::to_owned)
                .into_iter()
                .chain([folder.to_string_lossy().into_owned()])
                .collect();
        let first = servers.first().cloned().unwrap_or_default();
        let doors = vec![
            (
                "lockgate_rest".into(),
                Door { servers: vec![first], ..Door::to_echo(Mode::Rest, port, "/mcp/call") },
            ),
            ("lockgate_mcp".into(), Door::to_echo(Mode::Mcp, port, "/mcp")),
            ("lockgate_modern_to_legacy".into(), Door::to_echo(Mode::McpStateless, port, "/mcp")),
        ];
        let program = lab.lockgate.clone().context("this run is without lockgate")?;
        Ok(Self { name: "lockgate".into(), program, arguments, doors, patience: Duration::from_secs(30) })
    }

    /// Lockgate in front of one echo server of the modern era.
    pub(crate) fn lockgate_before_modern(lab: &Lab) -> anyhow::Result<Self> {
        let spec = Self::lockgate(lab, &["echo".into()], &["echo", "--era", "modern"])?;
        let port = spec.doors[0].1.port;
        let doors = vec![
            ("lockgate_modern".into(), Door::to_echo(Mode::McpStateless, port, "/mcp")),
            ("lockgate_legacy_to_modern".into(), Door::to_echo(Mode::Mcp, port, "/mcp")),
        ];
        Ok(Self { name: "lockgate, modern server".into(), doors, ..spec })
    }

    /// A gateway made of the official SDK, in front of one echo server.
    pub(crate) fn sdk(lab: &Lab) -> anyhow::Result<Self> {
        let port = free_port()?;
        let arguments = ["sdk", "--port", &port.to_string(), "--", &lab.bench, "echo"];
        let doors = vec![
            ("sdk_mcp".into(), Door::to_echo(Mode::Mcp, port, "/mcp")),
            ("sdk_modern".into(), Door::to_echo(Mode::McpStateless, port, "/mcp")),
        ];
        let (arguments, program) = (arguments.map(str::to_owned).to_vec(), lab.bench.clone().into());
        Ok(Self { name: "sdk".into(), program, arguments, doors, patience: Duration::from_secs(10) })
    }
}

/// A gateway that runs, and ends with this value.
pub(crate) struct Running {
    pub(crate) name: String,
    pub(crate) doors: Vec<(String, Door)>,
    /// From the start of the process to the first right answer.
    pub(crate) cold: Duration,
    child: Child,
    log: File,
}

impl Running {
    /// Starts the gateway and waits for its first right answer.
    pub(crate) fn start(spec: &Spec, lab: &Lab) -> anyhow::Result<Self> {
        let path = lab.folder.path().join(format!("{}.log", spec.name));
        let log = File::options().create(true).append(true).open(&path)?;
        let began = Instant::now();
        let child = Command::new(&spec.program)
            .args(&spec.arguments)
            .current_dir(lab.folder.path())
            .env("LOG_LEVEL", "info")
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log.try_clone()?)
            .spawn()
            .with_context(|| format!("starting {}", spec.program.display()))?;
        let doors = spec.doors.clone();
        let mut running = Self { name: spec.name.clone(), doors, cold: Duration::ZERO, child, log };
        let door = &spec.doors[0].1;
        while let Err(error) = probe(door) {
            let log = || fs::read_to_string(&path).unwrap_or_default();
            if let Some(status) = running.child.try_wait()? {
                bail!("{} ended with {status}\n{}", spec.name, tail(&log()));
            }
            if began.elapsed() > spec.patience {
                bail!("{} does not answer: {error}\n{}", spec.name, tail(&log()));
            }
            thread::sleep(Duration::from_millis(1));
        }
        running.cold = began.elapsed();
        Ok(running)
    }

    /// Root of the process tree.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Ends the gateway at once, without a chance to finish anything.
    pub(crate) fn kill(mut self) -> io::Result<()> {
        self.child.kill()?;
        self.child.wait().map(drop)
    }

    /// What memory it holds now.
    pub(crate) fn memory(&self, moment: Moment) -> Memory {
        let tree = procfs::Tree::of(self.pid());
        let (gateway, guards) = (procfs::resident(&tree.gateway), procfs::resident(&tree.guards));
        let workers = procfs::resident(&tree.workers);
        Memory { name: self.name.clone(), moment, gateway, guards, workers }
    }

    /// Empties a log that has grown long; it was written, which is what counts.
    pub(crate) fn trim_log(&self) {
        if self.log.metadata().is_ok_and(|log| log.len() > LOG_LIMIT) {
            let _ = self.log.set_len(0);
        }
    }
}

impl Drop for Running {
    /// Asks the gateway to stop, and ends it when it does not within 8 seconds.
    fn drop(&mut self) {
        // Of one that has ended, the number may be another process's by now.
        if !matches!(self.child.try_wait(), Ok(None)) {
            return;
        }
        let _ = rustix::process::kill_process(
            rustix::process::Pid::from_child(&self.child),
            rustix::process::Signal::TERM,
        );
        let end = Instant::now() + Duration::from_secs(8);
        while Instant::now() < end {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            thread::sleep(Duration::from_millis(5));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The last lines of a log.
fn tail(log: &str) -> String {
    let lines: Vec<&str> = log.lines().collect();
    lines[lines.len().saturating_sub(8)..].join("\n")
}
