//! A signed token taken apart (RFC 7515, 7519). Nothing in it is believed before its signature was checked.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;

/// The most bytes of a token.
const BYTES_MAX: usize = 16 * 1024;

/// A token in its parts.
pub(super) struct Jwt<'a> {
    pub(super) header: Header,
    pub(super) claims: Claims,
    /// What the signature is over.
    pub(super) signed: &'a [u8],
    pub(super) signature: Vec<u8>,
}

/// How a token is signed.
#[derive(Debug, Deserialize)]
pub(super) struct Header {
    pub(super) alg: String,
    #[serde(default)]
    pub(super) kid: Option<String>,
    /// What kind of token it is, where the issuer says so.
    #[serde(default)]
    typ: Option<String>,
    /// Extensions that must be understood; there are none that are.
    #[serde(default)]
    crit: Option<serde::de::IgnoredAny>,
}

impl Header {
    /// Whether it may be an access token: issuers sign others too, such as those that tell of a sign-out, and name
    /// them (RFC 8725, 3.11). Many give access tokens no other name than any.
    fn is_for_access(&self) -> bool {
        let Some(typ) = &self.typ else { return true };
        let typ = typ.to_ascii_lowercase();
        let kind = typ.strip_prefix("application/").unwrap_or(&typ);
        matches!(kind, "jwt" | "at+jwt") || kind.ends_with("-at+jwt")
    }
}

/// What a token says.
#[derive(Debug, Deserialize)]
pub(super) struct Claims {
    pub(super) iss: String,
    #[serde(default)]
    pub(super) sub: Option<String>,
    #[serde(default)]
    pub(super) client_id: Option<String>,
    #[serde(default)]
    pub(super) aud: Words,
    pub(super) exp: f64,
    #[serde(default)]
    pub(super) nbf: Option<f64>,
    #[serde(default)]
    scope: Words,
    #[serde(default)]
    scp: Words,
}

/// One text, or several.
#[derive(Debug, Default, Deserialize)]
#[serde(untagged)]
pub(super) enum Words {
    #[default]
    None,
    One(String),
    Many(Vec<String>),
}

impl Words {
    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        let list = match self {
            Words::None => &[][..],
            Words::One(one) => std::slice::from_ref(one),
            Words::Many(many) => many,
        };
        list.iter().map(String::as_str)
    }
}

impl Claims {
    /// The scopes, in either of the two forms that issuers use.
    pub(super) fn scopes(&self) -> impl Iterator<Item = &str> {
        self.scope.iter().chain(self.scp.iter()).flat_map(str::split_whitespace)
    }

    /// Whom the token is about: a person, or a program on its own.
    pub(super) fn subject(&self) -> Option<&str> {
        let fine = |name: &&str| !name.is_empty() && name.len() <= 255 && !name.contains(char::is_control);
        self.sub.as_deref().or(self.client_id.as_deref()).filter(fine)
    }
}

impl<'a> Jwt<'a> {
    /// Takes a token apart; `None` when it is none.
    pub(super) fn read(token: &'a str) -> Option<Self> {
        if token.len() > BYTES_MAX {
            return None;
        }
        let (signed, signature) = token.rsplit_once('.')?;
        let (header, claims) = signed.split_once('.')?;
        let part = |text: &str| URL_SAFE_NO_PAD.decode(text).ok();
        let header: Header = serde_json::from_slice(&part(header)?).ok()?;
        let claims = serde_json::from_slice(&part(claims)?).ok()?;
        if header.crit.is_some() || !header.is_for_access() {
            return None;
        }
        Some(Self { header, claims, signed: signed.as_bytes(), signature: part(signature)? })
    }
}

/// Whether a text has the outer form of a token; no key that the gateway makes has it.
pub(super) fn looks_like(text: &str) -> bool {
    text.bytes().filter(|byte| *byte == b'.').count() == 2 && text.starts_with("ey")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn token(header: &Value, claims: &Value) -> String {
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        format!("{}.{}.{}", part(header), part(claims), URL_SAFE_NO_PAD.encode("signature"))
    }

    #[test]
    fn a_token_is_taken_apart_in_every_form_that_issuers_write() {
        let claims =
            json!({"iss": "i", "aud": ["a", "b"], "exp": 1.5, "scope": "x y", "scp": ["z"], "sub": "me"});
        let text = token(&json!({"alg": "RS256", "kid": "k"}), &claims);
        assert!(looks_like(&text) && !looks_like("lockgate_00.11") && !looks_like("a.b.c"));
        let jwt = Jwt::read(&text).expect("a token");
        assert_eq!(jwt.claims.scopes().collect::<Vec<_>>(), ["x", "y", "z"]);
        assert_eq!(jwt.claims.aud.iter().collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!((jwt.claims.subject(), jwt.header.kid.as_deref()), (Some("me"), Some("k")));
        assert_eq!(jwt.signature, b"signature");
    }

    #[test]
    fn what_is_no_token_is_not_read() {
        let (header, claims) = (json!({"alg": "RS256"}), json!({"iss": "i", "exp": 1}));
        assert!(Jwt::read(&token(&header, &claims)).is_some());
        assert!(Jwt::read(&token(&json!({"alg": "RS256", "crit": ["x"]}), &claims)).is_none());
        for (typ, good) in [
            ("JWT", true),
            ("at+jwt", true),
            ("application/AT+JWT", true),
            ("application/okta-internal-at+jwt", true),
            ("logout+jwt", false),
            ("dpop+jwt", false),
            ("", false),
        ] {
            let text = token(&json!({"alg": "RS256", "typ": typ}), &claims);
            assert_eq!(Jwt::read(&text).is_some(), good, "{typ}");
        }
        assert!(Jwt::read(&token(&header, &json!({"iss": "i"}))).is_none(), "it must end");
        assert!(
            Jwt::read(&token(&header, &json!({"iss": "i", "exp": 1, "sub": "x".repeat(20_000)}))).is_none()
        );
        for odd in ["", "..", "a.b.c", "eyJ9.eyJ9.", "a.b"] {
            assert!(Jwt::read(odd).is_none(), "{odd}");
        }
        let long = token(&header, &json!({"iss": "i", "exp": 1, "sub": "a\nb"}));
        assert_eq!(Jwt::read(&long).expect("a token").claims.subject(), None);
    }
}
