//! Moves one request along the stages of its graph.

mod call;
mod set;

use super::marks::{self, NodeMark};
use super::sides::{Begun, Snapshot};
use super::{Pass, Stop, Trouble};
use crate::plan::{Action, Graph, Made, Ready, Row, Stage};
use crate::record::{Run, SpotRun, SpotState};
use crate::scripts::{Module, Scripts};
use crate::text::{quote, with};
use sandbox::{
    About, End, ErrorCode, Form, Heir, Job, Json, Left, Phase, Ran, Rank, Report, ScriptError, Verdict,
};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::future::Future;
use std::mem::take;
use std::sync::Arc;

/// A request between its nodes.
pub(super) struct Drive<'a, S> {
    graph: &'a Arc<Graph>,
    pass: Pass<'a, S>,
    run: Run,
    /// The parameters, when hooks changed them.
    params: Option<Json>,
    /// What the request is about, since hooks changed its parameters.
    about: Option<About>,
    /// The reply that a hook before the call gave.
    answer: Option<Box<RawValue>>,
    /// Whether that hook passed over the nodes up to the call.
    skipping: bool,
    /// Whether the call was made earlier, and this is what came of it.
    late: bool,
    reply: Option<Box<RawValue>>,
    /// The variables, where the graph has any: the text of a JSON object.
    variables: Option<String>,
    /// `metadata.error` of a call that failed, as JSON text.
    error: Option<String>,
    /// How long it took until the call was over, in milliseconds.
    took: Option<u64>,
    /// How the reply of a call on terms came about.
    made: Option<Made>,
    /// The members of `previousResults`, as JSON text.
    results: String,
    marks: Vec<NodeMark>,
}

impl<'a, S: Scripts> Drive<'a, S> {
    pub(super) fn new(graph: &'a Arc<Graph>, mut pass: Pass<'a, S>, run: Run) -> Self {
        let answer = pass.answer.take();
        Self {
            graph,
            pass,
            run,
            params: None,
            about: None,
            skipping: answer.as_ref().is_some_and(|answer| answer.skip),
            late: answer.as_ref().is_some_and(|answer| answer.late),
            answer: answer.map(|answer| answer.reply),
            reply: None,
            variables: None,
            error: None,
            took: None,
            made: None,
            results: String::new(),
            marks: Vec::new(),
        }
    }

    /// What is left of a pass: the nodes that ran, and what hooks share.
    pub(super) fn finish(mut self) -> (Vec<NodeMark>, Option<String>) {
        (take(&mut self.marks), self.pass.shared.take())
    }

    /// Goes from start to end. `call` is taken when the call is made. What runs scripts is kept apart, so that a road
    /// without them is short to set out on.
    pub(super) async fn go<T, C, F>(&mut self, call: &mut Option<C>) -> Result<Box<RawValue>, Stop<T>>
    where
        T: Trouble,
        C: Fn(Option<Box<RawValue>>) -> F + Send + Sync,
        F: Future<Output = Result<Box<RawValue>, T>> + Send,
    {
        let graph = self.graph;
        let mut failure: Option<T> = None;
        let mut at = 0;
        loop {
            // After a call that failed, hooks see the error, and nothing that they say changes it.
            let moved = match &graph.stages[at] {
                Stage::Start { spot, next } => {
                    if graph.scope.is_some() {
                        Box::pin(self.recall(*spot)).await?;
                    }
                    self.run.passed(*spot);
                    if !self.late {
                        self.launch(*spot);
                    }
                    Ok(*next)
                }
                Stage::Hooks { .. } | Stage::Set { .. } | Stage::Choose { .. } if self.skipping => {
                    Ok(graph.call)
                }
                Stage::Hooks { row, next } => Box::pin(self.hooks(row)).await.map(|()| *next),
                Stage::Set { spot, next } => Box::pin(self.set(*spot)).await.map(|()| *next),
                Stage::Choose { spot, yes, no } => {
                    Box::pin(self.choose(*spot)).await.map(|chosen| if chosen { *yes } else { *no })
                }
                Stage::Call { spot, next } => {
                    if let Some(answer) = self.answer.take() {
                        self.skipping = false;
                        self.reply = Some(answer);
                    } else if let Some(call) = call.take() {
                        failure = self.call(*spot, call).await?;
                    }
                    self.took = Some(self.run.now() / 1000);
                    self.launch(*spot);
                    Ok(*next)
                }
                Stage::End { spot } => {
                    return match (failure, self.reply.take()) {
                        (Some(failure), _) => Err(Stop::Call(failure)),
                        (None, Some(reply)) => {
                            self.run.passed(*spot);
                            Ok(reply)
                        }
                        (None, None) => Err(self.failed(*spot, unfit("there is no reply"))),
                    };
                }
            };
            match (moved, failure.take()) {
                (Ok(next), trouble) => (at, failure) = (next, trouble),
                (Err(_), Some(trouble)) => return Err(Stop::Call(trouble)),
                (Err(stop), None) => return Err(stop),
            }
        }
    }

