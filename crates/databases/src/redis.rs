//! Redis servers.

use crate::{certificate, folder::Folder};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A running Redis server for one test alone, which keeps nothing on disk. It takes little to start one.
pub struct Redis {
    folder: Folder,
    port: u16,
    tls: bool,
}

impl Redis {
    /// Starts one.
    pub fn own() -> Self {
        Self::make(false)
    }

    /// Starts one that speaks nothing but TLS, for the name `localhost`; gives the file to trust besides.
    pub fn with_tls() -> (Self, PathBuf) {
        let server = Self::make(true);
        let authority = server.folder.path.join("server.crt");
        (server, authority)
    }

    fn make(tls: bool) -> Self {
        let path = tempfile::Builder::new().prefix("lockgate-redis-").tempdir().expect("a folder").keep();
        let port = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("its number").port();
        let way = if tls { "--tls --insecure " } else { "" };
        let end = format!("redis-cli {way}-p {port} shutdown nosave");
        let folder = Folder::join(&path, 1, &end, |path| start(path, port, tls));
        Self { folder, port, tls }
    }

    /// Kills the server: what it keeps is gone, but for what [`Redis::save`] wrote.
    pub fn crash(&self) {
        let told = self.client().args(["info", "server"]).output().expect("redis-cli runs");
        let told = String::from_utf8_lossy(&told.stdout).into_owned();
        let id = told.lines().find_map(|line| line.strip_prefix("process_id:")).expect("its process");
        let killed = Command::new("kill").args(["-9", id.trim()]).status();
        assert!(killed.is_ok_and(|status| status.success()), "redis-server is killed");
        wait("redis-server ends", || TcpStream::connect(("127.0.0.1", self.port)).is_err());
    }

    /// Starts the server again, on the same port, with what it finds on disk.
    pub fn start(&self) {
        start(&self.folder.path, self.port, self.tls);
    }

    /// Writes to disk what the server keeps, and gives the file.
    pub fn save(&self) -> PathBuf {
        let done = self.client().arg("save").output().expect("redis-cli runs");
        assert!(done.status.success() && done.stdout.starts_with(b"OK"), "{done:?}");
        self.folder.path.join("dump.rdb")
    }

    /// `redis-cli` for this server.
    pub fn client(&self) -> Command {
        let mut client = Command::new("redis-cli");
        client.args(if self.tls { &["--tls", "--insecure"][..] } else { &[] });
        client.arg("-p").arg(self.port.to_string());
        client
    }

    /// The URL to connect with.
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/0", self.port)
    }

    /// The port that the server listens on, at 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }
}

fn start(path: &Path, port: u16, tls: bool) {
    let mut server = Command::new("redis-server");
    server.args(["--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--daemonize", "yes"]);
    server.arg("--dir").arg(path);
    if tls {
        let (key, certificate) = certificate::make(path);
        server.args(["--port", "0", "--tls-auth-clients", "no", "--tls-port"]).arg(port.to_string());
        server.arg("--tls-cert-file").arg(&certificate).arg("--tls-key-file").arg(key);
        server.arg("--tls-ca-cert-file").arg(certificate);
    } else {
        server.arg("--port").arg(port.to_string());
    }
    let done = server.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    assert!(done.is_ok_and(|status| status.success()), "redis-server starts");
    wait("redis-server listens", || TcpStream::connect(("127.0.0.1", port)).is_ok());
}

fn wait(what: &str, done: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !done() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
