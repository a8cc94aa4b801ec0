//! Reading the audit log.

use crate::gateway::{Gateway, unread};
use model::{Code, Fault};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use store::{AuditEntry, AuditFilter};

/// The most entries on one page.
const PAGE_MAX: usize = 1000;

/// How many entries a page has when nobody says.
const PAGE: usize = 100;

/// The kinds of entries.
const KINDS: [&str; 5] = ["call", "change", "refusal", "lost", "trim"];

/// How many entries are exported at a time.
const CHUNK: usize = 500;

/// Which entries are listed.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditQuery {
    /// Those of this kind: `call`, `change`, `refusal`, `lost` or `trim`.
    pub kind: Option<String>,
    /// Those of this client.
    pub who: Option<String>,
    /// Those done to this: `server/tool`, or a path.
    pub subject: Option<String>,
    /// Those before this number.
    pub before: Option<String>,
    /// How many; 100 by default.
    pub limit: Option<String>,
}

/// One entry of the audit log.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditView {
    /// Its number; the first is 1, and none is left out.
    pub number: u64,
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// `call`, `change`, `refusal`, `lost` for entries that could not be recorded, or `trim` for those that were
    /// forgotten because they are old.
    pub kind: String,
    /// Who did it.
    pub who: String,
    /// What it was done to: `server/tool`, or a path.
    pub subject: String,
    /// The rest: outcome, time, hooks, digest of the arguments; method, status and address of a change.
    #[schema(value_type = Object)]
    pub details: Box<RawValue>,
    /// The hash of the entry before.
    pub previous: String,
    /// Its own, which covers all of the above.
    pub hash: String,
}

impl From<AuditEntry> for AuditView {
    fn from(entry: AuditEntry) -> Self {
        let AuditEntry { number, draft, previous, hash } = entry;
        let details = RawValue::from_string(draft.body).unwrap_or_else(|_| RawValue::NULL.to_owned());
        let store::AuditDraft { at, kind, who, subject, .. } = draft;
        Self { number, at, kind, who, subject, details, previous, hash }
    }
}

impl Gateway {
    /// Entries of the audit log, the newest first.
    pub async fn audit_list(&self, query: &AuditQuery) -> Result<Vec<AuditView>, Fault> {
        let wrong = |field: &str, message: &str| {
            Fault::new(Code::ValidationError, format!("{field} {message}")).with("field", field)
        };
        let limit = query.limit.as_deref().map_or(Some(PAGE), |text| text.parse().ok());
        let limit = limit.filter(|limit| (1..=PAGE_MAX).contains(limit));
        let limit =
            limit.ok_or_else(|| wrong("limit", &format!("must be an integer between 1 and {PAGE_MAX}")))?;
        let before = query.before.as_deref().map(str::parse).transpose();
        let before = before.map_err(|_| wrong("before", "must be the number of an entry"))?;
        if query.kind.as_deref().is_some_and(|kind| !KINDS.contains(&kind)) {
            return Err(wrong("kind", &format!("must be one of {}", KINDS.join(", "))));
        }
        let filter =
            AuditFilter { kind: query.kind.clone(), who: query.who.clone(), subject: query.subject.clone() };
        self.audit.shared.flush().await;
        let found = self.store.audit().list(&filter, before, limit).await.map_err(|error| unread(&error))?;
        Ok(found.into_iter().map(AuditView::from).collect())
    }

    /// Some entries of the audit log after that number, the oldest first; none at its end.
    pub async fn audit_after(&self, number: u64) -> Result<Vec<AuditView>, Fault> {
        self.audit.shared.flush().await;
        let found = self.store.audit().after(number, CHUNK).await.map_err(|error| unread(&error))?;
        Ok(found.into_iter().map(AuditView::from).collect())
    }
}
