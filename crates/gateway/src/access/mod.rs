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
pub use token::{Denied, TokenError};

use arc_swap::ArcSwap;
use model::Settings;
use model::access::{Digest, KeyEntry, Role};
use std::collections::HashMap;
use std::sync::Arc;
use token::Tokens;
use tokio::sync::Mutex;

/// The keys and tokens in force.
#[derive(Default)]
pub struct Access {
    /// Both at once, so that the gateway is not open between one and the other.
    ring: ArcSwap<Ring>,
    /// Held from the reading of the keys of the store until they are in force, so that no older list comes last. Counts
    /// the changes of keys in the store up to then.
    renewing: Mutex<u64>,
}

#[derive(Default)]
struct Ring {
    by_digest: HashMap<[u8; 32], Arc<Pass>>,
    /// Those of the config file first, then those of the store.
    order: Vec<Arc<Pass>>,
    /// The tokens beside the keys.
    tokens: Option<Arc<Tokens>>,
}

impl Ring {
    fn is_open(&self) -> bool {
        self.order.is_empty() && self.tokens.is_none()
    }
}

/// What a key that somebody gave is worth.
#[derive(Clone, Debug)]
pub enum Presented {
    /// It is one of the keys.
    Good(Arc<Pass>),
    /// It was one of them.
    Expired(Arc<Pass>),
    /// It is none.
    Wrong,
}

impl Access {
    /// Whether there are neither keys nor tokens, so that everybody may come in.
    pub fn is_open(&self) -> bool {
        self.ring.load().is_open()
    }

    /// What a key of that digest is worth, or a token that was checked before.
    pub fn present(&self, key: &str, digest: &Digest) -> Presented {
        let found = self.find(digest);
        match (found, self.tokens_for(key)) {
            (Presented::Wrong, Some(tokens)) => {
                tokens.known(digest).map_or(Presented::Wrong, Presented::Good)
            }
            (found, _) => found,
        }
    }

    /// Checks a token that is not known; `None` when the text is none, or tokens are not taken.
    pub async fn check_token(&self, token: &str) -> Option<Result<Arc<Pass>, Denied>> {
        let tokens = self.tokens_for(token)?;
        Some(tokens.check(token).await)
    }

    fn tokens_for(&self, text: &str) -> Option<Arc<Tokens>> {
        if token::looks_like(text) { self.ring.load().tokens.clone() } else { None }
    }

    /// The metadata of the gateway as a resource, where tokens are taken.
    pub fn resource(&self) -> Option<serde_json::Value> {
        self.ring.load().tokens.as_ref().map(|tokens| tokens.describe())
    }

    /// Where that metadata is, and the scopes that permit what takes a role, or anything at all.
    pub fn resource_for(&self, role: Option<Role>) -> Option<(String, String)> {
        let ring = self.ring.load();
        ring.tokens.as_ref().map(|tokens| (tokens.described_at(), tokens.scopes_for(role)))
    }

