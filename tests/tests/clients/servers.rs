//! The servers of npm and PyPI as the config of a gateway, with the files they work on.

use crate::programs::{node, package, python};
use std::path::Path;
use std::process::Command;
use testkit::{Config, Folder, Output, Server, TestGateway};

/// All servers, and the folder they work in.
pub(crate) struct Real {
    folder: Folder,
}

impl Real {
    /// A folder with a text file and a repository of one commit.
    #[track_caller]
    pub(crate) fn new() -> Self {
        let folder = Folder::new();
        folder.write("hello.txt", "hello from a file");
        folder.write("repository/file.txt", "text");
        let real = Self { folder };
        real.git(&["init", "--quiet"]);
        real.git(&["add", "."]);
        real.git(&["commit", "--quiet", "--message", "first commit"]);
        real
    }

    /// A path in the folder.
    pub(crate) fn path(&self, name: &str) -> String {
        text(&self.folder.join(name))
    }

    /// The words that start `lockgate stdio` in front of all servers.
    pub(crate) fn stdio(&self) -> Vec<String> {
        let servers = self.entries().into_iter();
        let config = servers.fold(Config::new(), |config, (name, edit)| config.server(name, edit));
        self.folder.write_config(&config.yaml());
        let program = text(&testkit::lockgate());
        let (config, data) = (text(&self.folder.config()), text(&self.folder.data()));
        [&program, "stdio", "--config", &config, "--data", &data].map(str::to_owned).to_vec()
    }

    /// A gateway in front of all servers.
    #[track_caller]
    pub(crate) fn gateway(&self) -> TestGateway {
        let servers = self.entries().into_iter();
        servers.fold(TestGateway::builder(), |gateway, (name, edit)| gateway.server(name, edit)).start()
    }

    fn entries(&self) -> Vec<(&'static str, impl FnOnce(Server) -> Server)> {
        let npm = |name: &str, args: &[String]| {
            let script = text(&package(&format!("@modelcontextprotocol/server-{name}/dist/index.js")));
            (text(&node()), [&[script], args].concat())
        };
        let pypi = |name: &str| (text(&python(name)), Vec::new());
        let memory = self.path("memory.jsonl");
        let programs = [
            ("everything", npm("everything", &[])),
            ("filesystem", npm("filesystem", &[text(self.folder.path())])),
            ("memory", npm("memory", &[])),
            ("time", pypi("mcp-server-time")),
            ("git", pypi("mcp-server-git")),
        ];
        let entry = |(name, (command, args)): (&'static str, (String, Vec<String>))| {
            let memory = memory.clone();
            let edit = move |server: Server| {
                let args: Vec<&str> = args.iter().map(String::as_str).collect();
                server.command(&command).args(&args).env("MEMORY_FILE_PATH", &memory)
            };
            (name, edit)
        };
        programs.map(entry).into_iter().collect()
    }

    #[track_caller]
    fn git(&self, words: &[&str]) {
        let mut command = Command::new("git");
        command.current_dir(self.folder.join("repository"));
        command.args(["-c", "user.name=test", "-c", "user.email=test@example.com"]).args(words);
        Output::of(&mut command).expect_code(0);
    }
}

fn text(path: &Path) -> String {
    path.to_str().expect("paths of tests are UTF-8").to_owned()
}
