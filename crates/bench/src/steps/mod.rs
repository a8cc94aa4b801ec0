//! `bench steps`: what one continue of a session costs, next to the bare store on the same disk.
//!
//! One Lockgate keeps its sessions in a fresh SQLite file. Clients walk sessions of no-op script steps over
//! MCP; in the same round the floor writes as much to a file beside it with SQLite alone. With `--store` it is
//! several instances on PostgreSQL instead, see [`postgres`].

mod disk;
mod floor;
mod idle;
mod postgres;
mod report;
mod walkers;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, bail};

use crate::load::{Length, Plan, measure};
use crate::rows::{Row, Rows};
use crate::run::{Lab, Running, Spec};
use crate::walk;
use floor::Floor;
use idle::Idle;
use walkers::Walkers;

/// How many sessions are walked at once.
const SESSIONS: [usize; 2] = [1, 64];

/// The rows: continues through the gateway, and commits of the store alone.
const CONTINUE: &str = "continue";
const FLOOR: &str = "floor";

/// What `bench steps` is told on its command line.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Rounds; every round measures the gateway and the floor at every number of sessions.
    #[arg(long, default_value_t = 12)]
    rounds: usize,
    /// Length of each window in seconds.
    #[arg(long, default_value_t = 0.5)]
    secs: f64,
    /// Steps of each session.
    #[arg(long, default_value_t = 100)]
    steps: usize,
    /// Opens so many sessions, leaves them, and looks at memory, list and stats.
    #[arg(long)]
    idle: Option<u64>,
    /// Measures on PostgreSQL instead: a URL as in `store.url`, or `postgres` for a throw-away server.
    #[arg(long, conflicts_with = "idle")]
    store: Option<String>,
    /// Lets whatever is made durable take so many milliseconds longer, for the floor as for the gateway; of PostgreSQL
    /// only a throw-away server.
    #[arg(long, conflicts_with = "idle")]
    commit_ms: Option<f64>,
    /// The lockgate binary; by default the one beside this program.
    #[arg(long)]
    lockgate: Option<PathBuf>,
}

/// Everything that is measured.
#[derive(Default)]
struct Results {
    rows: Rows,
    idle: Option<Idle>,
}

/// Measures on the store that was asked for, and prints the report.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    match (&options.store, options.commit_ms) {
        (Some(store), Some(_)) if store != postgres::THROW_AWAY => {
            bail!(
                "--commit-ms slows down only a server that the run starts: use --store {}",
                postgres::THROW_AWAY
            )
        }
        (_, Some(wait)) if !disk::is_slow() => disk::run_again(Duration::from_secs_f64(wait / 1e3)),
        (Some(store), _) => postgres::run(options, store),
        (None, _) => on_file(options),
    }
}

/// Measures everything on a SQLite file and prints the report.
fn on_file(options: &Options) -> anyhow::Result<()> {
    let lab = Lab::with_lockgate(options.lockgate.as_deref())?;
    let settings = walk::settings(&vec!["nothing".into(); options.steps.max(2)], "return {}");
    let spec = Spec::lockgate_with(&lab, &["echo".into()], &["echo"], settings)?;
    let running = Running::start(&spec, &lab)?;
    let walkers = Walkers::new(&[running.doors[0].1.port], options.steps.max(2) as u64);
    let mut floor = Floor::open(lab.folder.path()).context("opening the file of the floor")?;
    let mut results = Results::default();
    for round in 1..=options.rounds {
        for sessions in SESSIONS {
            eprintln!("round {round}/{}, {sessions} sessions", options.rounds);
            let mut visit = |gateway: bool| -> anyhow::Result<()> {
                let (name, sample) = match gateway {
                    true => (CONTINUE, measure(&walkers, &plan(sessions, options.secs, &running))?),
                    false => (FLOOR, floor.measure(sessions, Duration::from_secs_f64(options.secs))?),
                };
                results.rows.0.push(Row { name: name.into(), round, sample });
                Ok(())
            };
            let first = round.is_multiple_of(2);
            visit(first)?;
            visit(!first)?;
        }
        running.trim_log();
    }
    if let Some(count) = options.idle {
        results.idle = Some(idle::measure_all(&running, &walkers, count)?);
    }
    report::print(&results);
    Ok(())
}

fn plan(sessions: usize, secs: f64, running: &Running) -> Plan {
    Plan {
        connections: sessions,
        warmup: Duration::from_millis(200),
        length: Length::Time(Duration::from_secs_f64(secs)),
        gateway: Some(running.pid()),
    }
}
