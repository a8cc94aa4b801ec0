//! Who may come in and what they may do: the keys in force, and what each of them permits.
//!
//! A key is looked up by its SHA-256. What the lookup takes tells at most something about that digest, from which
//! nobody gets back to a key of 256 random bits; a slow password hash would add nothing but cost, because such a key
//! cannot be guessed.

mod breaker;
mod enter;
mod gate;
mod grants;
mod pass;
mod policy;
mod stored;
mod token;

pub(crate) use enter::{Entered, ServerGates, retry};
pub(crate) use gate::Gate;
pub use pass::{KeyOrigin, Pass};
pub(crate) use policy::OWN;
pub use stored::{KeyView, NewKey};
pub use token::TokenError;

use arc_swap::{ArcSwap, ArcSwapOption};
use model::Settings;
use model::access::{Digest, KeyEntry, Role};
use std::collections::HashMap;
use std::sync::Arc;
use token::Tokens;
use tokio::sync::Mutex;

/// The keys in force.
#[derive(Default)]
pub struct Access {
    ring: ArcSwap<Ring>,
    /// The tokens in force beside the keys.
    tokens: ArcSwapOption<Tokens>,
    /// Held from the reading of the keys of the store until they are in force, so that no older list comes last. Counts
    /// the changes of keys in the store up to then.
    renewing: Mutex<u64>,
}

#[derive(Default)]
struct Ring {
    by_digest: HashMap<[u8; 32], Arc<Pass>>,
    /// Those of the config file first, then those of the store.
    order: Vec<Arc<Pass>>,
}

/// What a key that somebody gave is worth.
#[derive(Clone, Debug)]
pub enum Presented {
    /// It is one of the keys.
    Good(Arc<Pass>),
    /// It was one of them.
    Expired,
    /// It is none.
    Wrong,
}

impl Access {
    /// Whether there are neither keys nor tokens, so that everybody may come in.
    pub fn is_open(&self) -> bool {
        self.ring.load().order.is_empty() && self.tokens.load().is_none()
    }

    /// What a key is worth, or a token that was checked before.
    pub fn present(&self, key: &str) -> Presented {
        let found = self.find(&Digest::of(key.as_bytes()));
        match (found, self.tokens_for(key)) {
            (Presented::Wrong, Some(tokens)) => tokens.known(key).map_or(Presented::Wrong, Presented::Good),
            (found, _) => found,
        }
    }

    /// Checks a token that is not known; `None` when the text is none, or tokens are not taken.
    pub async fn check_token(&self, token: &str) -> Option<Result<Arc<Pass>, TokenError>> {
        let tokens = self.tokens_for(token)?;
        Some(tokens.check(token).await)
    }

    fn tokens_for(&self, text: &str) -> Option<Arc<Tokens>> {
        if token::looks_like(text) { self.tokens.load_full() } else { None }
    }

    /// The metadata of the gateway as a resource, where tokens are taken.
    pub fn resource(&self) -> Option<serde_json::Value> {
        self.tokens.load().as_ref().map(|tokens| tokens.describe())
    }

    /// Where that metadata is, and the scopes that permit what takes a role, or anything at all.
    pub fn resource_for(&self, role: Option<Role>) -> Option<(String, String)> {
        self.tokens.load().as_ref().map(|tokens| (tokens.described_at(), tokens.scopes_for(role)))
    }

    /// Other tokens from now on, where the settings say so.
    pub(crate) fn set_tokens(&self, settings: &Settings) {
        if self.tokens.load().as_ref().is_some_and(|tokens| tokens.are(settings)) {
            return;
        }
        if let Some(old) = self.tokens.swap(Tokens::new(settings).map(Arc::new)) {
            old.end();
        }
    }

    /// The same for the digest of one.
    pub fn find(&self, digest: &Digest) -> Presented {
        match self.ring.load().by_digest.get(&digest.0) {
            Some(pass) if pass.has_ended(now) => Presented::Expired,
            Some(pass) => Presented::Good(pass.clone()),
            None => Presented::Wrong,
        }
    }

    /// Whether a key that was good still is.
    pub(crate) fn holds(&self, pass: &Pass) -> bool {
        pass.is_good_token(now).unwrap_or_else(|| matches!(self.find(pass.digest()), Presented::Good(_)))
    }

    /// Whether a key that was good still is, and enough for what takes that role.
    pub fn still_may(&self, pass: &Pass, role: Role) -> bool {
        match pass.is_good_token(now) {
            Some(good) => good && pass.may(role),
            None => matches!(self.find(pass.digest()), Presented::Good(held) if held.may(role)),
        }
    }

