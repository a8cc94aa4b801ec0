//! The tables of each version, and the way from one to the next.
//!
//! Migration `n` brings a database from version `n - 1` to `n`; the table `lockgate.migrations` lists those that were
//! applied. A file that was released is never edited; a change is a new file, and takes nothing away but an index, so
//! that instances of the version before go on working beside those of the next. `min_reader` says how old they may be.

use super::refusal::{Place, is_clash};
use crate::{Error, Schema};
use tokio_postgres::{Client, GenericClient};

/// One step of the tables.
struct Migration {
    name: &'static str,
    sql: &'static str,
    /// The version that a binary must know at least to work with the tables after this step.
    min_reader: i32,
}

const MIGRATIONS: &[Migration] = &[
    Migration { name: "tables", sql: include_str!("migrations/0001_tables.sql"), min_reader: 1 },
    Migration { name: "functions", sql: include_str!("migrations/0002_functions.sql"), min_reader: 1 },
    Migration { name: "sessions", sql: include_str!("migrations/0003_sessions.sql"), min_reader: 3 },
    Migration { name: "access", sql: include_str!("migrations/0004_access.sql"), min_reader: 3 },
    Migration { name: "rates", sql: include_str!("migrations/0005_rates.sql"), min_reader: 3 },
    Migration { name: "steps", sql: include_str!("migrations/0006_steps.sql"), min_reader: 3 },
    Migration { name: "groups", sql: include_str!("migrations/0007_groups.sql"), min_reader: 3 },
    Migration { name: "room", sql: include_str!("migrations/0008_room.sql"), min_reader: 3 },
    Migration { name: "guard", sql: include_str!("migrations/0009_guard.sql"), min_reader: 3 },
    Migration { name: "key marks", sql: include_str!("migrations/0010_key_marks.sql"), min_reader: 3 },
    Migration { name: "refused", sql: include_str!("migrations/0011_refused.sql"), min_reader: 3 },
    Migration { name: "freed", sql: include_str!("migrations/0012_freed.sql"), min_reader: 3 },
    Migration { name: "steps stay", sql: include_str!("migrations/0013_steps_stay.sql"), min_reader: 3 },
];

/// The version that this build reads and writes.
const KNOWN: i32 = MIGRATIONS.len() as i32;

/// How often the tables are brought up to date anew, when the server undid it because of an instance at work.
const ATTEMPTS: usize = 5;

/// Why the tables were not brought up to date.
struct Undone {
    error: Error,
    clash: bool,
}

impl From<Error> for Undone {
    fn from(error: Error) -> Self {
        Self { error, clash: false }
    }
}

/// Where a database stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Standing {
    /// The version of the tables; 0 before there are any.
    version: i32,
    min_reader: i32,
}

/// Brings the tables up to date, all steps or none. Of several instances that start at once one does it, and the
/// others wait. However long that is: large tables take their time.
pub(super) async fn bring_up(client: &mut Client, place: &Place) -> Result<(), Error> {
    if standing(client, place).await?.version >= KNOWN {
        return Ok(());
    }
    let mut left = ATTEMPTS;
    while let Err(undone) = update(client, place).await {
        left -= 1;
        if !undone.clash || left == 0 {
            return Err(undone.error);
        }
        tracing::debug!(reason = %undone.error, "the tables are updated anew");
    }
    Ok(())
}

async fn update(client: &mut Client, place: &Place) -> Result<(), Undone> {
    let refused =
        |error| Undone { clash: is_clash(&error), error: place.refused("update the tables", &error) };
    let tx = client.transaction().await.map_err(refused)?;
    tx.batch_execute(
        "SELECT pg_advisory_xact_lock(hashtextextended('lockgate.migrations', 0));
         CREATE SCHEMA IF NOT EXISTS lockgate;
         CREATE TABLE IF NOT EXISTS lockgate.migrations (
             version    integer     PRIMARY KEY,
             name       text        NOT NULL,
             min_reader integer     NOT NULL,
             applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
         )",
    )
    .await
    .map_err(refused)?;
    // Another instance may have been faster: the version counts as it is behind the lock.
    let from = standing(&tx, place).await?.version;
    for (version, step) in (1..).zip(MIGRATIONS).filter(|(version, _)| *version > from) {
        tx.batch_execute(step.sql).await.map_err(refused)?;
        let sql = "INSERT INTO lockgate.migrations (version, name, min_reader) VALUES ($1, $2, $3)";
        tx.execute(sql, &[&version, &step.name, &step.min_reader]).await.map_err(refused)?;
    }
    tx.commit().await.map_err(refused)?;
    tracing::debug!(from, to = KNOWN, "the tables of the store were updated");
    Ok(())
}

/// When the first tables were made, in microseconds, as a part of a statement.
pub(super) const MADE_AT: &str =
    "(SELECT (extract(epoch FROM min(applied_at)) * 1000000)::bigint FROM lockgate.migrations)";

/// When the first tables were made.
pub(super) async fn made_at(client: &Client, place: &Place) -> Result<Option<i64>, Error> {
    let sql = format!("SELECT {MADE_AT}");
    Ok(place.answer("read the version", client.query_one(&sql, &[])).await?.get(0))
}

/// Looks at the version, and changes nothing.
pub(super) async fn look(client: &Client, place: &Place) -> Result<Schema, Error> {
    let found = standing(client, place).await?.version;
    Ok(Schema { found: found.unsigned_abs(), known: KNOWN.unsigned_abs() })
}

/// Looks where the database stands, and refuses one that this build cannot work with. Changes nothing.
async fn standing(client: &impl GenericClient, place: &Place) -> Result<Standing, Error> {
    let doing = "read the version";
    let sql = "SELECT to_regclass('lockgate.migrations') IS NOT NULL,
               EXISTS (SELECT FROM pg_tables WHERE schemaname = 'lockgate'),
               current_setting('server_encoding')";
    let row = place.answer(doing, client.query_one(sql, &[])).await?;
    let (ours, used, encoding): (bool, bool, String) = (row.get(0), row.get(1), row.get(2));
    if encoding != "UTF8" {
        let reason = format!("its encoding is {encoding}; create one with the encoding UTF8");
        return Err(place.odd("use the database", reason));
    }
    if !ours {
        return match used {
            true => {
                Err(place
                    .odd("use the schema lockgate", "it belongs to another program; name another database"))
            }
            false => Ok(Standing::default()),
        };
    }
    let sql = "SELECT coalesce(max(version), 0), coalesce(max(min_reader), 0) FROM lockgate.migrations";
    let row = place.answer(doing, client.query_one(sql, &[])).await?;
    let found = Standing { version: row.get(0), min_reader: row.get(1) };
    if found.min_reader > KNOWN {
        let reason = format!(
            "they were written by a newer version (schema {}, which needs {}, and this version knows {KNOWN}); \
             use that version",
            found.version, found.min_reader
        );
        return Err(place.odd("use the tables", reason));
    }
    Ok(found)
}
