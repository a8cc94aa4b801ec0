//! What can be seen of requests from outside: counts and times by way and method, the log of the last requests, and
//! traces. Nothing here ever holds an input, a result or a secret.

mod export;
mod requests;
mod tally;
mod visit;

pub use requests::{RequestPage, RequestQuery, RequestView};
pub use tally::Tally as RequestTally;
pub use visit::{Carrier, Seen, Visit, Way, code_in};

use crate::gateway::Gateway;
use crate::graphs::RunTally;
use arc_swap::ArcSwapOption;
use export::Export;
use model::Settings;
use model::settings::OnGraphError;
use requests::Requests;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
pub(crate) use tally::CANCELLED;
use tally::Tally;
use workflow::Graph;

/// How long the last spans may take to be handed over when the gateway stops.
const FAREWELL: Duration = Duration::from_secs(2);

/// What is seen of requests.
#[derive(Default)]
pub(crate) struct Sight {
    tally: Tally,
    requests: Arc<Requests>,
    spans: Arc<otlp::Counts>,
    tracer: ArcSwapOption<otlp::Tracer>,
    /// Hands spans over, while there is anywhere to hand them to.
    export: Mutex<Option<Export>>,
}

impl Sight {
    /// Takes over settings. Must be called inside the runtime.
    pub(crate) fn set(&self, settings: &Settings) {
        self.requests.keep(settings.requests.keep);
        let mut export = self.export.lock().unwrap_or_else(PoisonError::into_inner);
        if export.as_ref().map(Export::settings) == Some(&settings.tracing) {
            return;
        }
        // The task of the export before ends by itself when its last span is handed over.
        let begun = Export::begin(&settings.tracing, &self.spans);
        let (next, tracer) = begun.map_or((None, None), |(export, tracer)| (Some(export), Some(tracer)));
        *export = next;
        self.tracer.store(tracer.map(Arc::new));
    }

    /// Hands over what is left.
    pub(crate) async fn stop(&self) {
        self.tracer.store(None);
        let export = self.export.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(export) = export {
            let _ = tokio::time::timeout(FAREWELL, export.finished()).await;
        }
    }
}

impl Gateway {
    /// Counts and times of requests by the way they came in.
    pub fn request_tally(&self) -> &Tally {
        &self.sight.tally
    }

    /// The runs of each workflow since the gateway started.
    pub fn run_tallies(&self) -> Vec<(String, Arc<RunTally>)> {
        self.graphs.run_tallies()
    }

    /// The active graphs that can run, each with the method whose requests pass through it.
    pub fn active_graphs(&self) -> impl Iterator<Item = (&'static str, Arc<Graph>)> {
        let methods = ["tools/list", "tools/call"].into_iter();
        methods.filter_map(|method| Some((method, self.graphs.active(method)?.graph()?.clone())))
    }

    /// The methods whose requests all fail here, because the active workflow around them cannot run.
    pub fn failing_methods(&self) -> Vec<&'static str> {
        if self.settings().workflow.on_error == OnGraphError::Bypass {
            return Vec::new();
        }
        let fails = |method: &&str| self.graphs.active(method).is_some_and(|active| active.graph().is_none());
        ["tools/list", "tools/call"].into_iter().filter(fails).collect()
    }

    /// What became of spans.
    pub fn span_counts(&self) -> &otlp::Counts {
        &self.sight.spans
    }
}
