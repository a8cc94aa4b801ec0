//! The rates in PostgreSQL.

use super::Postgres;
use super::text::Text;
use crate::Error;
use crate::rates::{Flow, Granted};

impl Postgres {
    pub(crate) async fn take_rate(&self, name: &str, flow: Flow, want: i64) -> Result<Granted, Error> {
        let (each, depth) = flow.micros();
        let sql = "SELECT granted, rest FROM lockgate.take_rate($1, $2, $3, $4)";
        let row = self.row("hold a rate", sql, &[&Text(name), &each, &depth, &want]).await?;
        Ok(Granted::new(self.get(&row, 0)?, self.get(&row, 1)?))
    }
}
