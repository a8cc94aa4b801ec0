//! Counts and times for people: what the dashboard shows of servers, tools and hooks.

use crate::change::ToolChange;
use crate::gateway::Gateway;
use crate::metrics::{BOUNDS_US, Histogram, ToolStats};
use crate::server::Server;
use crate::sight::CANCELLED;
use model::Status;
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

/// Counts and times since the gateway started.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Figures {
    /// When they were taken, in milliseconds since 1970.
    pub at: u64,
    /// Seconds since the start.
    pub uptime: f64,
    /// Calls that reached a server.
    pub calls: u64,
    /// Those of them that failed.
    pub errors: u64,
    /// Upper bounds of the time buckets, in microseconds.
    #[schema(value_type = Vec<u64>)]
    pub bounds: [u64; BOUNDS_US.len()],
    /// Calls of all servers per bucket; the last one has no bound.
    pub buckets: Vec<u64>,
    /// Every server, in the order of the config file.
    pub servers: Vec<ServerFigures>,
    /// Every hook, in the order in which they run.
    pub hooks: Vec<HookFigures>,
}

/// Counts and times of one server.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServerFigures {
    /// Its name.
    pub name: String,
    /// Its state.
    pub status: Status,
    /// How often it was started again.
    pub restarts: u64,
    /// Calls that reached it.
    pub calls: u64,
    /// Those of them that failed.
    pub errors: u64,
    /// Half of its calls took at most this long, in microseconds.
    pub p50_us: u64,
    /// All but one in twenty took at most this long, in microseconds.
    pub p95_us: u64,
    /// Its tools that were called.
    pub tools: Vec<ToolFigures>,
    /// The last change of its list of tools, when there was one.
    pub change: Option<ToolChange>,
}

/// Counts and times of one tool.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolFigures {
    /// Its name.
    pub name: String,
    /// Calls that reached the server.
    pub calls: u64,
    /// Those of them that failed.
    pub errors: u64,
    /// The failures by their codes.
    pub codes: BTreeMap<&'static str, u64>,
    /// Half of its calls took at most this long, in microseconds.
    pub p50_us: u64,
    /// All but one in twenty took at most this long, in microseconds.
    pub p95_us: u64,
}

/// Counts and times of one hook.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HookFigures {
    /// Its name.
    pub name: String,
    /// How often it ran.
    pub executions: u64,
    /// How often it failed or overran its time.
    pub errors: u64,
    /// How often it blocked.
    pub blocks: u64,
    /// Half of its executions took at most this long, in microseconds.
    pub p50_us: u64,
    /// All but one in twenty took at most this long, in microseconds.
    pub p95_us: u64,
    /// All executions together, in microseconds.
    pub total_us: u64,
}

impl Gateway {
    /// Counts and times as they are now.
    pub fn figures(&self) -> Figures {
        let registry = self.registry();
        let servers: Vec<ServerFigures> = registry.servers().iter().map(|server| of_server(server)).collect();
        let mut buckets = vec![0; BOUNDS_US.len() + 1];
        for server in registry.servers() {
            buckets.iter_mut().zip(server.times().counts()).for_each(|(sum, count)| *sum += count);
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Figures {
            at: u64::try_from(now.as_millis()).unwrap_or(u64::MAX),
            uptime: self.uptime().as_secs_f64(),
            calls: servers.iter().map(|server| server.calls).sum(),
            errors: servers.iter().map(|server| server.errors).sum(),
            bounds: BOUNDS_US,
            buckets,
            servers,
            hooks: self.hook_figures(),
        }
    }

    fn hook_figures(&self) -> Vec<HookFigures> {
        let figures = self.hook_tallies().into_iter().map(|(name, tally)| {
            let [(_, ok), (_, blocks), (_, errors), (_, timeouts)] = tally.outcomes();
            let (p50_us, p95_us) = quantiles(tally.times());
            HookFigures {
                name,
                executions: ok + blocks + errors + timeouts,
                errors: errors + timeouts,
                blocks,
                p50_us,
                p95_us,
                total_us: tally.times().sum_us(),
            }
        });
        figures.collect()
    }
}

fn of_server(server: &Server) -> ServerFigures {
    let view = server.view();
    let tools: Vec<ToolFigures> = server.called_tools().into_iter().map(of_tool).collect();
    let (p50_us, p95_us) = quantiles(server.times());
    ServerFigures {
        name: view.name,
        status: view.status,
        restarts: view.restarts,
        calls: tools.iter().map(|tool| tool.calls).sum(),
        errors: tools.iter().map(|tool| tool.errors).sum(),
        p50_us,
        p95_us,
        tools,
        change: server.tool_change(),
    }
}

fn of_tool((name, stats): (String, std::sync::Arc<ToolStats>)) -> ToolFigures {
    // What a client took back is nobody's error.
    let errs = |word: &str| !matches!(word, "ok" | CANCELLED);
    let codes: BTreeMap<_, _> = stats.outcomes().filter(|(word, _)| errs(word)).collect();
    let (p50_us, p95_us) = quantiles(stats.times());
    ToolFigures {
        name,
        calls: stats.outcomes().map(|(_, n)| n).sum(),
        errors: codes.values().sum(),
        codes,
        p50_us,
        p95_us,
    }
}

fn quantiles(times: &Histogram) -> (u64, u64) {
    (times.quantile_us(0.5), times.quantile_us(0.95))
}
