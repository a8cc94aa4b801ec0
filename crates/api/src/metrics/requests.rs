//! Requests of clients: by way, method and outcome, and the spans that tell of them.

use super::text::Text;
use gateway::Gateway;
use std::sync::atomic::Ordering::Relaxed;

pub(super) fn write(text: &mut Text, gateway: &Gateway) {
    let tally = gateway.request_tally();
    let name = "lockgate_requests_total";
    text.family(name, "counter", "Requests of clients, by way, method and outcome.");
    for (way, method, outcome, count) in tally.counts() {
        text.sample(name, &[("way", way), ("method", method), ("outcome", outcome)], count);
    }
    let name = "lockgate_request_duration_seconds";
    text.family(name, "histogram", "Time from a client's request to its answer, hooks included.");
    for (way, times) in tally.times().filter(|(_, times)| times.count() > 0) {
        text.histogram(name, &[("way", way)], times);
    }
    text.family("lockgate_requests_in_flight", "gauge", "Requests of clients that are worked on.");
    text.sample("lockgate_requests_in_flight", &[], tally.in_flight());
    let name = "lockgate_trace_spans_total";
    text.family(name, "counter", "Spans by what became of them.");
    let spans = gateway.span_counts();
    for (outcome, count) in
        [("exported", &spans.exported), ("dropped", &spans.dropped), ("failed", &spans.failed)]
    {
        text.sample(name, &[("outcome", outcome)], count.load(Relaxed));
    }
}
