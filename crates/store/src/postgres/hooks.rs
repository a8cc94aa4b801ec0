//! The hooks area in PostgreSQL.

use super::text::Text;
use super::{Postgres, unreadable};
use crate::marks::Since;
use crate::{Area, Error};
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

    pub(crate) async fn add_hooks(&self, hooks: Vec<Hook>, since: Since) -> Result<(), Error> {
        let sql = "SELECT lockgate.add_hooks($1, $2, $3) FROM lockgate.hold_marks($4, $5)";
        self.put_hooks("add a hook", sql, &hooks, since).await
    }

    pub(crate) async fn replace_hooks(&self, hooks: Vec<Hook>, since: Since) -> Result<(), Error> {
        let sql = "SELECT lockgate.replace_hooks($1, $2, $3) FROM lockgate.hold_marks($4, $5)";
        self.put_hooks("change a hook", sql, &hooks, since).await
    }

    async fn put_hooks(
        &self,
        doing: &'static str,
        sql: &'static str,
        hooks: &[Hook],
        since: Since,
    ) -> Result<(), Error> {
        let ids: Vec<_> = hooks.iter().map(|hook| Text(&hook.id)).collect();
        let names: Vec<_> = hooks.iter().map(|hook| Text(&hook.name)).collect();
        let definitions = hooks
            .iter()
            .map(|hook| serde_json::to_string(hook).map(Text).map_err(unreadable("hook", &hook.name)))
            .collect::<Result<Vec<_>, _>>()?;
        self.change(doing, sql, &[&ids, &names, &definitions], (Area::Hooks, since)).await.map(drop)
    }

    pub(crate) async fn remove_hook(&self, id: &str, since: Since) -> Result<bool, Error> {
        self.remove("remove a hook", id, (Area::Hooks, since)).await
    }
}
