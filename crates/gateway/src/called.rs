//! The tool that a request leads to, as far as a graph may know it.

use crate::errand::Errand;
use crate::gateway::Gateway;
use serde_json::value::RawValue;
use workflow::{Tool, Tools};

/// A request on its way to a tool.
pub(crate) struct Called<'a> {
    pub(crate) gateway: &'a Gateway,
    pub(crate) errand: &'a Errand<'a>,
}

impl Tools for Called<'_> {
    fn find(&self, params: Option<&RawValue>) -> Option<Tool> {
        match params {
            None => tool(self.errand),
            Some(params) => tool(&self.gateway.redirect(self.errand, params).ok()?),
        }
    }
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
