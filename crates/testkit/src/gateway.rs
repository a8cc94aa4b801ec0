//! A running gateway.

use crate::process::Process;
use crate::processes::{self, Identity};
use crate::{Builder, Config, Folder, Http, Port, Reply, Request, Server, Signal};
use serde_json::{Value, json};
use std::io;
use std::thread::JoinHandle;
use std::time::Duration;

/// Longer than the ten seconds a server may take to start.
const READY: Duration = Duration::from_secs(30);
const END: Duration = Duration::from_secs(20);

/// The built gateway in a folder of its own. Dropping it ends it and everything below it.
pub struct TestGateway {
    builder: Builder,
    folder: Option<Folder>,
    port: Port,
    process: Process,
}

impl TestGateway {
    /// A gateway without servers, to be filled.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// A running gateway with the fixture as `test-server`.
    #[track_caller]
    pub fn start() -> Self {
        Self::with(|server| server)
    }

    /// A running gateway with the fixture as `test-server`, set up by the closure.
    #[track_caller]
    pub fn with(edit: impl FnOnce(Server) -> Server) -> Self {
        Self::builder().server("test-server", edit).start()
    }

    pub(crate) fn new(builder: Builder, folder: Folder, port: Port, process: Process) -> Self {
        Self { builder, folder: Some(folder), port, process }
    }

    /// The address.
    pub fn http(&self) -> Http {
        Http::at(self.port.number)
    }

    /// The folder with config and data.
    pub fn folder(&self) -> &Folder {
        self.folder.as_ref().expect("the folder is there until the gateway is dropped")
    }

    /// The process id.
    pub fn pid(&self) -> u32 {
        self.process.pid()
    }

