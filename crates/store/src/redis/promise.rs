//! What the server promises about acknowledged work, looked at once at the start.

use redis::aio::ConnectionManager;
use std::collections::HashMap;

/// What is asked of the server.
const SETTINGS: [&str; 4] = ["appendonly", "appendfsync", "save", "maxmemory-policy"];

/// Says what can be lost, and warns of a server that throws away what it keeps. Where the server does not tell its
/// settings, those that are usual where work is to be kept are supposed.
pub(super) async fn tell(mut connection: ConnectionManager) {
    let mut found = HashMap::new();
    for name in SETTINGS {
        let mut command = redis::cmd("CONFIG");
        let answer = command.arg("GET").arg(name).query_async::<HashMap<String, String>>(&mut connection);
        match answer.await {
            Ok(setting) => found.extend(setting),
            Err(error) => {
                tracing::debug!(reason = %error, "what the store promises is not known");
                break;
            }
        }
    }
    let loss = loss(&found);
    tracing::warn!(
        "the store is Redis: {loss}, and a failover loses acknowledged work (see docs/guide/stores.md)"
    );
    let policy = found.get("maxmemory-policy").filter(|policy| *policy != "noeviction");
    if let Some(policy) = policy {
        tracing::warn!(policy, "Redis may evict what is kept here: set maxmemory-policy to noeviction");
    }
}

/// What a crash of the server loses.
fn loss(settings: &HashMap<String, String>) -> &'static str {
    let is = |name: &str, value: &str| settings.get(name).is_some_and(|found| found == value);
    match () {
        () if is("appendonly", "no") && is("save", "") => {
            "it keeps nothing on disk, so a restart of the server loses everything"
        }
        () if is("appendonly", "no") => {
            "appendonly is off, so a crash of the server can lose everything since the last snapshot"
        }
        () if is("appendfsync", "always") => "a crash of the server loses nothing that was acknowledged",
        () if is("appendfsync", "no") => {
            "appendfsync is no, so a crash of its machine can lose the last half minute"
        }
        () => "a crash of the server can lose the last second",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(settings: &[(&str, &str)], expected: &str) {
        let settings = settings.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
        assert!(loss(&settings).contains(expected), "{settings:?}: {}", loss(&settings));
    }

    #[test]
    fn what_a_crash_loses_is_up_to_the_settings() {
        check(&[], "the last second");
        check(&[("appendonly", "yes"), ("appendfsync", "everysec"), ("save", "")], "the last second");
        check(&[("appendonly", "yes"), ("appendfsync", "always")], "loses nothing");
        check(&[("appendonly", "yes"), ("appendfsync", "no")], "the last half minute");
        check(
            &[("appendonly", "no"), ("appendfsync", "always"), ("save", "3600 1")],
            "since the last snapshot",
        );
        check(&[("appendonly", "no"), ("appendfsync", "everysec"), ("save", "")], "loses everything");
    }
}