    /// Runs hooks in one job, and takes over what they decided.
    async fn hooks<T>(&mut self, row: &Row) -> Result<(), Stop<T>> {
        let (spots, ready) = (&row.spots, self.ready(row));
        let phase = self.graph.spots[spots[0]].phase;
        let began = self.run.started(spots[0]);
        let ran = self.send(spots, &ready, self.variables.as_deref()).await;
        self.note(spots, began, &ran, &ready);
        let Ran { end, params, response, shared, variables, mut reports } = ran;
        if shared.is_some() {
            self.pass.shared = shared;
        }
        if variables.is_some() {
            self.variables = variables;
        }
        match end {
            End::Blocked { step, code, message } => {
                let step = step.min(spots.len() - 1);
                let hook = ready.name(step).unwrap_or(&self.graph.spots[spots[step]].name).clone();
                return Err(Stop::Blocked { phase, hook, code, message });
            }
            End::Failed { step } => {
                let error = match reports.pop().map(|report| report.verdict) {
                    Some(Verdict::Failed(error)) => error,
                    _ => unfit("it could not be run"),
                };
                let step = step.min(spots.len() - 1);
                let node = self.graph.spots[spots[step]].name.clone();
                let hook = Some(ready.name(step).unwrap_or(&node).clone());
                return Err(Stop::Failed { phase, node, hook, error });
            }
            End::Answered => self.skipping = phase == Phase::Pre,
            End::Through => {}
        }
        if params.is_some() && phase == Phase::Pre {
            let follow = self.pass.follow.zip(params.as_ref());
            let about = follow.and_then(|(follow, params)| (follow.0)(params.raw()));
            self.about = about.or(self.about.take());
            self.params = params;
        }
        match (phase, response) {
            (_, None) => {}
            (Phase::Pre, Some(answer)) => self.answer = Some(answer.into()),
            (Phase::Post, Some(reply)) => self.reply = Some(reply.into()),
        }
        for spot in &spots[..reports.len().min(spots.len())] {
            self.launch(*spot);
        }
        Ok(())
    }

    /// Lets a condition choose.
    async fn choose<T>(&mut self, spot: usize) -> Result<bool, Stop<T>> {
        let began = self.run.started(spot);
        let ready = self.ready_alone(spot);
        let ran = self.send(&[spot], &ready, self.variables.as_deref()).await;
        let Some(mut report) = ran.reports.into_iter().next() else {
            return Err(self.failed(spot, unfit("it could not be run")));
        };
        self.graph.spots[spot].action.place(&mut report);
        marks::log(&self.graph.workflow, &self.graph.spots[spot], None, &report);
        let chosen = match report.verdict {
            Verdict::Blocked => Ok(false),
            Verdict::Failed(error) => Err(error),
            _ => Ok(true),
        };
        let (word, state) = match &chosen {
            Ok(true) => ("true", SpotState::Completed),
            Ok(false) => ("false", SpotState::Completed),
            Err(_) => ("failed", SpotState::Error),
        };
        self.mark(spot, None, word, report.micros);
        let result = if chosen.is_ok() { format!("{{\"value\":{word}}}") } else { "null".into() };
        self.result(spot, &result);
        let error = chosen.as_ref().err().map(|error| error.message.as_str().into());
        let (console, result) = (report.console, Some(result.into()));
        let ended = self.run.now();
        self.run.note(spot, SpotRun { state, began, ended, result, error, console, ..SpotRun::default() });
        chosen.or_else(
            |error| if ready.steps[0].stop_on_error { Err(self.failed(spot, error)) } else { Ok(false) },
        )
    }

