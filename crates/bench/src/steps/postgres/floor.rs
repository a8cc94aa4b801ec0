//! The floor: the least that a durable step can cost on this server. Not a product.
//!
//! 64 sessions share so many connections. Each step is two statements, and so two commits: one row in the journal when
//! it begins and one when it ends, each with a compare-and-set on its session. Plain SQL by prepared statements from
//! one thread: nobody asks over HTTP, nothing runs between the two, and the rows have no index besides their keys.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use tokio::runtime::Builder;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_postgres::{Client, Config, NoTls, Statement};

use super::{SESSIONS, WARMUP};
use crate::load::{Latencies, Meter, Sample};

/// About as long as what the gateway records when such a step begins and when it ends.
const EVENTS: [usize; 2] = [BEGAN, ENDED];
const BEGAN: usize = 150;
const ENDED: usize = 310;

const TABLES: &str = "DROP SCHEMA IF EXISTS lockgate_floor CASCADE; CREATE SCHEMA lockgate_floor;
    CREATE TABLE lockgate_floor.sessions (number bigint PRIMARY KEY, events bigint NOT NULL,
        updated_at bigint NOT NULL) WITH (fillfactor = 80);
    CREATE TABLE lockgate_floor.session_events (session bigint, seq bigint, event text NOT NULL,
        PRIMARY KEY (session, seq));";

const RECORD: &str = "WITH moved AS (
        UPDATE lockgate_floor.sessions SET events = events + 1, updated_at = $2 + 1000000000000
        WHERE number = $1 AND events = $2 RETURNING number
    ) INSERT INTO lockgate_floor.session_events SELECT number, $2, $3 FROM moved";

/// Tables beside those of the gateway, in a schema of their own.
pub(super) struct Floor {
    config: Config,
}

/// The connections of one window.
struct Pool {
    turns: Semaphore,
    idle: Mutex<Vec<(Client, Statement)>>,
}

/// What the sessions of one window share.
struct Shared {
    pool: Pool,
    stop: AtomicBool,
    latencies: Mutex<Latencies>,
}

impl Floor {
    /// Makes the tables.
    pub(super) fn open(url: &str) -> anyhow::Result<Self> {
        let mut config: Config = url.parse().context("reading the URL of the database")?;
        config.application_name("lockgate bench");
        let floor = Self { config };
        floor.execute(TABLES)?;
        let sessions = format!("SELECT n, 0, 0 FROM generate_series(0, {}) AS n", SESSIONS - 1);
        floor.execute(&format!("INSERT INTO lockgate_floor.sessions {sessions}"))?;
        Ok(floor)
    }

    /// The version of the server, and what it does for a commit.
    pub(super) fn about(&self) -> anyhow::Result<String> {
        let sql = "SELECT format('PostgreSQL %s, fsync %s, synchronous_commit %s', current_setting('server_version'),
            current_setting('fsync'), current_setting('synchronous_commit'))";
        wait(async { Ok(connect(&self.config).await?.query_one(sql, &[]).await?.try_get(0)?) })
    }

    /// Removes the tables.
    pub(super) fn close(&self) -> anyhow::Result<()> {
        self.execute("DROP SCHEMA lockgate_floor CASCADE")
    }

    /// Walks all sessions over so many connections. What this program uses meanwhile stands where the CPU of a gateway
    /// stands.
    pub(super) fn measure(&self, connections: usize, time: Duration) -> anyhow::Result<Sample> {
        let sample = wait(self.window(connections, time))?;
        Ok(Sample { gateway_us: Some(sample.generator_us), ..sample })
    }

    async fn window(&self, connections: usize, time: Duration) -> anyhow::Result<Sample> {
        let (pool, latencies) = (Pool::open(&self.config, connections).await?, Mutex::default());
        let shared = Arc::new(Shared { pool, stop: AtomicBool::new(false), latencies });
        let mut sessions = JoinSet::new();
        for (session, events) in shared.pool.sessions().await? {
            sessions.spawn(walk(Arc::clone(&shared), session, events));
        }
        tokio::time::sleep(WARMUP).await;
        hold(&shared.latencies).clear();
        let meter = Meter::start(None);
        tokio::time::sleep(time).await;
        let sample = meter.stop(SESSIONS, &mut hold(&shared.latencies));
        shared.stop.store(true, Ordering::Relaxed);
        while let Some(ended) = sessions.join_next().await {
            ended??;
        }
        Ok(sample)
    }

    fn execute(&self, sql: &str) -> anyhow::Result<()> {
        wait(async { Ok(connect(&self.config).await?.batch_execute(sql).await?) })
    }
}

