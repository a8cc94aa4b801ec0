//! Tokens of an issuer: a good one is worth the same as a key that permits what its scopes do.

mod jwt;
mod keys;
mod source;

use super::{Pass, now};
use jwt::{Claims, Jwt};
use keys::Proof;
use model::Settings;
use model::access::{Digest, Grant, Role};
use model::oauth::Issuer;
use source::Source;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How far the clocks of issuer and gateway may be apart, in milliseconds.
const SKEW: u64 = 30_000;

/// How many tokens are known without checking their signature again.
const SEEN_MAX: usize = 10_000;

/// Stands before the subject of a token: no key has such a name, so nobody is taken for another.
const PREFIX: &str = "oauth:";

/// Why a token does not open the gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// It is no token, or its signature is not that of the issuer.
    #[error("This token is not valid")]
    Invalid,
    /// Its issuer has no such key, or none that is known yet.
    #[error(
        "This token is signed with a key that its issuer does not have; if the key is new, try again in 10 s"
    )]
    Unknown,
    /// It has ended.
    #[error("This token has expired")]
    Expired,
    /// It is not good yet.
    #[error("This token is not valid yet")]
    Early,
    /// It comes from somebody else.
    #[error("This token comes from another issuer")]
    Issuer,
    /// It is for somebody else.
    #[error("This token is not meant for this gateway")]
    Audience,
    /// It permits nothing here.
    #[error("This token has none of the scopes that permit something here")]
    Scope,
    /// The keys of the issuer cannot be had.
    #[error("The issuer's keys cannot be read, so no token can be checked; try again later")]
    NoKeys,
}

/// The issuer whose tokens are taken, and those seen lately.
pub(super) struct Tokens {
    issuer: Issuer,
    audience: String,
    public_url: String,
    source: Source,
    seen: Mutex<HashMap<[u8; 32], Arc<Pass>>>,
    /// Until they are taken no longer.
    taken: Arc<AtomicBool>,
}

impl Tokens {
    /// The tokens that the settings permit.
    pub(super) fn new(settings: &Settings) -> Option<Self> {
        let (issuer, public_url) = (settings.oauth.clone()?, settings.http.public_url.clone()?);
        let public_url = public_url.trim_end_matches('/').to_owned();
        let audience = issuer.audience.clone().unwrap_or_else(|| format!("{public_url}/mcp"));
        let source = Source::new(issuer.clone());
        Some(Self {
            issuer,
            audience,
            public_url,
            source,
            seen: Mutex::default(),
            taken: Arc::new(AtomicBool::new(true)),
        })
    }

    /// Whether these are the tokens that the settings permit.
    pub(super) fn are(&self, settings: &Settings) -> bool {
        let public_url = settings.http.public_url.as_deref().map(|url| url.trim_end_matches('/'));
        settings.oauth.as_ref() == Some(&self.issuer) && public_url == Some(&self.public_url)
    }

    /// They are taken no longer, wherever they are in use.
    pub(super) fn end(&self) {
        self.taken.store(false, Relaxed);
    }

    /// The metadata of the gateway as a resource (RFC 9728).
    pub(super) fn describe(&self) -> serde_json::Value {
        serde_json::json!({
            "resource": format!("{}/mcp", self.public_url),
            "authorization_servers": [self.issuer.issuer],
            "scopes_supported": self.issuer.scopes.keys().collect::<Vec<_>>(),
            "bearer_methods_supported": ["header"],
            "resource_name": "Lockgate",
        })
    }

    /// Where that is read.
    pub(super) fn described_at(&self) -> String {
        format!("{}/.well-known/oauth-protected-resource/mcp", self.public_url)
    }

    /// The scopes that permit what takes a role, or anything at all.
    pub(super) fn scopes_for(&self, role: Option<Role>) -> String {
        let enough = |grant: &Grant| role.is_none_or(|role| grant.role.is_some_and(|own| own >= role));
        let names =
            self.issuer.scopes.iter().filter(|(_, grant)| enough(grant)).map(|(name, _)| name.as_str());
        names.collect::<Vec<_>>().join(" ")
    }

    /// A token that was seen before and is still good.
    pub(super) fn known(&self, token: &str) -> Option<Arc<Pass>> {
        let pass = self.lock().get(&digest(token))?.clone();
        (!pass.has_ended(now)).then_some(pass)
    }

    /// Checks a token that was not seen before.
    pub(super) async fn check(&self, token: &str) -> Result<Arc<Pass>, TokenError> {
        let jwt = Jwt::read(token).ok_or(TokenError::Invalid)?;
        match self.source.check(&jwt).await.ok_or(TokenError::NoKeys)? {
            Proof::Good => {}
            Proof::Bad => return Err(TokenError::Invalid),
            Proof::Unknown => return Err(TokenError::Unknown),
        }
        let pass = self.admit(&jwt.claims, now())?;
        Ok(self.remember(token, pass))
    }