    /// Has the scripts of nodes run. What they wrote is in the log also when nobody waits for them any more.
    async fn send(&self, spots: &[usize], ready: &Arc<Ready>, variables: Option<&str>) -> Ran {
        let phase = self.graph.spots[spots[0]].phase;
        let metadata = self.metadata(phase);
        let left = || -> Heir {
            let (graph, ready, spots) = (Arc::clone(self.graph), Arc::clone(ready), spots.to_vec());
            Box::new(move |estate| marks::inherit(&graph, &spots, &ready, &estate))
        };
        let job = Job {
            phase,
            steps: &ready.steps,
            // What a single one changed is what came of the job.
            show: spots.len() > 1 && self.run.is_watched(),
            form: Form::Hook,
            rank: Rank::Request,
            limit: self.pass.limit,
            method: self.pass.method,
            params: self.params.as_deref().unwrap_or(self.pass.params),
            response: self.response(phase),
            metadata: &metadata,
            shared: self.pass.shared.as_deref(),
            variables,
            top: self.top(),
            results: &self.results,
            follow: self.pass.follow,
            left: Some(Left(&left)),
        };
        self.pass.scripts.run(&job).await
    }

    fn response(&self, phase: Phase) -> Option<&str> {
        self.reply.as_ref().filter(|_| phase == Phase::Post).map(|reply| reply.get())
    }

    /// The further members of the context.
    fn top(&self) -> &str {
        self.about.as_ref().map_or(self.pass.top, |about| &about.top)
    }

