//! Who may do what, and how often: keys, roles, limits and the audit log, as a user writes them.

mod bounds;
mod digest;
mod glob;

pub use bounds::{Bounds, Breaker, Rate, ServerLimits};
pub use digest::Digest;
pub use glob::Glob;

use crate::names::{NameError, check_name};
use crate::server::FieldError;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The fewest characters of a key.
pub const KEY_MIN: usize = 32;

/// The most characters of the name of a key.
pub const KEY_NAME_MAX: usize = 50;

/// What a key may do on the admin routes; each role may do what those before it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Reads.
    Viewer,
    /// Also edits hooks, workflows, activities, templates and schedules.
    Editor,
    /// Also adds and restarts servers, reloads the config file, drives sessions, makes keys, reads the audit log.
    Operator,
}

impl Role {
    /// The words a user may write.
    pub const WORDS: &[&str] = &["viewer", "editor", "operator"];

    /// Its word.
    pub const fn name(self) -> &'static str {
        match self {
            Role::Viewer => "viewer",
            Role::Editor => "editor",
            Role::Operator => "operator",
        }
    }
}

/// What a key permits.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Grant {
    /// Servers that it reaches, with `*` and `?`; all when absent, none when empty. `lockgate` stands for the
    /// gateway's own tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub servers: Option<Vec<Glob>>,
    /// Tools that it reaches, as `tool` or `server/tool`, with `*` and `?`; all when absent, none when empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<Glob>>,
    /// Whether it reaches only tools whose server says that they change nothing (`readOnlyHint`).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub read_only: bool,
    /// What it may do on the admin routes; nothing when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// Requests per second.
    #[serde(skip_serializing_if = "Rate::is_none")]
    pub rate: Rate,
    /// Requests at a time; 0 for no limit.
    #[serde(skip_serializing_if = "is_zero")]
    pub concurrency: u64,
    /// When it ends, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<String>,
}

impl Grant {
    /// When it ends, in milliseconds since 1970; `None` when it does not.
    pub fn ends_at(&self) -> Option<u64> {
        self.expires.as_deref().map(|text| crate::time::parse(text).unwrap_or(0))
    }

    /// Whether there is anything that it does not permit.
    pub fn is_restricted(&self) -> bool {
        self.servers.is_some() || self.tools.is_some() || self.read_only
    }

    /// Whether it reaches a server at all.
    pub fn reaches(&self, server: &str) -> bool {
        self.servers.as_ref().is_none_or(|globs| globs.iter().any(|glob| glob.fits(server)))
    }

    /// Whether it reaches a tool; `read_only` is what the server says of it.
    pub fn reaches_tool(&self, server: &str, tool: &str, read_only: bool) -> bool {
        let fits = |glob: &Glob| match glob.text().contains('/') {
            true => glob.fits(&format!("{server}/{tool}")),
            false => glob.fits(tool),
        };
        let reads = read_only || !self.read_only;
        self.reaches(server) && reads && self.tools.as_ref().is_none_or(|globs| globs.iter().any(fits))
    }

    /// Checks the rules that its shape does not hold.
    pub fn check(&self) -> Result<(), FieldError> {
        if self.expires.as_deref().is_some_and(|text| crate::time::parse(text).is_none()) {
            let message = "must be a time such as 2027-01-31T00:00:00Z";
            return Err(FieldError::new("expires", message));
        }
        Ok(())
    }
}

pub(crate) fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// One entry of `keys`. The key itself is known by its digest only.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct KeyEntry {
    /// Its name, which is the client id of whoever uses it.
    pub name: String,
    /// What tells whether a key is this one.
    pub key: Digest,
    /// What it permits.
    #[serde(flatten)]
    pub grant: Grant,
}

/// Checks the name of a key.
pub fn check_key_name(name: &str) -> Result<(), FieldError> {
    let wrong = |message: String| Err(FieldError::new("name", message));
    match check_name(name, KEY_NAME_MAX) {
        Ok(()) => Ok(()),
        Err(NameError::Missing) => wrong("is required".into()),
        Err(NameError::TooLong(max)) => wrong(format!("exceeds maximum length ({max} characters)")),
        Err(NameError::Characters) => {
            wrong("contains invalid characters (use a-z, A-Z, 0-9, - and _)".into())
        }
    }
}

/// `audit`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Audit {
    /// Whether calls are recorded too; changes made over the admin routes always are.
    pub calls: bool,
    /// For how many days an entry is kept.
    pub days: u64,
}

impl Default for Audit {
    fn default() -> Self {
        Self { calls: false, days: 90 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_may_do_what_those_before_it_may() {
        assert!(Role::Viewer < Role::Editor && Role::Editor < Role::Operator);
        for word in Role::WORDS {
            let role: Role = serde_json::from_str(&format!("\"{word}\"")).expect("a role");
            assert_eq!(role.name(), *word);
        }
    }

    #[test]
    fn a_list_that_is_absent_reaches_all_and_an_empty_one_nothing() {
        for (written, restricted, reached) in [
            ("{}", false, true),
            (r#"{"servers":[]}"#, true, false),
            (r#"{"tools":[]}"#, true, false),
            (r#"{"servers":["s"],"tools":[]}"#, true, false),
            (r#"{"servers":["s"],"tools":["t"]}"#, true, true),
        ] {
            let grant: Grant = serde_json::from_str(written).expect("a grant");
            assert_eq!((grant.is_restricted(), grant.reaches_tool("s", "t", true)), (restricted, reached));
            // It means the same after it was kept.
            assert_eq!(serde_json::to_string(&grant).expect("a text"), written);
        }
    }

    #[test]
    fn a_grant_ends_when_it_says() {
        let grant = |text: &str| Grant { expires: Some(text.into()), ..Grant::default() };
        assert_eq!(Grant::default().ends_at(), None);
        assert_eq!(grant("1970-01-01T00:00:01Z").ends_at(), Some(1000));
        assert_eq!(grant("1970-01-01T00:00:01Z").check(), Ok(()));
        assert_eq!(grant("tomorrow").check().expect_err("no time").path, "expires");
        assert_eq!(grant("tomorrow").ends_at(), Some(0), "what cannot be read has ended");
    }
}
