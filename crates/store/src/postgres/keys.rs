//! The keys area in PostgreSQL.

use super::text::Text;
use super::{Parameters, Postgres};
use crate::{Error, StoredKey};
use tokio_postgres::Row;

impl Postgres {
    pub(crate) async fn list_keys(&self) -> Result<Vec<StoredKey>, Error> {
        let sql = "SELECT name, digest, permits, created_at FROM lockgate.keys ORDER BY position";
        let rows = self.rows("read the keys", sql, &[]).await?;
        rows.iter().map(|row| self.key(row)).collect()
    }

    pub(crate) async fn add_key(&self, key: StoredKey) -> Result<(), Error> {
        let sql = "INSERT INTO lockgate.keys (name, digest, permits, created_at) VALUES ($1, $2, $3, $4)
                   ON CONFLICT DO NOTHING";
        let row: Parameters<'_> = &[&Text(&key.name), &Text(&key.digest), &Text(&key.grant), &key.created_at];
        match self.execute("keep a key", sql, row).await? {
            0 => Err(Error::Taken(key.name)),
            _ => Ok(()),
        }
    }

    pub(crate) async fn remove_key(&self, name: &str) -> Result<bool, Error> {
        let sql = "DELETE FROM lockgate.keys WHERE name = $1";
        Ok(self.execute("remove a key", sql, &[&Text(name)]).await? > 0)
    }

    fn key(&self, row: &Row) -> Result<StoredKey, Error> {
        Ok(StoredKey {
            name: self.text(row, 0)?,
            digest: self.text(row, 1)?,
            grant: self.text(row, 2)?,
            created_at: self.get(row, 3)?,
        })
    }
}
