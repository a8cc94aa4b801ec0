//! The doors of the gateways: what a call looks like at each, and how its answer is judged.

use std::io::Write;
use std::sync::Arc;

use memchr::memmem;

use super::payload;

/// What a door speaks.
#[derive(Clone, Copy, Debug, PartialEq, clap::ValueEnum)]
pub(crate) enum Mode {
    /// `{server, toolName, input}` in a POST.
    Rest,
    /// MCP Streamable HTTP with a session on each connection.
    Mcp,
    /// MCP 2026-07-28: every request stands for itself.
    McpStateless,
    /// The input alone in a POST; the tool is in the path.
    Mcpo,
}

/// What is asked again and again.
#[derive(Clone, Copy, Debug, PartialEq, clap::ValueEnum)]
pub(crate) enum Work {
    /// A call of the tool.
    Call,
    /// The list of tools; over REST a GET.
    List,
}

/// One door of one gateway on this machine.
#[derive(Clone, Debug)]
pub(crate) struct Door {
    pub(crate) mode: Mode,
    pub(crate) work: Work,
    pub(crate) port: u16,
    pub(crate) path: String,
    /// Called in turn; only REST names them.
    pub(crate) servers: Vec<String>,
    pub(crate) tool: String,
    /// What follows the number of a message, to the end of the input.
    pub(crate) rest: Arc<str>,
    /// The key that opens it, where it needs one.
    pub(crate) key: Option<String>,
}

/// What came back for one call.
#[derive(Debug, PartialEq)]
pub(crate) enum Answer {
    Right,
    /// A good answer to something that is not counted.
    Aside,
    /// A good answer, but to another call.
    Wrong(String),
    /// An error instead of an answer.
    Refused(String),
}

/// The revision that connections with a session ask for.
pub(super) const LEGACY: &str = "2025-11-25";
/// The revision in which every request stands for itself.
pub(crate) const MODERN: &str = "2026-07-28";
/// What every modern request says about its client.
pub(crate) const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"bench","version":"0"}}"#;

impl Door {
    /// A door to the tool `echo` of the server `echo`, called with messages of 128 characters.
    pub(crate) fn to_echo(mode: Mode, port: u16, path: &str) -> Self {
        let rest = payload::message(128);
        let (servers, tool) = (vec!["echo".into()], "echo".into());
        Self { mode, work: Work::Call, port, path: path.into(), servers, tool, rest, key: None }
    }

    /// Everything of a request that stays the same on one connection: all headers but the length.
    pub(super) fn head(&self, session: Option<&str>) -> String {
        let (path, port) = (&self.path, self.port);
        let key = self.key.as_ref().map(|key| format!("Authorization: Bearer {key}\r\n")).unwrap_or_default();
        if (self.mode, self.work) == (Mode::Rest, Work::List) {
            return format!(
                "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{key}Accept: application/json\r\n"
            );
        }
        let mut head = format!(
            "POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n\
             {key}Accept: application/json, text/event-stream\r\n"
        );
        if self.mode == Mode::Mcp {
            head += &format!("Mcp-Protocol-Version: {LEGACY}\r\n");
        }
        if let Some(session) = session {
            head += &format!("Mcp-Session-Id: {session}\r\n");
        }
        if self.mode == Mode::McpStateless {
            let asked = match self.work {
                Work::Call => format!("tools/call\r\nMcp-Name: {}", self.tool),
                Work::List => "tools/list".into(),
            };
            head += &format!("Mcp-Protocol-Version: {MODERN}\r\nMcp-Method: {asked}\r\n");
        }
        head
    }

