//! Tokens of an issuer: a good one is worth the same as a key that permits what its scopes do.

mod jwt;
mod keys;
mod source;

use super::{Pass, now};
use jwt::{Claims, Jwt};
use model::Settings;
use model::access::{Digest, Grant, Role};
use model::oauth::Issuer;
pub(super) use source::Checked;
use source::Source;
use std::collections::{BTreeSet, HashMap};
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
    /// Its issuer has no such key.
    #[error("This token is signed with a key that its issuer does not have")]
    NoSuchKey,
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

/// A token that does not open the gateway.
#[derive(Debug, PartialEq, Eq)]
pub struct Denied {
    /// Why.
    pub why: TokenError,
    /// Whose it is, where its issuer says so.
    pub who: Option<String>,
}

impl From<TokenError> for Denied {
    fn from(why: TokenError) -> Self {
        Self { why, who: None }
    }
}

/// The issuer whose tokens are taken, and those seen lately.
pub(super) struct Tokens {
    issuer: Issuer,
    audience: String,
    public_url: String,
    source: Arc<Source>,
    /// Those that are good no longer are known for what is counted of them.
    seen: Mutex<HashMap<[u8; 32], Arc<Pass>>>,
}

impl TokenError {
    /// Whether it may be an attempt to guess what opens the gateway: not a token whose time is over or has not come, which
    /// an honest client has sometimes.
    pub fn is_attempt(self) -> bool {
        matches!(self, Self::Invalid | Self::NoSuchKey | Self::Issuer | Self::Audience)
    }
}

impl Tokens {
    /// The tokens that the settings permit.
    pub(super) fn new(settings: &Settings) -> Option<Self> {
        let (issuer, public_url) = (settings.oauth.clone()?, settings.http.public_url.clone()?);
        let public_url = public_url.trim_end_matches('/').to_owned();
        let audience = issuer.audience.clone().unwrap_or_else(|| format!("{public_url}/mcp"));
        let source = Arc::new(Source::new(issuer.clone()));
        Some(Self { issuer, audience, public_url, source, seen: Mutex::default() })
    }

    /// Whether these are the tokens that the settings permit.
    pub(super) fn are(&self, settings: &Settings) -> bool {
        let public_url = settings.http.public_url.as_deref().map(|url| url.trim_end_matches('/'));
        settings.oauth.as_ref() == Some(&self.issuer) && public_url == Some(&self.public_url)
    }

