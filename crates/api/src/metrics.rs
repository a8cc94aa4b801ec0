//! `GET /metrics`: counters and times in the text format of Prometheus.

use crate::app::App;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use gateway::{BOUNDS_US, Gateway, Histogram};
use model::Status;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Answers by HTTP status.
pub(crate) struct HttpStats {
    by_status: Box<[AtomicU64; 500]>,
}

impl Default for HttpStats {
    fn default() -> Self {
        Self { by_status: Box::new(std::array::from_fn(|_| AtomicU64::new(0))) }
    }
}

impl HttpStats {
    /// Counts one answer.
    pub(crate) fn record(&self, status: u16) {
        if let Some(counter) = self.by_status.get(usize::from(status).saturating_sub(100)) {
            counter.fetch_add(1, Relaxed);
        }
    }
}

/// Serves counters and times.
#[utoipa::path(get, path = "/metrics", tag = "operations", operation_id = "metrics",
    responses((status = 200, body = String, content_type = "text/plain")))]
pub(crate) async fn metrics(State(app): State<App>) -> Response {
    let mut out = String::with_capacity(4096);
    write_all(&mut out, app.gateway(), app.http()).expect("writing to a string does not fail");
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], out).into_response()
}

fn write_all(out: &mut String, gateway: &Gateway, http: &HttpStats) -> std::fmt::Result {
    family(out, "lockgate_uptime_seconds", "gauge", "Seconds since the start.")?;
    writeln!(out, "lockgate_uptime_seconds {:.3}", gateway.uptime().as_secs_f64())?;
    family(out, "lockgate_http_requests_total", "counter", "Answers by HTTP status.")?;
    for (status, counter) in (100..).zip(http.by_status.iter()) {
        let n = counter.load(Relaxed);
        if n > 0 {
            writeln!(out, "lockgate_http_requests_total{{status=\"{status}\"}} {n}")?;
        }
    }
    let registry = gateway.registry();
    family(out, "lockgate_server_up", "gauge", "1 while the server is running.")?;
    for server in registry.servers() {
        let up = u8::from(server.status() == Status::Running);
        writeln!(out, "lockgate_server_up{{server={:?}}} {up}", server.name())?;
    }
    family(out, "lockgate_server_restarts_total", "counter", "How often the server was started again.")?;
    for server in registry.servers() {
        let restarts = server.view().restarts;
        writeln!(out, "lockgate_server_restarts_total{{server={:?}}} {restarts}", server.name())?;
    }
    family(out, "lockgate_calls_total", "counter", "Calls that reached a server, by outcome.")?;
    for server in registry.servers() {
        for (tool, outcome, n) in server.outcomes() {
            let (server, tool) = (server.name(), escape(&tool));
            writeln!(
                out,
                "lockgate_calls_total{{server={server:?},tool=\"{tool}\",outcome=\"{outcome}\"}} {n}"
            )?;
        }
    }
    family(
        out,
        "lockgate_call_duration_seconds",
        "histogram",
        "Time from the request to the server's reply.",
    )?;
    for server in registry.servers() {
        let label = format!("server={:?}", server.name());
        histogram(out, "lockgate_call_duration_seconds", &label, server.times())?;
    }
    hooks(out, gateway)
}

fn hooks(out: &mut String, gateway: &Gateway) -> std::fmt::Result {
    let tallies: Vec<_> =
        gateway.hook_tallies().into_iter().map(|(name, tally)| (escape(&name), tally)).collect();
    family(out, "lockgate_hook_executions_total", "counter", "Executions of hooks, by outcome.")?;
    for (hook, tally) in &tallies {
        for (outcome, n) in tally.outcomes() {
            writeln!(out, "lockgate_hook_executions_total{{hook=\"{hook}\",outcome=\"{outcome}\"}} {n}")?;
        }
    }
    family(out, "lockgate_hook_duration_seconds", "histogram", "Time of one execution of a hook.")?;
    for (hook, tally) in &tallies {
        let label = format!("hook=\"{hook}\"");
        histogram(out, "lockgate_hook_duration_seconds", &label, tally.times())?;
    }
    Ok(())
}

fn family(out: &mut String, name: &str, kind: &str, help: &str) -> std::fmt::Result {
    writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}")
}

fn histogram(out: &mut String, name: &str, label: &str, times: &Histogram) -> std::fmt::Result {
    let counts = times.counts();
    let mut total = 0;
    for (bound, count) in BOUNDS_US.iter().zip(counts) {
        total += count;
        let seconds = *bound as f64 / 1e6;
        writeln!(out, "{name}_bucket{{{label},le=\"{seconds}\"}} {total}")?;
    }
    total += counts[BOUNDS_US.len()];
    writeln!(out, "{name}_bucket{{{label},le=\"+Inf\"}} {total}")?;
    writeln!(out, "{name}_sum{{{label}}} {}", times.sum_us() as f64 / 1e6)?;
    writeln!(out, "{name}_count{{{label}}} {total}")
}

/// Tool names come from servers, names of hooks from users; both may hold anything.
fn escape(label: &str) -> String {
    label.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
