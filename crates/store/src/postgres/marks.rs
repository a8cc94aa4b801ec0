//! The marks, the bus and the shared secrets in PostgreSQL. Triggers raise the marks.

use super::migrations::MADE_AT;
use super::text::Text;
use super::{Postgres, unsigned};
use crate::bus::Heard;
use crate::{Area, Counts, Error};
use std::time::Duration;

/// How often the marks are looked at even when nobody says anything: notifications do not pass every pooler.
const LOOK: Duration = Duration::from_millis(500);

impl Postgres {
    pub(crate) async fn marks(&self) -> Result<Counts, Error> {
        // There is a row also where the table is empty, as it is while a backup is being put back.
        let sql =
            format!("SELECT {MADE_AT}, area, count FROM (SELECT) AS one LEFT JOIN lockgate.marks ON true");
        let rows = self.rows("read the marks", &sql, &[]).await?;
        let mut counts = Counts::default();
        for row in &rows {
            let known = self.get::<Option<i64>>(row, 0)? == self.made_at;
            let Some(Text(name)) = self.get::<Option<Text<String>>>(row, 1)?.filter(|_| known) else {
                return Err(Error::Lost);
            };
            if let Some(area) = Area::ALL.into_iter().find(|area| area.name() == name) {
                counts.set(area, unsigned(self.get(row, 2)?));
            }
        }
        Ok(counts)
    }

    pub(crate) async fn marks_changed(&self, seen: &Counts) -> Result<Counts, Error> {
        loop {
            let mut told = std::pin::pin!(self.news.marked());
            // From here on nothing is missed.
            told.as_mut().enable();
            let counts = self.marks().await?;
            if counts != *seen {
                return Ok(counts);
            }
            // Either way there is another look.
            let _ = tokio::time::timeout(LOOK, told).await;
        }
    }

    pub(crate) async fn say(&self, text: &str) -> Result<(), Error> {
        self.execute("tell the other instances", "SELECT pg_notify('lockgate_bus', $1)", &[&Text(text)])
            .await?;
        if !self.news.is_listening() {
            self.news.bus.say(text);
        }
        Ok(())
    }

    pub(crate) fn hear(&self) -> Heard {
        self.news.bus.listen()
    }

    pub(crate) async fn secret(&self, name: &str, fresh: &str) -> Result<String, Error> {
        let sql = "INSERT INTO lockgate.secrets AS kept (name, value) VALUES ($1, $2)
                   ON CONFLICT (name) DO UPDATE SET value = kept.value RETURNING value";
        let row = self.row("keep a secret", sql, &[&Text(name), &Text(fresh)]).await?;
        self.text(&row, 0)
    }

    pub(crate) async fn get_secret(&self, name: &str) -> Result<Option<String>, Error> {
        let sql = "SELECT value FROM lockgate.secrets WHERE name = $1";
        let rows = self.rows("read a secret", sql, &[&Text(name)]).await?;
        rows.first().map(|row| self.text(row, 0)).transpose()
    }

    pub(crate) async fn put_secret(&self, name: &str, value: &str) -> Result<(), Error> {
        let sql = "INSERT INTO lockgate.secrets (name, value) VALUES ($1, $2)
                   ON CONFLICT (name) DO UPDATE SET value = excluded.value";
        self.execute("keep a secret", sql, &[&Text(name), &Text(value)]).await.map(drop)
    }

    pub(crate) async fn replace_secret(&self, name: &str, was: &str, value: &str) -> Result<bool, Error> {
        let sql = "UPDATE lockgate.secrets SET value = $3 WHERE name = $1 AND value = $2";
        Ok(self.execute("keep a secret", sql, &[&Text(name), &Text(was), &Text(value)]).await? > 0)
    }

    pub(crate) async fn take_secret(&self, name: &str) -> Result<Option<String>, Error> {
        let sql = "DELETE FROM lockgate.secrets WHERE name = $1 RETURNING value";
        let rows = self.rows("take a secret", sql, &[&Text(name)]).await?;
        rows.first().map(|row| self.text(row, 0)).transpose()
    }
}
