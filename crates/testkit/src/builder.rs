//! How a gateway is to be started.

use crate::process::Process;
use crate::{Config, Folder, Output, Port, Server, TestGateway, binaries};
use std::process::Command;

/// Config, environment and flags of a gateway that does not run yet.
#[derive(Clone, Default)]
pub struct Builder {
    config: Config,
    text: Option<String>,
    env: Vec<(String, String)>,
    without_path: bool,
    seeking: bool,
    flags: Vec<String>,
}

impl Builder {
    /// Adds a server that runs the fixture unless the closure says otherwise.
    #[must_use]
    pub fn server(mut self, name: &str, edit: impl FnOnce(Server) -> Server) -> Self {
        self.config = self.config.server(name, edit);
        self
    }

    /// Adds raw YAML at the top level of the config.
    #[must_use]
    pub fn setting(mut self, yaml: &str) -> Self {
        self.config = self.config.setting(yaml);
        self
    }

    /// Replaces the whole text of the config.
    #[must_use]
    pub fn config_text(mut self, yaml: &str) -> Self {
        self.text = Some(yaml.to_owned());
        self
    }

    /// Sets a variable of the gateway's own environment, which otherwise has `PATH` only.
    #[must_use]
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Takes `PATH` out of the gateway's environment.
    #[must_use]
    pub fn without_path(mut self) -> Self {
        self.without_path = true;
        self
    }

    /// Leaves `--config` out: the gateway looks for its config file itself, in its folder.
    #[must_use]
    pub fn seeking(mut self) -> Self {
        self.seeking = true;
        self
    }

    /// Adds a flag of the command line.
    #[must_use]
    pub fn flag(mut self, flag: &str) -> Self {
        self.flags.push(flag.to_owned());
        self
    }

    /// Starts the gateway and waits until `/health` answers.
    #[track_caller]
    pub fn start(self) -> TestGateway {
        self.start_in(Folder::new())
    }

    /// Starts the gateway in a folder that may hold things already.
    #[track_caller]
    pub fn start_in(self, folder: Folder) -> TestGateway {
        let mut gateway = self.launch_in(folder);
        for _ in 0..3 {
            match gateway.wait_ready() {
                Ok(()) => return gateway,
                Err(why) => assert!(why.contains("in use"), "the gateway did not start: {why}"),
            }
            gateway = gateway.relaunch();
        }
        panic!("three ports in a row were taken");
    }

    /// Starts the gateway without waiting for anything.
    #[track_caller]
    pub fn launch(self) -> TestGateway {
        self.launch_in(Folder::new())
    }

    pub(crate) fn launch_in(self, folder: Folder) -> TestGateway {
        folder.write_config(&self.yaml());
        let port = Port::free();
        let process = Process::spawn(&mut self.serve(&folder, port.number));
        TestGateway::new(self, folder, port, process)
    }

    /// Runs the gateway, which has to end by itself.
    #[track_caller]
    pub fn expect_failure(&self) -> Output {
        self.expect_failure_in(&Folder::new())
    }

    /// Runs the gateway in this folder; it has to end by itself.
    #[track_caller]
    pub fn expect_failure_in(&self, folder: &Folder) -> Output {
        folder.write_config(&self.yaml());
        Output::of(&mut self.serve(folder, Port::free().number))
    }

    /// Runs one command of the command line to its end, on this config.
    #[track_caller]
    pub fn run(&self, words: &[&str]) -> Output {
        self.run_in(&Folder::new(), words)
    }

    /// Runs one command of the command line to its end, on this config in this folder.
    #[track_caller]
    pub fn run_in(&self, folder: &Folder, words: &[&str]) -> Output {
        folder.write_config(&self.yaml());
        let mut command = self.command(folder);
        command.args(words.first()).arg("--config").arg(folder.config());
        command.arg("--data").arg(folder.data()).args(words.iter().skip(1));
        Output::of(&mut command)
    }

    /// The bare program in this folder, with this environment and no arguments.
    pub fn command(&self, folder: &Folder) -> Command {
        let mut command = Command::new(binaries::lockgate());
        command.current_dir(folder.path()).env_clear();
        let kept: &[&str] =
            if self.without_path { &["LLVM_PROFILE_FILE"] } else { &["PATH", "LLVM_PROFILE_FILE"] };
        for name in kept {
            command.envs(std::env::var_os(name).map(|value| (name, value)));
        }
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command
    }

    pub(crate) fn serve(&self, folder: &Folder, port: u16) -> Command {
        let mut command = self.command(folder);
        if !self.seeking {
            command.arg("--config").arg(folder.config());
        }
        command.arg("--data").arg(folder.data());
        command.arg("--port").arg(port.to_string()).args(&self.flags);
        command
    }

    fn yaml(&self) -> String {
        self.text.clone().unwrap_or_else(|| self.config.yaml())
    }
}
