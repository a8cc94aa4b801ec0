//! The record of a pass from its beginning to its end, even when nobody waits for it any more.

use super::{Pass, Trouble};
use crate::plan::{Graph, Line};
use crate::record::Run;
use crate::recorder::Handle;
use crate::text::{members, quote};
use sandbox::short;
use serde_json::value::RawValue;
use std::sync::Arc;

/// A run that has begun. Dropped before its end it is recorded as cancelled.
pub(super) struct Open<'a> {
    run: Run,
    recorder: Option<Handle>,
    ended: &'a (dyn Fn(&Run) + Sync),
    over: bool,
}

impl<'a> Open<'a> {
    pub(super) fn begin<S>(graph: &Arc<Graph>, pass: &Pass<'a, S>) -> Self {
        let Pass { method, params, metadata, top, .. } = *pass;
        let beginning = Beginning { method, params, metadata, top };
        let run = match pass.recorder {
            Some(recorder) => recorded(graph, recorder, &beginning),
            None if pass.watched => Run::begin(graph, Some(beginning.context()), true),
            // Nobody will read what it was about.
            None => Run::begin(graph, None, otlp::is_traced()),
        };
        Self { run, recorder: pass.recorder.cloned(), ended: pass.ended, over: false }
    }

    pub(super) fn run(&self) -> Run {
        self.run.clone()
    }

    pub(super) fn end(mut self, error: Option<String>) -> Run {
        self.run.end(error);
        self.close();
        self.run.clone()
    }

    fn close(&mut self) {
        self.over = true;
        if let Some(recorder) = &self.recorder {
            recorder.ended(&self.run);
        }
        (self.ended)(&self.run);
    }
}

/// A run that only makes the call, on the road of a call without a graph. Whoever makes the call says when it is over;
/// dropped before that it was cancelled.
pub struct Bare<'a> {
    open: Open<'a>,
    line: Line,
}

/// What the record of a run begins with: JSON texts, as in [`Pass`].
pub struct Beginning<'a> {
    /// The method of the request.
    pub method: &'a str,
    /// Its parameters.
    pub params: &'a str,
    /// `context.metadata`.
    pub metadata: &'a str,
    /// Further members of the context.
    pub top: &'a str,
}

impl Graph {
    /// Begins such a run, with a record where somebody keeps it; `None` when there is more to do on the way.
    pub fn bare<'a>(
        self: &Arc<Self>,
        record: Option<(&Handle, Beginning<'_>)>,
        ended: &'a (dyn Fn(&Run) + Sync),
    ) -> Option<Bare<'a>> {
        let line = self.line?;
        let (run, recorder) = match record {
            None => (Run::begin(self, None, false), None),
            Some((recorder, beginning)) => (recorded(self, recorder, &beginning), Some(recorder.clone())),
        };
        run.passed(line.start);
        run.started(line.call);
        Some(Bare { open: Open { run, recorder, ended, over: false }, line })
    }
}

impl Bare<'_> {
    /// The call was made.
    pub fn over(self, outcome: &Result<Box<RawValue>, impl Trouble>) {
        let Self { open, line } = self;
        let error = match outcome {
            Ok(reply) => {
                open.run.called(line.call, Ok(reply.get()));
                open.run.passed(line.end);
                None
            }
            Err(trouble) => {
                let message = trouble.message();
                open.run.called(line.call, Err(&message));
                Some(message)
            }
        };
        open.end(error);
    }
}

/// A run with a record.
fn recorded(graph: &Arc<Graph>, recorder: &Handle, beginning: &Beginning<'_>) -> Run {
    let run = Run::begin(graph, Some(beginning.context()), true);
    recorder.begun(&run);
    run
}

impl Beginning<'_> {
    /// The context, as JSON text.
    fn context(&self) -> String {
        let (top, params) = (members(self.top), short(self.params));
        let mut out = String::with_capacity(top.len() + params.len() + self.metadata.len() + 80);
        out.push('{');
        out.push_str(top);
        out.push_str(if top.is_empty() { "\"request\":{\"method\":" } else { ",\"request\":{\"method\":" });
        quote(&mut out, self.method);
        for part in [",\"params\":", &params, "},\"metadata\":", self.metadata, "}"] {
            out.push_str(part);
        }
        out
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        if !self.over {
            self.run.cancel();
            let graph = self.run.graph();
            tracing::info!(
                workflowId = graph.workflow(),
                workflow = graph.name(),
                runId = %self.run.id(),
                "the run was cancelled"
            );
            self.close();
        }
    }
}