    /// What the claims of a token are worth, its signature being good.
    fn admit(&self, claims: &Claims, now: u64) -> Result<Pass, TokenError> {
        let at = |seconds: f64| if seconds > 0.0 { (seconds * 1000.0) as u64 } else { 0 };
        let ends_at = at(claims.exp).saturating_add(SKEW);
        if claims.iss != self.issuer.issuer {
            return Err(TokenError::Issuer);
        }
        if !claims.aud.iter().any(|audience| audience == self.audience) {
            return Err(TokenError::Audience);
        }
        if ends_at <= now {
            return Err(TokenError::Expired);
        }
        if claims.nbf.is_some_and(|from| at(from) > now.saturating_add(SKEW)) {
            return Err(TokenError::Early);
        }
        let subject = claims.subject().ok_or(TokenError::Invalid)?;
        let grants: Vec<Grant> =
            claims.scopes().filter_map(|scope| self.issuer.scopes.get(scope).cloned()).collect();
        if grants.is_empty() {
            return Err(TokenError::Scope);
        }
        let name = format!("{PREFIX}{subject}");
        let who = Digest(digest(&format!("{}\n{name}", self.issuer.issuer)));
        Ok(Pass::of_token(name, who, grants, (ends_at, self.taken.clone())))
    }

    /// Keeps a pass; it goes on counting where an earlier one of the same subject stood.
    fn remember(&self, token: &str, pass: Pass) -> Arc<Pass> {
        let mut seen = self.lock();
        let now = now();
        if seen.len() >= SEEN_MAX {
            seen.retain(|_, pass| !pass.has_ended(|| now));
        }
        if seen.len() >= SEEN_MAX {
            seen.clear();
        }
        let before = seen.values().find(|other| other.digest() == pass.digest() && other.permits_as(&pass));
        let pass = Arc::new(match before {
            Some(before) => pass.counting_with(before),
            None => pass,
        });
        seen.insert(digest(token), pass.clone());
        pass
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<[u8; 32], Arc<Pass>>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a text has the form of a token.
pub(super) fn looks_like(text: &str) -> bool {
    jwt::looks_like(text)
}

fn digest(text: &str) -> [u8; 32] {
    Digest::of(text.as_bytes()).0
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn tokens() -> Tokens {
        let mut settings = Settings::default();
        settings.http.public_url = Some("https://gate.example/".into());
        let issuer = json!({"issuer": "https://id.example", "scopes": {
            "read": {"readOnly": true, "role": "viewer"}, "mail": {"servers": ["mail"]}, "all": {"role": "operator"}}});
        settings.oauth = serde_json::from_value(issuer).expect("an issuer");
        Tokens::new(&settings).expect("tokens")
    }

    fn claims(extra: &Value) -> Claims {
        let mut claims = json!({"iss": "https://id.example", "aud": "https://gate.example/mcp", "exp": 1000,
            "sub": "ann", "scope": "mail other"});
        claims.as_object_mut().expect("a map").extend(extra.as_object().expect("a map").clone());
        serde_json::from_value(claims).expect("claims")
    }

    #[test]
    fn a_token_is_held_against_issuer_audience_times_and_scopes() {
        let tokens = tokens();
        let outcome =
            |extra: Value| tokens.admit(&claims(&extra), 900_000).map(|pass| pass.name().to_owned());
        assert_eq!(outcome(json!({})), Ok("oauth:ann".into()));
        assert_eq!(outcome(json!({"aud": ["x", "https://gate.example/mcp"]})), Ok("oauth:ann".into()));
        assert_eq!(outcome(json!({"sub": null, "client_id": "bot"})), Ok("oauth:bot".into()));
        for (extra, expected) in [
            (json!({"iss": "https://id.example/"}), TokenError::Issuer),
            (json!({"aud": "https://gate.example"}), TokenError::Audience),
            (json!({"aud": []}), TokenError::Audience),
            (json!({"aud": null}), TokenError::Audience),
            (json!({"exp": 869}), TokenError::Expired),
            (json!({"exp": -1}), TokenError::Expired),
            (json!({"nbf": 931}), TokenError::Early),
            (json!({"scope": "other"}), TokenError::Scope),
            (json!({"scope": null}), TokenError::Scope),
            (json!({"sub": null}), TokenError::Invalid),
        ] {
            assert_eq!(outcome(extra.clone()), Err(expected), "{extra}");
        }
        assert!(outcome(json!({"exp": 871, "nbf": 929})).is_ok(), "clocks may differ a little");
    }

    #[test]
    fn a_token_permits_what_any_of_its_scopes_does() {
        let tokens = tokens();
        let pass = |scope: &str| tokens.admit(&claims(&json!({"scope": scope})), 0).expect("a pass");
        let (read, mail, both) = (pass("read"), pass("mail"), pass("read mail"));
        assert!(!read.reaches_tool("mail", "send", false) && mail.reaches_tool("mail", "send", false));
        assert!(both.reaches_tool("mail", "send", false) && both.reaches_tool("git", "log", true));
        assert!(!both.reaches_tool("git", "push", false) && both.is_restricted());
        assert!(both.may(Role::Viewer) && !both.may(Role::Editor));
        assert!(!pass("all mail").is_restricted());
        assert_eq!(tokens.scopes_for(Some(Role::Editor)), "all");
        assert_eq!(tokens.scopes_for(None), "all mail read");
    }

    #[test]
    fn a_newer_token_of_the_same_subject_goes_on_where_the_older_one_stood() {
        let tokens = tokens();
        let admit = |extra: Value| tokens.admit(&claims(&extra), now()).expect("a pass");
        let later = u64::MAX as f64;
        let first = tokens.remember("one", admit(json!({"exp": later})));
        let second = tokens.remember("two", admit(json!({"exp": later})));
        assert!(!Arc::ptr_eq(&first, &second) && first.digest() == second.digest());
        assert!(tokens.known("one").is_some() && tokens.known("three").is_none());
    }
}
