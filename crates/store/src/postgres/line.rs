//! The way to the server, for whoever has a statement.

use super::Parameters;
use super::pool::Pool;
use super::refusal::{Place, is_clash};
use crate::Error;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;
use tokio_postgres::Row;
use tokio_postgres::types::FromSql;

/// How long one statement may take, with the wait for a connection. A server that a network swallows answers nothing
/// at all.
pub(super) const ANSWER: Duration = Duration::from_secs(15);

/// How long to wait before a statement that clashed with another is sent again.
const CLASH: Duration = Duration::from_millis(20);

/// The connections, and the server that they lead to.
pub(super) struct Line {
    pub(super) pool: Pool,
    pub(super) place: Arc<Place>,
}

impl Line {
    /// Runs a statement on a connection of its own; gives its rows, and how many it touched. A connection that is of
    /// no use any more is not given back. A statement is a whole transaction: one that the server undid because of
    /// another is sent again while there is time.
    pub(super) async fn ask(
        &self,
        doing: &'static str,
        sql: &str,
        values: Parameters<'_>,
    ) -> Result<(Vec<Row>, u64), Error> {
        let end = Instant::now() + ANSWER;
        let lent = tokio::time::timeout_at(end, self.pool.lend(doing, &self.place)).await;
        let mut lent = lent.map_err(|_| self.place.silent(doing, ANSWER))??;
        let answer = loop {
            match tokio::time::timeout_at(end, lent.ask(sql, values)).await {
                Ok(Err(error)) if is_clash(&error) && Instant::now() + CLASH < end => {
                    tokio::time::sleep(CLASH).await;
                }
                answer => break answer,
            }
        };
        match answer {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => {
                let answered = error.as_db_error().is_some();
                let error = self.place.refused_at_work(doing, &error);
                let error = if answered { error } else { error.unanswered() };
                if matches!(error, Error::Unavailable { .. }) {
                    lent.discard();
                }
                Err(error)
            }
            Err(_) => {
                lent.discard();
                Err(self.place.silent(doing, ANSWER).unanswered())
            }
        }
    }

    /// Runs a statement that gives one row.
    pub(super) async fn row(
        &self,
        doing: &'static str,
        sql: &str,
        values: Parameters<'_>,
    ) -> Result<Row, Error> {
        let row = self.ask(doing, sql, values).await?.0.pop();
        row.ok_or_else(|| self.place.odd(doing, "the answer has no row"))
    }
    /// A column of a row.
    pub(super) fn get<'a, T: FromSql<'a>>(&self, row: &'a Row, at: usize) -> Result<T, Error> {
        row.try_get(at).map_err(|error| self.place.refused("read a column", &error))
    }
}
