//! The upstream of every measurement: a stdio MCP server that costs next to nothing.
//!
//! One thread, one read and one write per burst of lines; the message goes back byte for byte. With
//! `--delay-ms` answers to calls leave later, in order and without holding up the next call, so a gateway
//! that queues behind one call shows itself.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::Deserialize;
use serde_json::value::RawValue;

/// What the echo server is told on its command line.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Answer each call this much later.
    #[arg(long, default_value_t = 0)]
    delay_ms: u64,
    /// How many tools to list: `echo` and dummies.
    #[arg(long, default_value_t = 1)]
    tools: usize,
    /// About how many bytes each tool in the list takes.
    #[arg(long, default_value_t = 0)]
    tool_bytes: usize,
    /// Also list the tool `big`, whose result is a text of this many bytes.
    #[arg(long)]
    big: Option<usize>,
    /// Which family of protocol revisions to speak.
    #[arg(long, value_enum, default_value = "legacy")]
    era: Era,
    /// Write the time of the first tool list (nanoseconds since 1970) into a file in this folder.
    #[arg(long)]
    stamp: Option<PathBuf>,
}

/// The families of protocol revisions.
#[derive(Clone, Copy, Debug, PartialEq, clap::ValueEnum)]
enum Era {
    /// With `initialize`, up to 2025-11-25.
    Legacy,
    /// With `server/discover`, from 2026-07-28.
    Modern,
}

impl Era {
    /// What a result of this era begins with.
    const fn opening(self) -> &'static str {
        match self {
            Self::Legacy => "",
            Self::Modern => r#""resultType":"complete","#,
        }
    }

    /// What a result of this era begins with when it may be kept.
    const fn opening_of_lists(self) -> &'static str {
        match self {
            Self::Legacy => "",
            Self::Modern => r#""resultType":"complete","ttlMs":60000,"cacheScope":"public","#,
        }
    }
}

#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow)]
    params: Option<Params<'a>>,
}

#[derive(Deserialize)]
struct Params<'a> {
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow)]
    arguments: Option<Arguments<'a>>,
    #[serde(borrow, rename = "protocolVersion")]
    version: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Arguments<'a> {
    #[serde(borrow)]
    message: Option<&'a RawValue>,
}

/// Serves standard input until it closes.
pub(crate) fn serve(options: &Options) -> anyhow::Result<()> {
    let mut input = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let mut output = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    let delay = Duration::from_millis(options.delay_ms);
    let late = (options.delay_ms > 0).then(|| late_writer(output.try_clone())).transpose()?;
    let mut echo = Echo::new(options);

    let mut lines = Vec::with_capacity(1 << 16);
    let mut chunk = vec![0; 1 << 16];
    let mut out = Vec::with_capacity(1 << 16);
    loop {
        let count = input.read(&mut chunk)?;
        if count == 0 {
            return Ok(());
        }
        lines.extend_from_slice(&chunk[..count]);
        let mut from = 0;
        while let Some(end) = memchr::memchr(b'\n', &lines[from..]) {
            let start = out.len();
            let is_call = echo.answer(&lines[from..from + end], &mut out)?;
            from += end + 1;
            if let (true, Some(late)) = (is_call, &late) {
                late.send((Instant::now() + delay, out.split_off(start)))?;
            }
        }
        lines.drain(..from);
        if !out.is_empty() {
            output.write_all(&out)?;
            out.clear();
        }
    }
}

/// Starts the thread that writes each answer when it is due.
fn late_writer(output: io::Result<File>) -> io::Result<mpsc::Sender<(Instant, Vec<u8>)>> {
    let mut output = output?;
    let (sender, due) = mpsc::channel::<(Instant, Vec<u8>)>();
    thread::spawn(move || {
        for (when, bytes) in due {
            thread::sleep(when.saturating_duration_since(Instant::now()));
            if output.write_all(&bytes).is_err() {
                return;
            }
        }
    });
    Ok(sender)
}

struct Echo {
    era: Era,
    tools: String,
    /// The text of the tool `big`.
    big: Option<String>,
    stamp: Option<PathBuf>,
}

impl Echo {
    fn new(options: &Options) -> Self {
        let mut tools = tools(options.tools, options.tool_bytes);
        if options.big.is_some() {
            tools += r#",{"name":"big","inputSchema":{"type":"object"}}"#;
        }
        let big = options.big.map(|bytes| "x".repeat(bytes));
        Self { era: options.era, tools, big, stamp: options.stamp.clone() }
    }

