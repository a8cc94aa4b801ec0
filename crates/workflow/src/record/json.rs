//! A run as JSON text. Most of the cost of keeping a run is here, so it is written piece by piece.

use super::{Run, SpotRun, SpotState};
use serde::Serialize;
use std::ops::Range;

/// Hides secrets in a JSON text; `None` when there is nothing to hide.
pub type Mask = fn(&str) -> Option<String>;

/// The record of a run, and where in it requests, replies, words of scripts and the like stand, which may hold secrets.
#[derive(Default)]
pub(crate) struct Text {
    pub(crate) bytes: Vec<u8>,
    pub(crate) open: Vec<Range<usize>>,
}

impl Run {
    /// The record as JSON text. Requests and replies pass through `mask`.
    pub fn to_json(&self, mask: Option<Mask>) -> String {
        let mut text = Text::default();
        self.write(&mut text);
        masked(&text.bytes, &text.open, mask)
    }

    /// The record as JSON text, secrets included.
    pub(crate) fn write(&self, out: &mut Text) {
        let run = &*self.0;
        let state = self.state();
        let context = run.context.as_deref().unwrap_or("{}");
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
        out.open(context);
        out.raw(",\"mcpResult\":");
        out.open(state.reply.as_deref().unwrap_or("null"));
        out.raw(",\"error\":");
        out.said(error);
        if state.bypassed {
            out.raw(",\"bypassed\":true");
        }
        out.raw(",\"results\":{");
        for (number, (spot, did)) in run.graph.spots.iter().zip(&state.spots).enumerate() {
            out.raw(if number > 0 { "," } else { "" });
            out.raw(&spot.place.key);
            out.raw(":");
            did.write(out, run.began_at);
        }
        out.raw("}}");
    }
}

impl SpotRun {
    fn write(&self, out: &mut Text, began_at: i64) {
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
        match (&self.values, &self.result) {
            (Some(values), _) => {
                out.raw("{\"variables\":");
                out.open(values);
                out.raw("}");
            }
            (None, Some(result)) => out.open(result),
            (None, None) => out.raw("null"),
        }
        out.raw(",\"error\":");
        out.said(self.error.as_deref());
        if !self.console.is_empty() {
            out.raw(",\"console\":[");
            for (number, line) in self.console.iter().enumerate() {
                out.raw(if number > 0 { ",{\"level\":" } else { "{\"level\":" });
                out.value(line.level.name());
                out.raw(",\"text\":");
                out.said(Some(&line.text));
                out.raw("}");
            }
            out.raw("]");
        }
        if let Some(changes) = &self.changes {
            out.raw(",\"changes\":");
            out.open(changes);
        }
        out.raw("}");
    }
}

impl Text {
    fn raw(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
    }

    fn value<T: Serialize + ?Sized>(&mut self, value: &T) {
        serde_json::to_writer(&mut self.bytes, value).expect("plain data, into memory");
    }

    fn open(&mut self, text: &str) {
        let start = self.bytes.len();
        self.raw(text);
        self.open.push(start..self.bytes.len());
    }

    /// What somebody said, in which JSON may stand.
    fn said(&mut self, words: Option<&str>) {
        let start = self.bytes.len();
        self.value(&words);
        if words.is_some() {
            self.open.push(start..self.bytes.len());
        }
    }
}

/// The record with its secrets hidden.
pub(crate) fn masked(bytes: &[u8], open: &[Range<usize>], mask: Option<Mask>) -> String {
    let text = std::str::from_utf8(bytes).expect("all parts are text");
    let (mut out, mut done) = (String::with_capacity(text.len()), 0);
    for part in open {
        if let Some(hidden) = mask.and_then(|mask| mask(&text[part.clone()])) {
            out.push_str(&text[done..part.start]);
            out.push_str(&hidden);
            done = part.end;
        }
    }
    out.push_str(&text[done..]);
    out
}
