//! Everything a run measures.

use std::fmt;

use crate::rows::{Row, Rows};
use crate::spread::{Figure, Spread};

/// When memory was read.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Moment {
    Idle,
    AfterLoad,
    AfterCalls(u64),
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Idle => f.write_str("idle"),
            Self::AfterLoad => f.write_str("after the load"),
            Self::AfterCalls(calls) => write!(f, "after {} calls more", Figure(*calls as f64)),
        }
    }
}

/// Resident memory at one moment, in bytes.
pub(crate) struct Memory {
    pub(crate) name: String,
    pub(crate) moment: Moment,
    pub(crate) gateway: u64,
    pub(crate) guards: u64,
    pub(crate) workers: u64,
}

impl Memory {
    /// Gateway, guards and workers together, in MiB.
    pub(crate) fn total(&self) -> f64 {
        (self.gateway + self.guards + self.workers) as f64 / f64::from(1 << 20)
    }
}

/// The milliseconds of one start.
pub(crate) struct Start {
    pub(crate) name: String,
    /// From the start of the process to the first right answer.
    pub(crate) cold: f64,
    /// From the moment the last server listed its tools to the first right answer.
    pub(crate) after_ready: Option<f64>,
}

/// Everything that was measured.
#[derive(Default)]
pub(crate) struct Results {
    pub(crate) rows: Rows,
    /// The windows with a hundred servers, and those they are compared with.
    pub(crate) many: Rows,
    /// The windows that ask for the tool list over MCP.
    pub(crate) lists: Rows,
    /// Size of that list.
    pub(crate) list_bytes: usize,
    /// Bytes that an idle client of each era costs.
    pub(crate) clients: Vec<(&'static str, f64)>,
    /// Memory above what was there before, over the size of the result that passed, each time.
    pub(crate) peaks: Vec<f64>,
    /// The windows of the million calls.
    pub(crate) million: Rows,
    pub(crate) memory: Vec<Memory>,
    pub(crate) starts: Vec<Start>,
    /// Milliseconds until the last of the overlapping calls was answered, by gateway.
    pub(crate) overlaps: Vec<(String, f64)>,
    /// Size of the tool list of a hundred servers.
    pub(crate) tools_bytes: usize,
    /// What could not be measured, and why.
    pub(crate) notes: Vec<String>,
}

impl Results {
    /// Every window of the run.
    pub(crate) fn windows(&self) -> impl Iterator<Item = &Row> {
        self.rows.0.iter().chain(&self.many.0).chain(&self.lists.0).chain(&self.million.0)
    }

    /// How long the overlapping calls took on one gateway.
    pub(crate) fn overlap(&self, name: &str) -> Option<Spread> {
        Spread::of(self.overlaps.iter().filter(|(gateway, _)| gateway == name).map(|(_, time)| *time))
    }

    /// How soon one gateway answered after its last server was ready.
    pub(crate) fn after_ready(&self, name: &str) -> Option<Spread> {
        let starts = self.starts.iter().filter(|start| start.name == name);
        Spread::of(starts.filter_map(|start| start.after_ready))
    }
}
