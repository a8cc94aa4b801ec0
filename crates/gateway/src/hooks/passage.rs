//! One request on its way through the ordered list: the pre hooks, and later the post hooks, of one
//! unchanging page.

use super::book::{Entry, Page, now};
use super::lineup::Lineup;
use super::trace::{Left, Mark, Trace};
use super::verdict;
use super::{Hooks, Subject};
use crate::carried::Failure;
use crate::waited::Footprint;
use model::{Code, Fault, OnError, Settings};
use sandbox::{About, End, Estate, Follow, Form, Heir, Job, Phase, Ran, Rank, Step, Verdict};
use serde_json::Value;
use serde_json::value::RawValue;
use std::mem::take;
use std::sync::Arc;
use std::time::{Duration, Instant};
use workflow::{Named, NodeMark, Tools};

/// What is said of a hook that was broken off because nobody waited for its request any more.
const CANCELLED: &str = "cancelled";

/// What the pre hooks made of a request.
pub(crate) enum Before {
    /// It goes on as it came.
    Same,
    /// It goes on with these parameters.
    Changed(Box<RawValue>),
    /// There is a reply already, and no server is called.
    Answered,
}

/// A reply that a pre hook gave.
pub(crate) struct Answer {
    pub(crate) reply: Box<RawValue>,
    /// Whether the rest of the pre phase is passed over.
    pub(crate) skip: bool,
    /// Whether it is what came of a call that was made earlier.
    pub(crate) late: bool,
}

/// A request as it came.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    subject: Subject<'a>,
    /// When it came, in milliseconds since 1970.
    came: i64,
}

impl Asked<'_> {
    /// These nodes ran for it, and nobody waits for it any more.
    pub(crate) fn left(&self, nodes: Vec<NodeMark>) {
        if let Some(footprint) = self.subject.footprint {
            footprint.keep_nodes(nodes);
        }
    }

    /// What hooks before the call see of it under another name.
    pub(crate) fn about(&self, named: &Named) -> About {
        let subject = self.subject.renamed(named);
        About { metadata: subject.metadata(self.came, None, None), top: subject.top() }
    }
}

/// A request between its hooks.
pub(crate) struct Passage<'a> {
    hooks: &'a Hooks,
    page: Arc<Page>,
    asked: Asked<'a>,
    limit: Duration,
    began: Instant,
    /// What post hooks see in `context.metadata` besides: how long the call took, and why it failed.
    duration: Option<u64>,
    error: Option<Value>,
    shared: Option<String>,
    answer: Option<Answer>,
    /// The parameters as the hooks see them.
    params: String,
    /// What the request is for since hooks gave it another name.
    named: Option<Named>,
    trace: Trace,
}

impl Hooks {
    /// Whether no hook runs at all, which most requests ask.
    pub(crate) fn idle(&self, settings: &Settings) -> bool {
        let page = self.book.page();
        !settings.hooks.list.enabled || (page.pre().is_empty() && page.post().is_empty())
    }

    /// The way of a request through the hooks.
    pub(crate) fn open<'a>(&'a self, subject: Subject<'a>, settings: &Settings) -> Passage<'a> {
        Passage {
            hooks: self,
            page: if settings.hooks.list.enabled { Arc::clone(&self.book.page()) } else { Arc::default() },
            asked: Asked { subject, came: now() },
            limit: Duration::from_millis(settings.hooks.timeout_ms),
            began: Instant::now(),
            duration: None,
            error: None,
            shared: None,
            answer: None,
            params: String::new(),
            named: None,
            trace: Trace::default(),
        }
    }
}

/// Refuses parameters that a script and a server could read differently.
pub(crate) fn unambiguous(params: &str) -> Result<(), Fault> {
    let Some(key) = crate::scan::repeated(params) else { return Ok(()) };
    let message =
        format!("the parameters have the member '{key}' twice, and hooks must see what the server will");
    Err(Fault::new(Code::ValidationError, message).with("field", "params").with("key", key))
}

