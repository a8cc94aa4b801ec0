//! Hands spans over to whoever collects them, over OTLP/HTTP, off the road of any request.

use crate::outbound::Reach;
use mcp::{Request, Target};
use model::settings::Tracing;
use model::{Address, PRODUCT, VERSION};
use otlp::{Counts, Spans, Tracer};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};
use tokio::task::JoinHandle;

/// Where a collector takes spans when its address names no path.
const PATH: &str = "/v1/traces";

/// How long one batch may take.
const BATCH_MAX: Duration = Duration::from_secs(10);

/// The most bytes of an answer.
const ANSWER_MAX: usize = 64 * 1024;

/// How often a collector that does not answer is complained about.
const COMPLAINT: Duration = Duration::from_secs(60);

/// Spans on their way to one collector.
pub(super) struct Export {
    settings: Tracing,
    task: JoinHandle<()>,
}

impl Export {
    /// Begins, where the settings name a collector.
    pub(super) fn begin(settings: &Tracing, counts: &Arc<Counts>) -> Option<(Self, Tracer)> {
        let target = target(settings)?;
        let (tracer, spans) = Tracer::new(settings.sample, Arc::clone(counts));
        let task = tokio::spawn(run(spans, target, Arc::clone(counts)));
        Some((Self { settings: settings.clone(), task }, tracer))
    }

    pub(super) fn settings(&self) -> &Tracing {
        &self.settings
    }

    /// Waits until everything is handed over. Nobody may begin a trace any more.
    pub(super) async fn finished(self) {
        let _ = self.task.await;
    }
}

fn target(settings: &Tracing) -> Option<Target> {
    let mut address = Address::parse(settings.otlp.as_deref()?).ok()?;
    if matches!(address.path.as_str(), "" | "/") {
        address.path = PATH.to_owned();
    }
    let headers = settings.headers.as_ref().map(|headers| headers.0.clone()).unwrap_or_default();
    // What stands in the config file is permitted by standing there.
    Some(Target {
        address,
        headers: headers.into_iter().collect(),
        admits: Reach::Origin.admits(),
        tokens: None,
    })
}

async fn run(mut spans: Spans, target: Target, counts: Arc<Counts>) {
    let mut complained: Option<Instant> = None;
    while let Some(batch) = spans.next().await {
        let number = batch.len() as u64;
        match hand_over(&target, otlp::encode(&batch, PRODUCT, VERSION)).await {
            Ok(()) => _ = counts.exported.fetch_add(number, Relaxed),
            Err(reason) => {
                counts.failed.fetch_add(number, Relaxed);
                if complained.is_none_or(|last| last.elapsed() > COMPLAINT) {
                    complained = Some(Instant::now());
                    tracing::warn!(reason, spans = number, "spans could not be handed over and are lost");
                }
            }
        }
    }
}

async fn hand_over(target: &Target, body: Vec<u8>) -> Result<(), String> {
    let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
    let request = Request { method: "POST".into(), headers, body };
    match tokio::time::timeout(BATCH_MAX, mcp::send(target, request, ANSWER_MAX)).await {
        Ok(Ok((200..=299, _))) => Ok(()),
        Ok(Ok((status, _))) => Err(format!("the collector answered with HTTP status {status}")),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err("the collector did not answer in time".into()),
    }
}
