//! For whom a process of a server works, and how long it may be idle.

use crate::server::{FieldError, ServerEntry};
use serde::{Deserialize, Serialize};

/// The least and the most milliseconds of `idleTimeout`: a second, a day.
pub const IDLE_TIMEOUT: (u64, u64) = (1000, 24 * 60 * 60 * 1000);

const IDLE_TIMEOUT_USUAL: u64 = 10 * 60 * 1000;

/// For whom a process of a server works.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// One process for all clients.
    #[default]
    Shared,
    /// One process for each client session, for servers that keep state between calls.
    Client,
}

impl Scope {
    /// Every word a user may write.
    pub const WORDS: &[&str] = &["shared", "client"];

    /// Whether it is the usual one.
    pub(crate) fn is_shared(&self) -> bool {
        *self == Scope::Shared
    }
}

impl ServerEntry {
    /// Milliseconds without a request after which a client's own process is ended.
    pub fn idle_timeout(&self) -> u64 {
        self.idle_timeout.unwrap_or(IDLE_TIMEOUT_USUAL)
    }
}

/// Checks that an idle time is sensible, and that there is something to be idle.
pub(crate) fn check_idle_timeout(scope: Scope, ms: Option<u64>) -> Result<(), FieldError> {
    let (min, max) = IDLE_TIMEOUT;
    let message = match ms {
        Some(n) if !(min..=max).contains(&n) => format!("must be an integer between {min} and {max}"),
        Some(_) if scope.is_shared() => "is for a server with 'scope: client'".to_owned(),
        _ => return Ok(()),
    };
    Err(FieldError::new("idleTimeout", message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_idle_timeout_needs_a_process_per_client_and_a_sensible_value() {
        let check = |scope, ms, expected: &str| {
            let found = check_idle_timeout(scope, ms).map_or_else(|error| error.under("s"), |()| "ok".into());
            assert_eq!(found, expected, "{scope:?} {ms:?}");
        };
        check(Scope::Client, None, "ok");
        check(Scope::Shared, None, "ok");
        check(Scope::Client, Some(1000), "ok");
        check(Scope::Client, Some(86_400_000), "ok");
        check(Scope::Shared, Some(5000), "s.idleTimeout is for a server with 'scope: client'");
        for ms in [0, 999, 86_400_001] {
            check(Scope::Client, Some(ms), "s.idleTimeout must be an integer between 1000 and 86400000");
        }
    }

    #[test]
    fn what_is_usual_is_not_written_down() {
        let text = json!({"name": "s", "command": "c", "scope": "shared"});
        let entry: ServerEntry = serde_json::from_value(text).expect("the shape is right");
        assert_eq!(serde_json::to_value(&entry).expect("JSON"), json!({"name": "s", "command": "c"}));
        assert_eq!((entry.scope, entry.idle_timeout()), (Scope::Shared, 600_000));
    }
}
