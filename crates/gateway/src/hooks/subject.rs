//! What a request is about, as hooks see it.

use super::book::now;
use crate::access::OWN;
use crate::caller::Caller;
use crate::errand::Errand;
use crate::waited::Footprint;
use serde_json::Value;
use std::io::Write;
use workflow::Named;

/// A request that hooks cover (spec 2.1).
#[derive(Clone, Copy)]
pub(crate) struct Subject<'a> {
    pub(super) method: &'a str,
    request_type: &'static str,
    pub(super) client: &'a str,
    pub(super) server: Option<&'a str>,
    /// The server's own name for what is asked: a tool, a resource or a prompt.
    own: Option<&'a str>,
    /// The session whose step makes the request.
    step_of: Option<&'a str>,
    /// Whether the caller will look at what the nodes of the graph did.
    pub(super) watched: bool,
    /// Where it is left which hooks ran when nobody waits any more.
    pub(super) footprint: Option<&'a Footprint>,
}

impl<'a> Subject<'a> {
    /// A request to one server; `None` for a method that hooks do not cover.
    pub(crate) fn of(errand: &'a Errand<'_>) -> Option<Self> {
        let target = &errand.target;
        Some(Self {
            server: Some(target.server.name()),
            own: Some(&target.own),
            ..Self::general(errand.method, errand.caller)?
        })
    }

    /// The call that began the task of an errand.
    pub(crate) fn task(errand: &'a Errand<'_>, tool: &'a str) -> Self {
        Self {
            method: "tools/call",
            request_type: "CallTool",
            client: errand.caller.id(),
            server: Some(errand.target.server.name()),
            own: Some(tool),
            step_of: errand.caller.step_of(),
            watched: false,
            footprint: errand.caller.footprint(),
        }
    }

    /// A call of a tool that is not a server's: the gateway stands in the place of the server.
    pub(crate) fn own(caller: Caller<'a>, tool: &'a str) -> Option<Self> {
        Some(Self { server: Some(OWN), own: Some(tool), ..Self::general("tools/call", caller)? })
    }

    /// The same request after hooks have given it another name.
    pub(super) fn renamed<'b>(&self, named: &'b Named) -> Subject<'b>
    where
        'a: 'b,
    {
        Subject { server: named.server.as_deref(), own: named.own.as_deref(), ..*self }
    }

    /// A request that concerns all servers, such as a list.
    pub(crate) fn general(method: &'a str, caller: Caller<'a>) -> Option<Self> {
        let request_type = request_type(method)?;
        let (client, step_of) = (caller.id(), caller.step_of());
        let (watched, footprint) = (caller.is_watching(), caller.footprint());
        Some(Self { method, request_type, client, server: None, own: None, step_of, watched, footprint })
    }

    /// The members that stand at the top of the context, as JSON text.
    pub(crate) fn top(&self) -> String {
        let mut out = Vec::with_capacity(96);
        member(&mut out, "requestType", self.request_type);
        for (name, value) in [(alias(self.method), self.own), (Some("serverName"), self.server)] {
            name.zip(value).into_iter().for_each(|(name, value)| member(&mut out, name, value));
        }
        closed(out)
    }

    /// `context.metadata` of a request that came now.
    pub(crate) fn begun(&self) -> String {
        self.metadata(now(), None, None)
    }

    /// `context.metadata`, without `shared`, as JSON text.
    pub(super) fn metadata(&self, came: i64, duration: Option<u64>, error: Option<&Value>) -> String {
        let mut out = Vec::with_capacity(128);
        member(&mut out, "clientId", self.client);
        for name in ["serverName", "serverId"] {
            self.server.into_iter().for_each(|server| member(&mut out, name, server));
        }
        if let Some(session) = self.step_of {
            member(&mut out, "origin", "workflow");
            member(&mut out, "sessionId", session);
        }
        // Writing to memory does not fail.
        let _ = write!(out, ",\"startTime\":{came}");
        let _ = duration.map(|duration| write!(out, ",\"duration\":{duration}"));
        let _ = error.map(|error| write!(out, ",\"error\":{error}"));
        closed(out)
    }
}

/// Adds a text to an object that is being written.
fn member(out: &mut Vec<u8>, name: &str, value: &str) {
    out.extend_from_slice(if out.is_empty() { b"{\"" } else { b",\"" });
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"\":");
    mcp::quote(value, out);
}

fn closed(mut out: Vec<u8>) -> String {
    out.push(b'}');
    String::from_utf8(out).unwrap_or_else(|_| "{}".into())
}

/// The member of the context under which hooks find the server's own name for what a request is for. In the parameters
/// it may have the name of the server before it.
pub(crate) fn alias(method: &str) -> Option<&'static str> {
    Some(match method {
        "tools/call" => "toolName",
        "resources/read" => "resourceUri",
        "prompts/get" => "promptName",
        _ => return None,
    })
}

/// The name of a method in `context.requestType`; `None` when hooks do not cover it.
pub(crate) fn request_type(method: &str) -> Option<&'static str> {
    Some(match method {
        "tools/call" => "CallTool",
        "tools/list" => "ListTools",
        "resources/read" => "ReadResource",
        "resources/list" => "ListResources",
        "resources/templates/list" => "ListResourceTemplates",
        "prompts/get" => "GetPrompt",
        "prompts/list" => "ListPrompts",
        _ => return None,
    })
}
