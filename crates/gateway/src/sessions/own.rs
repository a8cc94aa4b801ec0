//! The tools that are not those of a server: five for each session workflow, and activities that are published
//! (spec 4.5).

use super::call::Call;
use super::schedules::Time;
use crate::access::{OWN, Pass};
use crate::called;
use crate::caller::Caller;
use crate::carried::{Carried, Failure};
use crate::endpoint::Guest;
use crate::faults;
use crate::gateway::Gateway;
use crate::graphs::Active;
use crate::hooks::{Before, Passage, Subject, Trace};
use crate::reply::code_of;
use crate::request::ToolCall;
use crate::through::Halt;
use crate::waited::Waited;
use mcp::{Era, Kind};
use model::session::Face;
use model::{Code, Fault, Settings};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};
use workflow::session::arguments::{compensates, limited, pauses_at, proceed, start};
use workflow::session::{Activity, Defined, Ear, Error, Plan, Reply, ToolShown};
use workflow::{Named, Tool, Tools};

/// One tool that is not a server's.
#[derive(Clone)]
pub(crate) enum OwnTool {
    /// One face of a session workflow.
    Face(Arc<Plan>, Face),
    /// An activity of its own.
    Activity(Arc<Defined>),
}

impl OwnTool {
    /// Whether it changes nothing.
    pub(crate) fn is_read_only(&self) -> bool {
        matches!(self, OwnTool::Face(_, Face::Status))
    }
}

/// All of them.
#[derive(Default)]
pub(crate) struct OwnTools {
    by_name: HashMap<String, OwnTool>,
    /// Their entries in a list, as text.
    entries: Vec<(String, String)>,
}

impl OwnTools {
    pub(super) fn new(plans: &[Arc<Plan>], published: Vec<Arc<Defined>>, exposed: &[Face]) -> Self {
        let mut all = Self::default();
        for plan in plans {
            for tool in plan.tools(exposed) {
                let entry = entry(&tool);
                all.add(tool.name, OwnTool::Face(Arc::clone(plan), tool.face), &entry);
            }
        }
        for activity in published {
            let (name, entry) = (activity.name().to_owned(), activity_entry(&activity));
            all.add(name, OwnTool::Activity(activity), &entry);
        }
        all
    }

    fn add(&mut self, name: String, tool: OwnTool, entry: &Value) {
        if self.by_name.contains_key(&name) {
            tracing::warn!(
                tool = name,
                "two tools of session workflows have the same name; the first one stays"
            );
            return;
        }
        self.entries.push((name.clone(), entry.to_string()));
        self.by_name.insert(name, tool);
    }

    pub(crate) fn get(&self, name: &str) -> Option<&OwnTool> {
        self.by_name.get(name)
    }

    /// Whether a tool of this name starts sessions.
    pub(crate) fn is_start(&self, name: &str) -> bool {
        matches!(self.get(name), Some(OwnTool::Face(_, Face::Start)))
    }

    /// The entries that a key sees, each with its name; all of them without one.
    pub(crate) fn seen_by<'a>(
        &'a self,
        pass: Option<&'a Pass>,
    ) -> impl Iterator<Item = &'a (String, String)> {
        let read_only = |name: &str| self.get(name).is_some_and(OwnTool::is_read_only);
        self.entries
            .iter()
            .filter(move |(name, _)| pass.is_none_or(|pass| pass.reaches_tool(OWN, name, read_only(name))))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether any of them may run scripts.
    pub(super) fn is_scripted(&self) -> bool {
        !self.is_empty()
    }
}

/// The entry of one tool in a list.
fn entry(tool: &ToolShown) -> Value {
    let mut entry = json!({
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.input_schema,
    });
    if tool.face == Face::Status {
        entry["annotations"] = json!({"readOnlyHint": true});
    }
    entry
}

/// The same of an activity.
fn activity_entry(activity: &Defined) -> Value {
    let tool = activity.to_tool();
    let mut entry =
        json!({"name": tool.name, "description": tool.description, "inputSchema": tool.input_schema});
    if let Some(schema) = tool.output_schema {
        entry["outputSchema"] = schema.clone();
    }
    entry
}

