//! The official conformance suite: on the fixture alone, and through the gateway in front of it, for each
//! client revision, server era and transport (spec 6.4). One test per cell; what a cell may fail is in
//! `tests/conformance/baseline.json`, and that list only shrinks. The suite's client scenarios run against
//! the gateway's side towards servers.

mod baseline;
mod cell;
mod client;
mod suite;
mod target;

use cell::Cell;
use libtest_mimic::{Arguments, Failed, Trial};
use std::process::ExitCode;

/// The cells that hold.
const CELLS: &[&str] = &[
    "direct/2025-11-25/legacy/http",
    "direct/2025-11-25/dual/http",
    "direct/2026-07-28/modern/http",
    "direct/2026-07-28/dual/http",
    "gateway/2025-11-25/legacy/stdio",
    "gateway/2025-11-25/legacy/http",
    "gateway/2025-11-25/legacy/sse",
    "gateway/2025-11-25/modern/stdio",
    "gateway/2025-11-25/modern/http",
    "gateway/2026-07-28/legacy/stdio",
    "gateway/2026-07-28/legacy/http",
    "gateway/2026-07-28/legacy/sse",
    "gateway/2026-07-28/modern/stdio",
    "gateway/2026-07-28/modern/http",
];

/// Runs the other cells of the matrix too, when it is set.
const ALL: &str = "CONFORMANCE_ALL";

fn main() -> ExitCode {
    let mut cells = Cell::matrix();
    for name in CELLS {
        assert!(cells.iter().any(|cell| cell.name() == *name), "the matrix has no cell {name}");
    }
    if std::env::var_os(ALL).is_none() {
        cells.retain(|cell| CELLS.contains(&cell.name().as_str()));
    }
    let mut trials = baseline::trials();
    trials.extend(client::trials());
    trials.extend(cells.into_iter().map(|cell| Trial::test(cell.name(), move || run(cell))));
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn run(cell: Cell) -> Result<(), Failed> {
    let target = target::Target::start(cell);
    let checks = suite::run(&target.url(), cell.client)?;
    let faults = baseline::faults(&baseline::read(), &cell.name(), &checks);
    match faults.is_empty() {
        true => Ok(()),
        false => Err(format!("{}\n{}", suite::summary(&checks), faults.join("\n")).into()),
    }
}
