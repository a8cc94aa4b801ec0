//! What session workflows run on, and where Restate is.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What session workflows run on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum EngineKind {
    /// The gateway itself, with its journals in the store.
    #[default]
    Local,
    /// Restate.
    Restate,
}

impl EngineKind {
    /// The words a user may write.
    pub const WORDS: &[&str] = &["local", "restate"];
}

/// `restate`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Restate {
    /// Address at which Restate takes calls.
    pub ingress: Option<String>,
    /// Address at which Restate is administered.
    pub admin: Option<String>,
    /// Address and port at which this instance takes calls of Restate.
    pub listen: String,
    /// Address at which Restate finds this instance and all others like it; without one `listen`.
    pub endpoint: Option<String>,
    /// The public key that calls of Restate must be signed with.
    pub identity_key: Option<String>,
}

impl Default for Restate {
    fn default() -> Self {
        Self {
            ingress: None,
            admin: None,
            listen: "127.0.0.1:9080".into(),
            endpoint: None,
            identity_key: None,
        }
    }
}
