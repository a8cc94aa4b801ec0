//! The limit without a gateway: a blocking stdio client with many calls in flight on one server.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use memchr::memmem;

use crate::load::{Latencies, Meter, Sample, payload};
use crate::procfs::Tree;

/// What `bench direct` is told on its command line.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Calls in flight.
    #[arg(long, default_value_t = 1)]
    calls: usize,
    /// Length of the window in seconds.
    #[arg(long, default_value_t = 2.0)]
    secs: f64,
    /// The stdio server and its arguments.
    #[arg(last = true, required = true)]
    command: Vec<String>,
}

/// Measures and prints the sample as one line of JSON.
pub(crate) fn print(options: &Options) -> anyhow::Result<()> {
    let sample = measure(&options.command, options.calls, Duration::from_secs_f64(options.secs))?;
    println!("{}", serde_json::to_string(&sample)?);
    Ok(())
}

/// Keeps so many calls in flight on the server for that time.
pub(crate) fn measure(command: &[String], calls: usize, time: Duration) -> anyhow::Result<Sample> {
    let mut child = Command::new(&command[0])
        .args(&command[1..])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("starting the stdio server")?;
    let servers = vec![child.id()];
    let result = Client::new(&mut child, calls).and_then(|mut client| {
        client.start()?;
        client.pump(Duration::from_millis(200))?;
        client.latencies.clear();
        let meter = Meter::start(Some(Tree::of_servers(servers)));
        client.pump(time)?;
        let sample = meter.stop(calls, &mut client.latencies);
        Ok(Sample { wrong: client.wrong, ..sample })
    });
    let _ = child.kill();
    child.wait()?;
    result
}

struct Client {
    stdin: ChildStdin,
    stdout: ChildStdout,
    sent: Vec<Instant>,
    received: Vec<u8>,
    out: Vec<u8>,
    chunk: Vec<u8>,
    latencies: Latencies,
    rest: Arc<str>,
    wrong: u64,
}

impl Client {
    fn new(child: &mut Child, calls: usize) -> anyhow::Result<Self> {
        Ok(Self {
            stdin: child.stdin.take().context("standard input is a pipe")?,
            stdout: child.stdout.take().context("standard output is a pipe")?,
            sent: vec![Instant::now(); calls],
            received: Vec::with_capacity(1 << 16),
            out: Vec::with_capacity(1 << 16),
            chunk: vec![0; 1 << 16],
            latencies: Latencies::default(),
            rest: payload::message(128),
            wrong: 0,
        })
    }

    /// Shakes hands and sends the first calls. Ids are numbered so that `id % calls` is the caller.
    fn start(&mut self) -> anyhow::Result<()> {
        self.stdin.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"bench\",\"version\":\"0\"}}}\n")?;
        while !self.received.contains(&b'\n') {
            self.read()?;
        }
        self.received.clear();
        self.stdin.write_all(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n")?;
        for caller in 0..self.sent.len() {
            self.queue(caller as u64);
        }
        Ok(self.stdin.write_all(&self.out)?)
    }

    /// Answers every burst with the next calls in one write, for that time.
    fn pump(&mut self, time: Duration) -> anyhow::Result<()> {
        let end = Instant::now() + time;
        let mut now = Instant::now();
        while now < end {
            self.read()?;
            now = Instant::now();
            self.out.clear();
            let received = std::mem::take(&mut self.received);
            let mut lines = received.split_inclusive(|byte| *byte == b'\n');
            for line in lines.by_ref() {
                if line.ends_with(b"\n") {
                    self.settle(line, now);
                } else {
                    self.received = line.to_vec();
                }
            }
            self.stdin.write_all(&self.out)?;
        }
        Ok(())
    }

    fn settle(&mut self, line: &[u8], now: Instant) {
        let Some(id) = id_of(line) else { return };
        let caller = (id % self.sent.len() as u64) as usize;
        let mut digits = [0; 16];
        write!(&mut digits[..], "{id:016x}").expect("a u64 has at most 16 hexadecimal digits");
        self.wrong += u64::from(memmem::find(line, &digits).is_none());
        self.latencies.push(now - self.sent[caller]);
        self.sent[caller] = now;
        self.queue(id + self.sent.len() as u64);
    }

    fn queue(&mut self, id: u64) {
        writeln!(
            self.out,
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"echo","arguments":{{"message":"{id:016x}{}}}}}"#,
            self.rest
        )
        .expect("memory can be written to");
    }

    fn read(&mut self) -> anyhow::Result<()> {
        let count = self.stdout.read(&mut self.chunk)?;
        ensure!(count > 0, "the server closed its output");
        self.received.extend_from_slice(&self.chunk[..count]);
        Ok(())
    }
}

fn id_of(line: &[u8]) -> Option<u64> {
    let rest = &line[memmem::find(line, br#""id":"#)? + 5..];
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    str::from_utf8(&rest[..digits]).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_read_from_a_line() {
        assert_eq!(id_of(br#"{"jsonrpc":"2.0","id":42,"result":{}}"#), Some(42));
        assert_eq!(id_of(br#"{"jsonrpc":"2.0","id":"x"}"#), None);
        assert_eq!(id_of(b"noise"), None);
    }
}
