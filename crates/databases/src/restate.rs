//! Restate servers.

use crate::folder::Folder;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long a server may take until it answers.
const READY: Duration = Duration::from_secs(60);

/// A running Restate server of one node for one test alone, which keeps what it acknowledged.
pub struct Restate {
    folder: Folder,
    ports: [u16; 3],
}

impl Restate {
    /// Starts one.
    pub fn own() -> Self {
        let path = tempfile::Builder::new().prefix("lockgate-restate-").tempdir().expect("a folder").keep();
        let ports = free();
        let end = format!("kill -9 $(cat '{}')", path.join("pid").display());
        let folder = Folder::join(&path, 1, &end, |path| {
            std::fs::write(path.join("restate.toml"), config(ports)).expect("the config is written");
            start(path, ports);
        });
        Self { folder, ports }
    }

    /// Where it takes calls.
    pub fn ingress(&self) -> String {
        format!("http://127.0.0.1:{}", self.ports[0])
    }

    /// Where it is administered.
    pub fn admin(&self) -> String {
        format!("http://127.0.0.1:{}", self.ports[1])
    }

    /// Ends the server at once.
    pub fn kill9(&self) {
        let pid = std::fs::read_to_string(self.folder.path.join("pid")).expect("the process id is noted");
        let done = Command::new("kill").arg("-9").arg(pid.trim()).status();
        assert!(done.is_ok_and(|status| status.success()), "the server is killed");
        let deadline = Instant::now() + READY;
        while TcpStream::connect(("127.0.0.1", self.ports[0])).is_ok() {
            assert!(Instant::now() < deadline, "the server is gone");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Starts it again on what it kept.
    pub fn start(&self) {
        start(&self.folder.path, self.ports);
    }
}

/// Three free ports: for calls, for administration, and for the node itself.
fn free() -> [u16; 3] {
    let held = [(); 3].map(|()| TcpListener::bind("127.0.0.1:0").expect("a port"));
    held.map(|port| port.local_addr().expect("its number").port())
}

fn config([ingress, admin, node]: [u16; 3]) -> String {
    format!(
        "bind-address = \"127.0.0.1:{node}\"\ndefault-num-partitions = 2\ndisable-telemetry = true\n\
         rocksdb-total-memory-size = \"256 MiB\"\n\
         [ingress]\nbind-address = \"127.0.0.1:{ingress}\"\n[admin]\nbind-address = \"127.0.0.1:{admin}\"\n"
    )
}

/// The program, which `make` installs.
fn program() -> PathBuf {
    let packages =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance/node_modules/@restatedev");
    let arch = if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" };
    let program = packages.join(format!("restate-server-linux-{arch}/bin/restate-server"));
    assert!(program.exists(), "Restate is not there; install it first: make node-packages");
    program
}

fn start(path: &Path, ports: [u16; 3]) {
    let log = std::fs::OpenOptions::new().create(true).append(true).open(path.join("log")).expect("a log");
    let mut server = Command::new(program());
    server.args(["--no-logo", "--listen-mode", "tcp", "--node-name", "test"]);
    server.arg("--config-file").arg(path.join("restate.toml")).arg("--base-dir").arg(path.join("data"));
    let errors = log.try_clone().expect("the log again");
    let mut server =
        server.stdin(Stdio::null()).stdout(log).stderr(errors).spawn().expect("restate-server starts");
    std::fs::write(path.join("pid"), server.id().to_string()).expect("the process id is noted");
    // Whoever kills it leaves no trace of it.
    std::thread::spawn(move || server.wait());
    let deadline = Instant::now() + READY;
    let listens = |port: u16| TcpStream::connect(("127.0.0.1", port)).is_ok();
    while !ports.into_iter().all(listens) {
        assert!(Instant::now() < deadline, "restate-server listens");
        std::thread::sleep(Duration::from_millis(20));
    }
}
