//! Tokens: how they are asked for, and what is kept of them.

use super::assertion::assertion;
use super::client::{Client, Method};
use super::error::OauthError;
use super::form::{encode, escape};
use super::issuer::Metadata;
use super::wire::Wire;
use crate::http::FetchError;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use hyper::header::HeaderValue;
use serde::{Deserialize, Serialize};
use std::time::{SystemTime, UNIX_EPOCH};

const WHAT: &str = "issuer's token";

/// A token of an issuer.
#[derive(Clone, Serialize, Deserialize)]
pub struct Token {
    access: String,
    #[serde(default)]
    refresh: Option<String>,
}

/// Everything that is kept of a sign-in. It is all secret.
#[derive(Clone, Serialize, Deserialize)]
pub struct Kept {
    /// The token; `None` once the issuer takes it no more.
    pub token: Option<Token>,
    /// The issuer that gave it.
    pub metadata: Metadata,
    /// The gateway at that issuer.
    pub client: Client,
    /// The name of the server as a resource.
    pub resource: String,
    /// Every scope that was asked for.
    pub scopes: Vec<String>,
    /// Where people came back to.
    #[serde(default)]
    pub(super) redirect: Option<String>,
}

impl std::fmt::Debug for Kept {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Kept({})", self.metadata.issuer)
    }
}

#[derive(Deserialize)]
struct Given {
    access_token: String,
    token_type: String,
    #[serde(default)]
    refresh_token: Option<String>,
}

#[derive(Deserialize)]
struct Refusal {
    error: String,
}

impl Kept {
    /// The value of `Authorization`.
    pub fn header(&self) -> Option<HeaderValue> {
        let mut value = HeaderValue::from_str(&format!("Bearer {}", self.token.as_ref()?.access)).ok()?;
        value.set_sensitive(true);
        Some(value)
    }

    /// Gets a token with the code that a person brought back.
    pub(super) async fn redeem(
        &mut self,
        wire: &Wire,
        code: &str,
        verifier: &str,
        redirect: &str,
    ) -> Result<(), OauthError> {
        let form = [
            ("grant_type", "authorization_code"),
            ("code", code),
            ("code_verifier", verifier),
            ("redirect_uri", redirect),
        ];
        self.ask(wire, &form).await
    }

    /// Whether there is something to renew the token with.
    pub fn is_renewable(&self) -> bool {
        self.token.as_ref().is_some_and(|token| token.refresh.is_some())
    }

    /// Gets a newer token in place of the old one; one that is not renewable stays.
    pub async fn refresh(&mut self, wire: &Wire) -> Result<(), OauthError> {
        let Some(refresh) = self.token.as_ref().and_then(|token| token.refresh.clone()) else {
            return Ok(());
        };
        self.ask(wire, &[("grant_type", "refresh_token"), ("refresh_token", &refresh)]).await?;
        // An issuer that gives no other one leaves the old one good.
        if let Some(token) = &mut self.token {
            token.refresh.get_or_insert(refresh);
        }
        Ok(())
    }

    /// Gets a token with the gateway's own credentials.
    pub async fn own(&mut self, wire: &Wire) -> Result<(), OauthError> {
        let scopes = self.scopes.join(" ");
        let mut form = vec![("grant_type", "client_credentials")];
        if !scopes.is_empty() {
            form.push(("scope", &scopes));
        }
        self.ask(wire, &form).await
    }

    async fn ask(&mut self, wire: &Wire, form: &[(&str, &str)]) -> Result<(), OauthError> {
        let client = &self.client;
        let mut form: Vec<(&str, &str)> = form.to_vec();
        form.push(("resource", &self.resource));
        let (proof, mut authorization) = (self.proof()?, None);
        match (client.method, client.secret.as_deref()) {
            (Method::ClientSecretBasic, Some(secret)) => {
                let pair = format!("{}:{}", escape(&client.id), escape(secret));
                authorization = Some(format!("Basic {}", STANDARD.encode(pair)));
            }
            (Method::ClientSecretPost, Some(secret)) => {
                form.extend([("client_id", &*client.id), ("client_secret", secret)])
            }
            _ => form.push(("client_id", &client.id)),
        }
        if let Some(proof) = &proof {
            let kind = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
            form.extend([("client_assertion_type", kind), ("client_assertion", proof)]);
        }
        let how = ("application/x-www-form-urlencoded", authorization);
        let (status, body) = wire.post(WHAT, self.metadata.tokens_at()?, how, encode(form)).await?;
        match status {
            200 => {}
            // An issuer that is out of order says nothing about what it was asked with.
            408 | 429 | 500.. => return Err(OauthError::Fetch(WHAT, FetchError::Status(status))),
            _ => return Err(refusal(status, &body)),
        }
        self.token = Some(read(&body)?);
        Ok(())
    }

    fn proof(&self) -> Result<Option<String>, OauthError> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let key = self.client.key.as_deref().filter(|_| self.client.method == Method::PrivateKeyJwt);
        key.map(|key| assertion(key, &self.client.id, &self.metadata.issuer, now)).transpose()
    }
}

fn read(body: &Bytes) -> Result<Token, OauthError> {
    let wrong = |why| OauthError::Invalid(WHAT, why);
    let given: Given = serde_json::from_slice(body).map_err(|_| wrong("it is not the JSON it should be"))?;
    if !given.token_type.eq_ignore_ascii_case("bearer") {
        return Err(wrong("it is of a kind that the gateway does not know"));
    }
    if given.access_token.is_empty() || !given.access_token.bytes().all(|b| b.is_ascii_graphic()) {
        return Err(wrong("it has characters that no header carries"));
    }
    Ok(Token { access: given.access_token, refresh: given.refresh_token })
}

/// The one word of a refusal that is safe to show.
pub(super) fn refusal(status: u16, body: &[u8]) -> OauthError {
    let word = serde_json::from_slice(body).map(|Refusal { error }| error).unwrap_or_default();
    let plain =
        word.len() <= 64 && word.bytes().all(|b| b.is_ascii_lowercase() || b == b'_') && !word.is_empty();
    OauthError::Refused(if plain { word } else { format!("HTTP status {status}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_one_that_a_header_carries() {
        let check =
            |body: &str, fine: bool| assert_eq!(read(&Bytes::from(body.to_owned())).is_ok(), fine, "{body}");
        check(r#"{"access_token":"a.b-c","token_type":"bearer","expires_in":60}"#, true);
        check(r#"{"access_token":"a b","token_type":"Bearer"}"#, false);
        check(r#"{"access_token":"a\r\nX: y","token_type":"Bearer"}"#, false);
        check(r#"{"access_token":"","token_type":"Bearer"}"#, false);
        check(r#"{"access_token":"a","token_type":"mac"}"#, false);
        check(r#"{"token_type":"Bearer"}"#, false);
    }

    #[test]
    fn of_a_refusal_only_its_word_is_shown() {
        let text = |status, body: &str| refusal(status, body.as_bytes()).to_string();
        assert_eq!(
            text(400, r#"{"error":"invalid_grant","error_description":"s3cret"}"#),
            "the issuer refused: invalid_grant"
        );
        assert_eq!(text(400, r#"{"error":"<b>x</b>"}"#), "the issuer refused: HTTP status 400");
        assert_eq!(text(500, "oops"), "the issuer refused: HTTP status 500");
    }
}