/// Refuses the reply of a server that a script and a client could read differently. A list is put together here, of
/// what many servers say, and one of them does not spoil it for all.
pub(crate) fn unambiguous_reply(method: &str, result: Box<RawValue>) -> Result<Box<RawValue>, Failure> {
    let key = if method.ends_with("/list") { None } else { crate::scan::repeated(result.get()) };
    let Some(key) = key else { return Ok(result) };
    let message = format!(
        "the server's reply is ambiguous: it has the member '{key}' twice, and hooks must see what the client will"
    );
    Err(Fault::new(Code::ToolExecutionError, message).with("field", "result").with("key", key).into())
}

impl<'a> Passage<'a> {
    /// Runs the pre hooks over parameters that name nothing. An error is a block, or a guard that failed.
    pub(crate) async fn before(&mut self, params: String) -> Result<Before, Fault> {
        self.before_for(params, &()).await
    }

    /// The same over parameters that name what `tools` knows. Whoever goes on with others tells what they name.
    pub(crate) async fn before_for(&mut self, params: String, tools: &dyn Tools) -> Result<Before, Fault> {
        if self.is_empty() {
            return Ok(Before::Same);
        }
        let page = self.page.clone();
        self.params = params;
        let lineup = Lineup::of(page.pre(), &self.trace);
        let entries = &lineup.entries;
        if entries.is_empty() {
            lineup.tell(Phase::Pre, &mut self.trace);
            return Ok(Before::Same);
        }
        unambiguous(&self.params)?;
        let asked = *self.asked();
        let follow = |params: &RawValue| tools.named(params).map(|named| asked.about(&named));
        let ran = self.run(Phase::Pre, entries, None, Some(Follow(&follow))).await;
        lineup.tell(Phase::Pre, &mut self.trace);
        let Ran { end, params, response, .. } = ran;
        let goes_on = response.is_none() && matches!(end, End::Through | End::Answered);
        if let Some(changed) = &params {
            (**changed).clone_into(&mut self.params);
            if !goes_on {
                self.named = tools.named(changed.raw());
            }
        }
        match (end, response) {
            (End::Blocked { step, code, message }, _) => {
                Err(verdict::blocked(Phase::Pre, name(entries, step), code, message))
            }
            (End::Failed { step }, _) => Err(self.failed(entries, step, &ran.reports)),
            (end @ (End::Through | End::Answered), Some(response)) => {
                let (reply, skip) = (response.into(), end == End::Answered);
                self.answer = Some(Answer { reply, skip, late: false });
                Ok(Before::Answered)
            }
            (End::Through | End::Answered, None) => match params {
                Some(changed) => Ok(Before::Changed(changed.into())),
                None => Ok(Before::Same),
            },
        }
    }

    /// Takes up a request whose call was made earlier, as hooks left it then.
    pub(crate) fn resume(&mut self, params: String, shared: Option<String>) {
        (self.params, self.shared) = (params, shared);
    }

    /// What came of that call, for a graph to go on with.
    pub(crate) fn came_late(&mut self, reply: Box<RawValue>) {
        self.answer = Some(Answer { reply, skip: true, late: true });
    }

