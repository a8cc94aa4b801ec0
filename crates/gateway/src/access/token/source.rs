//! Where the keys of an issuer come from: read when they are first needed, every ten minutes from then on, and when a
//! token names one that is not there, but never more often than every ten seconds.

use super::TokenError;
use super::jwt::Jwt;
use super::keys::{Keys, Proof};
use crate::outbound::Reach;
use arc_swap::ArcSwapOption;
use mcp::oauth::{Metadata, Wire};
use model::Address;
use model::oauth::Issuer;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::Instant;

/// How long keys are used before they are read again.
const AGE_MAX: Duration = Duration::from_secs(600);

/// The shortest time between two readings.
const REST: Duration = Duration::from_secs(10);

/// How long a reading may take.
const READ_MAX: Duration = Duration::from_secs(10);

/// The most bytes of a set of keys.
const BYTES_MAX: usize = 256 * 1024;

/// Stands in place of an edition when no token is taken any more.
const NONE: u64 = u64::MAX;

/// The keys of one issuer, wherever they are.
pub(super) struct Source {
    issuer: Issuer,
    keys: ArcSwapOption<Held>,
    /// When they were last asked for; held while they are.
    asked: Mutex<Option<Instant>>,
    /// The edition of the keys in force.
    in_force: Arc<AtomicU64>,
}

/// Keys as they were read.
struct Held {
    at: Instant,
    keys: Keys,
    /// Goes up when a key is withdrawn.
    edition: u64,
    /// The id of the key for which they were read.
    sought: Option<String>,
    /// The first id since then that is not among them.
    doubted: OnceLock<String>,
}

impl Held {
    /// Whether a key that is not among these may be newer: not one for which they were read, and of the others one
    /// only, so that whoever makes ids up does not get far.
    fn may_lack(&self, id: &str) -> bool {
        self.sought.as_deref() != Some(id) && self.doubted.get_or_init(|| id.to_owned()) == id
    }
}

/// The keys that a token was checked with, and those in force.
#[derive(Clone, Debug, Default)]
pub(in crate::access) struct Checked {
    edition: u64,
    in_force: Arc<AtomicU64>,
}

impl Checked {
    /// Whether no key was withdrawn since.
    pub(in crate::access) fn holds(&self) -> bool {
        self.in_force.load(Relaxed) == self.edition
    }
}

impl Source {
    pub(super) fn new(issuer: Issuer) -> Self {
        let (keys, asked) = (ArcSwapOption::empty(), Mutex::new(None));
        Self { issuer, keys, asked, in_force: Arc::default() }
    }

    /// Nothing that was checked holds any longer, nor what still will be.
    pub(super) fn end(&self) {
        self.in_force.store(NONE, Relaxed);
    }

    /// Checks the signature of a token.
    pub(super) async fn check(self: &Arc<Self>, jwt: &Jwt<'_>) -> Result<Checked, TokenError> {
        let known = self.keys.load_full();
        if let Some(held) = &known {
            match held.keys.check(jwt) {
                Proof::Unknown => {}
                proof => return self.outcome(held, proof),
            }
        }
        let (mut asked, id) = (self.asked.lock().await, jwt.header.kid.as_deref().unwrap_or_default());
        self.renew(&mut asked, known.map(|known| known.at), Some(id)).await;
        let held = self.keys.load_full().ok_or(TokenError::NoKeys)?;
        // Where the last reading failed, nobody knows what there is by now.
        let is_stale = asked.is_some_and(|at| at > held.at);
        match held.keys.check(jwt) {
            Proof::Unknown if is_stale || held.may_lack(id) => Err(TokenError::Unknown),
            proof => self.outcome(&held, proof),
        }
    }

    fn outcome(&self, held: &Held, proof: Proof) -> Result<Checked, TokenError> {
        match proof {
            Proof::Good => Ok(Checked { edition: held.edition, in_force: self.in_force.clone() }),
            Proof::Bad => Err(TokenError::Invalid),
            Proof::Unknown => Err(TokenError::NoSuchKey),
        }
    }

    /// Reads the keys again, for that of an id where one is missing, unless somebody did so since or just before. What
    /// was known stays until then.
    async fn renew(self: &Arc<Self>, asked: &mut Option<Instant>, seen: Option<Instant>, id: Option<&str>) {
        let newer = self.keys.load().as_ref().is_some_and(|known| Some(known.at) != seen);
        if newer || asked.is_some_and(|at| at.elapsed() < REST) {
            return;
        }
        *asked = Some(Instant::now());
        match tokio::time::timeout(READ_MAX, self.read())
            .await
            .unwrap_or_else(|_| Err("it took too long".into()))
        {
            Ok(keys) => self.put(keys, id),
            Err(reason) => tracing::warn!(reason, "the keys of the issuer could not be read"),
        }
    }

    /// Other keys from now on. Where one is gone, every token must be checked again.
    fn put(self: &Arc<Self>, keys: Keys, sought: Option<&str>) {
        let before = self.keys.load_full();
        let edition = match &before {
            Some(before) if before.keys.are_among(&keys) => before.edition,
            Some(before) => before.edition + 1,
            None => 0,
        };
        // What has ended stays so.
        self.in_force.fetch_max(edition, Relaxed);
        let (sought, doubted) = (sought.map(str::to_owned), OnceLock::new());
        self.keys.store(Some(Arc::new(Held { at: Instant::now(), keys, edition, sought, doubted })));
        if before.is_none() {
            tokio::spawn(Self::keep_young(Arc::downgrade(self)));
        }
    }

