//! One request on its way to a server: what is asked, of whom, for whom.

use crate::caller::Caller;
use crate::endpoint::Target;
use crate::sent::{Needs, Sent};
use mcp::{Era, Kind};
use model::{Code, Fault};
use serde_json::value::RawValue;
use std::borrow::Cow;

/// A request to one server.
#[derive(Clone)]
pub(crate) struct Errand<'a> {
    pub(crate) caller: Caller<'a>,
    pub(crate) method: &'a str,
    /// The server, and its own name for what is asked.
    pub(crate) target: Target,
    pub(crate) params: Params<'a>,
    /// Milliseconds for this request alone.
    pub(crate) timeout: Option<u64>,
    /// Names the call, the same at every repetition.
    pub(crate) key: Option<&'a str>,
}

/// What is asked.
#[derive(Clone)]
pub(crate) enum Params<'a> {
    /// The parameters of an MCP client, which go on as they are.
    Sent(&'a Sent<'a>),
    /// The same, as hooks left them.
    Changed(Box<Sent<'a>>),
    /// The arguments of a tool as JSON text, from which parameters are written.
    Input(&'a str),
}

impl<'a> Params<'a> {
    /// Those of an MCP client; an error is the arguments of a tool.
    pub(crate) fn sent(&self) -> Result<&Sent<'a>, &'a str> {
        match self {
            Params::Sent(sent) => Ok(sent),
            Params::Changed(sent) => Ok(sent),
            Params::Input(input) => Err(input),
        }
    }
}

impl<'a> Errand<'a> {
    /// Whether a tool is called.
    pub(crate) fn is_call(&self) -> bool {
        self.method == "tools/call"
    }

    /// The parameters as JSON text, as the caller gave them.
    pub(crate) fn text(&self) -> Cow<'a, str> {
        match self.params.sent() {
            Ok(sent) => sent.text().into(),
            Err(_) => {
                let mut out = Vec::with_capacity(self.text_len());
                self.write_text(&mut out);
                String::from_utf8(out).unwrap_or_default().into()
            }
        }
    }

    /// About how long that text is.
    pub(crate) fn text_len(&self) -> usize {
        match self.params.sent() {
            Ok(sent) => sent.text().len(),
            Err(input) => input.len() + self.target.own.len() + 32,
        }
    }

    /// Writes that text.
    pub(crate) fn write_text(&self, out: &mut Vec<u8>) {
        match self.params.sent() {
            Ok(sent) => out.extend_from_slice(sent.text().as_bytes()),
            Err(input) => {
                write_input(&self.target.own, input, out);
                out.push(b'}');
            }
        }
    }

    /// Writes the parameters for a server of that era that knows the request as `id`.
    pub(crate) fn write(&self, era: Era, needs: &Needs, id: u64, out: &mut Vec<u8>) {
        let input = match self.params.sent() {
            Ok(sent) => return sent.write(&self.target.own, id, needs, out),
            Err(input) => input,
        };
        write_input(&self.target.own, input, out);
        if era == Era::Modern || needs.progress || self.key.is_some() || needs.trace.is_some() {
            let mut members = era.meta().to_owned();
            let mut add = |member: String| {
                if !members.is_empty() {
                    members.push(',');
                }
                members.push_str(&member);
            };
            if needs.progress {
                add(format!(r#""progressToken":{id}"#));
            }
            if let Some(key) = self.key {
                add(format!(r#""lockgate/idempotencyKey":{}"#, serde_json::Value::from(key)));
            }
            needs.trace_members().for_each(|(name, value)| add(format!(r#""{name}":{value}"#)));
            out.extend_from_slice(format!(r#","_meta":{{{members}}}"#).as_bytes());
        }
        out.push(b'}');
    }

    /// The parameter that names what is asked for.
    pub(crate) fn named_by(&self) -> &'static str {
        if self.kind() == Kind::Resources { "uri" } else { "name" }
    }

    /// The kind of list in which names of this request are found.
    pub(crate) fn kind(&self) -> Kind {
        match self.method {
            "prompts/get" => Kind::Prompts,
            "resources/read" => Kind::Resources,
            _ => Kind::Tools,
        }
    }
}

/// `{"name":…,"arguments":…`, without the last brace.
fn write_input(tool: &str, input: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(br#"{"name":"#);
    mcp::quote(tool, out);
    out.extend_from_slice(br#","arguments":"#);
    // A line break between the tokens of the input would end the message.
    mcp::Splice::new(input).write(out);
}

/// The name and the arguments in parameters that a hook left behind.
pub(crate) fn read_input(params: &RawValue) -> Result<(String, &str), Fault> {
    let refuse = |message: &str, field: &str| Fault::new(Code::ValidationError, message).with("field", field);
    let params = params.get();
    let [name, input] = mcp::members_at(params, ["name", "arguments"]);
    let name = name.and_then(|at| serde_json::from_str(&params[at]).ok());
    let name = name.ok_or_else(|| refuse("toolName is required", "toolName"))?;
    match input.map_or("null", |at| &params[at]) {
        "null" => Ok((name, "{}")),
        input if input.starts_with('{') => Ok((name, input)),
        _ => Err(refuse("input must be a JSON object", "input")),
    }
}
