//! `GET /metrics`: counters and times in the text format of Prometheus. The number of lines depends on what the
//! operator set up, and never on what clients send.

mod calls;
mod process;
mod requests;
mod text;
mod work;

use crate::app::App;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use gateway::Gateway;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use text::Text;

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
    let mut text = Text::default();
    gateway(&mut text, app.gateway(), app.http());
    requests::write(&mut text, app.gateway());
    calls::write(&mut text, app.gateway());
    work::write(&mut text, app.gateway()).await;
    process::write(&mut text);
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text.finish()).into_response()
}

fn gateway(text: &mut Text, gateway: &Gateway, http: &HttpStats) {
    text.family("lockgate_build_info", "gauge", "Always 1; the version is a label.");
    text.sample("lockgate_build_info", &[("version", model::VERSION)], 1);
    text.family("lockgate_uptime_seconds", "gauge", "Seconds since the start.");
    text.sample("lockgate_uptime_seconds", &[], format_args!("{:.3}", gateway.uptime().as_secs_f64()));
    text.family("lockgate_http_requests_total", "counter", "Answers by HTTP status.");
    for (status, counter) in (100..).zip(http.by_status.iter()) {
        let count = counter.load(Relaxed);
        if count > 0 {
            text.sample("lockgate_http_requests_total", &[("status", &format!("{status}"))], count);
        }
    }
}
