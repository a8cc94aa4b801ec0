//! The record of a pass from its beginning to its end, even when nobody waits for it any more.

use super::Pass;
use crate::plan::Graph;
use crate::record::{Run, short};
use crate::recorder::Handle;
use crate::text::{quote, with};
use std::sync::Arc;

/// What a run says that was left in the middle.
const LEFT: &str = "The request was cancelled before the run ended";

/// A run that has begun. Dropped before its end it is recorded as cancelled.
pub(super) struct Open {
    run: Run,
    recorder: Option<Handle>,
    ended: bool,
}

impl Open {
    pub(super) fn begin<S>(graph: &Arc<Graph>, pass: &Pass<'_, S>) -> Self {
        let mut request = String::with_capacity(48 + pass.params.len().min(1 << 16));
        request.push_str("\"request\":{\"method\":");
        quote(&mut request, pass.method);
        request.push_str(",\"params\":");
        request.push_str(&short(pass.params));
        request.push('}');
        let metadata = format!("\"metadata\":{}", pass.metadata);
        let run = Run::begin(graph, with(pass.top, &[&request, &metadata]));
        if let Some(recorder) = pass.recorder {
            recorder.begun(&run);
        }
        Self { run, recorder: pass.recorder.cloned(), ended: false }
    }

    pub(super) fn run(&self) -> Run {
        self.run.clone()
    }

    pub(super) fn end(mut self, error: Option<String>) -> Run {
        self.close(error);
        self.run.clone()
    }

    fn close(&mut self, error: Option<String>) {
        if !std::mem::replace(&mut self.ended, true) {
            self.run.end(error);
            if let Some(recorder) = &self.recorder {
                recorder.ended(&self.run);
            }
        }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.close(Some(LEFT.into()));
    }
}
