//! A few connections that everybody shares.

use super::Parameters;
use super::connect::Dialer;
use super::refusal::Place;
use crate::Error;
use futures_util::TryStreamExt;
use std::collections::HashMap;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio_postgres::{Client, Row, Statement};

/// Connections of one store at most; a database spends megabytes on each.
const CONNECTIONS: u32 = 16;

/// How long to wait for a connection that others use.
pub(super) const TURN: Duration = Duration::from_secs(10);

/// The connections, and who may have one.
pub(super) struct Pool {
    dialer: Arc<Dialer>,
    turns: Semaphore,
    idle: Mutex<Vec<Connection>>,
}

/// A connection with the statements that it knows.
struct Connection {
    client: Client,
    statements: HashMap<String, Statement>,
}

/// A connection in use; dropping it gives it back.
pub(super) struct Lent<'a> {
    pool: &'a Pool,
    connection: Option<Connection>,
    _turn: SemaphorePermit<'a>,
}

impl Pool {
    /// A pool with one connection to begin with.
    pub(super) fn new(dialer: Arc<Dialer>, first: Client) -> Self {
        let idle = Mutex::new(vec![Connection::new(first)]);
        Self { dialer, turns: Semaphore::new(CONNECTIONS as usize), idle }
    }

    /// The connection that was used last, or a new one.
    pub(super) async fn lend(&self, doing: &'static str, place: &Place) -> Result<Lent<'_>, Error> {
        let turn = match tokio::time::timeout(TURN, self.turns.acquire()).await {
            Ok(turn) => turn.map_err(|_| Error::Closed)?,
            Err(_) => return Err(place.unavailable(doing, "all connections are busy")),
        };
        let mut lent = Lent { pool: self, connection: self.idle(), _turn: turn };
        if lent.connection.is_none() {
            let dialed = self.dialer.dial(place).await;
            // It was let in before, so whatever keeps it out now may pass.
            lent.connection = Some(Connection::new(dialed.map_err(Error::passing)?));
        }
        Ok(lent)
    }

    fn idle(&self) -> Option<Connection> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        std::iter::from_fn(|| idle.pop()).find(|one| !one.client.is_closed())
    }

    /// Waits until nobody uses a connection.
    pub(super) async fn settled(&self) {
        drop(self.turns.acquire_many(CONNECTIONS).await);
    }

    /// Lends no connection any more, and lets go of those that nobody uses.
    pub(super) fn close(&self) {
        self.turns.close();
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

impl Connection {
    fn new(client: Client) -> Self {
        Self { client, statements: HashMap::new() }
    }
}

impl Lent<'_> {
    /// Runs a statement, which is prepared the first time. Gives its rows, and how many it touched.
    pub(super) async fn ask(
        &mut self,
        sql: &str,
        values: Parameters<'_>,
    ) -> Result<(Vec<Row>, u64), tokio_postgres::Error> {
        let Connection { client, statements } =
            self.connection.as_mut().expect("a connection is there until it is discarded");
        if !statements.contains_key(sql) {
            statements.insert(sql.to_owned(), client.prepare(sql).await?);
        }
        let mut stream = pin!(client.query_raw(&statements[sql], values.iter().copied()).await?);
        let mut rows = Vec::new();
        while let Some(row) = stream.try_next().await? {
            rows.push(row);
        }
        let touched = stream.rows_affected().unwrap_or_default();
        Ok((rows, touched))
    }

    /// Gives the connection up, with whatever it was doing, and those that are idle too: what broke this one has
    /// most likely broken them.
    pub(super) fn discard(mut self) {
        self.connection = None;
        self.pool.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        let ended = self.pool.turns.is_closed();
        if let Some(connection) = self.connection.take().filter(|one| !ended && !one.client.is_closed()) {
            self.pool.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        }
    }
}
