//! A key in force: what it permits, what is counted of it, and the lists as it sees them.

use super::gate::Gate;
use super::token::Checked;
use crate::endpoint::Catalog;
use bytes::Bytes;
use model::access::{Bounds, Digest, Grant, KeyEntry, Rate, Role};
use serde::Serialize;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// How many addresses are remembered from which a key came.
const SOURCES_MAX: usize = 64;

/// Where a key stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum KeyOrigin {
    /// In the config file.
    Config,
    /// In the store.
    Api,
}

/// A key in force.
pub struct Pass {
    entry: KeyEntry,
    origin: KeyOrigin,
    ends_at: Option<u64>,
    restricted: bool,
    /// What else it permits: a token may have several scopes.
    others: Vec<Grant>,
    /// For a token: the keys of its issuer that it was checked with.
    checked: Option<Checked>,
    pub(super) gate: Option<Arc<Gate>>,
    /// Under which name all instances hold its rate together.
    rate_name: String,
    /// Addresses from which it came before. Most come from one or two.
    sources: RwLock<Vec<IpAddr>>,
    pub(crate) catalog: Derived<Catalog, Catalog>,
    pub(crate) tools: Derived<Bytes, Bytes>,
}

/// Whoever holds a key is named; nothing of the key is.
impl std::fmt::Debug for Pass {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Pass({})", self.entry.name)
    }
}

impl Pass {
    /// A key of that entry.
    pub fn new(entry: KeyEntry, origin: KeyOrigin) -> Self {
        let Grant { rate, concurrency, .. } = &entry.grant;
        let bounds = Bounds { rate: *rate, concurrency: *concurrency, queue: 0 };
        Self {
            restricted: entry.grant.is_restricted(),
            gate: Gate::new(&bounds).map(Arc::new),
            rate_name: format!("key:{}", entry.name),
            ends_at: entry.grant.ends_at(),
            entry,
            origin,
            others: Vec::new(),
            checked: None,
            sources: RwLock::default(),
            catalog: Derived::default(),
            tools: Derived::default(),
        }
    }

    /// A token of that subject with these scopes: it permits what any of them does, under the widest of their limits.
    pub(super) fn of_token(
        name: String,
        key: Digest,
        scopes: Vec<(&str, Grant)>,
        (ends_at, checked): (u64, Checked),
    ) -> Self {
        let (scopes, mut grants): (Vec<&str>, Vec<Grant>) = scopes.into_iter().unzip();
        // Other scopes have another rate, and it would be held in the wrong measure.
        let rate_name = format!("key:{name} {}", scopes.join(" "));
        let widest = |own: u64, other: u64| if own == 0 || other == 0 { 0 } else { own.max(other) };
        let width = |rate: &Rate| (rate.is_none(), rate.per_second, rate.at_once());
        let restricted = grants.iter().all(Grant::is_restricted);
        let mut grant = grants.pop().unwrap_or_default();
        for other in &grants {
            grant.role = grant.role.max(other.role);
            grant.concurrency = widest(grant.concurrency, other.concurrency);
            if width(&other.rate) > width(&grant.rate) {
                grant.rate = other.rate;
            }
        }
        let pass = Self::new(KeyEntry { name, key, grant }, KeyOrigin::Config);
        Self { ends_at: Some(ends_at), restricted, others: grants, checked: Some(checked), rate_name, ..pass }
    }

    /// Whether it permits the same as another.
    pub(super) fn permits_as(&self, other: &Self) -> bool {
        self.entry.grant == other.entry.grant && self.others == other.others
    }

    /// The same, with what is counted of an earlier one.
    pub(super) fn counting_with(mut self, earlier: &Self) -> Self {
        self.gate.clone_from(&earlier.gate);
        self
    }

    /// For a token: whether it is still good. `None` for a key.
    pub(super) fn is_good_token(&self, now: impl FnOnce() -> u64) -> Option<bool> {
        self.checked.as_ref().map(|checked| checked.holds() && !self.has_ended(now))
    }

    /// Whether it is a token of an issuer, and no key.
    pub fn is_token(&self) -> bool {
        self.checked.is_some()
    }

    /// Its name, which is the client id of whoever uses it.
    pub fn name(&self) -> &str {
        &self.entry.name
    }

    /// What tells that a key is this one.
    pub fn digest(&self) -> &Digest {
        &self.entry.key
    }

    /// Under which name all instances hold its rate together.
    pub(super) fn rate_name(&self) -> &str {
        &self.rate_name
    }

    /// Where it stands.
    pub fn origin(&self) -> KeyOrigin {
        self.origin
    }

