//! Calls that need no store: what they cost on an instance with PostgreSQL, next to one with SQLite.

use serde_json::{Value, json};

use super::{Options, instance};
use crate::rows::Rows;
use crate::run::{Lab, Place, Running, window};

/// The rows, by the store that the instance has.
pub(super) const POSTGRES: &str = "PostgreSQL";
pub(super) const SQLITE: &str = "SQLite";

/// Concurrencies.
pub(super) const CALLS: [usize; 2] = [1, 16];

/// Starts one instance with each store and calls both in turn. Neither has done anything before, so that they differ
/// in nothing but their stores.
pub(super) fn measure_all(options: &Options, lab: &Lab, settings: &Value, url: &str) -> anyhow::Result<Rows> {
    let mut with_postgres = settings.clone();
    with_postgres["store"] = json!({"url": url});
    let postgres = Running::start(&instance(lab, "calls with PostgreSQL", &with_postgres)?, lab)?;
    let sqlite = Running::start(&instance(lab, "calls with SQLite", settings)?, lab)?;
    let mut rows = Rows::default();
    let mut both = [(POSTGRES, &postgres), (SQLITE, &sqlite)];
    for round in 1..=options.rounds {
        eprintln!("round {round}/{}, calls that need no store", options.rounds);
        for at in CALLS {
            for (name, running) in both {
                let door = &running.doors[0].1;
                rows.0.push(window(&Place(name, round, at), running, door, options.secs)?);
            }
        }
        both.reverse();
    }
    Ok(rows)
}
