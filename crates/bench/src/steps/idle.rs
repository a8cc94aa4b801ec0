//! Many sessions that are open and that nobody continues: they live in the store, not in memory.

use std::time::{Duration, Instant};

use anyhow::ensure;

use super::walkers::Walkers;
use crate::admin::ask;
use crate::load::{Length, Plan, measure};
use crate::run::{Memory, Moment, Running};
use crate::spread::Spread;

/// Sessions that are opened before memory is read first: what these cost, the gateway needs anyway.
const BEFORE: u64 = 2_000;

/// Sessions between two looks at memory.
const LOT: u64 = 10_000;

/// How often the list and the stats are asked for.
const ASKED: usize = 20;

/// What was seen.
pub(super) struct Idle {
    /// Sessions that were opened, and what was held then.
    pub(super) memory: Vec<(u64, Memory)>,
    /// Sessions opened per second.
    pub(super) speed: Option<Spread>,
    /// Milliseconds until the first page of the list was there.
    pub(super) list: Option<Spread>,
    /// Milliseconds until the stats were there.
    pub(super) stats: Option<Spread>,
    /// Starts that failed.
    pub(super) errors: u64,
}

/// Opens so many sessions and leaves them.
pub(super) fn measure_all(running: &Running, walkers: &Walkers, count: u64) -> anyhow::Result<Idle> {
    let (mut opened, mut errors, mut speeds, mut memory) = (0, 0, Vec::new(), Vec::new());
    while opened < count {
        let lot = if opened == 0 { BEFORE } else { LOT }.min(count - opened);
        let plan =
            Plan { connections: 64, warmup: Duration::ZERO, length: Length::Calls(lot), gateway: None };
        let sample = measure(&walkers.starting(), &plan)?;
        running.trim_log();
        opened += lot;
        errors += sample.errors + sample.wrong;
        eprintln!("{opened} of {count} sessions are open");
        speeds.push(sample.rps);
        memory.push((opened, running.memory(Moment::AfterLoad)));
    }
    let port = running.doors[0].1.port;
    let stats = ask(port, "GET", "/api/sessions/stats", "")?;
    let open = stats["byStatus"]["running"].as_u64().unwrap_or_default();
    ensure!(open + errors >= count, "{count} sessions were opened, and the gateway knows {stats}");
    Ok(Idle {
        memory,
        errors,
        speed: Spread::of(speeds),
        list: timed(port, "/api/sessions?limit=50")?,
        stats: timed(port, "/api/sessions/stats")?,
    })
}

/// Asks for a page several times; milliseconds.
fn timed(port: u16, path: &str) -> anyhow::Result<Option<Spread>> {
    let mut times = Vec::new();
    for _ in 0..ASKED {
        let began = Instant::now();
        ask(port, "GET", path, "")?;
        times.push(began.elapsed().as_secs_f64() * 1e3);
    }
    Ok(Spread::of(times))
}
