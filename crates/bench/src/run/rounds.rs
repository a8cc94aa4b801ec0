//! The rounds: every gateway, every concurrency, next to each other in time.

use std::thread;
use std::time::Duration;

use super::{Lab, Moment, Options, Place, Results, Running, Spec, Start, window};
use crate::direct;
use crate::load::probe;
use crate::rows::Row;

/// Starts every gateway, notes how long that took and what memory it holds when idle. A door that gives
/// no right answer is left out.
pub(super) fn start_all(specs: &[Spec], lab: &Lab, results: &mut Results) -> Vec<Running> {
    let mut all = Vec::new();
    for spec in specs {
        eprintln!("starting {}", spec.name);
        match Running::start(spec, lab) {
            Ok(mut running) => {
                running.doors.retain(|(name, door)| {
                    let answer = probe(door);
                    results
                        .notes
                        .extend(answer.as_ref().err().map(|error| format!("{name} was left out: {error:#}")));
                    answer.is_ok()
                });
                all.push(running);
            }
            Err(error) => results.notes.push(format!("{} was left out: {error:#}", spec.name)),
        }
    }
    thread::sleep(Duration::from_secs(1));
    for running in &all {
        let cold = running.cold.as_secs_f64() * 1e3;
        results.starts.push(Start { name: running.name.clone(), cold, after_ready: None });
        results.memory.push(running.memory(Moment::Idle));
    }
    all
}

/// Loads every door at every concurrency, round after round; every other round in reverse order.
pub(super) fn measure_all(
    running: &[Running],
    lab: &Lab,
    options: &Options,
    results: &mut Results,
) -> anyhow::Result<()> {
    let mut doors: Vec<_> =
        running.iter().flat_map(|one| one.doors.iter().map(move |(name, door)| (name, one, door))).collect();
    // REST next to REST, MCP next to MCP: the pairs that are compared are neighbours in time.
    doors.sort_by_key(|(_, _, door)| door.mode as u8);
    let echo = [lab.bench.clone(), "echo".into()];
    for round in 1..=options.rounds {
        for &connections in &options.connections {
            eprintln!("round {round}/{}, concurrency {connections}", options.rounds);
            for (name, one, door) in &doors {
                match window(&Place(name, round, connections), one, door, options.secs) {
                    Ok(row) => results.rows.0.push(row),
                    Err(error) => results.notes.push(format!("{error:#}")),
                }
            }
            let sample = direct::measure(&echo, connections, Duration::from_secs_f64(options.secs / 2.0))?;
            results.rows.0.push(Row { name: "direct".into(), round, sample });
        }
        doors.reverse();
    }
    results.memory.extend(running.iter().map(|one| one.memory(Moment::AfterLoad)));
    Ok(())
}
