//! Redis servers.

use crate::{certificate, folder::Folder};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A running Redis server for one test alone, which keeps nothing on disk. It takes little to start one.
pub struct Redis {
    folder: Folder,
    port: u16,
}

impl Redis {
    /// Starts one.
    pub fn own() -> Self {
        Self::start(false)
    }

    /// Starts one that speaks nothing but TLS, for the name `localhost`; gives the file to trust besides.
    pub fn with_tls() -> (Self, PathBuf) {
        let server = Self::start(true);
        let authority = server.folder.path.join("server.crt");
        (server, authority)
    }

    fn start(tls: bool) -> Self {
        let path = tempfile::Builder::new().prefix("lockgate-redis-").tempdir().expect("a folder").keep();
        let port = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("its number").port();
        let way = if tls { "--tls --insecure " } else { "" };
        let end = format!("redis-cli {way}-p {port} shutdown nosave");
        let folder = Folder::join(&path, 1, &end, |path| {
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
            let deadline = Instant::now() + Duration::from_secs(20);
            while TcpStream::connect(("127.0.0.1", port)).is_err() {
                assert!(Instant::now() < deadline, "redis-server listens");
                std::thread::sleep(Duration::from_millis(5));
            }
        });
        Self { folder, port }
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
