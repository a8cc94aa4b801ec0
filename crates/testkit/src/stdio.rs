//! A driver for one stdio server, line by line.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio as Pipe};
use std::time::Duration;

/// A server spoken to over its pipes. Dropping it ends the process.
pub struct Stdio {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    next: u64,
}

impl Stdio {
    /// Starts a program with these variables besides `PATH`.
    #[track_caller]
    pub fn start(command: &mut Command, env: &[(&str, &str)]) -> Self {
        let command = command.env_clear().envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        let command = command.envs(env.iter().copied()).stdin(Pipe::piped()).stdout(Pipe::piped());
        let mut child = command.spawn().expect("the server can be started");
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().expect("standard output is piped"));
        Self { child, stdin, stdout, next: 1 }
    }

    /// The process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends one message.
    #[track_caller]
    pub fn send(&mut self, message: &Value) {
        let stdin = self.stdin.as_mut().expect("the input is open");
        writeln!(stdin, "{message}").expect("the server reads");
    }

    /// Sends one line of any bytes.
    #[track_caller]
    pub fn send_bytes(&mut self, line: &[u8]) {
        let stdin = self.stdin.as_mut().expect("the input is open");
        stdin.write_all(&[line, b"\n"].concat()).expect("the server reads");
    }

    /// Sends a request and gives its id.
    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "callers write the parameters in place")]
    pub fn request(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next;
        self.next += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// Sends a request and reads one line as its answer.
    #[track_caller]
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        let answer = self.read();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// Calls a tool and gives its result.
    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "callers write the arguments in place")]
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({"name": tool, "arguments": arguments}))["result"].clone()
    }

    /// Reads one line as bytes, without its end.
    pub fn read_bytes(&mut self) -> Vec<u8> {
        let mut line = Vec::new();
        self.stdout.read_until(b'\n', &mut line).expect("the server can be read");
        line.truncate(line.strip_suffix(b"\n").map_or(line.len(), <[u8]>::len));
        line
    }

    /// Reads one line as JSON.
    #[track_caller]
    pub fn read(&mut self) -> Value {
        let line = self.read_bytes();
        serde_json::from_slice(&line)
            .unwrap_or_else(|e| panic!("{e} in {:?}", String::from_utf8_lossy(&line)))
    }

    /// Closes the input.
    pub fn close_input(&mut self) {
        self.stdin = None;
    }

    /// Waits for the end of the process and gives its exit code.
    #[track_caller]
    pub fn wait_exit(&mut self) -> Option<i32> {
        crate::eventually("the end of the server", || {
            self.child.try_wait().expect("a child can be waited for")
        })
        .code()
    }

    /// Whether the process goes on for at least this long.
    pub fn stays_alive(&mut self, time: Duration) -> bool {
        crate::within(time, || self.child.try_wait().expect("a child can be waited for")).is_none()
    }
}

impl Drop for Stdio {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
