//! The tool that a request leads to, as far as a graph may know it.

use crate::errand::Errand;
use crate::gateway::Gateway;
use serde_json::value::RawValue;
use workflow::{Named, Tool, Tools};

/// A request on its way to a tool.
pub(crate) struct Called<'a> {
    pub(crate) gateway: &'a Gateway,
    pub(crate) errand: &'a Errand<'a>,
}

impl Tools for Called<'_> {
    fn find(&self, params: Option<&RawValue>) -> Option<Tool> {
        match params {
            None => self.tool(self.errand),
            Some(params) => self.tool(&self.gateway.redirect(self.errand, params).ok()?),
        }
    }

    fn named(&self, params: &RawValue) -> Option<Named> {
        Some(self.name(params, self.gateway.redirect(self.errand, params).as_ref().ok()))
    }
}

impl Called<'_> {
    /// What a request with these parameters is for: where it leads to, if it leads anywhere.
    pub(crate) fn name(&self, params: &RawValue, led: Option<&Errand<'_>>) -> Named {
        match led {
            Some(Errand { target, .. }) => {
                Named { server: Some(target.server.name().to_owned()), own: Some(target.own.to_string()) }
            }
            // Nobody has it, and it is called what it is called.
            None => Named { server: None, own: member(params.get(), self.errand.named_by()) },
        }
    }

    /// The tool of a request, where its caller reaches it as the hooks left it: one that it does not reach is not there
    /// for it, and neither is a reply that somebody else got.
    fn tool(&self, errand: &Errand<'_>) -> Option<Tool> {
        self.gateway.permit(errand).ok()?;
        tool(errand)
    }
}

/// The name in the parameters of a call.
pub(crate) fn name(params: &str) -> Option<String> {
    member(params, "name")
}

/// A text in the parameters of a request.
pub(crate) fn member(params: &str, name: &str) -> Option<String> {
    mcp::member_at(params, name).and_then(|at| serde_json::from_str(&params[at]).ok())
}

fn tool(errand: &Errand<'_>) -> Option<Tool> {
    let (server, own) = (&errand.target.server, &*errand.target.own);
    let hints = server.tools().filter(|_| errand.is_call())?.hints(own);
    // What a client's own process says is for that client alone.
    let place = match (server.clients(), errand.caller.session()) {
        (Some(_), Some(session)) => format!("{} {session}", server.name()),
        _ => server.name().to_owned(),
    };
    Some(Tool {
        server: place,
        name: own.to_owned(),
        read_only: hints.read_only_hint,
        idempotent: hints.idempotent_hint,
    })
}
