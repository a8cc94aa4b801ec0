//! The record of a pass from its beginning to its end, even when nobody waits for it any more.

use super::{Pass, Trouble};
use crate::plan::Graph;
use crate::record::{Run, short};
use crate::recorder::Handle;
use crate::text::{members, quote};
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
        let run = match pass.recorder {
            // Nobody will read what it was about.
            None => Run::begin(graph, None, pass.watched || otlp::current().is_some()),
            Some(recorder) => {
                let run = Run::begin(graph, Some(context(pass)), true);
                recorder.begun(&run);
                run
            }
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

/// A run that only makes the call, and of which nobody will see more than that it ended. Whoever makes the call says
/// when it is over; dropped before that it was cancelled.
pub struct Bare<'a>(Open<'a>);

impl Graph {
    /// Begins such a run; `None` when there is more to do on the way.
    pub fn bare<'a>(self: &Arc<Self>, ended: &'a (dyn Fn(&Run) + Sync)) -> Option<Bare<'a>> {
        self.is_bare()
            .then(|| Bare(Open { run: Run::begin(self, None, false), recorder: None, ended, over: false }))
    }
}

impl Bare<'_> {
    /// The call was made.
    pub fn over<R>(self, outcome: &Result<R, impl Trouble>) {
        self.0.end(outcome.as_ref().err().map(Trouble::message));
    }
}

/// The context with which a run begins, as JSON text.
fn context<S>(pass: &Pass<'_, S>) -> String {
    let (top, params) = (members(pass.top), short(pass.params));
    let mut out = String::with_capacity(top.len() + params.len() + pass.metadata.len() + 80);
    out.push('{');
    out.push_str(top);
    out.push_str(if top.is_empty() { "\"request\":{\"method\":" } else { ",\"request\":{\"method\":" });
    quote(&mut out, pass.method);
    for part in [",\"params\":", &params, "},\"metadata\":", pass.metadata, "}"] {
        out.push_str(part);
    }
    out
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