    /// The same for the digest of one.
    pub fn find(&self, digest: &Digest) -> Presented {
        match self.ring.load().by_digest.get(&digest.0) {
            Some(pass) if pass.has_ended(now) => Presented::Expired(pass.clone()),
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

    /// Other keys and tokens from now on: those of the settings and of the store. A key that stays as it is keeps what
    /// is counted of it, and so do tokens.
    pub(crate) fn set(&self, settings: &Settings, stored: &[KeyEntry]) {
        let old = self.ring.load_full();
        let kept = old.tokens.clone().filter(|tokens| tokens.are(settings));
        let ended = old.tokens.as_ref().filter(|_| kept.is_none());
        let tokens = kept.or_else(|| Tokens::new(settings).map(Arc::new));
        let mut ring = Ring { tokens, ..Ring::default() };
        let file = settings.keys.iter().map(|entry| (entry, KeyOrigin::Config));
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
        let opens = ring.is_open() && !old.is_open();
        self.ring.store(Arc::new(ring));
        if let Some(tokens) = ended {
            tokens.end();
        }
        if opens {
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
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    fn entry(name: &str, key: &str, expires: Option<&str>) -> KeyEntry {
        let grant = Grant { expires: expires.map(str::to_owned), ..Grant::default() };
        KeyEntry { name: name.into(), key: Digest::of(key.as_bytes()), grant }
    }

    /// Takes these keys of the file and of the store.
    fn set(access: &Access, file: &[KeyEntry], stored: &[KeyEntry]) {
        access.set(&Settings { keys: file.to_vec(), ..Settings::default() }, stored);
    }

    fn name(access: &Access, key: &str) -> String {
        match access.present(key, &Digest::of(key.as_bytes())) {
            Presented::Good(pass) => pass.name().to_owned(),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn a_key_is_known_by_its_digest_until_it_ends() {
        let access = Access::default();
        assert!(access.is_open());
        let file = [entry("a", "one", None), entry("old", "two", Some("2020-01-01T00:00:00Z"))];
        set(&access, &file, &[entry("b", "three", Some("2999-01-01T00:00:00Z"))]);
        assert!(!access.is_open());
        assert_eq!(
            ["one", "two", "three", "four", ""].map(|key| name(&access, key)),
            ["a", "Expired(Pass(old))", "b", "Wrong", "Wrong"]
        );
        set(&access, &[], &[]);
        assert_eq!(name(&access, "one"), "Wrong");
    }

    #[test]
    fn a_key_may_no_longer_what_it_may_not_now() {
        let access = Access::default();
        let with = |role: Option<Role>, expires: Option<&str>| {
            let mut entry = entry("a", "one", expires);
            entry.grant.role = role;
            set(&access, &[entry], &[]);
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
        set(&access, &[], &[]);
        assert!(!access.still_may(&pass, Role::Viewer), "it was revoked");
    }

    #[test]
    fn a_key_of_the_file_goes_before_one_of_the_store() {
        let access = Access::default();
        set(
            &access,
            &[entry("a", "one", None)],
            &[entry("a", "two", None), entry("b", "one", None), entry("c", "three", None)],
        );
        assert_eq!(["one", "two", "three"].map(|key| name(&access, key)), ["a", "Wrong", "c"]);
    }

    #[test]
    fn a_key_that_stays_keeps_what_is_counted_of_it() {
        let access = Access::default();
        set(&access, &[entry("a", "one", None)], &[]);
        let before = access.all();
        set(&access, &[entry("a", "one", None), entry("b", "two", None)], &[]);
        assert!(Arc::ptr_eq(&before[0], &access.all()[0]));
        set(&access, &[entry("a", "one", Some("2999-01-01T00:00:00Z"))], &[]);
        assert!(!Arc::ptr_eq(&before[0], &access.all()[0]));
    }
    #[test]
    fn a_change_from_keys_to_tokens_and_back_is_never_open() {
        let keys = Settings { keys: vec![entry("a", "one", None)], ..Settings::default() };
        let mut tokens = Settings::default();
        tokens.http.public_url = Some("https://gate.example".into());
        let issuer = serde_json::json!({"issuer": "https://id.example", "scopes": {"all": {}}});
        tokens.oauth = serde_json::from_value(issuer).expect("an issuer");
        let (access, over) = (Access::default(), AtomicBool::new(false));
        access.set(&keys, &[]);
        std::thread::scope(|scope| {
            let looking = scope.spawn(|| {
                let mut open = 0;
                while !over.load(Relaxed) {
                    open += usize::from(access.is_open());
                }
                open
            });
            for _ in 0..10_000 {
                access.set(&tokens, &[]);
                access.set(&keys, &[]);
            }
            over.store(true, Relaxed);
            assert_eq!(looking.join().expect("it looked"), 0);
        });
    }
}
