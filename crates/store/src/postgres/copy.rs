//! What only a copy asks of PostgreSQL, and a look at the version of the tables.

use super::connect::Dialer;
use super::refusal::Place;
use super::{Postgres, migrations};
use crate::{Error, Remote, Schema};

impl Postgres {
    /// Looks at a database without changing it.
    pub(crate) async fn schema(remote: &Remote) -> Result<Schema, Error> {
        let place = Place::of(remote);
        let client = Dialer::new(remote)?.dial(&place).await?;
        migrations::look(&client, &place).await
    }

    pub(crate) async fn session_keys(&self) -> Result<Vec<(String, String)>, Error> {
        self.pairs("SELECT id, key FROM lockgate.sessions WHERE key IS NOT NULL").await
    }

    pub(crate) async fn versioned_workflows(&self) -> Result<Vec<String>, Error> {
        let pairs = self.pairs("SELECT DISTINCT workflow, '' FROM lockgate.versions").await?;
        Ok(pairs.into_iter().map(|(workflow, _)| workflow).collect())
    }

    pub(crate) async fn secrets(&self) -> Result<Vec<(String, String)>, Error> {
        self.pairs("SELECT name, value FROM lockgate.secrets").await
    }

    async fn pairs(&self, sql: &str) -> Result<Vec<(String, String)>, Error> {
        let rows = self.rows("read what is to be copied", sql, &[]).await?;
        rows.iter().map(|row| Ok((self.text(row, 0)?, self.text(row, 1)?))).collect()
    }
}
