//! What one window of load gives: speed, latency, mistakes, and what it cost whom.

use std::time::{Duration, Instant};

use serde::Serialize;

use crate::procfs::{self, Tree};
use crate::spread::percentile;

/// The figures of one window. Times are in microseconds, costs per call.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Sample {
    pub(crate) connections: usize,
    pub(crate) calls: u64,
    pub(crate) seconds: f64,
    pub(crate) rps: f64,
    pub(crate) p50_us: f64,
    pub(crate) p90_us: f64,
    pub(crate) p99_us: f64,
    /// Calls that were refused or never answered.
    pub(crate) errors: u64,
    /// Calls that got another call's answer.
    pub(crate) wrong: u64,
    /// The first error or wrong answer.
    pub(crate) trouble: Option<String>,
    pub(crate) generator_us: f64,
    /// CPU of the gateway with its guards and workers; without a process to watch there is none.
    pub(crate) gateway_us: Option<f64>,
    pub(crate) servers_us: f64,
    /// Processors kept busy meanwhile by anything that is no part of the measurement.
    pub(crate) others_cores: f64,
}

/// Latencies of one window, in tenths of a microsecond.
#[derive(Default)]
pub(crate) struct Latencies(Vec<u32>);

impl Latencies {
    pub(crate) fn push(&mut self, latency: Duration) {
        self.0.push(u32::try_from(latency.as_nanos() / 100).unwrap_or(u32::MAX));
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}

/// Reads clocks at the beginning and the end of a window.
pub(crate) struct Meter {
    processes: Option<Tree>,
    began: Instant,
    generator: Duration,
    gateway: Duration,
    servers: Duration,
    busy: Duration,
}

impl Meter {
    /// Reads the clocks now.
    pub(crate) fn start(processes: Option<Tree>) -> Self {
        let processes = processes.map(Tree::again);
        let read = |read: fn(&Tree) -> Duration| processes.as_ref().map(read).unwrap_or_default();
        Self {
            began: Instant::now(),
            generator: procfs::own_cpu(),
            gateway: read(Tree::gateway_cpu),
            servers: read(|tree| procfs::cpu(&tree.servers)),
            busy: procfs::machine_busy(),
            processes,
        }
    }

    /// Reads the clocks again and sums the window up.
    pub(crate) fn stop(self, connections: usize, latencies: &mut Latencies) -> Sample {
        let seconds = self.began.elapsed().as_secs_f64();
        let now = Self::start(self.processes);
        let generator = now.generator.saturating_sub(self.generator);
        let gateway = now.gateway.saturating_sub(self.gateway);
        let servers = now.servers.saturating_sub(self.servers);
        let others = now.busy.saturating_sub(self.busy).saturating_sub(generator + gateway + servers);
        let sorted = &mut latencies.0;
        sorted.sort_unstable();
        let calls = sorted.len() as u64;
        // Not a number without calls: a window in which every call failed has no cost per call.
        let per_call =
            |cpu: Duration| if calls == 0 { f64::NAN } else { cpu.as_secs_f64() * 1e6 / calls as f64 };
        let at = |quantile| f64::from(percentile(sorted, quantile)) / 10.0;
        Sample {
            connections,
            calls,
            seconds,
            rps: calls as f64 / seconds,
            p50_us: at(0.5),
            p90_us: at(0.9),
            p99_us: at(0.99),
            generator_us: per_call(generator),
            gateway_us: now.processes.is_some_and(|tree| !tree.gateway.is_empty()).then(|| per_call(gateway)),
            servers_us: per_call(servers),
            others_cores: others.as_secs_f64() / seconds,
            ..Sample::default()
        }
    }
}
