//! The floor: the least that a durable step can cost. Not a product.
//!
//! One thread writes to a SQLite file with the same settings as the gateway's: for each step one row in the
//! journal and a compare-and-set on its session, so many steps to a commit. Nobody asks over a socket, no
//! thread waits for another, and the rows have no index besides their keys.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::ensure;
use rusqlite::{Connection, TransactionBehavior, params};

use crate::load::{Latencies, Meter, Sample};

/// How many sessions there are to write to.
const SESSIONS: usize = 64;

/// About as long as what the gateway records for a step that does nothing.
const EVENT: usize = 340;

const TABLES: &str = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 4194304;
    PRAGMA cache_size = -256;
    CREATE TABLE sessions (number INTEGER PRIMARY KEY, events INTEGER NOT NULL, updated_at INTEGER NOT NULL) STRICT;
    CREATE TABLE session_events (number INTEGER PRIMARY KEY, session INTEGER NOT NULL, seq INTEGER NOT NULL,
        event TEXT NOT NULL) STRICT;";

/// The file, and how many events each session has.
pub(super) struct Floor {
    connection: Connection,
    events: [i64; SESSIONS],
    event: String,
}

impl Floor {
    /// Makes a file in this folder.
    pub(super) fn open(folder: &Path) -> anyhow::Result<Self> {
        let connection = Connection::open(folder.join("floor.db"))?;
        connection.execute_batch(TABLES)?;
        for number in 0..SESSIONS {
            connection.execute("INSERT INTO sessions VALUES (?1, 0, 0)", params![number as i64])?;
        }
        Ok(Self { connection, events: [0; SESSIONS], event: "x".repeat(EVENT) })
    }

    /// Commits groups of so many steps, at most one for each session. Every step of a group waits for it. What
    /// this program uses meanwhile stands where the CPU of a gateway stands.
    pub(super) fn measure(&mut self, group: usize, time: Duration) -> anyhow::Result<Sample> {
        let group = group.min(SESSIONS);
        let mut latencies = Latencies::default();
        let meter = Meter::start(None);
        let end = Instant::now() + time;
        while Instant::now() < end {
            let began = Instant::now();
            self.commit(group)?;
            let spent = began.elapsed();
            (0..group).for_each(|_| latencies.push(spent));
        }
        let sample = meter.stop(group, &mut latencies);
        Ok(Sample { gateway_us: Some(sample.generator_us), ..sample })
    }

    fn commit(&mut self, group: usize) -> anyhow::Result<()> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        {
            let mut add = transaction
                .prepare_cached("INSERT INTO session_events (session, seq, event) VALUES (?1, ?2, ?3)")?;
            let mut set = transaction.prepare_cached(
                "UPDATE sessions SET events = ?2 + 1, updated_at = ?3 WHERE number = ?1 AND events = ?2",
            )?;
            for (number, seq) in self.events.iter_mut().take(group).enumerate() {
                add.execute(params![number as i64, *seq, self.event])?;
                let changed = set.execute(params![number as i64, *seq, *seq + 1_000_000_000_000])?;
                ensure!(changed == 1, "a session of the floor is not where it was left");
                *seq += 1;
            }
        }
        Ok(transaction.commit()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_of_a_group_is_in_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let mut floor = Floor::open(folder.path()).unwrap();
        floor.commit(1).unwrap();
        floor.commit(64).unwrap();
        let count = |sql| floor.connection.query_row(sql, (), |row| row.get::<_, i64>(0)).unwrap();
        assert_eq!(count("SELECT count(*) FROM session_events"), 65);
        assert_eq!(count("SELECT sum(events) FROM sessions"), 65);
        assert_eq!(count("SELECT events FROM sessions WHERE number = 0"), 2);
        let mode: String = floor.connection.query_row("PRAGMA journal_mode", (), |row| row.get(0)).unwrap();
        assert_eq!((mode.as_str(), count("PRAGMA synchronous")), ("wal", 2));
    }
}
