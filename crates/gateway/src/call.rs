//! The road of a call, from its request to the server's result.

use crate::asked::Asked;
use crate::called::Called;
use crate::caller::Caller;
use crate::carried::{Carried, Failure};
use crate::endpoint::{Guest, Target, no_foreign_task};
use crate::errand::{Errand, Params, read_input};
use crate::exchange::{Ask, Hearing, check, check_size, count, exchange, why};
use crate::faults;
use crate::gateway::Gateway;
use crate::graphs::Active;
use crate::hooks::{Before, Passage, Subject, Trace};
use crate::metrics::ToolStats;
use crate::reply::code_of;
use crate::request::ToolCall;
use crate::sent::Needs;
use crate::server::{Connection, Server};
use crate::through::Halt;
use crate::waited::Waited;
use mcp::{Era, Outcome};
use model::{Code, Fault, Settings, Status};
use serde_json::value::RawValue;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};
use workflow::{Bare, Beginning, Graph, Run};

impl Gateway {
    /// Carries one call to its server and brings the result back, for a caller that hears nothing
    /// meanwhile. On return `call` names the server.
    pub async fn call(&self, caller: Caller<'_>, call: &mut ToolCall<'_>) -> Carried {
        let settings = self.settings();
        let refused = |call: &ToolCall<'_>, fault: Fault| {
            let subject = || format!("{}/{}", call.server.as_deref().unwrap_or_default(), call.tool);
            self.refuse_call(&caller, "tools/call", fault.code, subject);
            Carried::refused(fault)
        };
        let _entered = match self.enter_within(&caller, || self.time_for(&caller, call)).await {
            Ok(entered) => entered,
            Err(fault) => return refused(call, fault),
        };
        let server = match self.route(&caller, call) {
            Ok(server) => server,
            Err(fault) => return refused(call, fault),
        };
        let errand = Errand {
            caller,
            method: "tools/call",
            target: Target { server, own: call.tool.as_ref().into() },
            params: Params::Input(call.input.get()),
            timeout: call.timeout,
            key: call.key,
        };
        if !settings.timeout_reset_on_progress {
            return self.carry(&errand, &settings, None).await;
        }
        let (hearing, heard) = Hearing::new(&caller, None, &settings);
        let ticks = hearing.ticks.clone().unwrap_or_default();
        tokio::select! {
            carried = self.carry(&errand, &settings, Some(&hearing)) => carried,
            never = count(heard, &ticks) => match never {},
        }
    }

    /// The one road: every request to a server that hooks may see takes it, whatever way it came in.
    pub(crate) async fn carry(
        &self,
        errand: &Errand<'_>,
        settings: &Settings,
        hearing: Option<&Hearing>,
    ) -> Carried {
        let began = Instant::now();
        let (server, name) = (Some(errand.target.server.name()), &*errand.target.own);
        let waited = Waited { caller: errand.caller, method: errand.method, server, name, over: false };
        let record = self.audit.begin(errand, settings, began);
        if let Err(fault) = self.permit(errand) {
            waited.over();
            record.over(Some(fault.code), &Trace::default());
            return Carried::refused(fault);
        }
        let graph = self.graphs.active(errand.method);
        let idle = self.hooks.idle(settings);
        let ended = |run: &Run| self.graphs.ended(run);
        let bare = match graph.as_ref().and_then(Active::graph) {
            Some(graph) if idle && graph.is_bare() => self.bare(graph, errand, &ended).await,
            _ => None,
        };
        let straight = idle && (graph.is_none() || bare.is_some());
        let subject = if straight { None } else { Subject::of(errand) };
        let (outcome, trace) = match subject {
            None => {
                if let Some(session) = self.session_named(errand) {
                    Box::pin(self.note_offer(errand, errand, &session)).await;
                }
                let asked = AtomicBool::new(false);
                let outcome = self.reach(errand, settings, hearing, &asked).await;
                if let Some(bare) = bare {
                    bare.over(&outcome);
                }
                let took = began.elapsed();
                self.hooks.captures.add(errand, took, &outcome);
                (outcome, Trace::straight(asked.into_inner().then_some(took)))
            }
            // A road with hooks is longer; those who go without need not carry its luggage.
            Some(subject) => {
                let passage = self.hooks.open(subject, settings);
                Box::pin(self.with_hooks(errand, settings, hearing, graph, passage, began)).await
            }
        };
        let code = code_of(&outcome, &errand.target.own);
        waited.over();
        record.over(code, &trace);
        Carried { outcome, code, trace, era: hearing.and_then(Hearing::reached) }
    }

    /// Begins the run of a graph that is nothing but the call, which then needs no road of its own. `None` where
    /// somebody looks closer, or nothing could be sent.
    async fn bare<'a>(
        &self,
        graph: &Arc<Graph>,
        errand: &Errand<'_>,
        ended: &'a (dyn Fn(&Run) + Sync),
    ) -> Option<Bare<'a>> {
        if errand.caller.is_watching() || otlp::is_traced() {
            return None;
        }
        let Some(recorder) = self.graphs.recorder() else { return graph.bare(None, ended) };
        self.ready_for(errand).await.ok()?;
        let subject = Subject::of(errand)?;
        let (params, metadata, top) = (&*errand.text(), &*subject.begun(), &*subject.top());
        let beginning = Beginning { method: errand.method, params, metadata, top };
        graph.bare(Some((recorder, beginning)), ended)
    }

    /// The pre hooks, the graph with the server in it, the post hooks. Nothing is run for what could not be
    /// sent anyway.
    async fn with_hooks(
        &self,
        errand: &Errand<'_>,
        settings: &Settings,
        hearing: Option<&Hearing>,
        graph: Option<Active>,
        mut passage: Passage<'_>,
        began: Instant,
    ) -> (Result<Box<RawValue>, Failure>, Trace) {
        let halted = match self.ready_for(errand).await {
            Ok(()) => self.between(errand, settings, hearing, graph, &mut passage).await,
            Err(fault) => Err(Halt::Stopped(fault)),
        };
        // Whoever is stopped has no reply that post hooks could see.
        let stopped = matches!(halted, Err(Halt::Stopped(_)));
        let reply = halted.map_err(|halt| match halt {
            Halt::Failed(failure) => failure,
            Halt::Stopped(fault) => fault.into(),
        });
        // A draft is tried on what was answered, not on what post hooks made of it.
        self.hooks.captures.add(errand, began.elapsed(), &reply);
        let outcome = match stopped || passage.is_empty() {
            true => reply,
            false => passage.after(reply).await,
        };
        // What hooks made is as large as a server may make it.
        (outcome.and_then(|result| check_size(result, errand, settings)), passage.trace())
    }

    /// Everything but the post hooks.
    async fn between(
        &self,
        errand: &Errand<'_>,
        settings: &Settings,
        hearing: Option<&Hearing>,
        graph: Option<Active>,
        passage: &mut Passage<'_>,
    ) -> Result<Box<RawValue>, Halt> {
        let recorded = self.graphs.recorder().is_some() || passage.is_watched();
        let compiled = graph.as_ref().and_then(Active::graph);
        let read = compiled.is_some_and(|graph| graph.reads_request() || recorded);
        let called = Called { gateway: self, errand };
        let before = match passage.is_empty() {
            true => Before::Same,
            false => {
                let params = errand.text().into_owned();
                passage.before_for(params, &called).await.map_err(Halt::Stopped)?
            }
        };
        let redirected;
        let errand = match &before {
            Before::Changed(params) => {
                let led = self.redirect(errand, params);
                passage.rename(Some(called.name(params, led.as_ref().ok())));
                redirected = led.map_err(|fault| Halt::Failed(fault.into()))?;
                &redirected
            }
            Before::Same | Before::Answered => errand,
        };
        hearing.into_iter().for_each(|hearing| hearing.note_ran(passage));
        let asked = &AtomicBool::new(false);
        let Some(graph) = graph else {
            if let Some(session) = self.session_named(called.errand) {
                Box::pin(self.note_offer(called.errand, errand, &session)).await;
            }
            return match passage.take_answer() {
                Some(answer) => Ok(answer.reply),
                None => {
                    let began = Instant::now();
                    let outcome = self.reach(errand, settings, hearing, asked).await;
                    passage.took(asked.load(Relaxed).then(|| began.elapsed()), Duration::ZERO);
                    outcome.map_err(Halt::Failed)
                }
            };
        };
        let original = called.errand;
        let call = |params: Option<Box<RawValue>>| async move {
            // Nodes before the call may have blocked it; one that makes it again chooses nothing more.
            if !asked.load(Relaxed)
                && let Some(session) = self.session_named(original)
            {
                Box::pin(self.note_offer(original, errand, &session)).await;
            }
            match params {
                None => self.reach(errand, settings, hearing, asked).await,
                Some(params) => {
                    let errand = self.redirect(errand, &params)?;
                    self.reach(&errand, settings, hearing, asked).await
                }
            }
        };
        let called = Called { gateway: self, errand };
        let params = match read || !passage.is_empty() {
            true => errand.text(),
            // Nobody looks at it.
            false => "{}".into(),
        };
        // The way through a graph is the longest of all.
        let outcome = Box::pin(self.through(&graph, passage, settings, &params, &called, call)).await;
        if !asked.load(Relaxed) {
            passage.went_nowhere();
        }
        outcome
    }

    /// What spec 1.5 asks for before hooks run: a tool that exists, a server that runs.
    pub(crate) async fn ready_for(&self, errand: &Errand<'_>) -> Result<(), Fault> {
        let server = &errand.target.server;
        if errand.is_call() {
            tool_stats(server, &errand.target.own)?;
        }
        self.link(server, errand.caller.as_guest()).await.map(drop)
    }

    /// The same errand with the parameters that hooks left; another name may lead to another server.
    pub(crate) fn redirect<'b>(
        &self,
        errand: &Errand<'b>,
        params: &'b RawValue,
    ) -> Result<Errand<'b>, Fault> {
        let (params, target) = match errand.params.sent() {
            Err(_) => {
                let (own, input) = read_input(params)?;
                (Params::Input(input), self.led(errand, &own)?)
            }
            Ok(old) => {
                let sent = old.again(params);
                let key = sent.key().ok_or_else(|| faults::missing_name(errand.method))?;
                let target = match old.key().as_deref() == Some(&key) {
                    true => errand.target.clone(),
                    false => self.lead(errand, &key)?.ok_or_else(|| faults::unknown(errand.method, &key))?,
                };
                (Params::Changed(Box::new(sent)), target)
            }
        };
        Ok(Errand { params, target, ..errand.clone() })
    }

    /// The server itself: found running, asked, its reply checked and counted. Says in `asked` that it came so far.
    async fn reach(
        &self,
        errand: &Errand<'_>,
        settings: &Settings,
        hearing: Option<&Hearing>,
        asked: &AtomicBool,
    ) -> Result<Box<RawValue>, Failure> {
        let (server, own) = (&errand.target.server, &errand.target.own);
        // As the hooks left it.
        self.permit(errand)?;
        let stats = if errand.is_call() { tool_stats(server, own)? } else { None };
        let connection = self.link(server, errand.caller.as_guest()).await?;
        if let Some(hearing) = hearing {
            hearing.reach(connection.peer.era);
            no_foreign_task(errand, connection.peer.era)?;
        }
        let ms = errand.timeout.unwrap_or_else(|| server.timeout(settings));
        let through = match server.gates() {
            None => None,
            Some(gates) => {
                let tool = errand.is_call().then_some(&**own);
                Some(Box::pin(gates.enter(&self.store, (server.name(), tool), ms)).await?)
            }
        };
        let ask = Ask { method: errand.method, subject: own, ms };
        asked.store(true, Relaxed);
        let asked = Asked::new(errand, stats);
        let (began, span) = (asked.began(), asked.span());
        // Where nothing is traced here the server hears of whoever asked the gateway.
        let trace = span.map(otlp::Span::context).or_else(|| otlp::current().map(Arc::unwrap_or_clone));
        let at_server = errand.caller.footprint().map(|footprint| footprint.at_server(began));
        let outcome =
            std::pin::pin!(self.ask_over(errand, &connection, &ask, settings, hearing, trace.clone()));
        let mut outcome = otlp::Within::of(span, outcome).await;
        // What no session took is said once more, in the time that is left.
        if matches!(outcome, Ok(Outcome::Unheard)) {
            let again = async {
                let connection = self.link_again(server, errand.caller.as_guest(), &connection).await?;
                match self.ask_over(errand, &connection, &ask, settings, hearing, trace).await {
                    // Forgotten again: what became of the server is what the caller hears.
                    Ok(Outcome::Unheard) => Err(why(server, &connection, &ask).await),
                    outcome => outcome,
                }
            };
            let again =
                tokio::time::timeout(Duration::from_millis(ms).saturating_sub(began.elapsed()), again);
            let again = otlp::Within::of(span, Box::pin(again)).await;
            outcome = again.unwrap_or_else(|_| Err(faults::timed_out(server.name(), own, ms).into()));
        }
        let outcome = outcome.and_then(|outcome| check(outcome, errand, settings));
        if let (Some(hearing), Ok(result)) = (hearing, &outcome) {
            hearing.learn(errand, result);
        }
        if let Some(through) = through {
            through.over(server.name(), ms < server.timeout(settings), &outcome);
        }
        let took = asked.over(code_of(&outcome, own));
        at_server.into_iter().for_each(|at_server| at_server.over(took));
        outcome
    }

    /// Sends an errand over one connection, in the words of its server's era.
    async fn ask_over(
        &self,
        errand: &Errand<'_>,
        connection: &Connection,
        ask: &Ask<'_>,
        settings: &Settings,
        hearing: Option<&Hearing>,
        trace: Option<otlp::Context>,
    ) -> Result<Outcome, Failure> {
        let era = connection.peer.era;
        let needs = Needs { trace, ..self.needs(errand.caller.as_guest(), era, hearing) };
        let write = |id, out: &mut Vec<u8>| errand.write(era, &needs, id, out);
        exchange(&errand.target.server, connection, ask, settings, hearing, write).await
    }

    /// What the server must be given besides what the client sent, and what it must not be given.
    fn needs(&self, guest: Option<&Guest>, server: Era, hearing: Option<&Hearing>) -> Needs {
        let progress = hearing.is_some_and(|hearing| hearing.ticks.is_some());
        match guest {
            None => Needs { progress, ..Needs::default() },
            Some(guest) => Needs {
                meta: self.missing_meta(guest, server),
                strip: guest.era() == Era::Modern && server == Era::Legacy,
                legacy: server == Era::Legacy,
                progress,
                trace: None,
            },
        }
    }

    /// How many milliseconds a call has at its server, as far as that can be told before it is let in.
    fn time_for(&self, caller: &Caller<'_>, call: &ToolCall<'_>) -> Option<u64> {
        let named = || {
            let (registry, name) =
                (self.registry(), call.server.as_deref().filter(|name| caller.sees(name))?);
            registry.get(name).map(|server| server.timeout(&self.settings()))
        };
        call.timeout.or_else(named)
    }

    /// Finds the server; where it may be left out, by its tool.
    fn route(&self, caller: &Caller<'_>, call: &mut ToolCall<'_>) -> Result<Arc<Server>, Fault> {
        let registry = self.registry();
        if let Some(name) = &call.server {
            let found = registry.get(name).filter(|server| caller.sees(server.name()));
            return found.cloned().ok_or_else(|| faults::server_not_found(name));
        }
        let mut having = registry.with_tool(&call.tool);
        having.retain(|server| caller.limits().is_none_or(|pass| pass.permits(server, &call.tool)));
        match having[..] {
            [only] => {
                call.server = Some(only.name().to_owned().into());
                Ok(only.clone())
            }
            [] => Err(Fault::new(Code::ToolNotFound, format!("Tool '{}' not found", call.tool))
                .with("toolName", &*call.tool)),
            ref several => {
                let names: Vec<_> = several.iter().map(|server| server.name()).collect();
                Err(Fault::new(Code::ValidationError, "server is required")
                    .with("field", "server")
                    .with("toolName", &*call.tool)
                    .with("servers", names))
            }
        }
    }
}

/// The tool must be in the cache; a server that was never listed is asked all the same.
fn tool_stats(server: &Server, tool: &str) -> Result<Option<Arc<ToolStats>>, Fault> {
    match server.tools() {
        None => Ok(None),
        Some(tools) => match tools.get(tool) {
            Some(stats) => Ok(Some(stats.clone())),
            None => Err(faults::tool_not_found(server.name(), tool)),
        },
    }
}

/// The connection of a running server, or why there is none.
pub(crate) fn running(server: &Server) -> Result<Arc<Connection>, Fault> {
    server.connection().ok_or_else(|| match server.status() {
        Status::Crashed => faults::crashed(server.name(), server.exit_code()),
        // The child became ready, or died, between two looks.
        Status::Running => faults::not_running(server.name(), Status::Starting),
        status => faults::not_running(server.name(), status),
    })
}
