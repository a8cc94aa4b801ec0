//! The hooks area in PostgreSQL.

use super::text::Text;
use super::{Postgres, unreadable};
use crate::Error;
use model::Hook;

impl Postgres {
    pub(crate) async fn list_hooks(&self) -> Result<Vec<Hook>, Error> {
        let sql = "SELECT name, definition FROM lockgate.hooks ORDER BY position";
        let rows = self.rows("read the hooks", sql, &[]).await?;
        rows.iter()
            .map(|row| {
                let (name, definition) = (self.text(row, 0)?, self.text(row, 1)?);
                serde_json::from_str(&definition).map_err(unreadable("hook", &name))
            })
            .collect()
    }

    pub(crate) async fn add_hooks(&self, hooks: Vec<Hook>) -> Result<(), Error> {
        self.put_hooks("add a hook", "SELECT lockgate.add_hooks($1, $2, $3)", &hooks).await
    }

    pub(crate) async fn replace_hooks(&self, hooks: Vec<Hook>) -> Result<(), Error> {
        self.put_hooks("change a hook", "SELECT lockgate.replace_hooks($1, $2, $3)", &hooks).await
    }

    async fn put_hooks(&self, doing: &'static str, sql: &'static str, hooks: &[Hook]) -> Result<(), Error> {
        let ids: Vec<_> = hooks.iter().map(|hook| Text(&hook.id)).collect();
        let names: Vec<_> = hooks.iter().map(|hook| Text(&hook.name)).collect();
        let definitions = hooks
            .iter()
            .map(|hook| serde_json::to_string(hook).map(Text).map_err(unreadable("hook", &hook.name)))
            .collect::<Result<Vec<_>, _>>()?;
        self.execute(doing, sql, &[&ids, &names, &definitions]).await.map(drop)
    }

    pub(crate) async fn remove_hook(&self, id: &str) -> Result<bool, Error> {
        let sql = "DELETE FROM lockgate.hooks WHERE id = $1";
        Ok(self.execute("remove a hook", sql, &[&Text(id)]).await? > 0)
    }
}
