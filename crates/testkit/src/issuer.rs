//! A throw-away issuer of tokens: keys that can change, people who always agree, and everything it was asked.

use crate::served::{Answered, Received, Served};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING as P256, EcdsaKeyPair, Ed25519KeyPair, KeyPair, RsaKeyPair,
};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::atomic::{AtomicU16, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// An RSA key for tests and nothing else: making one takes seconds.
const RSA: &str = include_str!("keys/rsa.pem");

/// How tokens are signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signature {
    /// RS256.
    Rsa,
    /// ES256.
    Elliptic,
    /// EdDSA.
    Edwards,
}

/// An issuer on a port of its own.
pub struct Issuer {
    served: Served,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    keys: Mutex<Vec<(String, Arc<Key>)>>,
    /// Access and refresh tokens that are good, and codes with their proof keys.
    good: Mutex<HashSet<String>>,
    codes: Mutex<Vec<(String, String)>>,
    count: AtomicU64,
    /// Milliseconds until a token that was given is on its way.
    slow: AtomicU64,
    /// The HTTP status in place of tokens; 0 where they are given.
    broken: AtomicU16,
}

enum Key {
    Rsa(RsaKeyPair),
    Elliptic(EcdsaKeyPair),
    Edwards(Ed25519KeyPair),
}

impl Issuer {
    /// Begins to listen, with one key for each kind of signature.
    #[track_caller]
    pub fn start() -> Self {
        let state = Arc::new(State::default());
        for kind in [Signature::Rsa, Signature::Elliptic, Signature::Edwards] {
            state.add_key(kind);
        }
        let handling = Arc::clone(&state);
        let served = Served::start(move |request, own| handling.answer(request, own));
        Self { served, state }
    }

    /// Its identifier, which is its address.
    pub fn url(&self) -> String {
        self.served.url()
    }

    /// Everything that it was asked at a path.
    pub fn received(&self, path: &str) -> Vec<Received> {
        self.served.received(path)
    }

    /// A token with these claims over good ones, for an hour, signed with the newest key of a kind.
    pub fn token(&self, kind: Signature, claims: &Value) -> String {
        let mut all = json!({"iss": self.url(), "sub": "ann", "iat": now(), "exp": now() + 3600});
        all.as_object_mut().expect("a map").extend(claims.as_object().expect("a map").clone());
        let keys = lock(&self.state.keys);
        let (kid, key) = keys.iter().rev().find(|(_, key)| key.kind() == kind).expect("a key of that kind");
        key.token(kid, &all)
    }

    /// Another key of a kind from now on; the older ones go.
    pub fn rotate(&self, kind: Signature) {
        lock(&self.state.keys).retain(|(_, key)| key.kind() != kind);
        self.state.add_key(kind);
    }

    /// The public half of the newest key of a kind, as its bytes.
    pub fn public_key(&self, kind: Signature) -> Vec<u8> {
        let keys = lock(&self.state.keys);
        let (_, key) = keys.iter().rev().find(|(_, key)| key.kind() == kind).expect("a key of that kind");
        key.public()
    }

    /// Whether an access token is one that it gave and did not take back.
    pub fn is_good(&self, token: &str) -> bool {
        lock(&self.state.good).contains(token)
    }

    /// A check of tokens that can be moved elsewhere.
    pub fn judge(&self) -> impl Fn(&str) -> bool + Send + Sync + 'static {
        let state = Arc::clone(&self.state);
        move |token| lock(&state.good).contains(token)
    }

    /// Takes back every access token; what renews them stays good.
    pub fn end_access(&self) {
        lock(&self.state.good).retain(|token| token.starts_with("refresh"));
    }

    /// Lets whoever asks for a token wait so many milliseconds for the answer.
    pub fn slow_down(&self, ms: u64) {
        self.state.slow.store(ms, Relaxed);
    }

    /// Answers whoever asks for a token with this HTTP status and no word; 0 is the end of that.
    pub fn break_down(&self, status: u16) {
        self.state.broken.store(status, Relaxed);
    }

    /// Takes back everything.
    pub fn end_all(&self) {
        lock(&self.state.good).clear();
    }
}

impl State {
    fn add_key(&self, kind: Signature) {
        let random = SystemRandom::new();
        let key = match kind {
            Signature::Rsa => {
                let body: String = RSA.lines().filter(|line| !line.contains("-----")).collect();
                let der = STANDARD.decode(body).expect("base64");
                Key::Rsa(RsaKeyPair::from_pkcs8(&der).expect("a key"))
            }
            Signature::Elliptic => {
                let der = EcdsaKeyPair::generate_pkcs8(&P256, &random).expect("a key");
                Key::Elliptic(EcdsaKeyPair::from_pkcs8(&P256, der.as_ref(), &random).expect("a key"))
            }
            Signature::Edwards => {
                let der = Ed25519KeyPair::generate_pkcs8(&random).expect("a key");
                Key::Edwards(Ed25519KeyPair::from_pkcs8(der.as_ref()).expect("a key"))
            }
        };
        let kid = format!("key-{}", self.count.fetch_add(1, Relaxed));
        lock(&self.keys).push((kid, Arc::new(key)));
    }

