//! `bench run`: starts the gateways, loads them in interleaved rounds, and prints the report.

mod endpoint;
mod many;
mod million;
mod overlap;
mod results;
mod rounds;
mod start;
mod target;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, ensure};

use crate::load::{Door, Length, Plan, measure};
use crate::rows::Row;
use crate::{peers, report};
pub(crate) use endpoint::{LEGACY_LIST, MODERN_LIST};
pub(crate) use many::{ALL_OF_MANY, ONE, ONE_OF_MANY, READY, TOOLS};
pub(crate) use results::{Memory, Moment, Results, Start};
pub(crate) use target::{Running, Spec, free_port};

/// What `bench run` is told on its command line.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Rounds; every round visits every gateway at every concurrency.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Length of each window in seconds.
    #[arg(long, default_value_t = 2.0)]
    secs: f64,
    /// Concurrencies: connections with one call in flight on each.
    #[arg(long, value_delimiter = ',', default_value = "1,16,64")]
    connections: Vec<usize>,
    /// Peers to measure, separated by commas; `all` for every one that is known.
    #[arg(long, value_delimiter = ',')]
    peers: Vec<String>,
    /// Folder with one installation per peer, named like the peer; looked into before PATH.
    #[arg(long)]
    peer_dir: Option<PathBuf>,
    /// The lockgate binary; by default the one beside this program.
    #[arg(long)]
    lockgate: Option<PathBuf>,
    /// Measures only the floor and the peers.
    #[arg(long)]
    no_lockgate: bool,
    /// Leaves out everything but the rounds.
    #[arg(long)]
    rounds_only: bool,
    /// Makes a million calls and watches the memory.
    #[arg(long)]
    million: bool,
}

/// Where things are, for the length of one run.
pub(crate) struct Lab {
    pub(crate) folder: tempfile::TempDir,
    /// This program, which is also the echo server and the floor.
    pub(crate) bench: String,
    pub(crate) lockgate: Option<PathBuf>,
}

impl Lab {
    /// With Lockgate: the binary that was named, or the one beside this program.
    pub(crate) fn with_lockgate(named: Option<&Path>) -> anyhow::Result<Self> {
        let lab = Self::without_lockgate()?;
        let lockgate = named.map_or_else(|| Path::new(&lab.bench).with_file_name("lockgate"), Path::to_owned);
        ensure!(
            lockgate.exists(),
            "there is no lockgate at {}: run `cargo build --release` first, or name one with --lockgate",
            lockgate.display()
        );
        Ok(Self { lockgate: Some(std::path::absolute(lockgate)?), ..lab })
    }

    fn without_lockgate() -> anyhow::Result<Self> {
        let bench = std::env::current_exe().context("finding this program")?;
        let bench = bench.to_str().context("the path of this program is not UTF-8")?.to_owned();
        Ok(Self { folder: tempfile::tempdir()?, bench, lockgate: None })
    }
}

/// Runs the whole comparison.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let lab = match options.no_lockgate {
        true => Lab::without_lockgate()?,
        false => Lab::with_lockgate(options.lockgate.as_deref())?,
    };
    let mut results = Results::default();
    let mut specs = vec![Spec::floor(&lab, 0, &["echo"])?];
    if lab.lockgate.is_some() {
        specs.push(Spec::lockgate(&lab, &["echo".into()], &["echo"])?);
        specs.push(Spec::lockgate_before_modern(&lab)?);
    }
    specs.push(Spec::sdk(&lab)?);
    for peer in peers::find(&options.peers, options.peer_dir.as_deref(), &lab) {
        match peer {
            Ok(spec) => specs.push(spec),
            Err(why) => results.notes.push(why.to_string()),
        }
    }
    let running = rounds::start_all(&specs, &lab, &mut results);
    rounds::measure_all(&running, &lab, options, &mut results)?;
    if let Some(lockgate) = running.iter().find(|running| running.name == "lockgate") {
        if options.million {
            million::measure_all(lockgate, &mut results)?;
        }
        if !options.rounds_only {
            many::measure_all(lockgate, &lab, options, &mut results)?;
        }
    }
    drop(running);
    if lab.lockgate.is_some() && !options.rounds_only {
        endpoint::measure_all(&lab, options, &mut results)?;
    }
    if !options.rounds_only {
        overlap::measure_all(&lab, &mut results)?;
        start::measure_all(&lab, &mut results)?;
    }
    report::print(&results);
    Ok(())
}

/// Which window this is: the name of its row, its round, and its concurrency.
pub(crate) struct Place<'a>(pub(crate) &'a str, pub(crate) usize, pub(crate) usize);

/// Loads one door for one window of the run.
pub(crate) fn window(place: &Place<'_>, running: &Running, door: &Door, secs: f64) -> anyhow::Result<Row> {
    let &Place(name, round, connections) = place;
    let plan = Plan {
        connections,
        warmup: Duration::from_millis(200),
        length: Length::Time(Duration::from_secs_f64(secs)),
        gateway: Some(running.pid()),
    };
    let sample = measure(door, &plan).with_context(|| format!("loading {name} at {connections}"))?;
    running.trim_log();
    Ok(Row { name: name.to_owned(), round, sample })
}