    /// Writes the body of one request.
    pub(super) fn body(&self, id: u64, number: u64, out: &mut Vec<u8>) {
        out.clear();
        let (tool, rest) = (&self.tool, &self.rest);
        let input = format_args!(r#"{{"message":"{number:016x}{rest}"#);
        let written = match (self.mode, self.work) {
            (Mode::Rest, Work::Call) => {
                let server = &self.servers[number as usize % self.servers.len()];
                write!(out, r#"{{"server":"{server}","toolName":"{tool}","input":{input}}}"#)
            }
            (Mode::Rest, Work::List) => Ok(()),
            (Mode::Mcpo, _) => write!(out, "{input}"),
            (Mode::Mcp, Work::Call) => write!(
                out,
                r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{input}}}}}"#
            ),
            (Mode::Mcp, Work::List) => write!(out, r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list"}}"#),
            (Mode::McpStateless, Work::Call) => write!(
                out,
                r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{input},{META}}}}}"#
            ),
            (Mode::McpStateless, Work::List) => {
                write!(out, r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list","params":{{{META}}}}}"#)
            }
        };
        written.expect("memory can be written to");
    }

    /// Judges the answer to the call with this id and number.
    pub(super) fn judge(&self, status: u16, body: &[u8], id: u64, number: u64) -> Answer {
        if status / 100 != 2 {
            return Answer::Refused(format!("{status} {}", excerpt(body)));
        }
        let rpc = matches!(self.mode, Mode::Mcp | Mode::McpStateless);
        if rpc && (!contains(body, br#""result""#) || contains(body, br#""isError":true"#)) {
            return Answer::Refused(excerpt(body));
        }
        let mut digits = [0; 16];
        write!(&mut digits[..], "{number:016x}").expect("a u64 has 16 hexadecimal digits");
        let ours = self.work == Work::List || contains(body, &digits);
        if ours && (!rpc || has_id(body, id)) { Answer::Right } else { Answer::Wrong(excerpt(body)) }
    }
}

fn contains(body: &[u8], needle: &[u8]) -> bool {
    memmem::find(body, needle).is_some()
}

/// Whether some member `id` of the body has this value.
fn has_id(body: &[u8], id: u64) -> bool {
    memmem::find_iter(body, br#""id":"#).any(|at| {
        let rest = body[at + 5..].trim_ascii_start();
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        str::from_utf8(&rest[..digits]).is_ok_and(|text| text.parse() == Ok(id))
    })
}

/// The beginning of a body, on one line.
pub(crate) fn excerpt(body: &[u8]) -> String {
    String::from_utf8_lossy(&body[..body.len().min(200)]).replace(['\r', '\n'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn door(mode: Mode) -> Door {
        Door { servers: vec!["a".into(), "b".into()], ..Door::to_echo(mode, 1, "/mcp") }
    }

    #[test]
    fn every_body_is_json_and_names_its_call() {
        for mode in [Mode::Rest, Mode::Mcp, Mode::McpStateless, Mode::Mcpo] {
            let mut body = Vec::new();
            door(mode).body(7, 0xabc, &mut body);
            serde_json::from_slice::<serde_json::Value>(&body).unwrap();
            assert!(contains(&body, b"\"0000000000000abcxxx"), "{mode:?}");
        }
    }

    #[test]
    fn a_list_is_asked_for_in_every_protocol() {
        for (mode, expected) in [(Mode::Rest, None), (Mode::Mcp, Some(7)), (Mode::McpStateless, Some(7))] {
            let mut body = Vec::new();
            Door { work: Work::List, ..door(mode) }.body(7, 1, &mut body);
            let sent = serde_json::from_slice::<serde_json::Value>(&body).ok();
            assert_eq!(sent.as_ref().and_then(|sent| sent["id"].as_u64()), expected, "{mode:?}");
            assert!(sent.is_none_or(|sent| sent["method"] == "tools/list"), "{mode:?}");
        }
    }

    #[test]
    fn another_callers_answer_is_wrong() {
        let body = br#"{"jsonrpc":"2.0","id": 7,"result":{"text":"0000000000000abcxx"}}"#;
        let judge = |id, number| door(Mode::Mcp).judge(200, body, id, number);
        assert_eq!(judge(7, 0xabc), Answer::Right);
        assert!(matches!(judge(70, 0xabc), Answer::Wrong(_)));
        assert!(matches!(judge(7, 0xabd), Answer::Wrong(_)));
        assert!(matches!(door(Mode::Rest).judge(503, body, 7, 0xabc), Answer::Refused(_)));
    }
}
