//! The definitions area in PostgreSQL.

use super::text::Text;
use super::{Postgres, unsigned};
use crate::Error;

impl Postgres {
    pub(crate) async fn put_definition(&self, hash: &str, body: &str) -> Result<(), Error> {
        // Mostly it is there and fresh; then nothing is written and no row is locked.
        let sql = "INSERT INTO lockgate.definitions AS kept (hash, body, fresh) SELECT $1, $2, true
                   WHERE NOT EXISTS (SELECT FROM lockgate.definitions WHERE hash = $1 AND fresh)
                   ON CONFLICT (hash) DO UPDATE SET fresh = true WHERE NOT kept.fresh";
        self.execute("keep a definition", sql, &[&Text(hash), &Text(body)]).await.map(drop)
    }

    pub(crate) async fn get_definition(&self, hash: &str) -> Result<Option<String>, Error> {
        let sql = "SELECT body FROM lockgate.definitions WHERE hash = $1";
        let rows = self.rows("read a definition", sql, &[&Text(hash)]).await?;
        rows.first().map(|row| self.text(row, 0)).transpose()
    }

    pub(crate) async fn sweep_definitions(&self) -> Result<u64, Error> {
        let sql = "SELECT lockgate.sweep_definitions($1)";
        let row = self.row("remove definitions", sql, &[&Text(&self.instance)]).await?;
        Ok(unsigned(self.get(&row, 0)?))
    }
}