    /// Runs the post hooks over what came back. What failed stays failed, whatever they say.
    pub(crate) async fn after(
        &mut self,
        outcome: Result<Box<RawValue>, Failure>,
    ) -> Result<Box<RawValue>, Failure> {
        if self.page.post().is_empty() {
            return outcome;
        }
        let page = self.page.clone();
        let lineup = Lineup::of(page.post(), &self.trace);
        let entries = &lineup.entries;
        if entries.is_empty() {
            lineup.tell(Phase::Post, &mut self.trace);
            return outcome;
        }
        self.duration = Some(u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX));
        let method = self.asked.subject.method;
        let result = match outcome.and_then(|result| unambiguous_reply(method, result)) {
            Ok(result) => result,
            Err(failure) => {
                self.error = Some(verdict::error_of(&failure));
                // No verdict changes the error, so none ends the phase for those behind it.
                let mut left = &entries[..];
                while !left.is_empty() {
                    let ran = self.run(Phase::Post, left, None, None).await.reports.len();
                    left = if ran == 0 { &[] } else { left.get(ran..).unwrap_or_default() };
                }
                lineup.tell(Phase::Post, &mut self.trace);
                return Err(failure);
            }
        };
        let ran = self.run(Phase::Post, entries, Some(result.get()), None).await;
        lineup.tell(Phase::Post, &mut self.trace);
        match (ran.end, ran.response) {
            (End::Blocked { step, code, message }, _) => {
                Err(verdict::blocked(Phase::Post, name(entries, step), code, message).into())
            }
            (End::Failed { step }, _) => Err(self.failed(entries, step, &ran.reports).into()),
            (_, Some(response)) => Ok(response.into()),
            (_, None) => Ok(result),
        }
    }

    /// The method of the request.
    pub(crate) fn method(&self) -> &'a str {
        self.asked.subject.method
    }

    /// Whether no hook of the list sees the request.
    pub(crate) fn is_empty(&self) -> bool {
        self.page.pre().is_empty() && self.page.post().is_empty()
    }

    /// Whether the caller will look at what the nodes of the graph did.
    pub(crate) fn is_watched(&self) -> bool {
        self.asked.subject.watched
    }

    /// The wall clock of one script.
    pub(crate) fn limit(&self) -> Duration {
        self.limit
    }

    /// `context.metadata`, without `shared`, as JSON text.
    pub(crate) fn metadata_text(&self) -> String {
        self.subject().metadata(self.asked.came, self.duration, self.error.as_ref())
    }

    /// The members at the top of the context, as JSON text.
    pub(crate) fn top_text(&self) -> String {
        self.subject().top()
    }

    fn subject(&self) -> Subject<'_> {
        self.named.as_ref().map_or(self.asked.subject, |named| self.asked.subject.renamed(named))
    }

    /// The request as it came.
    pub(crate) fn asked(&self) -> &Asked<'a> {
        &self.asked
    }

    /// The request has another name now.
    pub(crate) fn rename(&mut self, named: Option<Named>) {
        self.named = named.or(self.named.take());
    }

    /// The reply that a pre hook gave, once.
    pub(crate) fn take_answer(&mut self) -> Option<Answer> {
        self.answer.take()
    }

    /// What hooks share, for a graph to go on with.
    pub(crate) fn take_shared(&mut self) -> Option<String> {
        self.shared.take()
    }

    /// The nodes that a graph ran, and what its hooks share.
    pub(crate) fn went_through(&mut self, marks: Vec<NodeMark>, shared: Option<String>) {
        self.shared = shared;
        marks.into_iter().for_each(|mark| self.trace.add(mark.into()));
    }

    /// Notes how long the request was at the server, and how long in a graph besides.
    pub(crate) fn took(&mut self, server: Option<Duration>, graph: Duration) {
        server.into_iter().for_each(|took| self.trace.add_server(took));
        self.trace.add_hooks(graph);
    }

    /// Notes that the request did not get to the server, whatever time it took to find out.
    pub(crate) fn went_nowhere(&mut self) {
        self.trace.clear_server();
    }

    /// The run is named where the hooks that ran are.
    pub(crate) fn keep_run(&mut self, run: workflow::Run) {
        self.trace.keep_run(run);
    }

    /// The hooks and nodes that ran up to now.
    pub(crate) fn so_far(&self) -> &Trace {
        &self.trace
    }

    /// The hooks and nodes that ran.
    pub(crate) fn trace(mut self) -> Trace {
        // It has come to its end.
        self.asked.subject.footprint = None;
        let left =
            Left { params: take(&mut self.params), shared: self.shared.take(), named: self.named.take() };
        take(&mut self.trace).keep_left(left)
    }

    async fn run(
        &mut self,
        phase: Phase,
        entries: &[&Arc<Entry>],
        response: Option<&str>,
        follow: Option<Follow<'_>>,
    ) -> Ran {
        let steps: Vec<Step> = entries
            .iter()
            .map(|entry| Step::new(entry.script.clone(), entry.hook.on_error == OnError::Stop))
            .collect();
        let (metadata, top) = (self.metadata_text(), self.top_text());
        let footprint = self.asked.subject.footprint;
        let left = || -> Heir {
            let entries: Vec<Arc<Entry>> = entries.iter().map(|entry| Arc::clone(entry)).collect();
            let late = footprint.map(Footprint::late);
            Box::new(move |estate| {
                let marks = inherit(&entries, phase, &estate);
                late.into_iter().for_each(|late| late.tell(&marks));
            })
        };
        let job = Job {
            phase,
            steps: &steps,
            show: false,
            form: Form::Hook,
            rank: Rank::Request,
            limit: self.limit,
            method: self.asked.subject.method,
            params: &self.params,
            response,
            metadata: &metadata,
            shared: self.shared.as_deref(),
            variables: None,
            top: &top,
            results: "",
            follow,
            left: Some(sandbox::Left(&left)),
        };
        let span = otlp::child(|| format!("hooks {}", verdict::phase(phase)), otlp::Kind::Internal);
        let began = Instant::now();
        let ran = self.hooks.sandbox.run(&job).await;
        self.trace.add_hooks(began.elapsed());
        if let Some(span) = span {
            span.scope(|| trace_each(entries, &ran, began));
        }
        if let Some(shared) = &ran.shared {
            self.shared = Some(shared.clone());
        }
        for (entry, report) in entries.iter().zip(&ran.reports) {
            entry.note(report);
            verdict::log(&entry.hook, report);
            self.trace.add(mark(entry, phase, report.verdict.name(), report.micros));
        }
        ran
    }

    fn failed(&self, entries: &[&Arc<Entry>], step: usize, reports: &[sandbox::Report]) -> Fault {
        let error = match reports.get(step).map(|report| &report.verdict) {
            Some(Verdict::Failed(error)) => Some(error),
            _ => None,
        };
        verdict::failed(name(entries, step), error)
    }
}

