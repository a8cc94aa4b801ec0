//! What the server promises about acknowledged work, looked at once at the start.

use super::refusal::Place;
use tokio_postgres::Client;

/// Warns when acknowledged work could be lost: by a crash of the server, or when a standby takes over.
pub(super) async fn check(client: &Client, place: &Place) {
    let sql = "SELECT current_setting('synchronous_commit'), current_setting('fsync'),
               current_setting('synchronous_standby_names'),
               (SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'async')";
    match place.answer("look at the replication", client.query_one(sql, &[])).await {
        Ok(row) => {
            if let Some(reason) = weakness(row.get(0), row.get(1), row.get(2), row.get(3)) {
                tracing::warn!(
                    reason,
                    "acknowledged work could be lost with this store (see docs/guide/stores.md)"
                );
            }
        }
        Err(reason) => tracing::debug!(%reason, "what the store promises is not known"),
    }
}

fn weakness(commit: &str, fsync: &str, standbys: &str, asynchronous: i64) -> Option<&'static str> {
    if fsync == "off" {
        return Some("fsync is off: a crash of the database server's machine can lose or damage everything");
    }
    if commit == "off" {
        return Some("synchronous_commit is off: a crash of the database server loses the last moments");
    }
    if asynchronous > 0 && standbys.trim().is_empty() {
        return Some(
            "standbys follow asynchronously: a failover loses what they had not received; \
                     set synchronous_standby_names",
        );
    }
    if asynchronous > 0 && commit == "local" {
        return Some("synchronous_commit is local: a failover loses what the standby had not received");
    }
    None
}

#[cfg(test)]
mod tests {
    use super::weakness;

    fn check(settings: (&str, &str, &str, i64), expected: &str) {
        let (commit, fsync, standbys, asynchronous) = settings;
        let found = weakness(commit, fsync, standbys, asynchronous).unwrap_or("none");
        assert!(found.starts_with(expected), "{settings:?}: {found}");
    }

    #[test]
    fn a_server_that_can_lose_acknowledged_work_is_named_as_such() {
        check(("on", "on", "", 0), "none");
        check(("on", "off", "", 0), "fsync is off");
        check(("off", "on", "", 0), "synchronous_commit is off");
        check(("on", "on", "", 1), "standbys follow asynchronously");
        check(("on", "on", "ANY 1 (a, b)", 1), "none");
        check(("local", "on", "ANY 1 (a, b)", 1), "synchronous_commit is local");
        check(("remote_apply", "on", "a", 0), "none");
    }
}