/// What a call of such a tool is for, whatever hooks make of it.
struct Own;

impl Tools for Own {
    fn find(&self, _params: Option<&RawValue>) -> Option<Tool> {
        None
    }

    fn named(&self, params: &RawValue) -> Option<Named> {
        Some(Named { server: Some(OWN.to_owned()), own: called::name(params.get()) })
    }
}

/// Who calls a tool that is not a server's, and in which way.
#[derive(Clone)]
pub(super) struct Way<'a> {
    pub(super) caller: Caller<'a>,
    pub(super) ear: Option<Ear>,
    /// The workflow whose face is called over the API by whoever runs the gateway, or by the client of a task: for
    /// every session, also of workflows that are not active.
    pub(super) desk: Option<(&'a str, Face)>,
    /// The time of a schedule that starts a session.
    pub(super) time: Option<&'a Time>,
}

impl<'a> Way<'a> {
    /// Whose sessions may be used; nothing stands for everybody's.
    fn client(&self) -> Option<&'a str> {
        self.desk.is_none().then(|| self.caller.id())
    }
}

impl Gateway {
    /// Calls a tool that is not a server's, between the hooks of every call.
    pub(crate) async fn call_own(&self, caller: Caller<'_>, params: &str, ear: Option<Ear>) -> Carried {
        self.call_own_by(Way { caller, ear, desk: None, time: None }, params).await
    }

