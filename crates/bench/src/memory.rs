//! `bench sessions` and `bench peak`: what memory a gateway holds for clients that do nothing, and what it
//! takes for one large result. Both work on any gateway on this machine, by its address and its process.

use std::fs;
use std::time::Duration;

use anyhow::{Context, ensure};

use crate::line::{Line, Reply};
use crate::procfs::{peak, resident};

/// Where a gateway is, and which process it is.
#[derive(clap::Args)]
pub(crate) struct Gateway {
    /// The port of the gateway on 127.0.0.1.
    #[arg(long)]
    pub(crate) port: u16,
    /// Its process.
    #[arg(long)]
    pub(crate) pid: u32,
}

/// What `bench sessions` is told on its command line.
#[derive(clap::Args)]
pub(crate) struct Sessions {
    #[command(flatten)]
    gateway: Gateway,
    /// How many clients shake hands.
    #[arg(long, default_value_t = 10_000)]
    count: u64,
}

/// What `bench peak` is told on its command line.
#[derive(clap::Args)]
pub(crate) struct Peak {
    #[command(flatten)]
    gateway: Gateway,
    /// The tool that gives a large result.
    #[arg(long, default_value = "big")]
    tool: String,
    /// Its arguments.
    #[arg(long, default_value = r#"{"bytes":1000000}"#)]
    arguments: String,
}

/// Memory before and after clients of one era shook hands.
pub(crate) struct Cost {
    pub(crate) era: &'static str,
    count: u64,
    before: u64,
    after: u64,
}

impl Cost {
    /// Bytes for each client.
    pub(crate) fn each(&self) -> f64 {
        (self.after as f64 - self.before as f64) / self.count as f64
    }
}

/// What one large result took: its size, the memory before it, and the most above that.
pub(crate) struct Peaked {
    bytes: usize,
    before: u64,
    above: u64,
}

impl Peaked {
    /// The most memory over the size of the result.
    pub(crate) fn times(&self) -> f64 {
        self.above as f64 / self.bytes as f64
    }
}

/// Prints what idle clients cost.
pub(crate) fn sessions(options: &Sessions) -> anyhow::Result<()> {
    for cost in clients(&options.gateway, options.count)? {
        let (Cost { era, count, before, after }, each) = (&cost, cost.each());
        println!("{era}: {count} clients, {before} to {after} bytes, {each:.0} bytes each");
    }
    Ok(())
}

/// Lets clients of both eras shake hands and say nothing more.
pub(crate) fn clients(gateway: &Gateway, count: u64) -> anyhow::Result<[Cost; 2]> {
    let mut client = Client::open(gateway.port)?;
    // What the first ones cost, the gateway needs anyway.
    for n in 0..count / 10 {
        client.legacy(n)?;
        client.modern(n)?;
    }
    let mut cost = |era, shake: fn(&mut Client, u64) -> anyhow::Result<String>| -> anyhow::Result<Cost> {
        let before = resident(&[gateway.pid]);
        for n in 0..count {
            shake(&mut client, n)?;
        }
        Ok(Cost { era, count, before, after: resident(&[gateway.pid]) })
    };
    Ok([cost("legacy", Client::legacy)?, cost("modern", Client::modern)?])
}

/// Prints what a large result takes at most.
pub(crate) fn print_peak(options: &Peak) -> anyhow::Result<()> {
    for (turn, peaked) in peaks(&options.gateway, &options.tool, &options.arguments)?.iter().enumerate() {
        let (Peaked { bytes, before, above }, times) = (peaked, peaked.times());
        println!(
            "turn {turn}: {bytes} bytes of result, at most {above} bytes above {before}: {times:.1} times"
        );
    }
    Ok(())
}

/// Calls a tool with a large result, several times.
pub(crate) fn peaks(gateway: &Gateway, tool: &str, arguments: &str) -> anyhow::Result<Vec<Peaked>> {
    let &Gateway { port, pid } = gateway;
    let mut client = Client::open(port)?;
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}}}"#
    );
    let session = format!("Mcp-Session-Id: {}\r\n", client.legacy(0)?);
    (0..5)
        .map(|_| {
            // Forgets the highest mark so far.
            fs::write(format!("/proc/{pid}/clear_refs"), "5").context("resetting the highest mark")?;
            let before = resident(&[pid]);
            let bytes = client.post(&body, &session)?.1;
            ensure!(bytes > 10_000, "the tool {tool} gave no large result, but {bytes} bytes");
            Ok(Peaked { bytes, before, above: peak(pid).saturating_sub(before) })
        })
        .collect()
}

/// A client of either era on one connection.
struct Client(Line);

impl Client {
    fn open(port: u16) -> anyhow::Result<Self> {
        Line::open(port, Duration::from_secs(30)).map(Self)
    }

    /// The handshake of a legacy client, and one request with its session.
    fn legacy(&mut self, n: u64) -> anyhow::Result<String> {
        let hello = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{"protocolVersion":"2025-11-25","capabilities":{{}},"clientInfo":{{"name":"client {n}","version":"1"}}}}}}"#
        );
        let session = self.post(&hello, "")?.0.context("no session id in the answer")?;
        let header = format!("Mcp-Session-Id: {session}\r\n");
        self.post(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, &header)?;
        self.post(r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#, &header)?;
        Ok(session)
    }

    /// The first request of a modern client.
    fn modern(&mut self, n: u64) -> anyhow::Result<String> {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{{"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}},"io.modelcontextprotocol/clientInfo":{{"name":"client {n}","version":"1"}}}}}}}}"#
        );
        self.post(&body, "Mcp-Protocol-Version: 2026-07-28\r\nMcp-Method: server/discover\r\n")?;
        Ok(String::new())
    }

    /// Posts one message; the session id and the length of the answer.
    fn post(&mut self, body: &str, headers: &str) -> anyhow::Result<(Option<String>, usize)> {
        self.0.send(body, headers)?;
        let Reply { status, session, body, .. } = self.0.wait()?;
        ensure!(status / 100 == 2, "status {status}: {}", String::from_utf8_lossy(&body));
        Ok((session, body.len()))
    }
}