    /// `context.metadata` on one side of the call.
    fn metadata(&self, phase: Phase) -> Cow<'_, str> {
        let metadata = self.about.as_ref().map_or(self.pass.metadata, |about| &about.metadata);
        if phase == Phase::Pre {
            return Cow::Borrowed(metadata);
        }
        let duration = format!("\"duration\":{}", self.took.unwrap_or_else(|| self.run.now() / 1000));
        let error = self.error.as_ref().map(|error| format!("\"error\":{error}")).unwrap_or_default();
        let made = self.made.map(Made::members).unwrap_or_default();
        Cow::Owned(with(metadata, &[&duration, &made, &error]))
    }

    /// Starts what hangs off a node that is done.
    fn launch(&mut self, spot: usize) {
        let graph = self.graph;
        for &side in &graph.spots[spot].sides {
            let phase = self.graph.spots[side].phase;
            let snapshot = Snapshot {
                phase,
                limit: self.pass.limit,
                method: self.pass.method.to_owned(),
                params: self.params.as_deref().unwrap_or(self.pass.params).to_owned(),
                response: self.response(phase).map(str::to_owned),
                metadata: self.metadata(phase).into_owned(),
                shared: self.pass.shared.clone(),
                variables: self.variables.clone(),
                top: self.top().to_owned(),
                results: self.results.clone(),
            };
            let ready = self.ready_alone(side);
            let begun = Begun { number: side, ready: Arc::clone(&ready), snapshot };
            if self.pass.sides.launch(graph, &self.run, begun, self.pass.scripts) {
                // What comes of it is told elsewhere, when it is known.
                self.mark(side, ready.module(0), "launched", 0);
            }
        }
    }

    /// The scripts of nodes that share a job.
    fn ready(&self, row: &Row) -> Arc<Ready> {
        row.ready(&self.graph.spots, self.pass.modules)
    }

    /// The script of a node that has a job of its own.
    fn ready_alone(&self, spot: usize) -> Arc<Ready> {
        self.ready(&self.graph.spots[spot].alone)
    }

    /// Notes what the steps of a job did.
    fn note(&mut self, spots: &[usize], began: u64, ran: &Ran, ready: &Ready) {
        let mut at = began;
        for (i, (&spot, report)) in spots.iter().zip(&ran.reports).enumerate() {
            let module = ready.module(i);
            marks::log(&self.graph.workflow, &self.graph.spots[spot], module, report);
            self.mark(spot, module, report.verdict.name(), report.micros);
            let last = i + 1 == ran.reports.len();
            let end = last.then_some(&ran.end);
            let seen = summary(report, end);
            self.result(spot, seen);
            if !self.run.is_watched() {
                continue;
            }
            let result = told(seen, report, end);
            let error = match &report.verdict {
                Verdict::Failed(error) => Some(error.message.as_str().into()),
                _ => None,
            };
            let state = if error.is_some() { SpotState::Error } else { SpotState::Completed };
            let whole = || (spots.len() == 1 && report.verdict.has_changed()).then(|| ran.changes());
            let changes = report.changes.clone().or_else(whole).map(String::into);
            // A worker tells how long each step took; what remains of the time is the way to it and back.
            let ended = if last { self.run.now() } else { at + report.micros };
            let (result, console) = (Some(result.into()), report.console.clone());
            let did =
                SpotRun { state, began: at, ended, result, error, console, changes, ..SpotRun::default() };
            self.run.note(spot, did);
            at = ended;
        }
    }

    fn mark(&mut self, spot: usize, module: Option<&Arc<dyn Module>>, verdict: &'static str, micros: u64) {
        let spot = &self.graph.spots[spot];
        self.marks.push(NodeMark {
            node: Arc::clone(&spot.id),
            name: Arc::clone(module.map_or(&spot.name, |module| &module.script().name)),
            version: module.map_or(self.graph.revision, |module| module.version()),
            phase: marks::phase(spot.phase),
            verdict,
            micros,
        });
    }

    /// Adds to what later nodes see of earlier ones.
    fn result(&mut self, spot: usize, result: &str) {
        if !self.results.is_empty() {
            self.results.push(',');
        }
        self.results.push_str(&self.graph.spots[spot].place.key);
        self.results.push(':');
        self.results.push_str(result);
    }

    fn failed<T>(&self, spot: usize, error: ScriptError) -> Stop<T> {
        let spot = &self.graph.spots[spot];
        let hook = matches!(spot.action, Action::Hook { .. }).then(|| Arc::clone(&spot.name));
        Stop::Failed { phase: spot.phase, node: Arc::clone(&spot.name), hook, error }
    }
}

/// Of a request that nobody waits for any more it is told which nodes ran.
impl<S> Drop for Drive<'_, S> {
    fn drop(&mut self) {
        if !self.marks.is_empty() {
            (self.pass.left)(take(&mut self.marks));
        }
    }
}

/// What later nodes see of a hook. The last one may have ended the job.
fn summary(report: &Report, end: Option<&End>) -> &'static str {
    match (&report.verdict, end) {
        (Verdict::Answered, Some(End::Answered)) => r#"{"continue":false,"verdict":"answered"}"#,
        _ => report.verdict.summary(),
    }
}

/// What a record says of a hook, which of a block is its error too.
fn told(summary: &'static str, report: &Report, end: Option<&End>) -> String {
    let (Verdict::Blocked, Some(End::Blocked { code, message, .. })) = (&report.verdict, end) else {
        return summary.to_owned();
    };
    let mut error = format!("\"error\":{{\"code\":{},\"message\":", code.as_deref().unwrap_or("null"));
    match message {
        Some(message) => quote(&mut error, message),
        None => error.push_str("null"),
    }
    error.push('}');
    with(summary, &[&error])
}

fn unfit(message: &str) -> ScriptError {
    let message = message.to_owned();
    ScriptError { code: ErrorCode::ExecutionError, message, line: None, column: None, limit: None }
}
