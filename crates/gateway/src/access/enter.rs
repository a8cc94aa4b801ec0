//! Where limits stand on the road: all requests together and those of one key at its beginning, those of a server
//! and of a tool right before the server.

use super::breaker::{Breaker, Ticket, Turn};
use super::gate::{Closed, Gate, Stay, WAIT_MAX};
use crate::caller::Caller;
use crate::carried::Failure;
use crate::gateway::Gateway;
use model::access::ServerLimits;
use model::{Code, Fault, Settings};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::Store;

/// A request that was let in; dropping it, and its clones, makes room for others.
#[derive(Clone, Debug, Default)]
pub(crate) struct Entered(#[expect(dead_code, reason = "held for its drop")] Option<Arc<[Option<Stay>; 2]>>);

impl Entered {
    fn new(stays: [Option<Stay>; 2]) -> Self {
        Self(stays.iter().any(Option::is_some).then(|| Arc::new(stays)))
    }
}

impl Gateway {
    /// Takes over other limits of all requests together, after a reload.
    pub(crate) fn renew_limits(&self, old: &Settings) {
        let settings = self.settings();
        if settings.limits.calls != old.limits.calls {
            self.gate.store(Gate::new(&settings.limits.calls).map(Arc::new));
        }
        self.audit.keep(&settings);
    }

    /// Lets a request in, or says why not. A step of a session is part of the call that began it.
    pub(crate) async fn enter(&self, caller: &Caller<'_>) -> Result<Entered, Fault> {
        self.let_in(caller, Some(&|| WAIT_MAX)).await
    }

    /// The same for a request that has so many milliseconds where that is known: it waits for room no longer than that.
    pub(crate) async fn enter_within(
        &self,
        caller: &Caller<'_>,
        ms: impl Fn() -> Option<u64> + Sync,
    ) -> Result<Entered, Fault> {
        self.let_in(caller, Some(&|| ms().map_or(WAIT_MAX, Duration::from_millis))).await
    }

    /// The same for a request that lets a call go on which is in already: it counts, and takes no second place.
    pub(crate) async fn let_back(&self, caller: &Caller<'_>) -> Result<Entered, Fault> {
        self.let_in(caller, None).await
    }

    /// Who has a place already has no patience, for it needs none.
    async fn let_in(&self, caller: &Caller<'_>, patience: Option<Patience<'_>>) -> Result<Entered, Fault> {
        let all = self.gate.load();
        let key = caller.pass().and_then(|pass| Some((pass.rate_name(), pass.gate.as_ref()?)));
        if caller.is_step() || (all.is_none() && key.is_none()) {
            return Ok(Entered::default());
        }
        let key = match key {
            None => None,
            Some((name, gate)) => {
                let entered = pass(gate, &self.store, patience, || name.to_owned()).await;
                entered.map_err(|closed| match closed {
                    Closed::Rate(rest) => too_often("with this key", "key", rest),
                    Closed::Full => {
                        let message =
                            "Too many requests with this key at a time; wait for one of them to end";
                        retry(Fault::new(Code::RateLimited, message).with("limit", "key"), Duration::ZERO)
                    }
                })?
            }
        };
        let all = match &*all {
            None => None,
            Some(gate) => {
                let entered = pass(gate, &self.store, patience, || "gateway".into()).await;
                entered.map_err(|closed| match closed {
                    Closed::Rate(rest) => too_often("at this gateway", "gateway", rest),
                    Closed::Full => full("The gateway", "gateway"),
                })?
            }
        };
        Ok(Entered::new([all, key]))
    }
}

/// How long a request waits for room, asked for where there is none.
type Patience<'a> = &'a (dyn Fn() -> Duration + Sync);

/// Lets one through a gate, into a place of its own where it has none.
async fn pass(
    gate: &Gate,
    store: &Store,
    patience: Option<Patience<'_>>,
    name: impl FnOnce() -> String,
) -> Result<Option<Stay>, Closed> {
    match patience {
        None => gate.count(store, name).await.map(|()| None),
        Some(patience) => gate.enter(store, patience, name).await,
    }
}

/// The limits of one server.
pub(crate) struct ServerGates {
    all: Option<Gate>,
    tools: HashMap<Box<str>, Gate>,
    breaker: Option<Breaker>,
}

/// A call that was let through to a server.
pub(crate) struct Through<'a> {
    _all: Option<Stay>,
    _tool: Option<Stay>,
    ticket: Option<Ticket<'a>>,
}

