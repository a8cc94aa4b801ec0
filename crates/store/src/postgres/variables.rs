//! The variables area in PostgreSQL.

use super::Postgres;
use super::text::Text;
use crate::{Before, Error, VariableChange};
use std::collections::BTreeMap;

impl Postgres {
    pub(crate) async fn list_variables(&self, workflow: &str) -> Result<BTreeMap<String, String>, Error> {
        let sql = "SELECT name, value FROM lockgate.variables WHERE workflow = $1";
        let rows = self.rows("read the variables", sql, &[&Text(workflow)]).await?;
        rows.iter().map(|row| Ok((self.text(row, 0)?, self.text(row, 1)?))).collect()
    }

    pub(crate) async fn change_variables(
        &self,
        workflow: &str,
        changes: Vec<VariableChange>,
    ) -> Result<bool, Error> {
        let names: Vec<_> = changes.iter().map(|one| Text(&one.name)).collect();
        let any: Vec<_> = changes.iter().map(|one| one.before == Before::Any).collect();
        let before: Vec<_> = changes
            .iter()
            .map(|one| match &one.before {
                Before::Is(Some(text)) => Some(Text(text)),
                Before::Is(None) | Before::Any => None,
            })
            .collect();
        let after: Vec<_> = changes.iter().map(|one| Text(&one.after)).collect();
        let sql = "SELECT lockgate.change_variables($1, $2, $3, $4, $5)";
        let row =
            self.row("change variables", sql, &[&Text(workflow), &names, &any, &before, &after]).await?;
        self.get(&row, 0)
    }
}