impl Drop for Passage<'_> {
    /// Of a request that nobody waits for any more the log still tells which hooks ran.
    fn drop(&mut self) {
        if let Some(footprint) = self.asked.subject.footprint {
            footprint.keep(take(&mut self.trace));
        }
    }
}

/// Notes what hooks did for which nobody waits any more, and says which they were. One that was broken off has decided
/// nothing.
fn inherit(entries: &[Arc<Entry>], phase: Phase, Estate { reports, broken }: &Estate) -> Vec<Mark> {
    let mut marks = Vec::with_capacity(entries.len());
    for (entry, report) in entries.iter().zip(reports) {
        entry.note(report);
        verdict::log(&entry.hook, report);
        marks.push(mark(entry, phase, report.verdict.name(), report.micros));
    }
    if let (Some(entry), Some(broken)) = (entries.get(reports.len()), broken) {
        verdict::console(&entry.hook, &broken.console);
        marks.push(mark(entry, phase, CANCELLED, broken.micros));
    }
    marks
}

pub(super) fn mark(entry: &Entry, phase: Phase, verdict: &'static str, duration_us: u64) -> Mark {
    let (hook, version) = (entry.hook.name.clone(), entry.hook.version);
    Mark { hook, version, phase: verdict::phase(phase), verdict, duration_us }
}

/// A span for each hook. They run one after the other, so each begins where the one before ends.
fn trace_each(entries: &[&Arc<Entry>], ran: &Ran, mut began: Instant) {
    for (entry, report) in entries.iter().zip(&ran.reports) {
        let took = Duration::from_micros(report.micros);
        otlp::past(
            || format!("hook {}", entry.hook.name),
            began,
            took,
            |span| {
                span.set("lockgate.hook", entry.hook.name.as_str());
                span.set("lockgate.verdict", report.verdict.name());
                if let Verdict::Failed(error) = &report.verdict {
                    span.fail(error.code.name());
                }
            },
        );
        began += took;
    }
}

fn name<'a>(entries: &[&'a Arc<Entry>], step: usize) -> &'a str {
    entries.get(step).map_or("", |entry| entry.hook.name.as_str())
}
