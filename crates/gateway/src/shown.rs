//! Records of runs and sessions as the admin API shows them (spec 7.2). What is stored, and what a workflow itself gets,
//! stays as it is.

use crate::gateway::Gateway;
use crate::hooks::changed_below;
use crate::server::Server;
use std::sync::Arc;

/// From so many bytes on a text is looked through where nobody waits for the thread.
const LARGE: usize = 64 << 10;

/// The members of records that hold what clients, servers and scripts said. The others are words of the gateway.
const SAID: [&str; 14] = [
    "params",
    "response",
    "mcpResult",
    "metadata",
    "error",
    "console",
    "changes",
    "variables",
    "memory",
    "input",
    "output",
    "parameters",
    "condition",
    "message",
];

impl Gateway {
    /// The JSON text of records without what any server of now knows as a secret.
    pub async fn shown(&self, records: String) -> String {
        let registry = self.registry();
        let servers = registry.servers().iter().filter(|server| server.has_secrets());
        let servers: Vec<Arc<Server>> = servers.cloned().collect();
        let is_large = records.len() > LARGE;
        let look = move || masked(records, &servers);
        if !is_large {
            return look();
        }
        match tokio::task::spawn_blocking(look).await {
            Ok(shown) => shown,
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }
}

fn masked(records: String, servers: &[Arc<Server>]) -> String {
    let masked = |text: &str| servers.iter().fold(text.to_owned(), |text, server| server.mask_text(&text));
    // Most hold none, and need not be looked through.
    match servers.is_empty() || masked(&records) == records {
        true => records,
        false => changed_below(&records, &SAID, masked),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_said_is_changed_and_numbers_stay_as_they_are_written() {
        let deep = |inner: &str| format!("{}{inner}{}", "[".repeat(200), "]".repeat(200));
        let record = |said: &str, key: &str| {
            let deep = deep(&format!("\"{said}\""));
            format!(
                r#"[{{"id":"secret","status" : "secret","context":{{"toolName":"secret","request":{{"params":{{"{key}":[1e400,"{said}"]}}}}}},
                "error":"{said}","n":12345678901234567890123,"results":{{"secret":{{"state":"secret","console":[{{"text":"a{said}\"\u00e9"}}],"error":null}}}},
                "memory":{deep},"waiting":{{"for":"secret","message" : "{said}","digest":"secret"}}}},"secret"]"#
            )
        };
        let changed = changed_below(&record("secret", "secret"), &SAID, |text| text.replace("secret", "***"));
        assert_eq!(changed, record("***", "***").replace(r#"\u00e9"#, "é"));
        let alike = r#"{"input":{"***":0,"secret1":1,"secret2":{"secret3":2,"a":3,"a":4},"****":5}}"#;
        assert_eq!(
            changed_below(alike, &SAID, |text| if text.starts_with("secret") {
                "***".into()
            } else {
                text.into()
            }),
            r#"{"input":{"***":0,"*** (2)":1,"*** (3)":{"***":2,"a":3,"a":4},"****":5}}"#
        );
        assert_eq!(changed_below("{\"error\":\"cut", &SAID, str::to_owned), "{\"error\":\"cut");
    }
}