    /// Reads the keys again whenever they are old, until nobody needs them.
    async fn keep_young(source: Weak<Self>) {
        let mut rest = AGE_MAX;
        loop {
            tokio::time::sleep(rest).await;
            let Some(source) = source.upgrade() else { return };
            let read_at = source.keys.load().as_ref().map(|held| held.at);
            if read_at.is_some_and(|at| at.elapsed() >= AGE_MAX) {
                source.renew(&mut *source.asked.lock().await, read_at, None).await;
            }
            let age = source.keys.load().as_ref().map_or(AGE_MAX, |held| held.at.elapsed());
            rest = AGE_MAX.saturating_sub(age).max(REST);
        }
    }

    async fn read(&self) -> Result<Keys, String> {
        // What stands in the config file is permitted by standing there.
        let wire = Wire::new(Arc::new(|_: &Address| Ok(Reach::Origin.admits())));
        let place = match &self.issuer.jwks {
            Some(place) => place.clone(),
            None => {
                let found =
                    Metadata::find(&wire, &self.issuer.issuer).await.map_err(|error| error.to_string())?;
                found
                    .and_then(|metadata| metadata.jwks_uri)
                    .ok_or("its metadata names no keys; set oauth.jwks")?
            }
        };
        let address = Address::parse(&place)?;
        let target =
            mcp::Target { address, headers: Vec::new(), admits: Reach::Origin.admits(), tokens: None };
        let bytes = mcp::fetch(&target, BYTES_MAX).await.map_err(|error| error.to_string())?;
        Keys::read(&bytes).ok_or_else(|| "they are not a set of keys".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use serde_json::{Value, json};
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::sync::atomic::AtomicUsize;

    impl Source {
        /// Takes keys of these ids.
        pub(in super::super) fn hold(self: &Arc<Self>, ids: &[&str]) {
            self.put(Keys::read(written(ids).to_string().as_bytes()).expect("keys"), None);
        }

        /// What a good token is checked with now.
        pub(in super::super) fn checked(&self) -> Checked {
            self.outcome(&self.keys.load_full().expect("keys"), Proof::Good).expect("a good token")
        }
    }

    fn written(ids: &[&str]) -> Value {
        let keys: Vec<Value> = ids.iter().map(|id| json!({"kty": "EC", "kid": id})).collect();
        json!({ "keys": keys })
    }

    /// A source whose keys have these ids, and how often they were read.
    fn served(ids: &'static [&str]) -> (Arc<Source>, Arc<AtomicUsize>) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let place = format!("http://{}", listener.local_addr().expect("an address"));
        let (issuer, reads) = (json!({"issuer": place, "jwks": place, "scopes": {}}), Arc::default());
        let count: Arc<AtomicUsize> = Arc::clone(&reads);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.expect("a connection");
                let mut request = Vec::new();
                while !request.ends_with(b"\r\n\r\n") {
                    let mut byte = [0];
                    stream.read_exact(&mut byte).expect("a request");
                    request.extend(byte);
                }
                let body = written(ids).to_string();
                let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n";
                count.fetch_add(1, Relaxed);
                write!(stream, "{head}Content-Length: {}\r\n\r\n{body}", body.len()).expect("answered");
            }
        });
        (Arc::new(Source::new(serde_json::from_value(issuer).expect("an issuer"))), reads)
    }

    #[tokio::test]
    async fn of_keys_that_are_not_there_only_one_may_be_newer_than_what_was_read() {
        let (source, reads) = served(&["a"]);
        let missing = async |id: &str| {
            let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
            let header = part(&json!({"alg": "ES256", "kid": id}));
            let token = format!("{header}.{}.", part(&json!({"iss": "i", "exp": 1})));
            source.check(&Jwt::read(&token).expect("a token")).await.expect_err("no such key")
        };
        assert_eq!(missing("b").await, TokenError::NoSuchKey, "they were read for it");
        for (id, expected) in [
            ("c", TokenError::Unknown),
            ("c", TokenError::Unknown),
            ("d", TokenError::NoSuchKey),
            ("b", TokenError::NoSuchKey),
        ] {
            assert_eq!(missing(id).await, expected, "{id}");
        }
        assert_eq!(reads.load(Relaxed), 1);
        *source.asked.lock().await = Some(Instant::now());
        assert_eq!(missing("d").await, TokenError::Unknown, "the last reading failed");
    }

    #[tokio::test]
    async fn keys_are_read_when_they_are_needed_and_every_ten_minutes_from_then_on() {
        let (source, reads) = served(&["a"]);
        source.renew(&mut *source.asked.lock().await, None, None).await;
        assert_eq!(reads.load(Relaxed), 1);
        tokio::task::yield_now().await;
        for times in [2, 3] {
            tokio::time::pause();
            tokio::time::advance(AGE_MAX).await;
            tokio::time::resume();
            let read = async {
                while reads.load(Relaxed) < times {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
            };
            tokio::time::timeout(READ_MAX, read).await.expect("they are read again");
            // Until it is held again, it is being read.
            drop(source.asked.lock().await);
            tokio::task::yield_now().await;
        }
    }
}
