//! OAuth as a user writes it: whose tokens open the gateway, and what the gateway is at a server's own issuer.

use crate::access::Grant;
use crate::address::Address;
use crate::server::FieldError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// `oauth`: the issuer whose tokens open the gateway.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Issuer {
    /// Its identifier, to the letter: the `iss` of its tokens.
    pub issuer: String,
    /// What `aud` of a token must name; the public address of `/mcp` when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audience: Option<String>,
    /// Where its keys are; found through its metadata when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jwks: Option<String>,
    /// What each scope permits. A token permits what any of its scopes does.
    pub scopes: BTreeMap<String, Grant>,
}

impl Issuer {
    /// Checks every rule that its shape does not hold.
    pub fn check(&self) -> Result<(), FieldError> {
        check_place("issuer", &self.issuer)?;
        if let Some(jwks) = &self.jwks {
            check_place("jwks", jwks)?;
        }
        if self.audience.as_deref().is_some_and(|audience| audience.trim().is_empty()) {
            return Err(FieldError::new("audience", "must not be empty"));
        }
        if self.scopes.is_empty() {
            return Err(FieldError::new("scopes", "must name at least one scope and what it permits"));
        }
        match self.scopes.keys().find(|scope| !is_scope(scope)) {
            Some(_) => {
                Err(FieldError::new("scopes", "has a name with spaces, quotes or other odd characters"))
            }
            None => Ok(()),
        }
    }
}

/// How the gateway gets its own tokens for a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum GrantType {
    /// A person signs in once.
    #[default]
    #[serde(rename = "authorization-code")]
    AuthorizationCode,
    /// The gateway shows its own credentials.
    #[serde(rename = "client-credentials")]
    ClientCredentials,
}

impl GrantType {
    /// The words a user may write.
    pub const WORDS: &[&str] = &["authorization-code", "client-credentials"];

    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// `servers[].oauth`: what the gateway is known as at the issuer of a remote server. Without it the gateway
/// introduces itself.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Registration {
    /// Its id there, where it was registered by hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// The secret that goes with the id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_secret: Option<String>,
    /// A private key in PEM (PKCS#8) in place of the secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub private_key: Option<String>,
    /// The issuer that may see these credentials; the first one that the server names when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issuer: Option<String>,
    /// What is asked for; what the server says when empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
    /// How tokens are got.
    #[serde(skip_serializing_if = "GrantType::is_default")]
    pub grant: GrantType,
}

/// Neither the secret nor the key is shown.
impl std::fmt::Debug for Registration {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Registration")
            .field("client_id", &self.client_id)
            .field("issuer", &self.issuer)
            .finish_non_exhaustive()
    }
}

impl Registration {
    /// Checks every rule that its shape does not hold.
    pub fn check(&self) -> Result<(), FieldError> {
        let wrong = |field: &str, message: &str| Err(FieldError::new(format!("oauth.{field}"), message));
        let empty = |value: &Option<String>| value.as_deref().is_some_and(|text| text.trim().is_empty());
        for (field, value) in [
            ("clientId", &self.client_id),
            ("clientSecret", &self.client_secret),
            ("privateKey", &self.private_key),
        ] {
            if empty(value) {
                return wrong(field, "must not be empty; is its variable set?");
            }
        }
        if self.client_id.is_none() && (self.client_secret.is_some() || self.private_key.is_some()) {
            return wrong("clientId", "is required with a secret or a key");
        }
        if self.client_secret.is_some() && self.private_key.is_some() {
            return wrong("privateKey", "stands in place of clientSecret; give one of them");
        }
        let has_proof = self.client_secret.is_some() || self.private_key.is_some();
        if self.grant == GrantType::ClientCredentials && !has_proof {
            return wrong("grant", "client-credentials needs clientId and clientSecret or privateKey");
        }
        if let Some(issuer) = &self.issuer {
            check_place("oauth.issuer", issuer)?;
        }
        match self.scopes.iter().position(|scope| !is_scope(scope)) {
            Some(at) => wrong(&format!("scopes[{at}]"), "must be one scope, without spaces or quotes"),
            None => Ok(()),
        }
    }
}

/// Whether a text is one scope (RFC 6749, 3.3).
pub fn is_scope(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_graphic() && !matches!(b, b'"' | b'\\'))
}

/// Whether secrets may go there: over TLS, or within this machine.
pub fn is_safe(address: &Address) -> bool {
    address.secure || address.is_loopback()
}

fn check_place(field: &str, url: &str) -> Result<(), FieldError> {
    match Address::parse(url) {
        Err(message) => Err(FieldError::new(field, message)),
        Ok(address) if !is_safe(&address) => {
            Err(FieldError::new(field, "must be an https URL; http is for loopback only"))
        }
        Ok(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn an_issuer_is_a_safe_address_with_scopes() {
        let check = |extra: Value, expected: &str| {
            let mut value = json!({"issuer": "https://id.example", "scopes": {"mcp": {}}});
            value.as_object_mut().expect("a map").extend(extra.as_object().expect("a map").clone());
            let issuer: Issuer = serde_json::from_value(value).expect("the shape is right");
            assert_eq!(issuer.check().map_or_else(|e| e.under("oauth"), |()| "ok".into()), expected);
        };
        check(json!({}), "ok");
        check(json!({"issuer": "http://127.0.0.1:9/realm", "jwks": "http://localhost:9/k"}), "ok");
        check(
            json!({"issuer": "http://id.example"}),
            "oauth.issuer must be an https URL; http is for loopback only",
        );
        check(json!({"jwks": "ftp://x"}), "oauth.jwks must be an http or https URL");
        check(json!({"audience": " "}), "oauth.audience must not be empty");
        check(json!({"scopes": {}}), "oauth.scopes must name at least one scope and what it permits");
        check(
            json!({"scopes": {"a b": {}}}),
            "oauth.scopes has a name with spaces, quotes or other odd characters",
        );
    }

    #[test]
    fn a_registration_is_whole_and_never_printed() {
        let check = |value: Value, expected: &str| {
            let registration: Registration = serde_json::from_value(value).expect("the shape is right");
            assert!(!format!("{registration:?}").contains("s3cret"));
            assert_eq!(registration.check().map_or_else(|e| e.under(""), |()| "ok".into()), expected);
        };
        check(json!({}), "ok");
        check(json!({"clientId": "a", "clientSecret": "s3cret", "grant": "client-credentials"}), "ok");
        check(json!({"clientSecret": "s3cret"}), "oauth.clientId is required with a secret or a key");
        check(
            json!({"clientId": "a", "clientSecret": ""}),
            "oauth.clientSecret must not be empty; is its variable set?",
        );
        check(
            json!({"clientId": "a", "clientSecret": "s3cret", "privateKey": "s3cret"}),
            "oauth.privateKey stands in place of clientSecret; give one of them",
        );
        check(
            json!({"grant": "client-credentials"}),
            "oauth.grant client-credentials needs clientId and clientSecret or privateKey",
        );
        check(json!({"scopes": ["a", "b c"]}), "oauth.scopes[1] must be one scope, without spaces or quotes");
        check(
            json!({"issuer": "http://x.y"}),
            "oauth.issuer must be an https URL; http is for loopback only",
        );
    }
}
