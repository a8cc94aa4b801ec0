//! Who makes a request.

use crate::access::Pass;
use crate::endpoint::Guest;
use crate::waited::Footprint;
use mcp::Era;

/// The client id of a caller that gives none.
const NOBODY: &str = "anonymous";

/// Who makes a request, and over what.
#[derive(Clone, Copy, Debug, Default)]
pub struct Caller<'a> {
    /// What the request itself says of its client.
    name: Option<&'a str>,
    guest: Option<&'a Guest>,
    pass: Option<&'a Pass>,
    /// The session whose step it is.
    step: Option<&'a str>,
    /// Whether it wants to see the run.
    watching: bool,
    /// Where the request leaves what it was for when nobody waits for it any more.
    footprint: Option<&'a Footprint>,
}

impl<'a> Caller<'a> {
    /// A caller without a connection, such as one over REST.
    pub fn new(name: Option<&'a str>) -> Self {
        Self { name: name.filter(|name| !name.is_empty()), ..Self::default() }
    }

    /// A client of the MCP endpoint.
    pub fn guest(guest: &'a Guest, name: Option<&'a str>) -> Self {
        Self { guest: Some(guest), ..Self::new(name) }
    }

    /// A step of a session, which goes where its workflow leads and is part of the call that began it.
    pub(crate) fn step(name: &'a str, session: &'a str) -> Self {
        Self { step: Some(session), ..Self::new(Some(name)) }
    }

    /// The same caller under the name that a request gives it, where it gives one.
    #[must_use]
    pub(crate) fn named(self, name: Option<&'a str>) -> Self {
        Self { name: name.filter(|name| !name.is_empty()).or(self.name), ..self }
    }

    /// The same caller with the key that it gave; nothing stands for a gateway without keys, or its own command line.
    #[must_use]
    pub fn with(self, pass: Option<&'a Pass>) -> Self {
        Self { pass, ..self }
    }

    /// The same caller, who will look at what the nodes of the graph did.
    #[must_use]
    pub(crate) fn watching(self) -> Self {
        Self { watching: true, ..self }
    }

    /// The same caller, who may leave before there is an answer.
    #[must_use]
    pub fn leaving(self, footprint: &'a Footprint) -> Self {
        Self { footprint: Some(footprint), ..self }
    }

    pub(crate) fn footprint(&self) -> Option<&'a Footprint> {
        self.footprint
    }

    pub(crate) fn is_watching(&self) -> bool {
        self.watching
    }

    /// The key that it gave.
    pub(crate) fn pass(&self) -> Option<&'a Pass> {
        self.pass
    }

    pub(crate) fn is_step(&self) -> bool {
        self.step.is_some()
    }

    /// The session whose step it is, where it is one.
    pub(crate) fn step_of(&self) -> Option<&'a str> {
        self.step
    }

    /// The client id, which hooks see and sessions keep (spec 1.4).
    pub fn id(&self) -> &'a str {
        let greeted = self.guest.map(|guest| guest.name.as_str()).filter(|name| !name.is_empty());
        self.pass.map(Pass::name).or(self.name).or(greeted).unwrap_or(NOBODY)
    }

    /// The client of the MCP endpoint, where it is one.
    pub(crate) fn as_guest(&self) -> Option<&'a Guest> {
        self.guest
    }

    /// The number of that client; 0 is none. Requests of a modern client stand alone, but its key is one client.
    pub(crate) fn number(&self) -> u64 {
        self.guest.map_or(0, |guest| match self.owner() {
            owner @ 1.. if guest.era() == Era::Modern => owner,
            _ => guest.number,
        })
    }

    /// Tells callers with different keys apart; without keys all are the same.
    pub(crate) fn owner(&self) -> u64 {
        let digest = self.pass.and_then(|pass| pass.digest().0.first_chunk().copied());
        digest.map_or(0, u64::from_le_bytes)
    }

    /// The session it belongs to, where it has one; it may have processes of its own.
    pub(crate) fn session(&self) -> Option<u64> {
        self.guest.and_then(Guest::session)
    }
}