    /// Appends the answer to one line and tells whether the line was a call.
    fn answer(&mut self, line: &[u8], out: &mut Vec<u8>) -> io::Result<bool> {
        let Ok(Request { id: Some(id), method: Some(method), params }) = serde_json::from_slice(line) else {
            return Ok(false); // a notification, a blank line or noise: nothing to answer
        };
        let id = id.get();
        let opening = self.era.opening();
        write!(out, r#"{{"jsonrpc":"2.0","id":{id},"#)?;
        match (&*method, self.era) {
            ("tools/call", _) => match (params, &self.big) {
                (Some(Params { name: Some(name), arguments, .. }), _) if name == "echo" => {
                    let text = arguments.and_then(|a| a.message).map_or(r#""""#, RawValue::get);
                    write!(
                        out,
                        r#""result":{{{opening}"content":[{{"type":"text","text":{text}}}],"isError":false}}}}"#
                    )?;
                }
                (Some(Params { name: Some(name), .. }), Some(big)) if name == "big" => {
                    write!(out, r#""result":{{{opening}"content":[{{"type":"text","text":"{big}"}}]}}}}"#)?;
                }
                _ => out.extend_from_slice(br#""error":{"code":-32602,"message":"Unknown tool"}}"#),
            },
            ("server/discover", Era::Modern) => write!(
                out,
                r#""result":{{{}"supportedVersions":["2026-07-28"],"capabilities":{{"tools":{{}}}},"_meta":{{"io.modelcontextprotocol/serverInfo":{{"name":"bench-echo","version":"0"}}}}}}}}"#,
                self.era.opening_of_lists()
            )?,
            ("initialize", Era::Legacy) => {
                let version = params.and_then(|p| p.version).map_or(r#""2025-11-25""#, RawValue::get);
                write!(
                    out,
                    r#""result":{{"protocolVersion":{version},"capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"bench-echo","version":"0"}}}}}}"#
                )?;
            }
            ("tools/list", _) => {
                write!(out, r#""result":{{{}"tools":[{}]}}}}"#, self.era.opening_of_lists(), self.tools)?;
                self.write_stamp()?;
            }
            ("ping", Era::Legacy) => out.extend_from_slice(br#""result":{}}"#),
            _ => out.extend_from_slice(br#""error":{"code":-32601,"message":"Method not found"}}"#),
        }
        out.push(b'\n');
        Ok(&*method == "tools/call")
    }

    fn write_stamp(&mut self) -> io::Result<()> {
        let Some(folder) = self.stamp.take() else { return Ok(()) };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        std::fs::write(folder.join(std::process::id().to_string()), now.as_nanos().to_string())
    }
}

/// The tool list without its brackets: `echo` first, then dummies of the same shape.
fn tools(count: usize, bytes: usize) -> String {
    let schema = r#"{"type":"object","properties":{"message":{"type":"string","description":"Message to echo"}},"required":["message"]}"#;
    let tool = |name: String| {
        let bare =
            format!(r#"{{"name":"{name}","description":"Echoes back the message","inputSchema":{schema}}}"#);
        let more = " and says so at length".repeat(bytes.saturating_sub(bare.len()) / 22);
        bare.replace("the message\",\"inputSchema", &format!("the message{more}\",\"inputSchema"))
    };
    let names = (0..count.max(1)).map(|n| if n == 0 { "echo".into() } else { format!("dummy-{n}") });
    names.map(tool).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &str) {
        let mut out = Vec::new();
        let mut echo = Echo { era: Era::Legacy, tools: tools(1, 0), big: Some("xyz".into()), stamp: None };
        echo.answer(line.as_bytes(), &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn a_message_comes_back_byte_for_byte() {
        check(
            r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"echo","arguments":{"message":"\u0041\n"}}}"#,
            "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"\\u0041\\n\"}],\"isError\":false}}\n",
        );
    }

    #[test]
    fn a_notification_is_not_answered() {
        check(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, "");
        check("", "");
    }

    #[test]
    fn many_tools_are_listed_with_echo_first() {
        let text = format!("[{}]", tools(100, 660));
        let list: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(list[0]["name"], "echo");
        assert_eq!(list.as_array().unwrap().len(), 100);
        assert!((64_000..68_000).contains(&text.len()), "{}", text.len());
    }

    #[test]
    fn a_modern_server_introduces_itself_and_stamps_its_results() {
        let answer = |method: &str, params: &str| {
            let line = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
            let mut out = Vec::new();
            let mut echo = Echo { era: Era::Modern, tools: tools(1, 0), big: None, stamp: None };
            echo.answer(line.as_bytes(), &mut out).unwrap();
            serde_json::from_slice::<serde_json::Value>(&out).unwrap()
        };
        assert_eq!(answer("server/discover", "{}")["result"]["supportedVersions"][0], "2026-07-28");
        assert_eq!(answer("tools/list", "{}")["result"]["cacheScope"], "public");
        assert_eq!(answer("tools/call", r#"{"name":"echo"}"#)["result"]["resultType"], "complete");
        assert_eq!(answer("initialize", "{}")["error"]["code"], -32601);
        assert_eq!(answer("tools/call", r#"{"name":"big"}"#)["error"]["code"], -32602);
    }

    #[test]
    fn a_large_result_is_given_on_request() {
        check(
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"big","arguments":{}}}"#,
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"xyz\"}]}}\n",
        );
    }
}
