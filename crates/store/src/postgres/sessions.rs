//! The sessions area in PostgreSQL: what a gateway asks for. Lists are in the file beside.

mod append;
mod claims;
mod groups;
mod list;

pub(super) use append::Appends;

use super::text::Text;
use super::{Parameters, Postgres, signed, size, unsigned};
use crate::{AT_WORK, Claim, Created, Error, SessionLimits, SessionRow, StoredSession};
use tokio_postgres::Row;

/// The columns of a [`SessionRow`], as [`Postgres::session`] expects them.
const ROW: &str = "id, workflow, caller, status, open, started_at, updated_at, completed_at, parent, waiting, due, \
                   definition";

impl Postgres {
    pub(crate) async fn create_session(
        &self,
        row: SessionRow,
        key: Option<String>,
        events: Vec<String>,
        limits: SessionLimits,
        claim: Claim,
    ) -> Result<Created, Error> {
        let sql =
            "SELECT made, known, lockgate.workflows_stand($20) FROM lockgate.create_session($1, $2, $3, $4, $5, $6, $7,
                   $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)";
        let hold = claims::Hold::of(&claim);
        let values: Parameters<'_> = &[
            &Text(&row.id),
            &Text(&row.workflow),
            &Text(&row.caller),
            &key.map(Text),
            &row.parent.as_ref().map(Text),
            &row.started_at,
            &Text(&row.status),
            &row.open,
            &row.updated_at,
            &row.completed_at,
            &row.waiting.as_ref().map(Text),
            &row.due,
            &Text(&row.definition),
            &events.iter().map(Text).collect::<Vec<_>>(),
            &signed(limits.most),
            &limits.finished_before,
            &limits.evict_open,
            &hold.holder,
            &hold.ms,
            &limits.since.map(signed),
        ];
        let answer = self.row("create a session", sql, values).await?;
        if self.get(&answer, 0)? {
            return Ok(Created::Made);
        }
        let known: Option<Text<String>> = self.get(&answer, 1)?;
        Ok(known.map_or(Created::Full, |id| Created::Exists(id.0)))
    }

    pub(crate) async fn get_session(&self, id: &str) -> Result<Option<StoredSession>, Error> {
        Ok(self.stored_sessions("id = $1", &[&Text(id)]).await?.pop())
    }

    pub(crate) async fn session_row(&self, id: &str) -> Result<Option<SessionRow>, Error> {
        let sql = format!("SELECT {ROW} FROM lockgate.sessions WHERE id = $1");
        let rows = self.rows("read a session", &sql, &[&Text(id)]).await?;
        rows.first().map(|row| self.session(row)).transpose()
    }

    pub(crate) async fn session_events(&self, id: &str, at: u64) -> Result<Option<Vec<String>>, Error> {
        let sql = "SELECT ARRAY (SELECT event FROM lockgate.session_events
                       WHERE session = sessions.number AND seq >= $2 ORDER BY seq)
                   FROM lockgate.sessions WHERE id = $1";
        let rows = self.rows("read the events of a session", sql, &[&Text(id), &signed(at)]).await?;
        let events = rows.first().map(|row| self.get::<Vec<Text<String>>>(row, 0)).transpose()?;
        Ok(events.map(|events| events.into_iter().map(|event| event.0).collect()))
    }

    pub(crate) async fn open_sessions(
        &self,
        workflow: &str,
        caller: &str,
        limit: usize,
    ) -> Result<Vec<String>, Error> {
        let sql = "SELECT id FROM lockgate.sessions WHERE open AND workflow = $1 AND caller = $2
                   ORDER BY started_at DESC, id LIMIT $3";
        self.texts("read sessions", sql, &[&Text(workflow), &Text(caller), &size(limit)]).await
    }

    pub(crate) async fn keyed_session(
        &self,
        workflow: &str,
        caller: &str,
        key: &str,
    ) -> Result<Option<String>, Error> {
        let sql = "SELECT id FROM lockgate.sessions WHERE workflow = $1 AND caller = $2 AND key = $3";
        Ok(self.texts("read sessions", sql, &[&Text(workflow), &Text(caller), &Text(key)]).await?.pop())
    }

    pub(crate) async fn due_sessions(&self, now: i64, limit: usize) -> Result<Vec<String>, Error> {
        let sql =
            "SELECT id FROM lockgate.sessions WHERE due IS NOT NULL AND due <= $1 ORDER BY due, id LIMIT $2";
        self.texts("read sessions", sql, &[&now, &size(limit)]).await
    }

    pub(crate) async fn next_due_session(&self) -> Result<Option<i64>, Error> {
        let row = self.row("read sessions", "SELECT min(due) FROM lockgate.sessions", &[]).await?;
        self.get(&row, 0)
    }

    pub(crate) async fn waiting_sessions(&self, word: &str, limit: usize) -> Result<Vec<String>, Error> {
        let sql = match word {
            AT_WORK => {
                "SELECT id FROM lockgate.sessions WHERE busy AND waiting = $1 ORDER BY started_at, id LIMIT $2"
            }
            _ => "SELECT id FROM lockgate.sessions WHERE waits_for = $1 ORDER BY started_at, id LIMIT $2",
        };
        self.texts("read sessions", sql, &[&Text(word), &size(limit)]).await
    }

    pub(crate) async fn orphan_sessions(&self, limit: usize) -> Result<Vec<String>, Error> {
        let sql = "SELECT child.id FROM lockgate.sessions AS child
                   LEFT JOIN lockgate.sessions AS parent ON parent.id = child.parent
                   WHERE child.parent IS NOT NULL AND child.open AND parent.open IS NOT TRUE
                   ORDER BY child.id LIMIT $1";
        self.texts("read sessions", sql, &[&size(limit)]).await
    }

    pub(crate) async fn answered_sessions(&self, limit: usize) -> Result<Vec<String>, Error> {
        let sql = "SELECT id FROM lockgate.sessions AS waits WHERE waits_for >= 'session:' AND waits_for < 'session;'
                   AND NOT EXISTS (
                       SELECT FROM lockgate.sessions AS other WHERE other.id = substr(waits.waits_for, 9) AND other.open
                   ) ORDER BY id LIMIT $1";
        self.texts("read sessions", sql, &[&size(limit)]).await
    }

    pub(crate) async fn unfinished_sessions(
        &self,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<String>, Error> {
        // No id is empty, so that every id comes after the empty one.
        let sql = "SELECT id FROM lockgate.sessions WHERE open AND id > $1 ORDER BY id LIMIT $2";
        self.texts("read sessions", sql, &[&Text(after.unwrap_or_default()), &size(limit)]).await
    }

    pub(crate) async fn delete_session(&self, id: &str) -> Result<bool, Error> {
        let sql = "DELETE FROM lockgate.sessions WHERE id = $1";
        Ok(self.execute("remove a session", sql, &[&Text(id)]).await? > 0)
    }

    pub(crate) async fn cleanup_sessions(
        &self,
        finished_before: i64,
        most: Option<u64>,
        statuses: &[&str],
    ) -> Result<u64, Error> {
        let statuses = (!statuses.is_empty()).then(|| statuses.iter().map(Text).collect::<Vec<_>>());
        let sql = "SELECT lockgate.cleanup_sessions($1, $2, $3)";
        let values: Parameters<'_> = &[&finished_before, &most.map(signed), &statuses];
        let row = self.row("remove sessions", sql, values).await?;
        Ok(unsigned(self.get(&row, 0)?))
    }

    pub(crate) async fn sessions_using(&self, definition: &str) -> Result<u64, Error> {
        let sql = "SELECT count(*) FROM lockgate.sessions WHERE definition = $1 AND open";
        let row = self.row("count sessions", sql, &[&Text(definition)]).await?;
        Ok(unsigned(self.get(&row, 0)?))
    }

    async fn texts(
        &self,
        doing: &'static str,
        sql: &str,
        values: Parameters<'_>,
    ) -> Result<Vec<String>, Error> {
        let rows = self.rows(doing, sql, values).await?;
        rows.iter().map(|row| self.text(row, 0)).collect()
    }

    /// The row of a session, from the columns of [`ROW`].
    fn session(&self, row: &Row) -> Result<SessionRow, Error> {
        let maybe = |at| self.get(row, at).map(|text: Option<Text<String>>| text.map(|text| text.0));
        Ok(SessionRow {
            id: self.text(row, 0)?,
            workflow: self.text(row, 1)?,
            caller: self.text(row, 2)?,
            status: self.text(row, 3)?,
            open: self.get(row, 4)?,
            started_at: self.get(row, 5)?,
            updated_at: self.get(row, 6)?,
            completed_at: self.get(row, 7)?,
            parent: maybe(8)?,
            waiting: maybe(9)?,
            due: self.get(row, 10)?,
            definition: self.text(row, 11)?,
        })
    }
}
