//! PostgreSQL: the store that several instances share.
//!
//! Every write is one statement, and so one transaction in one round trip; what takes several steps is a function in
//! the database. Everything lives in the schema `lockgate`. A server that goes away is [`Error::Unavailable`] until it
//! is back, and connections are made anew by themselves.

mod activities;
mod address;
mod audit;
mod connect;
mod copy;
mod definitions;
mod hooks;
mod keys;
mod line;
mod marks;
mod migrations;
mod news;
mod pool;
mod promise;
mod rates;
mod refusal;
mod runs;
mod schedules;
mod servers;
mod sessions;
mod templates;
mod text;
mod tls;
mod variables;
mod versions;
mod workflows;

pub(crate) use address::read as read_address;

use crate::marks::Since;
use crate::news::News;
use crate::{Area, Error, Remote};
use connect::Dialer;
use line::Line;
use pool::Pool;
use refusal::Place;
use sessions::Appends;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Duration;
use text::Text;
use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, ToSql};

/// How long writes that were begun are waited for at the end.
const CLOSE: Duration = Duration::from_secs(5);

/// The values of a statement.
type Parameters<'a> = &'a [&'a (dyn ToSql + Sync)];

/// An open database.
pub(crate) struct Postgres {
    line: Arc<Line>,
    appends: Appends,
    news: News,
    /// Tells this store apart from others that are open on the same database.
    instance: String,
    /// When the tables were made, which tells them apart from others that were made in their place.
    made_at: Option<i64>,
}

impl Postgres {
    /// Connects, brings the tables up to date, and warns where the server promises less than it should.
    pub(crate) async fn open(remote: &Remote) -> Result<Self, Error> {
        let place = Arc::new(Place::of(remote));
        let dialer = Arc::new(Dialer::new(remote)?);
        let mut client = dialer.dial(&place).await?;
        migrations::bring_up(&mut client, &place).await?;
        let made_at = migrations::made_at(&client, &place).await?;
        promise::check(&client, &place).await;
        let news = news::listen(Arc::clone(&dialer), Arc::clone(&place)).await;
        let instance = format!("{:016x}", RandomState::new().hash_one(std::process::id()));
        let line = Arc::new(Line { pool: Pool::new(dialer, client), place });
        Ok(Self { appends: Appends::start(Arc::clone(&line)), line, news, instance, made_at })
    }

    /// Waits for the writes that were begun, for as long as a server may need that answers, and lets go of the
    /// connections.
    pub(crate) async fn close(&self) {
        let begun = async {
            self.appends.close().await;
            self.line.pool.settled().await;
        };
        let _ = tokio::time::timeout(CLOSE, begun).await;
        self.line.pool.close();
        self.news.close();
    }

    /// The time by the clock of the database, on which all instances agree.
    pub(crate) async fn now(&self) -> Result<i64, Error> {
        let row = self.row("read the clock", "SELECT lockgate.clock()", &[]).await?;
        self.get(&row, 0)
    }

    /// Runs a statement that gives rows.
    async fn rows(&self, doing: &'static str, sql: &str, values: Parameters<'_>) -> Result<Vec<Row>, Error> {
        Ok(self.line.ask(doing, sql, values).await?.0)
    }

    /// Runs a statement that gives one row.
    async fn row(&self, doing: &'static str, sql: &str, values: Parameters<'_>) -> Result<Row, Error> {
        self.line.row(doing, sql, values).await
    }

    /// Runs a statement, and says how many rows it touched.
    async fn execute(&self, doing: &'static str, sql: &str, values: Parameters<'_>) -> Result<u64, Error> {
        Ok(self.line.ask(doing, sql, values).await?.1)
    }

    /// Runs a statement that changes a definition `FROM lockgate.hold_marks(…)`; gives its one row. The
    /// last two parameters of the statement are the marks.
    async fn change(
        &self,
        doing: &'static str,
        sql: &str,
        values: Parameters<'_>,
        (area, since): (Area, Since),
    ) -> Result<Row, Error> {
        let areas = if since.is_some() { &Area::LINKED[..] } else { &[area] };
        let counts: Vec<_> = areas.iter().map(|area| Some(signed(since?.of(*area)))).collect();
        let areas: Vec<_> = areas.iter().map(|area| Text(area.name())).collect();
        self.row(doing, sql, &[values, &[&areas, &counts]].concat()).await
    }

    /// Forgets a definition, and says whether there was one of that id or name.
    async fn remove(
        &self,
        doing: &'static str,
        key: &str,
        (area, since): (Area, Since),
    ) -> Result<bool, Error> {
        let sql = "SELECT lockgate.remove_definition($1, $2) FROM lockgate.hold_marks($3, $4)";
        let row = self.change(doing, sql, &[&Text(area.name()), &Text(key)], (area, since)).await?;
        self.get(&row, 0)
    }

    /// A column of a row.
    fn get<'a, T: FromSql<'a>>(&self, row: &'a Row, at: usize) -> Result<T, Error> {
        self.line.get(row, at)
    }

    /// A column of a row that holds a text.
    fn text(&self, row: &Row, at: usize) -> Result<String, Error> {
        self.get(row, at).map(|text: Text<String>| text.0)
    }
}

/// Names the definition that cannot be read or written.
fn unreadable(kind: &'static str, name: &str) -> impl FnOnce(serde_json::Error) -> Error {
    move |cause| Error::Definition { kind, name: name.to_owned(), cause: Arc::new(cause) }
}

/// A count as the database keeps it; none comes near the end of its range.
fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// The same for limits and offsets.
fn size(size: usize) -> i64 {
    i64::try_from(size).unwrap_or(i64::MAX)
}

/// A count as it was kept.
fn unsigned(count: i64) -> u64 {
    u64::try_from(count).unwrap_or(0)
}
