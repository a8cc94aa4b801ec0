//! `bench crowd`: many connections, too many calls, and clients that mean no good.
//!
//! One Lockgate stands before one echo server. First come thousands of keep-alive connections that call now and
//! then, next three times as many calls as it can serve, and last clients that trickle, flood or never read. A
//! well-behaved client calls all the while, and is compared with itself alone.

mod hostile;
mod limit;
mod overload;
mod paced;
mod report;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use crate::graphs;
use crate::load::{Door, Length, Plan, Sample, measure};
use crate::procfs::{descriptors, resident};
use crate::rows::{Row, Rows};
use crate::run::{Lab, Running, Spec};
use hostile::{ATTACKS, Attack, Tally};
use overload::Overload;
use paced::{Crowd, Flow};

/// Descriptors besides the connections of the crowd.
const SPARE: u64 = 1024;

/// Load of the well-behaved client that is not counted.
const WARMUP: Duration = Duration::from_millis(500);

/// How long the gateway may take to close what its clients have closed.
const SETTLE: Duration = Duration::from_secs(3);

/// What `bench crowd` is told on its command line.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Keep-alive connections at once.
    #[arg(long, default_value_t = 10_000)]
    connections: usize,
    /// Seconds between two calls on one of them.
    #[arg(long, default_value_t = 10.0)]
    every: f64,
    /// Rounds of overload, and of every kind of hostile client.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Length of each window in seconds.
    #[arg(long, default_value_t = 3.0)]
    secs: f64,
    /// Connections over which the overload comes.
    #[arg(long, default_value_t = 2_000)]
    callers: usize,
    /// Settings of the gateway besides its servers, as JSON; limits above all.
    #[arg(long, default_value = "{}")]
    settings: String,
    /// The lockgate binary; by default the one beside this program.
    #[arg(long)]
    lockgate: Option<PathBuf>,
}

/// The crowd: what it cost, and what it was served.
struct Gathering {
    connections: usize,
    /// Resident memory of the gateway before, with all connections open, after their calls, and after they
    /// were closed.
    memory: [u64; 4],
    flow: Flow,
}

/// One kind of hostile client in one round.
struct Assault {
    name: &'static str,
    tally: Tally,
    /// Resident memory of the gateway before and at its end.
    memory: [u64; 2],
}

/// Everything that is measured.
#[derive(Default)]
struct Results {
    gathering: Option<Gathering>,
    overloads: Vec<Overload>,
    /// The well-behaved client: alone, and beside each of the others.
    control: Rows,
    assaults: Vec<Assault>,
    /// Descriptors of the gateway before everything, and after it.
    descriptors: [usize; 2],
}

/// The row of the well-behaved client with nobody else, for what is beside it in the next window.
fn alone(name: &str) -> String {
    format!("alone, before {name}")
}

/// The name of the crowd's row.
const CROWD: &str = "the crowd";

/// Measures everything and prints the report.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    limit::raise(options.connections.max(options.callers) as u64 + SPARE)?;
    let lab = Lab::with_lockgate(options.lockgate.as_deref())?;
    let mut settings: Value =
        serde_json::from_str(&options.settings).context("reading --settings as JSON")?;
    ensure!(settings.is_object(), "--settings must be a JSON object");
    settings["runs"] = json!({"keep": 1000});
    let spec = Spec::lockgate_with(&lab, &["echo".into()], &["echo"], settings)?;
    let running = Running::start(&spec, &lab)?;
    let mut hall = Hall { door: running.doors[0].1.clone(), running, options, results: Results::default() };
    hall.control(&alone("everything"), 0, WARMUP)?;
    hall.results.descriptors[0] = descriptors(hall.running.pid());
    hall.gather()?;
    for round in 1..=options.rounds {
        eprintln!("round {round}/{}: too many calls", options.rounds);
        let overload = overload::measure_all(&hall.door, options.callers, options.secs)?;
        hall.running.trim_log();
        hall.results.overloads.push(overload);
    }
    graphs::activate(hall.door.port).context("making the graph whose runs are events")?;
    for round in 1..=options.rounds {
        for attack in &ATTACKS {
            eprintln!("round {round}/{}: {}", options.rounds, attack.name);
            hall.assault(attack, round)?;
        }
    }
    thread::sleep(SETTLE);
    hall.results.descriptors[1] = descriptors(hall.running.pid());
    report::print(&hall.results);
    Ok(())
}

/// Where it happens.
struct Hall<'a> {
    running: Running,
    door: Door,
    options: &'a Options,
    results: Results,
}

impl Hall<'_> {
    /// Lets the well-behaved client call for one window.
    fn control(&mut self, name: &str, round: usize, warmup: Duration) -> anyhow::Result<()> {
        let sample = call(&self.door, self.running.pid(), warmup, self.options.secs)?;
        self.results.control.0.push(Row { name: name.into(), round, sample });
        self.running.trim_log();
        Ok(())
    }

    fn memory(&self) -> u64 {
        resident(&[self.running.pid()])
    }

    /// Opens all connections, lets each call at least once, and closes them.
    fn gather(&mut self) -> anyhow::Result<()> {
        let Options { connections, every, secs, .. } = *self.options;
        self.control(&alone(CROWD), 1, WARMUP)?;
        let before = self.memory();
        eprintln!("opening {connections} connections");
        let mut crowd = Crowd::open(&self.door, connections)?;
        let open = self.memory();
        let rate = connections as f64 / every;
        // Every connection has its turn, and the well-behaved client calls beside the last of them.
        let first = crowd.run(rate, Duration::from_secs_f64((every - secs).max(0.0)))?;
        let (door, pid) = (self.door.clone(), self.running.pid());
        let (flow, sample) = thread::scope(|scope| {
            let control = scope.spawn(move || call(&door, pid, WARMUP, secs));
            let flow = crowd.run(rate, Duration::from_secs_f64(secs + 1.0));
            (flow, control.join())
        });
        let sample = sample.ok().context("the well-behaved client panicked")??;
        self.results.control.0.push(Row { name: CROWD.into(), round: 1, sample });
        let (flow, called) = (first.join(flow?), self.memory());
        drop(crowd);
        thread::sleep(SETTLE);
        let memory = [before, open, called, self.memory()];
        self.results.gathering = Some(Gathering { connections, memory, flow });
        self.running.trim_log();
        Ok(())
    }

    /// Lets one kind of hostile client loose beside the well-behaved one.
    fn assault(&mut self, attack: &'static Attack, round: usize) -> anyhow::Result<()> {
        self.control(&alone(attack.name), round, WARMUP)?;
        let (before, stop, port) = (self.memory(), AtomicBool::new(false), self.door.port);
        let (controlled, after, tally) = thread::scope(|scope| {
            let hostile = scope.spawn(|| attack.run(port, &stop));
            let controlled = self.control(attack.name, round, attack.warmup());
            let after = self.memory();
            stop.store(true, Ordering::Relaxed);
            (controlled, after, hostile.join())
        });
        controlled?;
        let tally = tally.ok().context("the hostile client panicked")??;
        self.results.assaults.push(Assault { name: attack.name, tally, memory: [before, after] });
        Ok(())
    }
}

/// One connection that calls again and again.
fn call(door: &Door, gateway: u32, warmup: Duration, secs: f64) -> anyhow::Result<Sample> {
    let length = Length::Time(Duration::from_secs_f64(secs));
    measure(door, &Plan { connections: 1, warmup, length, gateway: Some(gateway) })
}
