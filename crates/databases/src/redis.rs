//! Redis servers.

use crate::folder::Folder;
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A running Redis server for one test alone, which keeps nothing on disk. It takes little to start one.
pub struct Redis {
    _folder: Folder,
    port: u16,
}

impl Redis {
    /// Starts one.
    pub fn own() -> Self {
        let path = tempfile::Builder::new().prefix("lockgate-redis-").tempdir().expect("a folder").keep();
        let port = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("its number").port();
        let end = format!("redis-cli -p {port} shutdown nosave");
        let folder = Folder::join(&path, 1, &end, |path| {
            let mut server = Command::new("redis-server");
            server.args(["--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--daemonize", "yes"]);
            server.arg("--port").arg(port.to_string()).arg("--dir").arg(path);
            let done = server.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
            assert!(done.is_ok_and(|status| status.success()), "redis-server starts");
            let deadline = Instant::now() + Duration::from_secs(20);
            while TcpStream::connect(("127.0.0.1", port)).is_err() {
                assert!(Instant::now() < deadline, "redis-server listens");
                std::thread::sleep(Duration::from_millis(5));
            }
        });
        Self { _folder: folder, port }
    }

    /// The URL to connect with.
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/0", self.port)
    }
}