    /// Calls a published activity for a command that ends with the call. Nobody could go on there with a session.
    pub async fn call_published(&self, caller: Caller<'_>, call: &ToolCall<'_>) -> Carried {
        let tool = &*call.tool;
        if let Some(OwnTool::Face(..)) = self.sessions.own().get(tool) {
            let message = format!(
                "Tool '{tool}' works on a session, which would be gone with this command; call it at a gateway that \
                 runs, over MCP or its REST API"
            );
            return Carried::refused(Fault::new(Code::Conflict, message).with("toolName", tool));
        }
        let params = format!(r#"{{"name":{},"arguments":{}}}"#, Value::from(tool), call.input);
        let work = self.call_own(caller, &params, None);
        let Some(ms) = call.timeout else { return work.await };
        let done = tokio::time::timeout(Duration::from_millis(ms), work).await;
        done.unwrap_or_else(|_| Carried::refused(faults::timed_out(OWN, tool, ms)))
    }

    /// The same, in one of its ways.
    pub(super) async fn call_own_by(&self, way: Way<'_>, params: &str) -> Carried {
        let settings = self.settings();
        let graph = self.graphs.active("tools/call");
        let name = called::name(params).unwrap_or_default();
        let caller = way.caller;
        let waited = Waited { caller, method: "tools/call", server: None, name: &name, over: false };
        let record = self.audit.begin_own(&caller, &name, params, &settings);
        let subject = Subject::own(caller, &name).filter(|_| graph.is_some() || !self.hooks.idle(&settings));
        let (began, ran) = (Instant::now(), AtomicBool::new(subject.is_none()));
        let (outcome, trace) = match subject {
            None => (self.run_own(way, params).await, Trace::straight(Some(began.elapsed()))),
            Some(subject) => {
                let mut passage = self.hooks.open(subject, &settings);
                let hooked = self.hooked_own(&mut passage, &settings, graph, (way, &ran), params);
                let outcome = Box::pin(hooked).await;
                (outcome, passage.trace())
            }
        };
        // The tools speak as their caller does.
        let era = ran.into_inner().then(|| caller.as_guest().map_or(Era::Modern, Guest::era));
        let code = code_of(&outcome, &name);
        waited.over();
        record.over(code, &trace);
        Carried { outcome, code, trace, era }
    }

    async fn hooked_own(
        &self,
        passage: &mut Passage<'_>,
        settings: &Settings,
        graph: Option<Active>,
        (way, ran): (Way<'_>, &AtomicBool),
        params: &str,
    ) -> Result<Box<RawValue>, Failure> {
        let changed = match passage.before_for(params.to_owned(), &Own).await? {
            Before::Changed(params) => Some(params),
            Before::Same | Before::Answered => None,
        };
        passage.rename(changed.as_deref().and_then(|params| Own.named(params)));
        let params = changed.as_deref().map_or(params, RawValue::get);
        let outcome = match graph {
            None => match passage.take_answer() {
                Some(answer) => Ok(answer.reply),
                None => {
                    let began = Instant::now();
                    ran.store(true, Relaxed);
                    let outcome = self.run_own(way, params).await;
                    passage.took(Some(began.elapsed()), Duration::ZERO);
                    outcome
                }
            },
            Some(graph) => {
                let call = |changed: Option<Box<RawValue>>| {
                    let way = way.clone();
                    ran.store(true, Relaxed);
                    async move {
                        let params = changed.as_deref().map_or(params, RawValue::get);
                        self.run_own(way, params).await
                    }
                };
                match self.through(&graph, passage, settings, params, &Own, call).await {
                    Ok(result) => Ok(result),
                    Err(Halt::Failed(failure)) => Err(failure),
                    Err(Halt::Stopped(fault)) => return Err(fault.into()),
                }
            }
        };
        passage.after(outcome).await
    }

    /// The tool itself.
    async fn run_own(&self, way: Way<'_>, params: &str) -> Result<Box<RawValue>, Failure> {
        let _at_server = way.caller.footprint().map(|footprint| footprint.at_server(Instant::now()));
        let call = Call::read(params)?;
        if let Some((workflow, face)) = way.desk
            && call.name.strip_suffix(face.word()).and_then(|rest| rest.strip_suffix('_')) == Some(workflow)
        {
            return Ok(self.face(&way, workflow, face, call).await.to_raw());
        }
        let own = self.sessions.own();
        let seen = |_: &&OwnTool| self.permits_own(&way.caller, &call.name);
        let Some(tool) = own.get(&call.name).filter(seen) else {
            if self.catalog_of(&way.caller).target(Kind::Tools, &call.name).is_some() {
                return Err(faults::led_astray(&call.name, "a server", "the gateway itself").into());
            }
            return Err(faults::unknown("tools/call", &call.name).into());
        };
        let result = match tool {
            OwnTool::Face(plan, face) => {
                let reply = self.face(&way, plan.name(), *face, call).await;
                self.within_reach(&way.caller, reply).to_raw()
            }
            OwnTool::Activity(activity) => {
                let mut arguments = call.arguments.unwrap_or_default();
                if has_session_id(activity) {
                    // What its own argument says need not be a session.
                    let offered = offered(&mut arguments.clone());
                    let _ = self.note_choice(way.client(), offered, &call.name, None).await;
                } else {
                    let offered = offered(&mut arguments);
                    if let Some(reply) = self.note_choice(way.client(), offered, &call.name, None).await {
                        return Ok(reply.to_raw());
                    }
                }
                let tool = activity.to_tool();
                let client = way.client().unwrap_or_default();
                let input = Some(Value::Object(arguments));
                let mut result = Box::pin(tool.call_by(client, input, crate::hooks::now())).await;
                if way.caller.as_guest().is_some_and(|guest| guest.era() == Era::Legacy) {
                    only_objects(&mut result);
                }
                raw(&result)
            }
        };
        Ok(result)
    }

    /// Whether there is a tool of that name that is not a server's, for this caller.
    pub(crate) fn has_own(&self, caller: &Caller<'_>, name: &str) -> bool {
        self.sessions.own().get(name).is_some() && self.permits_own(caller, name)
    }

    /// A reply without offers of tools that whoever asked cannot reach.
    fn within_reach(&self, caller: &Caller<'_>, reply: Reply) -> Reply {
        if caller.limits().is_none() {
            return reply;
        }
        let (all, seen, own) = (self.catalog(), self.catalog_of(caller), self.sessions.own());
        reply.offering(|tool| match own.get(tool) {
            Some(_) => self.permits_own(caller, tool),
            None => all.target(Kind::Tools, tool).is_none() || seen.target(Kind::Tools, tool).is_some(),
        })
    }

    /// Notes which session offered the tool that is called; an unknown one is an error.
    pub(super) async fn note_choice(
        &self,
        client: Option<&str>,
        offered: Option<String>,
        tool: &str,
        key: Option<&str>,
    ) -> Option<Reply> {
        let id = offered?;
        Box::pin(self.sessions.engine.chosen(client, &id, tool, key)).await.err().map(Reply::from)
    }

    async fn face(&self, way: &Way<'_>, workflow: &str, face: Face, call: Call) -> Reply {
        if self.store_lost() {
            // What is begun in its place would be gone once the data is back.
            return Error::Store(store::Error::Lost).into();
        }
        let (engine, client, ear) = (&self.sessions.engine, way.client(), way.ear.clone());
        let mut arguments = call.arguments.unwrap_or_default();
        match face {
            Face::Start => {
                if let Some(time) = way.time {
                    // It is rare, and larger than all others, which need not carry it.
                    return Box::pin(self.start_at(workflow, time, arguments)).await;
                }
                let offered = offered(&mut arguments);
                let plan = engine.find(workflow);
                let start = match start(plan.as_deref(), arguments, &call.meta, way.caller.id(), ear) {
                    Ok(start) => start,
                    Err(message) => return Reply::error(message),
                };
                if let Some(reply) = self.note_choice(client, offered, &call.name, start.key.as_deref()).await
                {
                    return reply;
                }
                engine.start(workflow, start).await.unwrap_or_else(Reply::from)
            }
            Face::Continue => {
                let mut request = match proceed(arguments, ear) {
                    Ok(request) => request,
                    Err(message) => return Reply::error(message),
                };
                request.client_id = client.map(str::to_owned);
                if let (Some(approval), None) = (&mut request.approval, client) {
                    (approval.by, approval.over_api) = (way.caller.id().to_owned(), true);
                }
                match Box::pin(limited(engine, workflow, request, &call.meta)).await {
                    Ok(request) => engine.proceed(workflow, request).await.unwrap_or_else(Reply::from),
                    Err(message) => Reply::error(message),
                }
            }
            Face::Status | Face::Pause | Face::Cancel => {
                let done = Box::pin(self.rare_face(workflow, client, face, &arguments)).await;
                done.unwrap_or_else(Reply::from)
            }
        }
    }

    /// The faces that run no step.
    async fn rare_face(
        &self,
        workflow: &str,
        client: Option<&str>,
        face: Face,
        arguments: &Map<String, Value>,
    ) -> Result<Reply, Error> {
        let engine = &self.sessions.engine;
        let Some(id) = arguments.get("sessionId").and_then(Value::as_str) else {
            return Ok(Reply::error("sessionId is required."));
        };
        let step = if face == Face::Pause { pauses_at(arguments) } else { Ok(None) };
        let compensate = if face == Face::Cancel { compensates(arguments) } else { Ok(false) };
        let (step, compensate) = match (step, compensate) {
            (Ok(step), Ok(compensate)) => (step, compensate),
            (Err(message), _) | (_, Err(message)) => return Ok(Reply::error(message)),
        };
        let own = Some(workflow);
        match face {
            Face::Pause => engine.pause_at(own, client, id, step).await,
            Face::Cancel => engine.cancel(own, client, id, compensate).await,
            _ => {
                engine.chosen(client, id, &face.tool(workflow), None).await?;
                engine.status(own, client, id).await
            }
        }
    }
}

/// The session that offered a tool, which is no part of its arguments.
pub(super) fn offered(arguments: &mut Map<String, Value>) -> Option<String> {
    let id = arguments.shift_remove("sessionId").filter(|id| !id.is_null())?;
    Some(id.as_str().map_or_else(|| id.to_string(), str::to_owned))
}

/// Whether an activity has an argument of its own with the name under which offers carry their session.
fn has_session_id(activity: &Defined) -> bool {
    activity.input_schema().is_some_and(|schema| schema["properties"].get("sessionId").is_some())
}

/// Up to 2025-11-25 structured content is an object, and clients refuse a whole reply in which it is not; the text
/// has the data all the same.
fn only_objects(result: &mut Value) {
    if let Some(all) =
        result.as_object_mut().filter(|all| all.get("structuredContent").is_some_and(|one| !one.is_object()))
    {
        all.shift_remove("structuredContent");
    }
}

fn raw(value: &Value) -> Box<RawValue> {
    RawValue::from_string(value.to_string()).expect("a value is JSON")
}
