//! What is particular to PostgreSQL: the server that comes and goes, several instances, upgrades, secrets, TLS, and
//! copies from one store to another.

mod copy;
mod faults;
mod instances;
mod upgrade;

use lockgate_store::{Error, Store, open};
use model::ServerEntry;

fn entry(name: &str) -> ServerEntry {
    serde_json::from_value(serde_json::json!({"name": name, "command": "true"})).expect("an entry")
}

async fn open_url(url: &str) -> Result<Store, Error> {
    open(&url.parse()?).await
}

/// Expects that opening fails, and gives the message.
async fn refusal(url: &str) -> String {
    match open_url(url).await {
        Ok(_) => panic!("it opened"),
        Err(error) => format!("{error} {error:?}"),
    }
}