    /// They are taken no longer, wherever they are in use.
    pub(super) fn end(&self) {
        self.source.end();
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
    pub(super) fn known(&self, digest: &Digest) -> Option<Arc<Pass>> {
        let pass = self.lock().get(&digest.0)?.clone();
        pass.is_good_token(now)?.then_some(pass)
    }

    /// Checks a token that is not known.
    pub(super) async fn check(&self, token: &str) -> Result<Arc<Pass>, Denied> {
        let jwt = Jwt::read(token).ok_or(TokenError::Invalid)?;
        let checked = self.source.check(&jwt).await?;
        let pass = self.admit(&jwt.claims, checked, now());
        let pass = pass.map_err(|why| Denied { why, who: self.whose(&jwt.claims) })?;
        Ok(self.remember(token, pass))
    }

    /// The client id of whoever a token is about, its signature being good.
    fn whose(&self, claims: &Claims) -> Option<String> {
        let subject = claims.subject().filter(|_| claims.iss == self.issuer.issuer)?;
        Some(format!("{PREFIX}{subject}"))
    }

    /// What the claims of a token are worth, its signature being good.
    fn admit(&self, claims: &Claims, checked: Checked, now: u64) -> Result<Pass, TokenError> {
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
        let name = self.whose(claims).ok_or(TokenError::Invalid)?;
        // Whatever their order and however often one is named: the same scopes are the same.
        let scopes: BTreeSet<&str> = claims.scopes().collect();
        let granted = |scope: &str| self.issuer.scopes.get(scope).cloned();
        let scopes: Vec<(&str, Grant)> =
            scopes.into_iter().filter_map(|scope| Some((scope, granted(scope)?))).collect();
        if scopes.is_empty() {
            return Err(TokenError::Scope);
        }
        let who = Digest(digest(&format!("{}\n{name}", self.issuer.issuer)));
        Ok(Pass::of_token(name, who, scopes, (ends_at, checked)))
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
    use model::access::Rate;
    use serde_json::{Value, json};

    fn tokens() -> Tokens {
        let mut settings = Settings::default();
        settings.http.public_url = Some("https://gate.example/".into());
        let issuer = json!({"issuer": "https://id.example", "scopes": {
            "read": {"readOnly": true, "role": "viewer"}, "mail": {"servers": ["mail"]}, "all": {"role": "operator"},
            "slow": {"rate": {"perSecond": 1, "burst": 2}}, "slower": {"rate": {"perSecond": 1, "burst": 1}},
            "steady": {"rate": {"perSecond": 1}}, "fast": {"rate": {"perSecond": 3}}}});
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
        let outcome = |extra: Value| {
            let admitted = tokens.admit(&claims(&extra), Checked::default(), 900_000);
            admitted.map(|pass| pass.name().to_owned())
        };
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
        let pass = |scope: &str| {
            let claims = claims(&json!({"scope": scope}));
            tokens.admit(&claims, Checked::default(), 0).expect("a pass")
        };
        let (read, mail, both) = (pass("read"), pass("mail"), pass("read mail"));
        assert!(!read.reaches_tool("mail", "send", false) && mail.reaches_tool("mail", "send", false));
        assert!(both.reaches_tool("mail", "send", false) && both.reaches_tool("git", "log", true));
        assert!(!both.reaches_tool("git", "push", false) && both.is_restricted());
        assert!(both.may(Role::Viewer) && !both.may(Role::Editor));
        assert!(!pass("all mail").is_restricted());
        assert_eq!(tokens.scopes_for(Some(Role::Editor)), "all");
        assert_eq!(tokens.scopes_for(None), "all fast mail read slow slower steady");
    }

    #[test]
    fn a_newer_token_of_the_same_subject_goes_on_where_the_older_one_stood() {
        let tokens = tokens();
        let remember = |token: &str| {
            let claims = claims(&json!({"exp": u64::MAX as f64}));
            tokens.remember(token, tokens.admit(&claims, Checked::default(), now()).expect("a pass"))
        };
        let (first, second) = (remember("one"), remember("two"));
        assert!(!Arc::ptr_eq(&first, &second) && first.digest() == second.digest());
        assert!(tokens.known(&Digest::of(b"one")).is_some() && tokens.known(&Digest::of(b"three")).is_none());
    }

    #[test]
    fn the_same_scopes_are_counted_together_under_the_widest_of_their_limits() {
        let tokens = tokens();
        let remember = |scope: &str| {
            let claims = claims(&json!({"exp": u64::MAX as f64, "scope": scope}));
            tokens.remember(scope, tokens.admit(&claims, Checked::default(), now()).expect("a pass"))
        };
        let gate = |pass: &Pass| pass.gate.clone().expect("a gate");
        let first = remember("slow slower other");
        for scope in ["slower slow", "slow slower slow", "slower slower slow other"] {
            assert!(Arc::ptr_eq(&gate(&first), &gate(&remember(scope))), "{scope}");
        }
        assert!(!Arc::ptr_eq(&gate(&first), &gate(&remember("slow"))));
        let names = ["slower slow other", "slow slower", "slow", "fast"]
            .map(|scope| remember(scope).rate_name().to_owned());
        let expected =
            ["slow slower", "slow slower", "slow", "fast"].map(|scopes| format!("key:oauth:ann {scopes}"));
        assert_eq!(names, expected, "so they are counted on all instances, too");
        for (scope, expected) in [
            ("slow", (1, 2)),
            ("slower", (1, 1)),
            ("slow slower", (1, 2)),
            ("slower slow", (1, 2)),
            ("fast slow", (3, 0)),
            ("steady slow", (1, 2)),
            ("slow mail", (0, 0)),
            ("mail slow", (0, 0)),
        ] {
            let pass = remember(scope);
            let Rate { per_second, burst } = pass.grant().rate;
            assert_eq!((per_second, burst), expected, "{scope}");
        }
    }

    #[tokio::test]
    async fn a_token_is_forgotten_with_a_key_of_its_issuer_and_goes_on_counting() {
        let tokens = tokens();
        let remember = |checked: Checked| {
            let claims = claims(&json!({"exp": u64::MAX as f64, "scope": "slow"}));
            tokens.remember("one", tokens.admit(&claims, checked, now()).expect("a pass"))
        };
        tokens.source.hold(&["a", "b"]);
        let first = remember(tokens.source.checked());
        tokens.source.hold(&["c", "b", "a"]);
        assert!(tokens.known(&Digest::of(b"one")).is_some(), "no key is gone");
        tokens.source.hold(&["c", "b"]);
        assert!(tokens.known(&Digest::of(b"one")).is_none() && first.is_good_token(now) == Some(false));
        let again = remember(tokens.source.checked());
        assert!(tokens.known(&Digest::of(b"one")).is_some());
        let gate = |pass: &Pass| pass.gate.clone().expect("a gate");
        assert!(Arc::ptr_eq(&gate(&first), &gate(&again)));
        tokens.end();
        tokens.source.hold(&["d"]);
        assert!(tokens.known(&Digest::of(b"one")).is_none());
        remember(tokens.source.checked());
        assert!(tokens.known(&Digest::of(b"one")).is_none(), "what has ended stays so");
    }
}