    /// What it permits.
    pub fn grant(&self) -> &Grant {
        &self.entry.grant
    }

    /// Whether it may do on the admin routes what takes that role.
    pub fn may(&self, role: Role) -> bool {
        self.entry.grant.role.is_some_and(|own| own >= role)
    }

    pub(super) fn is(&self, entry: &KeyEntry, origin: KeyOrigin) -> bool {
        self.entry == *entry && self.origin == origin
    }

    /// Most have no end, and nobody looks at the clock for them.
    pub(super) fn has_ended(&self, now: impl FnOnce() -> u64) -> bool {
        self.ends_at.is_some_and(|end| end <= now())
    }

    /// Whether there is anything that it does not permit.
    pub(crate) fn is_restricted(&self) -> bool {
        self.restricted
    }

    /// Whether it reaches a server at all.
    pub(crate) fn reaches(&self, server: &str) -> bool {
        self.grants().any(|grant| grant.reaches(server))
    }

    /// Whether anything that it permits depends on what servers say of their tools.
    pub(crate) fn asks_for_hints(&self) -> bool {
        self.grants().any(|grant| grant.read_only)
    }

    fn grants(&self) -> impl Iterator<Item = &Grant> {
        std::iter::once(&self.entry.grant).chain(&self.others)
    }

    /// Whether it reaches a tool; `read_only` is what the server says of it.
    pub(crate) fn reaches_tool(&self, server: &str, tool: &str, read_only: bool) -> bool {
        self.grants().any(|grant| grant.reaches_tool(server, tool, read_only))
    }

    /// Notes an address from which it came. Whether it came from there before.
    pub fn came_from(&self, source: IpAddr) -> bool {
        if self.knows(source) {
            return true;
        }
        let mut sources = self.sources.write().unwrap_or_else(PoisonError::into_inner);
        if sources.len() >= SOURCES_MAX {
            sources.clear();
        }
        sources.push(source);
        false
    }

    /// Whether it came from an address before.
    pub fn knows(&self, source: IpAddr) -> bool {
        self.sources.read().unwrap_or_else(PoisonError::into_inner).contains(&source)
    }
}

/// The last thing made from another, until that is another one.
pub(crate) struct Derived<B, T>(Mutex<Option<(Arc<B>, Arc<T>)>>);

impl<B, T> Default for Derived<B, T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<B, T> Derived<B, T> {
    pub(crate) fn get(&self, base: &Arc<B>, make: impl FnOnce() -> T) -> Arc<T> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, made)) = &*last
            && Arc::ptr_eq(of, base)
        {
            return made.clone();
        }
        let made = Arc::new(make());
        *last = Some((base.clone(), made.clone()));
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::access::Glob;

    fn pass(grant: Grant) -> Pass {
        Pass::new(KeyEntry { name: "k".into(), key: Digest([0; 32]), grant }, KeyOrigin::Config)
    }

    fn globs(texts: &[&str]) -> Option<Vec<Glob>> {
        Some(texts.iter().map(|text| Glob::new(*text)).collect())
    }

    #[test]
    fn a_grant_reaches_what_its_patterns_fit() {
        let everything = pass(Grant::default());
        assert!(!everything.is_restricted() && everything.reaches_tool("s", "t", false));
        let some = pass(Grant {
            servers: globs(&["git*"]),
            tools: globs(&["get-*", "gitlab/push"]),
            ..Grant::default()
        });
        for (server, tool, expected) in [
            ("github", "get-user", true),
            ("github", "push", false),
            ("gitlab", "push", true),
            ("mail", "get-user", false),
        ] {
            assert_eq!(some.reaches_tool(server, tool, false), expected, "{server}/{tool}");
        }
        let reader = pass(Grant { read_only: true, ..Grant::default() });
        assert!(reader.is_restricted() && reader.reaches_tool("s", "t", true));
        assert!(!reader.reaches_tool("s", "t", false));
    }

    #[test]
    fn a_role_is_enough_for_itself_and_those_below() {
        let editor = pass(Grant { role: Some(Role::Editor), ..Grant::default() });
        assert!(editor.may(Role::Viewer) && editor.may(Role::Editor) && !editor.may(Role::Operator));
        assert!(!pass(Grant::default()).may(Role::Viewer));
    }

    #[test]
    fn what_was_made_is_made_again_when_its_base_is_another() {
        let (derived, one, two) = (Derived::default(), Arc::new(1), Arc::new(1));
        assert_eq!(*derived.get(&one, || "a"), "a");
        assert_eq!(*derived.get(&one, || "b"), "a");
        assert_eq!(*derived.get(&two, || "c"), "c");
    }
}
