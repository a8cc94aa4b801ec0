//! A run as JSON text. Most of the cost of keeping a run is here, so it is written piece by piece.

use super::{Run, SpotRun, SpotState};
use serde::Serialize;

/// Hides secrets in a JSON text; `None` when there is nothing to hide.
pub type Mask = fn(&str) -> Option<String>;

impl Run {
    /// The record as JSON text. Requests and replies pass through `mask`.
    pub fn to_json(&self, mask: Option<Mask>) -> String {
        let run = &*self.0;
        let state = self.state();
        let context = run.context.as_deref().unwrap_or("{}");
        let length = 512 + context.len() + state.reply.as_ref().map_or(0, |text| text.len());
        let mut out = Out { text: Vec::with_capacity(length + state.spots.len() * 160), mask };
        let (status, micros, error) = match &state.ended {
            None => ("running", self.now(), None),
            Some(ended) if ended.cancelled => ("cancelled", ended.at, ended.error.as_deref()),
            Some(ended) if ended.error.is_some() => ("error", ended.at, ended.error.as_deref()),
            Some(ended) => ("completed", ended.at, None),
        };
        out.raw("{\"id\":");
        out.value(&run.id);
        out.raw(",\"workflowId\":");
        out.value(&*run.graph.workflow);
        out.raw(",\"workflowName\":");
        out.value(&*run.graph.name);
        out.raw(",\"status\":");
        out.value(status);
        out.raw(",\"executedAt\":");
        out.value(&run.began_at);
        out.raw(",\"durationMs\":");
        out.value(&(micros / 1000));
        out.raw(",\"version\":");
        out.value(&run.graph.revision);
        out.raw(",\"context\":");
        out.masked(context);
        out.raw(",\"mcpResult\":");
        out.masked(state.reply.as_deref().unwrap_or("null"));
        out.raw(",\"error\":");
        out.value(&error);
        if state.bypassed {
            out.raw(",\"bypassed\":true");
        }
        out.raw(",\"results\":{");
        for (number, (spot, did)) in run.graph.spots.iter().zip(&state.spots).enumerate() {
            out.raw(if number > 0 { "," } else { "" });
            out.raw(&spot.place.key);
            out.raw(":");
            did.write(&mut out, run.began_at);
        }
        out.raw("}}");
        String::from_utf8(out.text).expect("all parts are text")
    }
}

impl SpotRun {
    fn write(&self, out: &mut Out, began_at: i64) {
        let at = |micros: u64| Some(began_at.saturating_add_unsigned(micros / 1000));
        let micros = self.ended.saturating_sub(self.began);
        let (began, ended, took) = match self.state {
            SpotState::Skipped => (None, None, None),
            SpotState::Running => (at(self.began), None, None),
            SpotState::Completed | SpotState::Error => (at(self.began), at(self.ended), Some(micros / 1000)),
        };
        out.raw("{\"state\":");
        out.value(self.state.name());
        out.raw(",\"startedAt\":");
        out.value(&began);
        out.raw(",\"completedAt\":");
        out.value(&ended);
        out.raw(",\"durationMs\":");
        out.value(&took);
        if began.is_some() {
            out.raw(",\"startedMicros\":");
            out.value(&self.began);
        }
        if took.is_some() {
            out.raw(",\"micros\":");
            out.value(&micros);
        }
        if let Some(made) = self.made {
            out.raw(",");
            out.raw(&made.members());
        }
        out.raw(",\"result\":");
        match &self.values {
            Some(values) => {
                out.raw("{\"variables\":");
                out.masked(values);
                out.raw("}");
            }
            None => out.raw(self.result.as_deref().unwrap_or("null")),
        }
        out.raw(",\"error\":");
        out.value(&self.error.as_deref());
        if !self.console.is_empty() {
            out.raw(",\"console\":[");
            for (number, line) in self.console.iter().enumerate() {
                out.raw(if number > 0 { ",{\"level\":" } else { "{\"level\":" });
                out.value(line.level.name());
                out.raw(",\"text\":");
                out.value(&line.text);
                out.raw("}");
            }
            out.raw("]");
        }
        if let Some(changes) = &self.changes {
            out.raw(",\"changes\":");
            out.masked(changes);
        }
        out.raw("}");
    }
}

/// The text so far.
struct Out {
    text: Vec<u8>,
    mask: Option<Mask>,
}

impl Out {
    fn raw(&mut self, text: &str) {
        self.text.extend_from_slice(text.as_bytes());
    }

    fn value<T: Serialize + ?Sized>(&mut self, value: &T) {
        serde_json::to_writer(&mut self.text, value).expect("plain data, into memory");
    }

    fn masked(&mut self, text: &str) {
        match self.mask.and_then(|mask| mask(text)) {
            Some(hidden) => self.raw(&hidden),
            None => self.raw(text),
        }
    }
}
