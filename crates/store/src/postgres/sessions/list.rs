//! Reading sessions together with their events, and counting them.

use super::ROW;
use crate::postgres::text::Text;
use crate::postgres::{Parameters, Postgres, size, unsigned};
use crate::{AT_WORK, Error, SessionFilter, StoredSession};
use tokio_postgres::types::ToSql;

/// A filter as a condition in SQL with its values.
struct Wanted {
    condition: String,
    values: Vec<Text<String>>,
}

impl Wanted {
    fn new(filter: SessionFilter<'_>) -> Self {
        let mut parts = Vec::new();
        let mut values = Vec::new();
        let mut add = |part: &str, value: String| {
            values.push(Text(value));
            parts.push(format!("{part} ${}", values.len()));
        };
        let exact = [
            ("workflow =", filter.workflow),
            ("status =", filter.status),
            ("caller =", filter.caller),
            ("parent =", filter.parent),
        ];
        for (part, value) in exact {
            value.into_iter().for_each(|value| add(part, value.to_owned()));
        }
        if let Some(prefix) = filter.waiting {
            // Only the other one has an index.
            let column = if AT_WORK.starts_with(prefix) { "waiting" } else { "waits_for" };
            add(&format!("{column} >="), prefix.to_owned());
            // Nothing that begins with the prefix comes after the prefix with the last character there is.
            add(&format!("{column} <="), format!("{prefix}{}", char::MAX));
        }
        let condition = if parts.is_empty() { "TRUE".into() } else { parts.join(" AND ") };
        Self { condition, values }
    }

    fn values(&self) -> Vec<&(dyn ToSql + Sync)> {
        self.values.iter().map(|value| value as _).collect()
    }
}

impl Postgres {
    pub(crate) async fn list_sessions(
        &self,
        filter: SessionFilter<'_>,
        limit: usize,
        offset: usize,
    ) -> Result<Vec<StoredSession>, Error> {
        let wanted = Wanted::new(filter);
        let (limit, offset) = (size(limit), size(offset));
        let mut values = wanted.values();
        let count = values.len();
        values.extend([&limit as &(dyn ToSql + Sync), &offset]);
        let condition = format!(
            "{} ORDER BY started_at DESC, id LIMIT ${} OFFSET ${}",
            wanted.condition,
            count + 1,
            count + 2
        );
        self.stored_sessions(&condition, &values).await
    }

    pub(crate) async fn count_sessions(&self, filter: SessionFilter<'_>) -> Result<u64, Error> {
        let wanted = Wanted::new(filter);
        let sql = format!("SELECT count(*) FROM lockgate.sessions WHERE {}", wanted.condition);
        let row = self.row("count sessions", &sql, &wanted.values()).await?;
        Ok(unsigned(self.get(&row, 0)?))
    }

    pub(crate) async fn session_stats(&self) -> Result<Vec<(String, String, u64)>, Error> {
        let sql = "SELECT workflow, status, count(*) FROM lockgate.sessions
                   GROUP BY workflow, status ORDER BY workflow, status";
        let rows = self.rows("count sessions", sql, &[]).await?;
        rows.iter()
            .map(|row| Ok((self.text(row, 0)?, self.text(row, 1)?, unsigned(self.get(row, 2)?))))
            .collect()
    }

    /// Sessions with their events, read by one statement, so that the events are those of the row.
    pub(super) async fn stored_sessions(
        &self,
        condition: &str,
        values: Parameters<'_>,
    ) -> Result<Vec<StoredSession>, Error> {
        let sql = format!(
            "SELECT {ROW}, ARRAY (
                 SELECT event FROM lockgate.session_events WHERE session = sessions.number ORDER BY seq
             ) FROM lockgate.sessions WHERE {condition}"
        );
        let rows = self.rows("read sessions", &sql, values).await?;
        rows.iter()
            .map(|row| {
                let events: Vec<Text<String>> = self.get(row, 12)?;
                Ok(StoredSession {
                    row: self.session(row)?,
                    events: events.into_iter().map(|text| text.0).collect(),
                })
            })
            .collect()
    }
}
