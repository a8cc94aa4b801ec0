//! `bench soak`: sessions at a steady pace through instances that are killed, and nothing may be lost.
//!
//! Clients walk sessions through all instances in turn and write down every step that was acknowledged. Every
//! few seconds one instance is killed and started again. At the end every session is read back.

mod client;
mod fleet;
mod ledger;
mod report;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};

use crate::admin::ask;
use crate::run::Lab;
use client::{Client, Diary};
use fleet::Fleet;
use ledger::Losses;

/// Steps of each session.
const STEPS: usize = 10;

/// What `bench soak` is told on its command line.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// How long, in minutes.
    #[arg(long, default_value_t = 10.0)]
    minutes: f64,
    /// Seconds between two kills; 0 kills nothing.
    #[arg(long, default_value_t = 20.0)]
    kill_every: f64,
    /// Instances that share one store.
    #[arg(long, default_value_t = 1)]
    instances: usize,
    /// The store of all instances, as in `store.url`; by default a fresh SQLite file, for one instance.
    #[arg(long)]
    store: Option<String>,
    /// Steps per second, all clients together.
    #[arg(long, default_value_t = 200.0)]
    rate: f64,
    /// Clients, each with one session at a time.
    #[arg(long, default_value_t = 32)]
    clients: usize,
    /// The lockgate binary; by default the one beside this program.
    #[arg(long)]
    lockgate: Option<PathBuf>,
}

/// Everything that was seen.
struct Results<'a> {
    fleet: Fleet<'a>,
    diaries: Vec<Diary>,
    losses: Losses,
    seconds: f64,
}

/// Runs the soak, prints the report, and fails when anything was lost.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    check(options)?;
    let lab = Lab::with_lockgate(options.lockgate.as_deref())?;
    let mut fleet = Fleet::start(&lab, options.instances, options.store.as_deref())?;
    let before = sessions(fleet.ports()[0])?;
    let began = Instant::now();
    let diaries = walk_all(options, &mut fleet)?;
    let seconds = began.elapsed().as_secs_f64();
    eprintln!("reading {} sessions back", diaries.iter().map(|diary| diary.walked.len()).sum::<usize>());
    let port = fleet.ports()[0];
    let mut losses = ledger::read_back(port, &diaries)?;
    losses.count_sessions(&diaries, sessions(port)?.saturating_sub(before));
    let results = Results { fleet, diaries, losses, seconds };
    report::print(&results);
    let lost = results.losses.total() + results.diaries.iter().map(|diary| diary.wrong).sum::<u64>();
    ensure!(lost == 0, "{lost} steps or sessions were lost, doubled or answered wrongly");
    Ok(())
}

fn check(options: &Options) -> anyhow::Result<()> {
    ensure!(options.instances > 0 && options.clients > 0, "there must be an instance and a client at least");
    ensure!(options.rate > 0.0, "--rate must be above 0");
    ensure!((0.0..=24.0 * 60.0).contains(&options.minutes), "--minutes must be at most a day");
    ensure!(
        options.instances == 1 || options.store.is_some(),
        "several instances need a store that they can share: name one with --store, such as postgres://…"
    );
    Ok(())
}

/// Lets the clients walk while instances are killed, until the time is over; what each wrote down.
fn walk_all(options: &Options, fleet: &mut Fleet<'_>) -> anyhow::Result<Vec<Diary>> {
    let time = Duration::from_secs_f64(options.minutes * 60.0);
    let pause = Duration::from_secs_f64(options.clients as f64 / options.rate);
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let start = |number| {
            let client = Client::new(number, fleet.ports(), pause);
            let stop = &stop;
            scope.spawn(move || client.walk(stop))
        };
        let threads: Vec<_> = (0..options.clients).map(start).collect();
        let tended = fleet.tend(time, options.kill_every);
        stop.store(true, Ordering::Relaxed);
        let diaries = threads.into_iter().map(|thread| thread.join().ok().context("a client panicked"));
        let diaries = diaries.collect::<anyhow::Result<Vec<_>>>()?;
        tended.map(|()| diaries)
    })
}

/// How many sessions of the workflow the store has.
fn sessions(port: u16) -> anyhow::Result<u64> {
    let stats = ask(port, "GET", "/api/sessions/stats", "")?;
    Ok(stats["byWorkflow"][crate::walk::NAME].as_u64().unwrap_or_default())
}
