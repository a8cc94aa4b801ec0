//! A request that a server has, until its reply or until nobody waits for it any more.

use crate::errand::Errand;
use crate::metrics::ToolStats;
use crate::sight::CANCELLED;
use model::Code;
use otlp::Span;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A server has a request. Dropped before the reply, the call counts as cancelled, and its span says so.
pub(crate) struct Asked<'a> {
    errand: &'a Errand<'a>,
    stats: Option<Arc<ToolStats>>,
    began: Instant,
    span: Option<Span>,
    over: bool,
}

impl<'a> Asked<'a> {
    pub(crate) fn new(errand: &'a Errand<'a>, stats: Option<Arc<ToolStats>>) -> Self {
        let began = Instant::now();
        let span = otlp::child(|| format!("{} {}", errand.method, errand.target.own), otlp::Kind::Client);
        Self { errand, stats, began, span, over: false }
    }

    pub(crate) fn began(&self) -> Instant {
        self.began
    }

    /// The span of the request, where it is traced.
    pub(crate) fn span(&self) -> Option<&Span> {
        self.span.as_ref()
    }

    /// The server has answered, or is not waited for any longer. Says how long it took.
    pub(crate) fn over(mut self, code: Option<Code>) -> Duration {
        self.over = true;
        self.describe(code.map(Code::name));
        let took = self.began.elapsed();
        if self.errand.is_call() {
            self.errand.target.server.times().record(took);
            self.stats.iter().for_each(|stats| stats.record(code, took));
        }
        took
    }

    /// What its span says.
    fn describe(&mut self, failed: Option<&str>) {
        let (Some(mut span), errand) = (self.span.take(), self.errand) else { return };
        span.set("mcp.method.name", errand.method);
        span.set("lockgate.server", errand.target.server.name());
        if errand.is_call() {
            span.set("gen_ai.tool.name", &*errand.target.own);
        }
        failed.into_iter().for_each(|word| span.fail(word));
    }
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        if !self.over {
            self.describe(Some(CANCELLED));
            // How long it would have taken nobody knows.
            self.stats.iter().for_each(|stats| stats.cancelled());
        }
    }
}