impl Pool {
    async fn open(config: &Config, connections: usize) -> anyhow::Result<Self> {
        let mut idle = Vec::new();
        for _ in 0..connections {
            let client = connect(config).await?;
            let record = client.prepare(RECORD).await?;
            idle.push((client, record));
        }
        Ok(Self { turns: Semaphore::new(connections), idle: Mutex::new(idle) })
    }

    /// All sessions, and how many events each has.
    async fn sessions(&self) -> anyhow::Result<Vec<(i64, i64)>> {
        let (client, record) = self.take()?;
        let rows = client.query("SELECT number, events FROM lockgate_floor.sessions", &[]).await?;
        hold(&self.idle).push((client, record));
        rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
    }

    /// Commits one event of a session on the next free connection.
    async fn record(&self, session: i64, at: i64, event: &str) -> anyhow::Result<()> {
        let _turn = self.turns.acquire().await?;
        let (client, record) = self.take()?;
        let added = client.execute(&record, &[&session, &at, &event]).await?;
        hold(&self.idle).push((client, record));
        ensure!(added == 1, "a session of the floor is not where it was left");
        Ok(())
    }

    fn take(&self) -> anyhow::Result<(Client, Statement)> {
        hold(&self.idle).pop().context("whoever has a turn finds a connection")
    }
}

/// Takes steps of one session until it is told to stop.
async fn walk(shared: Arc<Shared>, session: i64, mut at: i64) -> anyhow::Result<()> {
    let events = EVENTS.map(|length| "x".repeat(length));
    while !shared.stop.load(Ordering::Relaxed) {
        let began = Instant::now();
        for event in &events {
            shared.pool.record(session, at, event).await?;
            at += 1;
        }
        hold(&shared.latencies).push(began.elapsed());
    }
    Ok(())
}

/// Does this on one thread. The connections that it made are closed when it is done.
fn wait<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    Builder::new_current_thread().enable_all().build()?.block_on(work)
}

/// Connects; a task carries the messages until the client is dropped.
async fn connect(config: &Config) -> anyhow::Result<Client> {
    let (client, connection) = config.connect(NoTls).await.context("connecting to the database")?;
    tokio::spawn(connection);
    Ok(client)
}

fn hold<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use databases::Postgres;

    #[test]
    fn every_step_is_two_rows_in_the_database() {
        let server = Postgres::shared();
        let database = server.database();
        let floor = Floor::open(&database.url).unwrap();
        let sample = floor.measure(3, Duration::from_millis(100)).unwrap();
        assert!(sample.calls > 0);
        let name = database.url.rsplit('/').next().unwrap();
        let count = |sql| server.psql(name, sql).parse::<u64>().unwrap();
        let rows = count("SELECT count(*) FROM lockgate_floor.session_events");
        assert!(rows >= 2 * sample.calls && rows.is_multiple_of(2), "{rows} rows, {} steps", sample.calls);
        assert_eq!(count("SELECT sum(events) FROM lockgate_floor.sessions"), rows);
        floor.close().unwrap();
        assert_eq!(count("SELECT count(*) FROM pg_namespace WHERE nspname = 'lockgate_floor'"), 0);
    }
}
