//! The throw-away gateway: a temporary folder, a config of its own, a free port, the demo server, the hooks, a session
//! workflow and a graph.

use super::http::Http;
use super::marks;
use super::program::Program;
use anyhow::{Context, ensure};
use process::Launcher;
use serde_json::{Value, json};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// The name of the demo server in it.
pub(super) const SERVER: &str = "demo";

/// The tool that starts the session workflow in it, whose one step calls the demo server.
pub(super) const START: &str = "trip_start";

/// The activity that is a tool of its own.
pub(super) const PUBLISHED: &str = "greet";

/// A running gateway with its folder.
pub(super) struct House {
    folder: Folder,
    launcher: Launcher,
    binary: PathBuf,
    gateway: Program,
    pub(super) http: Http,
}

impl House {
    /// Starts the gateway and creates the hooks; `hooked` tells whether they shall run.
    pub(super) async fn open(hooked: bool) -> anyhow::Result<Self> {
        let folder = Folder::new().context("making a temporary folder")?;
        let launcher = Launcher::this_binary()?;
        let binary = std::env::current_exe().context("finding this program's own file")?;
        let tool = json!({"server": SERVER, "name": "fetch-weather"});
        let config = json!({
            "servers": [{"name": SERVER, "command": binary, "args": ["demo-server"]}],
            "hooks": {"list": {"enabled": hooked}},
            "activities": [
                {"name": "look", "description": "Looks at the weather", "run": {"tool": tool}},
                {"name": PUBLISHED, "description": "Says hello", "publish": true, "run": {"script": "return {data: {}}"}},
            ],
            "workflows": [{"name": "trip", "description": "Plans a trip", "steps": [{"activity": "look"}]}],
        });
        // JSON is YAML.
        std::fs::write(folder.config(), config.to_string()).context("writing a temporary config")?;
        let words = ["serve", "--host", "127.0.0.1", "--port", "0"];
        let mut gateway = Program::start(&launcher, binary.clone(), folder.words(&words)).await?;
        let ready = gateway.line_with("http://127.0.0.1:").await.context("starting a gateway to try")?;
        let port = ready.rsplit(':').next().and_then(|port| port.trim().parse().ok());
        let http = Http { port: port.context("the gateway did not tell its port")? };
        for hook in marks::hooks() {
            let answer = http.send("POST", "/api/hooks", &[], Some(&hook.to_string())).await?;
            ensure!(answer.status == 201, "creating a hook: {}", answer.body);
        }
        Ok(Self { folder, launcher, binary, gateway, http })
    }

    /// Lets calls pass through a graph from now on.
    pub(super) async fn draw(&self) -> anyhow::Result<()> {
        let graph = marks::graph().to_string();
        let made = self.http.send("POST", "/api/workflows", &[], Some(&graph)).await?;
        ensure!(made.status == 201, "creating a graph: {}", made.body);
        let id = serde_json::from_str::<Value>(&made.body)?["id"].as_str().map(str::to_owned);
        let path = format!("/api/workflows/{}/activate", id.context("a graph without an id")?);
        let active = self.http.send("POST", &path, &[], Some("{}")).await?;
        ensure!(active.status == 200, "activating a graph: {}", active.body);
        Ok(())
    }

    /// Starts another command of this binary on the same config and data.
    pub(super) async fn start(&self, words: &[&str]) -> anyhow::Result<Program> {
        Program::start(&self.launcher, self.binary.clone(), self.folder.words(words)).await
    }

    /// Waits until the log of the gateway has this text.
    pub(super) async fn logged(&self, text: &str) -> anyhow::Result<()> {
        self.gateway.logged(text).await
    }

    /// Ends the gateway; the folder goes with it.
    pub(super) async fn close(self) {
        self.gateway.stop().await;
    }
}

/// A folder that only this user can look into, and that goes with the value.
struct Folder(PathBuf);

impl Folder {
    fn new() -> std::io::Result<Self> {
        let name = format!("lockgate-verify-{}", gateway::Seal::fresh_secret());
        let path = std::env::temp_dir().join(name);
        // It fails when somebody made it before.
        std::fs::DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self(path))
    }

    fn config(&self) -> PathBuf {
        self.0.join("lockgate.yaml")
    }

    /// A command line on this config and data.
    fn words(&self, words: &[&str]) -> Vec<String> {
        let text = |path: &Path| path.display().to_string();
        let own = ["--config".to_owned(), text(&self.config()), "--data".to_owned(), text(&self.0)];
        own.into_iter().chain(words.iter().map(|&word| word.to_owned())).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