    fn answer(&self, request: &Received, own: &str) -> Answered {
        match (request.method.as_str(), request.path.as_str()) {
            ("GET", "/.well-known/oauth-authorization-server") => Answered::json(200, &metadata(own)),
            ("GET", "/jwks") => {
                let keys: Vec<Value> = lock(&self.keys).iter().map(|(kid, key)| key.written(kid)).collect();
                Answered::json(200, &json!({ "keys": keys }))
            }
            ("POST", "/register") => {
                let id = format!("client-{}", self.count.fetch_add(1, Relaxed));
                Answered::json(201, &json!({"client_id": id, "client_secret": "registered-secret"}))
            }
            ("GET", "/authorize") => self.authorize(request, own),
            ("POST", "/token") => {
                let given = match self.broken.load(Relaxed) {
                    0 => self.give(request),
                    status => Answered { status, headers: Vec::new(), body: "out of order".into() },
                };
                std::thread::sleep(Duration::from_millis(self.slow.load(Relaxed)));
                given
            }
            _ => Answered::json(404, &json!({})),
        }
    }

    /// Everybody agrees at once.
    fn authorize(&self, request: &Received, own: &str) -> Answered {
        let code = format!("code-{}", self.count.fetch_add(1, Relaxed));
        lock(&self.codes).push((code.clone(), request.value("code_challenge")));
        let (back, state) = (request.value("redirect_uri"), request.value("state"));
        let place = format!("{back}?code={code}&state={state}&iss={own}");
        Answered { status: 302, headers: vec![("Location".into(), place)], body: String::new() }
    }

    fn give(&self, request: &Received) -> Answered {
        let refused =
            || Answered::json(400, &json!({"error": "invalid_grant", "error_description": "s3cret"}));
        match request.value("grant_type").as_str() {
            "authorization_code" => {
                let code = request.value("code");
                let mut codes = lock(&self.codes);
                let Some(at) = codes.iter().position(|(own, _)| *own == code) else { return refused() };
                let (_, challenge) = codes.remove(at);
                let proof =
                    ring::digest::digest(&ring::digest::SHA256, request.value("code_verifier").as_bytes());
                if URL_SAFE_NO_PAD.encode(proof) != challenge {
                    return refused();
                }
            }
            "refresh_token" => {
                let good = lock(&self.good).remove(&request.value("refresh_token"));
                if !good {
                    return refused();
                }
            }
            "client_credentials" => {}
            _ => return refused(),
        }
        let number = self.count.fetch_add(1, Relaxed);
        let (access, refresh) = (format!("access-s3cret-{number}"), format!("refresh-s3cret-{number}"));
        lock(&self.good).extend([access.clone(), refresh.clone()]);
        Answered::json(
            200,
            &json!({"access_token": access, "token_type": "Bearer", "expires_in": 3600, "refresh_token": refresh}),
        )
    }
}

impl Key {
    fn kind(&self) -> Signature {
        match self {
            Key::Rsa(_) => Signature::Rsa,
            Key::Elliptic(_) => Signature::Elliptic,
            Key::Edwards(_) => Signature::Edwards,
        }
    }

    fn public(&self) -> Vec<u8> {
        match self {
            Key::Rsa(pair) => pair.public().as_ref().to_vec(),
            Key::Elliptic(pair) => pair.public_key().as_ref().to_vec(),
            Key::Edwards(pair) => pair.public_key().as_ref().to_vec(),
        }
    }

    fn written(&self, kid: &str) -> Value {
        let text = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        match self {
            Key::Rsa(pair) => {
                let parts = ring::rsa::PublicKeyComponents::<Vec<u8>>::from(pair.public());
                json!({"kty": "RSA", "kid": kid, "use": "sig", "n": text(&parts.n), "e": text(&parts.e)})
            }
            Key::Elliptic(_) => {
                let point = self.public();
                json!({"kty": "EC", "crv": "P-256", "kid": kid, "x": text(&point[1..33]), "y": text(&point[33..])})
            }
            Key::Edwards(_) => json!({"kty": "OKP", "crv": "Ed25519", "kid": kid, "x": text(&self.public())}),
        }
    }

    fn token(&self, kid: &str, claims: &Value) -> String {
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let random = SystemRandom::new();
        let alg = match self.kind() {
            Signature::Rsa => "RS256",
            Signature::Elliptic => "ES256",
            Signature::Edwards => "EdDSA",
        };
        let text = format!("{}.{}", part(&json!({"alg": alg, "kid": kid})), part(claims));
        let signature = match self {
            Key::Rsa(pair) => {
                let mut made = vec![0; pair.public().modulus_len()];
                let padding = &ring::signature::RSA_PKCS1_SHA256;
                pair.sign(padding, &random, text.as_bytes(), &mut made).expect("signed");
                made
            }
            Key::Elliptic(pair) => pair.sign(&random, text.as_bytes()).expect("signed").as_ref().to_vec(),
            Key::Edwards(pair) => pair.sign(text.as_bytes()).as_ref().to_vec(),
        };
        format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature))
    }
}

fn metadata(own: &str) -> Value {
    json!({
        "issuer": own,
        "authorization_endpoint": format!("{own}/authorize"),
        "token_endpoint": format!("{own}/token"),
        "registration_endpoint": format!("{own}/register"),
        "jwks_uri": format!("{own}/jwks"),
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": true,
        "client_id_metadata_document_supported": true,
    })
}

/// Seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