    /// `POST /mcp/call`.
    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "callers write the input in place")]
    pub fn call(&self, server: &str, tool: &str, input: Value) -> Reply {
        self.http().send(&call(server, tool, &input))
    }

    /// `POST /mcp/call` on a thread of its own; comes back when the call has reached the server.
    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "callers write the input in place")]
    pub fn call_later(&self, server: &str, tool: &str, input: Value) -> JoinHandle<io::Result<Reply>> {
        let handle = self.http().send_later(call(server, tool, &input));
        // The first `stats` after the arrival has the arguments of that call.
        crate::eventually("the arrival of the call", || {
            (self.call(server, "stats", json!({})).result()["last"] == input).then_some(())
        });
        handle
    }

    /// `GET`.
    #[track_caller]
    pub fn get(&self, path: &str) -> Reply {
        self.http().send(&Request::new("GET", path))
    }

    /// `POST` with a JSON body.
    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "callers write the body in place")]
    pub fn post(&self, path: &str, body: Value) -> Reply {
        self.post_raw(path, "application/json", body.to_string())
    }

    /// `POST` of any bytes; an empty content type sends no header.
    #[track_caller]
    pub fn post_raw(&self, path: &str, content_type: &str, bytes: impl Into<Vec<u8>>) -> Reply {
        self.http().send(&Request::new("POST", path).body(content_type, bytes))
    }

    /// `DELETE`.
    #[track_caller]
    pub fn delete(&self, path: &str) -> Reply {
        self.http().send(&Request::new("DELETE", path))
    }

    /// Sends exactly these bytes and gives everything that comes back.
    #[track_caller]
    pub fn raw(&self, bytes: &[u8]) -> Vec<u8> {
        self.http().raw(bytes).expect("the gateway answers")
    }

    /// The body of `/health`.
    #[track_caller]
    pub fn health(&self) -> Value {
        let reply = self.get("/health");
        reply.expect_status(200);
        reply.body
    }

    /// The status word of one server.
    #[track_caller]
    pub fn status(&self, server: &str) -> String {
        self.health()["servers"][server].as_str().unwrap_or_default().to_owned()
    }

    /// Waits until the server has that status.
    #[track_caller]
    pub fn wait_status(&self, server: &str, status: &str) {
        crate::eventually(&format!("{server} is {status}"), || (self.status(server) == status).then_some(()));
    }

    /// What the fixture behind that name says of itself.
    #[track_caller]
    pub fn stats(&self, server: &str) -> Value {
        self.call(server, "stats", json!({})).result().clone()
    }

    /// The process id of the fixture behind that name.
    #[track_caller]
    pub fn server_pid(&self, server: &str) -> u32 {
        let pid = self.stats(server)["pid"].as_u64().and_then(|pid| u32::try_from(pid).ok());
        pid.expect("stats has a process id")
    }

    /// The names in `/mcp/tools` as pairs of server and tool.
    #[track_caller]
    pub fn tools(&self) -> Vec<(String, String)> {
        let reply = self.get("/mcp/tools");
        reply.expect_status(200);
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let tools = reply.body["tools"].as_array().expect("tools is an array");
        tools.iter().map(|tool| (text(&tool["server"]), text(&tool["name"]))).collect()
    }

    /// Replaces the config file; nothing is reloaded by this.
    pub fn rewrite(&self, config: &Config) {
        self.folder().write_config(&config.yaml());
    }

    /// Everything on standard error so far, line by line.
    pub fn log_lines(&self) -> Vec<String> {
        self.process.lines()
    }

    /// The lines of the log that are JSON objects.
    pub fn log(&self) -> Vec<Value> {
        let lines = self.log_lines();
        let parsed = lines.iter().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        parsed.filter(Value::is_object).collect()
    }

    /// Sends a signal to the gateway.
    pub fn signal(&self, signal: Signal) {
        processes::send_signal(self.pid(), signal);
    }

    /// Ends the gateway with SIGKILL and waits for its end.
    pub fn kill9(&self) {
        self.signal(Signal::KILL);
        self.wait_exit();
    }

    /// Waits for the end of the process; `None` after a signal.
    #[track_caller]
    pub fn wait_exit(&self) -> Option<i32> {
        let ended = crate::within(END, || self.process.ended());
        ended.unwrap_or_else(|| panic!("the gateway did not end within {END:?}: {:#?}", self.log_lines()))
    }

    /// Ends the gateway in an orderly way and starts it again in the same folder.
    #[track_caller]
    pub fn reopen(self) -> Self {
        self.signal(Signal::TERM);
        assert_eq!(self.wait_exit(), Some(0), "{:#?}", self.log_lines());
        self.revive()
    }

    /// Ends the gateway in an orderly way and gives its folder, for another to begin in.
    #[track_caller]
    pub fn into_folder(mut self) -> Folder {
        self.signal(Signal::TERM);
        assert_eq!(self.wait_exit(), Some(0), "{:#?}", self.log_lines());
        self.folder.take().expect("the folder is there until the gateway is dropped")
    }

    /// Starts a gateway that has ended again in the same folder.
    #[track_caller]
    pub fn revive(self) -> Self {
        let gateway = self.relaunch();
        if let Err(why) = gateway.wait_ready() {
            panic!("the gateway did not start again: {why}");
        }
        gateway
    }

    /// Starts another process in the same folder, on another port; the config is left as it stands.
    pub(crate) fn relaunch(mut self) -> Self {
        let folder = self.folder.take().expect("the folder is there until the gateway is dropped");
        let port = Port::free();
        let builder = self.builder.clone();
        let process = Process::spawn(&mut builder.serve(&folder, port.number));
        Self::new(builder, folder, port, process)
    }

    /// Waits until `/health` answers; an error with the log when the process ends first.
    pub fn wait_ready(&self) -> Result<(), String> {
        let health = Request::new("GET", "/health");
        let ready = crate::within(READY, || {
            if self.process.ended().is_some() {
                return Some(Err(self.log_lines().join("\n")));
            }
            self.http().try_send(&health).is_ok().then_some(Ok(()))
        });
        ready.unwrap_or_else(|| Err(format!("not ready within {READY:?}: {:#?}", self.log_lines())))
    }
}

impl Drop for TestGateway {
    fn drop(&mut self) {
        let below: Vec<Identity> =
            processes::descendants(self.pid()).into_iter().filter_map(processes::identity).collect();
        self.process.kill();
        below.iter().for_each(processes::kill_if_same);
    }
}

fn call(server: &str, tool: &str, input: &Value) -> Request {
    let body = json!({"server": server, "toolName": tool, "input": input});
    Request::new("POST", "/mcp/call").body("application/json", body.to_string())
}
