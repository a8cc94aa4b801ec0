//! What an issuer says of itself (RFC 8414 and OpenID Connect Discovery).

use super::error::OauthError;
use super::wire::Wire;
use model::Address;
use model::oauth::is_safe;
use serde::{Deserialize, Serialize};

const WHAT: &str = "issuer's metadata";

/// Where an issuer takes requests, and what it can do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Metadata {
    /// Its identifier.
    pub issuer: String,
    /// Where people sign in.
    #[serde(default)]
    pub authorization_endpoint: Option<String>,
    /// Where tokens are given.
    #[serde(default)]
    pub token_endpoint: Option<String>,
    /// Where clients introduce themselves.
    #[serde(default)]
    pub registration_endpoint: Option<String>,
    /// Where the keys are that its tokens are checked with.
    #[serde(default)]
    pub jwks_uri: Option<String>,
    /// The scopes that it knows.
    #[serde(default)]
    pub scopes_supported: Vec<String>,
    /// How clients may show who they are.
    #[serde(default)]
    pub token_endpoint_auth_methods_supported: Option<Vec<String>>,
    /// The kinds of proof keys that it checks.
    #[serde(default)]
    pub code_challenge_methods_supported: Option<Vec<String>>,
    /// Whether its answers name it.
    #[serde(default)]
    pub authorization_response_iss_parameter_supported: bool,
    /// Whether it reads the document that a client's id is the address of.
    #[serde(default)]
    pub client_id_metadata_document_supported: bool,
}

impl Metadata {
    /// Reads the metadata of an issuer; `None` when it has none at any of the usual places.
    pub async fn find(wire: &Wire, issuer: &str) -> Result<Option<Self>, OauthError> {
        let address = Address::parse(issuer).map_err(|why| OauthError::Address("issuer", why.to_owned()))?;
        for place in places(&address) {
            let Some(found) = wire.read::<Self>(WHAT, &place).await? else { continue };
            // To the letter, or one issuer could speak for another.
            if found.issuer != issuer {
                return Err(OauthError::Invalid(WHAT, "it is that of another issuer"));
            }
            found.check()?;
            return Ok(Some(found));
        }
        Ok(None)
    }

    /// What held before there was any metadata (revision 2025-03-26): fixed paths at the server's own origin.
    pub fn usual(origin: &str) -> Self {
        let at = |path: &str| Some(format!("{origin}{path}"));
        Self {
            issuer: origin.to_owned(),
            authorization_endpoint: at("/authorize"),
            token_endpoint: at("/token"),
            registration_endpoint: at("/register"),
            jwks_uri: None,
            scopes_supported: Vec::new(),
            token_endpoint_auth_methods_supported: None,
            code_challenge_methods_supported: Some(vec!["S256".into()]),
            authorization_response_iss_parameter_supported: false,
            client_id_metadata_document_supported: false,
        }
    }

    /// Where people sign in, when the issuer checks proof keys.
    pub(super) fn sign_in_at(&self) -> Result<&str, OauthError> {
        let methods = self.code_challenge_methods_supported.as_deref().unwrap_or_default();
        if !methods.iter().any(|method| method == "S256") {
            return Err(OauthError::NoPkce);
        }
        self.authorization_endpoint
            .as_deref()
            .ok_or(OauthError::Invalid(WHAT, "it names no place to sign in"))
    }

    /// Where tokens are given.
    pub(super) fn tokens_at(&self) -> Result<&str, OauthError> {
        self.token_endpoint.as_deref().ok_or(OauthError::Invalid(WHAT, "it names no place that gives tokens"))
    }

    /// Every address in it is one that secrets may go to.
    fn check(&self) -> Result<(), OauthError> {
        let places =
            [&self.authorization_endpoint, &self.token_endpoint, &self.registration_endpoint, &self.jwks_uri];
        let safe = |url: &String| Address::parse(url).is_ok_and(|address| is_safe(&address));
        match places.into_iter().flatten().all(safe) {
            true => Ok(()),
            false => Err(OauthError::Invalid(WHAT, "it has an address that is not https")),
        }
    }
}

/// With a path, the well-known part stands before it, or after it for older issuers of OpenID Connect.
fn places(issuer: &Address) -> Vec<String> {
    let base = format!("{}://{}", issuer.scheme(), issuer.authority());
    let path = issuer.path.trim_end_matches('/');
    let mut places = vec![
        format!("{base}/.well-known/oauth-authorization-server{path}"),
        format!("{base}/.well-known/openid-configuration{path}"),
    ];
    if !path.is_empty() {
        places.push(format!("{base}{path}/.well-known/openid-configuration"));
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_is_looked_for_before_and_after_the_path() {
        let of = |url: &str| places(&Address::parse(url).expect("an address"));
        assert_eq!(
            of("https://h/"),
            [
                "https://h/.well-known/oauth-authorization-server",
                "https://h/.well-known/openid-configuration"
            ]
        );
        assert_eq!(
            of("https://h/t/1"),
            [
                "https://h/.well-known/oauth-authorization-server/t/1",
                "https://h/.well-known/openid-configuration/t/1",
                "https://h/t/1/.well-known/openid-configuration"
            ]
        );
    }

    #[test]
    fn an_issuer_without_proof_keys_or_with_a_plain_address_is_not_used() {
        let mut metadata = Metadata::usual("https://h");
        assert_eq!(metadata.sign_in_at().expect("a place"), "https://h/authorize");
        metadata.code_challenge_methods_supported = Some(vec!["plain".into()]);
        assert!(matches!(metadata.sign_in_at(), Err(OauthError::NoPkce)));
        metadata.code_challenge_methods_supported = None;
        assert!(matches!(metadata.sign_in_at(), Err(OauthError::NoPkce)));
        assert!(metadata.check().is_ok());
        metadata.token_endpoint = Some("http://h/token".into());
        assert!(metadata.check().is_err());
        metadata.token_endpoint = Some("javascript:alert(1)".into());
        assert!(metadata.check().is_err());
    }
}