    /// The keys, those of the config file first.
    pub(crate) fn all(&self) -> Vec<Arc<Pass>> {
        self.ring.load().order.clone()
    }

    /// Other keys from now on. A key that stays as it is keeps what is counted of it.
    pub(crate) fn set(&self, file: &[KeyEntry], stored: &[KeyEntry]) {
        let old = self.ring.load_full();
        let mut ring = Ring::default();
        let file = file.iter().map(|entry| (entry, KeyOrigin::Config));
        for (entry, origin) in file.chain(stored.iter().map(|entry| (entry, KeyOrigin::Api))) {
            let taken = ring.order.iter().any(|pass| pass.name() == entry.name);
            if taken || ring.by_digest.contains_key(&entry.key.0) {
                tracing::warn!(
                    key = entry.name,
                    "a key of the store has the name of one of the config file and is not used"
                );
                continue;
            }
            let kept = old.by_digest.get(&entry.key.0).filter(|pass| pass.is(entry, origin));
            let pass = kept.cloned().unwrap_or_else(|| Arc::new(Pass::new(entry.clone(), origin)));
            ring.by_digest.insert(entry.key.0, pass.clone());
            ring.order.push(pass);
        }
        let last_gone = ring.order.is_empty() && !old.order.is_empty();
        self.ring.store(Arc::new(ring));
        if last_gone && self.is_open() {
            tracing::warn!("no key is left: whoever reaches this gateway may do everything");
        }
    }
}

/// Milliseconds since 1970.
pub(crate) fn now() -> u64 {
    u64::try_from(crate::hooks::now()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::access::Grant;

    fn entry(name: &str, key: &str, expires: Option<&str>) -> KeyEntry {
        let grant = Grant { expires: expires.map(str::to_owned), ..Grant::default() };
        KeyEntry { name: name.into(), key: Digest::of(key.as_bytes()), grant }
    }

    fn name(access: &Access, key: &str) -> String {
        match access.present(key) {
            Presented::Good(pass) => pass.name().to_owned(),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn a_key_is_known_by_its_digest_until_it_ends() {
        let access = Access::default();
        assert!(access.is_open());
        let file = [entry("a", "one", None), entry("old", "two", Some("2020-01-01T00:00:00Z"))];
        access.set(&file, &[entry("b", "three", Some("2999-01-01T00:00:00Z"))]);
        assert!(!access.is_open());
        assert_eq!(
            ["one", "two", "three", "four", ""].map(|key| name(&access, key)),
            ["a", "Expired", "b", "Wrong", "Wrong"]
        );
        access.set(&[], &[]);
        assert_eq!(name(&access, "one"), "Wrong");
    }

    #[test]
    fn a_key_may_no_longer_what_it_may_not_now() {
        let access = Access::default();
        let with = |role: Option<Role>, expires: Option<&str>| {
            let mut entry = entry("a", "one", expires);
            entry.grant.role = role;
            access.set(&[entry], &[]);
        };
        with(Some(Role::Viewer), None);
        let pass = access.all().remove(0);
        assert!(access.still_may(&pass, Role::Viewer) && !access.still_may(&pass, Role::Editor));
        with(Some(Role::Editor), None);
        assert!(access.still_may(&pass, Role::Viewer));
        with(Some(Role::Editor), Some("2020-01-01T00:00:00Z"));
        assert!(!access.still_may(&pass, Role::Viewer), "it has ended");
        with(None, None);
        assert!(!access.still_may(&pass, Role::Viewer), "it has no role any more");
        access.set(&[], &[]);
        assert!(!access.still_may(&pass, Role::Viewer), "it was revoked");
    }

    #[test]
    fn a_key_of_the_file_goes_before_one_of_the_store() {
        let access = Access::default();
        access.set(
            &[entry("a", "one", None)],
            &[entry("a", "two", None), entry("b", "one", None), entry("c", "three", None)],
        );
        assert_eq!(["one", "two", "three"].map(|key| name(&access, key)), ["a", "Wrong", "c"]);
    }

    #[test]
    fn a_key_that_stays_keeps_what_is_counted_of_it() {
        let access = Access::default();
        access.set(&[entry("a", "one", None)], &[]);
        let before = access.all();
        access.set(&[entry("a", "one", None), entry("b", "two", None)], &[]);
        assert!(Arc::ptr_eq(&before[0], &access.all()[0]));
        access.set(&[entry("a", "one", Some("2999-01-01T00:00:00Z"))], &[]);
        assert!(!Arc::ptr_eq(&before[0], &access.all()[0]));
    }
}