impl ServerGates {
    /// The limits of an entry; `None` when it has none.
    pub(crate) fn new(limits: Option<&ServerLimits>) -> Option<Box<Self>> {
        let limits = limits?;
        let tools =
            limits.tools.iter().filter_map(|(name, bounds)| Some((name.as_str().into(), Gate::new(bounds)?)));
        let gates = Self {
            all: Gate::new(&limits.bounds()),
            tools: tools.collect(),
            breaker: Breaker::new(limits.breaker),
        };
        let some = gates.all.is_some() || !gates.tools.is_empty() || gates.breaker.is_some();
        some.then(|| Box::new(gates))
    }

    /// Lets a call through to the server, or says why not. It waits no longer than it has time for at the server.
    pub(crate) async fn enter(
        &self,
        store: &Store,
        (server, tool): (&str, Option<&str>),
        ms: u64,
    ) -> Result<Through<'_>, Fault> {
        let last = Instant::now() + Duration::from_millis(ms);
        let patience = || last.saturating_duration_since(Instant::now());
        let fault = |closed, what: &str, limit: &str| refusal(server, closed, what, limit);
        let of_tool = match tool.and_then(|tool| Some((tool, self.tools.get(tool)?))) {
            None => None,
            Some((tool, gate)) => {
                let entered = gate.enter(store, patience, || format!("tool:{server}/{tool}")).await;
                entered.map_err(|closed| fault(closed, "for this tool", "tool").with("toolName", tool))?
            }
        };
        let all = match &self.all {
            None => None,
            Some(gate) => {
                let entered = gate.enter(store, patience, || format!("server:{server}")).await;
                entered.map_err(|closed| fault(closed, "for this server", "server"))?
            }
        };
        // Last, because only a call that really goes to the server may try whether it works.
        let ticket = self.breaker.as_ref().map(|breaker| breaker.admit(Instant::now())).transpose();
        let ticket = ticket.map_err(|rest| {
            let message =
                format!("MCP Server '{server}' failed again and again and is left alone for a while");
            retry(Fault::new(Code::CircuitOpen, message).with_server(server), rest)
        })?;
        Ok(Through { _all: all, _tool: of_tool, ticket })
    }

    /// Counts a request that the server is sent outside of any call, or says why it must not be.
    pub(crate) async fn count(&self, store: &Store, server: &str) -> Result<(), Fault> {
        let Some(gate) = &self.all else { return Ok(()) };
        let counted = gate.count(store, || format!("server:{server}")).await;
        counted.map_err(|closed| refusal(server, closed, "for this server", "server"))
    }
}

/// The fault of a request that this limit of a server turns away.
fn refusal(server: &str, closed: Closed, what: &str, limit: &str) -> Fault {
    let fault = match closed {
        Closed::Rate(rest) => too_often(what, limit, rest),
        Closed::Full => full(&format!("MCP Server '{server}'"), limit),
    };
    fault.with_server(server)
}

impl Through<'_> {
    /// The call has ended. An error that the server itself wrote is an answer. One that was `hurried`, with less time
    /// than the server has by itself, tells nothing of the server when its time runs out.
    pub(crate) fn over<T>(self, server: &str, hurried: bool, outcome: &Result<T, Failure>) {
        let Some(ticket) = self.ticket else { return };
        let ran_out = matches!(outcome, Err(Failure::Fault(fault)) if fault.code == Code::TimeoutError);
        if hurried && ran_out {
            return;
        }
        let failed = matches!(outcome, Err(Failure::Fault(fault))
            if matches!(fault.code, Code::TimeoutError | Code::ServerCrashed | Code::InternalError));
        match ticket.over(!failed, Instant::now()) {
            Turn::Same => {}
            Turn::Opened => {
                tracing::warn!(server, "the server fails again and again and is left alone for a while")
            }
            Turn::Closed => tracing::info!(server, "the server works again"),
        }
    }
}

fn too_often(what: &str, limit: &str, rest: Duration) -> Fault {
    retry(Fault::new(Code::RateLimited, format!("Too many requests {what}")).with("limit", limit), rest)
}

fn full(who: &str, limit: &str) -> Fault {
    let message = format!("{who} has as many calls under way and waiting as it takes");
    retry(Fault::new(Code::Overloaded, message).with("limit", limit), Duration::from_secs(1))
}

/// The same fault with the time after which it is worth trying again, in whole seconds as HTTP wants them.
pub(crate) fn retry(fault: Fault, rest: Duration) -> Fault {
    let seconds = rest.as_millis().div_ceil(1000).max(1);
    let seconds = u64::try_from(seconds).unwrap_or(u64::MAX);
    let mut fault = fault.with("retryAfter", seconds);
    fault.message = format!("{}; try again in {seconds} s", fault.message);
    fault
}
