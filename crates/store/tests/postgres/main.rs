//! What is particular to PostgreSQL: the server that comes and goes, several instances, upgrades, secrets, TLS, and
//! copies from one store to another.

mod copy;
mod faults;
mod instances;
mod steps;
mod upgrade;

use lockgate_store::{Claim, Created, Error, SessionLimits, SessionRow, Store, open};
use model::ServerEntry;

fn entry(name: &str) -> ServerEntry {
    serde_json::from_value(serde_json::json!({"name": name, "command": "true"})).expect("an entry")
}

/// An open session that waits for nothing.
fn session(id: &str) -> SessionRow {
    SessionRow { caller: "ann".into(), definition: "d1".into(), ..SessionRow::started(id, "calc", 1) }
}

/// Keeps a session with one event.
async fn started(store: &Store, row: SessionRow) {
    let limits = SessionLimits { most: u64::MAX, finished_before: i64::MIN, evict_open: false, since: None };
    let made = store.sessions().create(row, None, vec!["{}".into()], limits, Claim::Free).await;
    assert_eq!(made.expect("created"), Created::Made);
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
