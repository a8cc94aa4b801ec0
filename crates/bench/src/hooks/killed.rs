//! A worker is killed: how soon the next call is served, and how soon another worker is ready.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use rustix::process::{Pid, Signal, kill_process};

use super::results::{Killed, Results};
use crate::load::{Door, Length, Plan, measure};
use crate::procfs::{Tree, cpu, is_confined, is_gone};

/// How often a worker is killed.
const TURNS: usize = 10;

/// How long a worker may take to come at all, and the workers to come to rest.
const PATIENCE: Duration = Duration::from_secs(60);

/// Workers that were started for the load are let go after some seconds without work.
const AFTER_LOAD: Duration = Duration::from_secs(16);
const BETWEEN: Duration = Duration::from_millis(200);

/// Kills the worker that served last, several times, and calls at once.
pub(super) fn measure_all(door: &Door, gateway: u32, results: &mut Results) -> anyhow::Result<()> {
    eprintln!("waiting for the workers to come to rest");
    settled(gateway, AFTER_LOAD)?;
    for turn in 1..=TURNS {
        eprintln!("killing a worker: {turn}/{TURNS}");
        match once(door, gateway) {
            Ok(killed) => results.killed.push(killed),
            Err(error) => results.notes.push(format!("killing a worker, turn {turn}: {error:#}")),
        }
    }
    Ok(())
}

fn once(door: &Door, gateway: u32) -> anyhow::Result<Killed> {
    let before = settled(gateway, BETWEEN)?;
    let victim = serving(door, &before)?;
    let process = i32::try_from(victim).ok().and_then(Pid::from_raw);
    let began = Instant::now();
    kill_process(process.context("a process has a number")?, Signal::KILL)?;
    // On a busy machine it lives on for a while, and might take one more job into its grave.
    ensure!(until(|| is_gone(victim)), "a worker outlives its kill");
    let next = call(door, 1)?;
    let ready = |pid: &u32| !before.contains(pid) && is_confined(*pid);
    let replaced = until(|| Tree::of(gateway).workers.iter().any(ready));
    ensure!(replaced, "no worker took the place of the one that was killed");
    Ok(Killed { next, replaced: began.elapsed().as_secs_f64() * 1e3 })
}

/// The workers, once all of them are ready and none has come or gone for this long.
fn settled(gateway: u32, quiet: Duration) -> anyhow::Result<Vec<u32>> {
    let (mut last, mut since) = (Vec::new(), Instant::now());
    let settled = until(|| {
        let mut now = Tree::of(gateway).workers;
        now.sort_unstable();
        if now.is_empty() || now != last || !now.iter().all(|pid| is_confined(*pid)) {
            (last, since) = (now, Instant::now());
        }
        since.elapsed() >= quiet
    });
    ensure!(settled, "the workers do not come to rest");
    Ok(last)
}

/// The worker that uses the processor while calls are made.
fn serving(door: &Door, workers: &[u32]) -> anyhow::Result<u32> {
    let before: Vec<_> = workers.iter().map(|pid| cpu(&[*pid])).collect();
    call(door, 50)?;
    let used = workers.iter().zip(before).map(|(pid, before)| (cpu(&[*pid]).saturating_sub(before), *pid));
    Ok(used.max().context("there are no workers")?.1)
}

/// Makes so many calls one after the other, all of which must be right; milliseconds for one of them.
fn call(door: &Door, calls: u64) -> anyhow::Result<f64> {
    let plan = Plan { connections: 1, warmup: Duration::ZERO, length: Length::Calls(calls), gateway: None };
    let sample = measure(door, &plan)?;
    ensure!(sample.calls == calls, "a call was not answered: {}", sample.trouble.unwrap_or_default());
    Ok(sample.p50_us / 1e3)
}

/// Asks again and again until it is so; false when it takes too long.
fn until(mut so: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + PATIENCE;
    while !so() {
        if Instant::now() > end {
            return false;
        }
        thread::sleep(Duration::from_micros(500));
    }
    true
}
