//! The servers area in PostgreSQL.

use super::text::Text;
use super::{Parameters, Postgres, unreadable};
use crate::{Error, StoredServer};

impl Postgres {
    pub(crate) async fn list_servers(&self) -> Result<Vec<StoredServer>, Error> {
        let sql = "SELECT name, definition, created_at FROM lockgate.servers ORDER BY position";
        let rows = self.rows("read the servers", sql, &[]).await?;
        rows.iter()
            .map(|row| {
                let (name, definition) = (self.text(row, 0)?, self.text(row, 1)?);
                let entry = serde_json::from_str(&definition).map_err(unreadable("server", &name))?;
                Ok(StoredServer { entry, created_at: self.get(row, 2)? })
            })
            .collect()
    }

    pub(crate) async fn add_server(&self, server: StoredServer) -> Result<StoredServer, Error> {
        let name = &server.entry.name;
        let definition = serde_json::to_string(&server.entry).map_err(unreadable("server", name))?;
        let sql = "INSERT INTO lockgate.servers (name, definition, created_at) VALUES ($1, $2, $3)
                   ON CONFLICT (name) DO NOTHING";
        let row: Parameters<'_> = &[&Text(name), &Text(definition), &server.created_at];
        match self.execute("add a server", sql, row).await? {
            0 => Err(Error::Taken(server.entry.name)),
            _ => Ok(server),
        }
    }

    pub(crate) async fn replace_server(&self, server: StoredServer) -> Result<bool, Error> {
        let name = &server.entry.name;
        let definition = serde_json::to_string(&server.entry).map_err(unreadable("server", name))?;
        let sql = "UPDATE lockgate.servers SET definition = $2 WHERE name = $1 AND created_at = $3";
        let row: Parameters<'_> = &[&Text(name), &Text(definition), &server.created_at];
        Ok(self.execute("change a server", sql, row).await? > 0)
    }

    pub(crate) async fn remove_server(&self, name: &str) -> Result<bool, Error> {
        let sql = "DELETE FROM lockgate.servers WHERE name = $1";
        Ok(self.execute("remove a server", sql, &[&Text(name)]).await? > 0)
    }
}
