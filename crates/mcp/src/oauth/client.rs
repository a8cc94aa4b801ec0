//! What the gateway is known as at an issuer: registered by hand, by its own document, or on the spot.

use super::error::OauthError;
use super::issuer::Metadata;
use super::wire::Wire;
use model::oauth::Registration;
use serde::{Deserialize, Serialize};
use serde_json::json;

const WHAT: &str = "issuer's registration";

/// Where the gateway is, as an issuer must know it.
#[derive(Clone, Debug)]
pub struct Identity {
    /// Where people come back to after they signed in.
    pub redirect: String,
    /// The address of the gateway's own document, where it has a public one.
    pub document: Option<String>,
}

/// How the gateway shows who it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Method {
    /// It has nothing to show.
    None,
    /// Id and secret in a header.
    ClientSecretBasic,
    /// Id and secret in the body.
    ClientSecretPost,
    /// A signed assertion.
    PrivateKeyJwt,
}

/// The gateway at one issuer.
#[derive(Clone, Serialize, Deserialize)]
pub struct Client {
    pub(super) id: String,
    pub(super) secret: Option<String>,
    pub(super) key: Option<String>,
    pub(super) method: Method,
}

/// Neither the secret nor the key is shown.
impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Client({})", self.id)
    }
}

#[derive(Deserialize)]
struct Registered {
    client_id: String,
    #[serde(default)]
    client_secret: Option<String>,
    #[serde(default)]
    token_endpoint_auth_method: Option<Method>,
}

impl Client {
    /// The gateway as it was registered by hand.
    pub fn given(registration: &Registration, metadata: &Metadata) -> Option<Self> {
        let id = registration.client_id.clone()?;
        let (secret, key) = (registration.client_secret.clone(), registration.private_key.clone());
        let method = match (&secret, &key) {
            (_, Some(_)) => Method::PrivateKeyJwt,
            (Some(_), None) => preferred(metadata),
            (None, None) => Method::None,
        };
        // Whoever gave a secret wants it used.
        let method =
            if secret.is_some() && method == Method::None { Method::ClientSecretBasic } else { method };
        Some(Self { id, secret, key, method })
    }

    /// The gateway at an issuer that does not know it: by its document where that is read, else registered anew.
    pub async fn introduce(
        wire: &Wire,
        metadata: &Metadata,
        identity: &Identity,
    ) -> Result<Self, OauthError> {
        match (&identity.document, &metadata.registration_endpoint) {
            (Some(document), _) if metadata.client_id_metadata_document_supported => {
                Ok(Self { id: document.clone(), secret: None, key: None, method: Method::None })
            }
            (_, Some(place)) => register(wire, metadata, place, identity).await,
            _ => Err(OauthError::Unknown),
        }
    }
}

impl Identity {
    /// The gateway's own document, for issuers that read it.
    pub fn describe(&self) -> serde_json::Value {
        let mut document = json!({
            "client_name": "Lockgate",
            "redirect_uris": [self.redirect],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": Method::None,
            "application_type": if is_local(&self.redirect) { "native" } else { "web" },
        });
        if let Some(id) = &self.document {
            document["client_id"] = json!(id);
            document["client_uri"] = json!(id.trim_end_matches("/client-metadata.json"));
        }
        document
    }
}

async fn register(
    wire: &Wire,
    metadata: &Metadata,
    place: &str,
    identity: &Identity,
) -> Result<Client, OauthError> {
    let asked = preferred(metadata);
    let mut document = Identity { document: None, ..identity.clone() }.describe();
    document["token_endpoint_auth_method"] = json!(asked);
    let (status, body) = wire.post(WHAT, place, ("application/json", None), document.to_string()).await?;
    if !matches!(status, 200 | 201) {
        return Err(super::token::refusal(status, &body));
    }
    let made: Registered = serde_json::from_slice(&body)
        .map_err(|_| OauthError::Invalid(WHAT, "it is not the JSON it should be"))?;
    let method = match made.token_endpoint_auth_method.unwrap_or(asked) {
        Method::ClientSecretBasic | Method::ClientSecretPost if made.client_secret.is_none() => Method::None,
        Method::PrivateKeyJwt => {
            return Err(OauthError::Invalid(WHAT, "it wants a key that the gateway does not have"));
        }
        method => method,
    };
    Ok(Client { id: made.client_id, secret: made.client_secret, key: None, method })
}

/// The safest way that an issuer takes; without a word of it a header (RFC 8414, 2).
fn preferred(metadata: &Metadata) -> Method {
    let Some(methods) = &metadata.token_endpoint_auth_methods_supported else {
        return Method::ClientSecretBasic;
    };
    let takes = |name: &str| methods.iter().any(|method| method == name);
    match () {
        () if takes("client_secret_basic") => Method::ClientSecretBasic,
        () if takes("client_secret_post") => Method::ClientSecretPost,
        () => Method::None,
    }
}

fn is_local(url: &str) -> bool {
    model::Address::parse(url).is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_given_by_hand_are_shown_in_the_way_that_the_issuer_takes() {
        let mut metadata = Metadata::usual("https://h");
        let secret = Registration {
            client_id: Some("a".into()),
            client_secret: Some("b".into()),
            ..Registration::default()
        };
        let method = |registration: &Registration, metadata: &Metadata| {
            Client::given(registration, metadata).map(|c| c.method)
        };
        assert_eq!(method(&secret, &metadata), Some(Method::ClientSecretBasic));
        metadata.token_endpoint_auth_methods_supported =
            Some(vec!["none".into(), "client_secret_post".into()]);
        assert_eq!(method(&secret, &metadata), Some(Method::ClientSecretPost));
        metadata.token_endpoint_auth_methods_supported = Some(vec!["none".into()]);
        assert_eq!(method(&secret, &metadata), Some(Method::ClientSecretBasic));
        let key = Registration { client_secret: None, private_key: Some("k".into()), ..secret.clone() };
        assert_eq!(method(&key, &metadata), Some(Method::PrivateKeyJwt));
        let public = Registration { client_secret: None, ..secret };
        assert_eq!(method(&public, &metadata), Some(Method::None));
        assert_eq!(method(&Registration::default(), &metadata), None);
    }

    #[test]
    fn the_document_says_what_the_gateway_is_and_has_no_secret() {
        let identity = Identity {
            redirect: "https://g/oauth/callback".into(),
            document: Some("https://g/client-metadata.json".into()),
        };
        let document = identity.describe();
        assert_eq!(document["client_id"], "https://g/client-metadata.json");
        assert_eq!(document["application_type"], "web");
        assert_eq!(document["token_endpoint_auth_method"], "none");
        let local = Identity { redirect: "http://127.0.0.1:3001/oauth/callback".into(), document: None };
        assert_eq!(local.describe()["application_type"], "native");
    }
}
