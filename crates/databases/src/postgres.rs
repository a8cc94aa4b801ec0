//! PostgreSQL servers.

use crate::folder::Folder;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

const USER: &str = "lockgate";
const PASSWORD: &str = "throw-away";

/// A running PostgreSQL server.
pub struct Postgres {
    folder: Folder,
    port: u16,
}

/// A database of its own on a server.
pub struct Database {
    /// The URL to connect with.
    pub url: String,
}

impl Postgres {
    /// The server that all tests of this checkout share. It does not care for the disk, which makes it fast.
    pub fn shared() -> &'static Self {
        static SHARED: OnceLock<Postgres> = OnceLock::new();
        SHARED.get_or_init(|| {
            let mut hasher = DefaultHasher::new();
            env!("CARGO_MANIFEST_DIR").hash(&mut hasher);
            let name = format!("lockgate-postgres-{}-{:x}", user_id(), hasher.finish());
            Self::join(&std::env::temp_dir().join(name), 20, "fsync=off", initialise)
        })
    }

    /// A server for one test alone, which keeps what it acknowledged.
    pub fn own() -> Self {
        Self::join(&fresh_folder(), 1, "fsync=on", initialise)
    }

    /// Another server that follows this one asynchronously.
    pub fn standby(&self) -> Self {
        let primary = self.url("postgres");
        Self::join(&fresh_folder(), 1, "fsync=off", |path| {
            if is_root() {
                run(Command::new("chown").arg("postgres").arg(path));
            }
            let mut command = as_server("pg_basebackup");
            command.args(["--no-sync", "--checkpoint=fast", "--write-recovery-conf", "--dbname", &primary]);
            run(command.arg("--pgdata").arg(path.join("data")));
        })
    }

    fn join(path: &Path, linger: u32, setting: &str, fill: impl FnOnce(&Path)) -> Self {
        let end = format!("{} -D '{}' -m immediate stop", tool_line("pg_ctl"), path.join("data").display());
        let folder = Folder::join(path, linger, &end, |path| {
            fill(path);
            let port =
                TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("its number").port();
            std::fs::write(path.join("port"), port.to_string()).expect("the port is noted");
            std::fs::write(path.join("setting"), setting).expect("the setting is noted");
            start(path, port, setting);
        });
        let port = std::fs::read_to_string(path.join("port")).expect("the port").parse().expect("a number");
        Self { folder, port }
    }

    /// A new, empty database.
    pub fn database(&self) -> Database {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("t{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        self.psql("postgres", &format!("CREATE DATABASE {name} TEMPLATE template0"));
        Database { url: self.url(&name) }
    }

    /// The URL of a database.
    pub fn url(&self, name: &str) -> String {
        format!("postgres://{USER}:{PASSWORD}@127.0.0.1:{}/{name}", self.port)
    }

    /// The port that the server listens on, at 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Runs SQL in a database, from outside of what is tested; gives what `psql` prints, without decoration.
    pub fn psql(&self, database: &str, sql: &str) -> String {
        let done = self.client(database).args(["--command", sql]).output().expect("psql runs");
        assert!(done.status.success(), "{sql}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8_lossy(&done.stdout).trim().to_owned()
    }

    /// `psql` in a database, which reads SQL and prints without decoration.
    pub fn client(&self, database: &str) -> Command {
        let mut psql = Command::new(tool("psql"));
        psql.args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1"]);
        psql.args(["--dbname", &self.url(database)]);
        psql
    }

    /// Stops the server as an administrator does, ending what is connected.
    pub fn stop(&self) {
        self.control(&["-m", "fast", "-w", "stop"]);
    }

    /// Ends the server as a crash does: nothing is written any more.
    pub fn crash(&self) {
        self.control(&["-m", "immediate", "-w", "stop"]);
    }

    /// Starts the server again, on the same port.
    pub fn start(&self) {
        let setting = std::fs::read_to_string(self.folder.path.join("setting")).expect("the setting");
        start(&self.folder.path, self.port, &setting);
    }

    /// Makes the server offer TLS for the name `localhost`; gives the file to trust.
    pub fn turn_tls_on(&self) -> PathBuf {
        let (data, authority) = (self.folder.path.join("data"), self.folder.path.join("authority.pem"));
        let (key, certificate) = crate::certificate::make(&data);
        std::fs::copy(&certificate, &authority).expect("the certificate is copied");
        if is_root() {
            run(Command::new("chown").arg("postgres").arg(key).arg(certificate));
        }
        self.psql("postgres", "ALTER SYSTEM SET ssl = on");
        self.stop();
        self.start();
        authority
    }

    fn control(&self, arguments: &[&str]) {
        run(as_server("pg_ctl").arg("-D").arg(self.folder.path.join("data")).args(arguments));
    }
}

fn fresh_folder() -> PathBuf {
    tempfile::Builder::new().prefix("lockgate-postgres-").tempdir().expect("a folder").keep()
}

fn initialise(path: &Path) {
    let secret = path.join("password");
    std::fs::write(&secret, PASSWORD).expect("the password is noted");
    if is_root() {
        run(Command::new("chown").args(["-R", "postgres"]).arg(path));
    }
    let mut command = as_server("initdb");
    command.args(["--no-sync", "--encoding=UTF8", "--locale=C", "--auth=scram-sha-256", "--username", USER]);
    run(command.arg("--pwfile").arg(secret).arg("--pgdata").arg(path.join("data")));
}

fn start(path: &Path, port: u16, setting: &str) {
    let options = format!(
        "-c listen_addresses=127.0.0.1 -c port={port} -c unix_socket_directories='' -c max_connections=300 \
         -c shared_buffers=32MB -c {setting}"
    );
    let log = path.join("data/log.txt");
    let mut command = as_server("pg_ctl");
    run(command.arg("-D").arg(path.join("data")).arg("-l").arg(log).args(["-o", &options, "-w", "start"]));
}

fn run(command: &mut Command) {
    let command = command.current_dir("/").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let done = command.status().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(done.success(), "{command:?}: {done}");
}

/// A tool of the server, run as a user that the server accepts: it refuses the superuser.
fn as_server(name: &str) -> Command {
    if !is_root() {
        return Command::new(tool(name));
    }
    let mut command = Command::new("runuser");
    command.args(["-u", "postgres", "--"]).arg(tool(name));
    command
}

/// The same as a piece of shell.
fn tool_line(name: &str) -> String {
    let tool = tool(name);
    if is_root() {
        format!("runuser -u postgres -- '{}'", tool.display())
    } else {
        format!("'{}'", tool.display())
    }
}

/// Debian keeps the tools of the server away from `PATH`, by version.
fn tool(name: &str) -> PathBuf {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let found =
        versions.map(|version| version.path().join("bin").join(name)).filter(|path| path.exists()).max();
    found.unwrap_or_else(|| name.into())
}

fn is_root() -> bool {
    user_id() == 0
}

fn user_id() -> u32 {
    rustix::process::getuid().as_raw()
}
