//! A person signs in: where they go, and what they bring back.

use super::challenge::Challenge;
use super::client::{Client, Identity};
use super::error::OauthError;
use super::form::encode;
use super::issuer::Metadata;
use super::random::{challenge, fresh};
use super::resource::Resource;
use super::token::Kept;
use super::wire::Wire;
use model::Address;
use model::oauth::Registration;
use serde::{Deserialize, Serialize};

/// What is wanted of a server's issuer.
pub struct Wish<'a> {
    /// The server.
    pub server: &'a Address,
    /// What the server said when it refused.
    pub challenge: &'a Challenge,
    /// What the gateway is known as, where that was given by hand.
    pub registration: Option<&'a Registration>,
    /// What is kept of an earlier sign-in.
    pub kept: Option<&'a Kept>,
}

/// A sign-in that was begun.
#[derive(Serialize, Deserialize)]
pub struct Pending {
    /// What the answer must bring back.
    pub state: String,
    verifier: String,
    redirect: String,
    kept: Kept,
}

/// What a person brings back.
#[derive(Clone, Default, Deserialize)]
pub struct Answer {
    /// The code that a token is given for.
    pub code: Option<String>,
    /// What the sign-in is known by.
    pub state: Option<String>,
    /// The issuer that answers.
    pub iss: Option<String>,
    /// Why there is no code.
    pub error: Option<String>,
}

impl Wish<'_> {
    /// Begins a sign-in; gives the address for the person to open. The label stands before the state.
    pub async fn begin(
        &self,
        wire: &Wire,
        identity: &Identity,
        label: &str,
    ) -> Result<(Pending, String), OauthError> {
        let kept = self.prepare(wire, Some(identity)).await?;
        let place = kept.metadata.sign_in_at()?;
        wire.target("place to sign in", place)?;
        let (state, verifier) = (format!("{label}.{}", fresh()), fresh());
        let (scopes, proof) = (kept.scopes.join(" "), challenge(&verifier));
        let mut query = vec![
            ("response_type", "code"),
            ("client_id", &kept.client.id),
            ("redirect_uri", &identity.redirect),
            ("state", &state),
            ("code_challenge", &proof),
            ("code_challenge_method", "S256"),
            ("resource", &kept.resource),
        ];
        if !scopes.is_empty() {
            query.push(("scope", &scopes));
        }
        let separator = if place.contains('?') { '&' } else { '?' };
        let address = format!("{place}{separator}{}", encode(query));
        Ok((Pending { state, verifier, redirect: identity.redirect.clone(), kept }, address))
    }

    /// Gets a token with the gateway's own credentials, which must have been given by hand.
    pub async fn own(&self, wire: &Wire) -> Result<Kept, OauthError> {
        let mut kept = self.prepare(wire, None).await?;
        kept.own(wire).await?;
        Ok(kept)
    }

    /// Finds the issuer and what the gateway is there.
    async fn prepare(&self, wire: &Wire, identity: Option<&Identity>) -> Result<Kept, OauthError> {
        let found = Resource::find(wire, self.server, self.challenge).await?;
        let origin = format!("{}://{}", self.server.scheme(), self.server.authority());
        let (metadata, resource) = match &found {
            Some(resource) => {
                let issuer = self.choose(resource)?;
                let metadata = Metadata::find(wire, issuer).await?.ok_or(OauthError::NoIssuer)?;
                (metadata, resource.resource.clone())
            }
            // Before there was metadata of servers, the server's origin was its issuer.
            None => {
                let metadata = Metadata::find(wire, &origin).await?;
                let path = self.server.path.split('?').next().unwrap_or_default();
                (metadata.unwrap_or_else(|| Metadata::usual(&origin)), format!("{origin}{path}"))
            }
        };
        let client = self.client(wire, &metadata, identity).await?;
        let scopes = self.scopes(found.as_ref(), &metadata);
        let redirect = identity.map(|identity| identity.redirect.clone());
        Ok(Kept { token: None, metadata, client, resource, scopes, redirect })
    }

    /// The issuer to go to: the one that credentials are for, else the first that the server names.
    fn choose<'r>(&self, resource: &'r Resource) -> Result<&'r str, OauthError> {
        let named = &resource.authorization_servers;
        let Some(wanted) = self.registration.and_then(|registration| registration.issuer.as_deref()) else {
            return named.first().map(String::as_str).ok_or(OauthError::NoIssuer);
        };
        named.iter().find(|issuer| *issuer == wanted).map(String::as_str).ok_or(OauthError::OtherIssuer)
    }

    /// What the gateway is at that issuer. What it was at another is worth nothing here.
    async fn client(
        &self,
        wire: &Wire,
        metadata: &Metadata,
        identity: Option<&Identity>,
    ) -> Result<Client, OauthError> {
        let before = self.kept.filter(|kept| kept.metadata.issuer == metadata.issuer);
        if let Some(client) = self.registration.and_then(|registration| Client::given(registration, metadata))
        {
            let pinned = self.registration.is_some_and(|registration| registration.issuer.is_some());
            let elsewhere = self.kept.is_some_and(|kept| kept.client.id == client.id) && before.is_none();
            return if elsewhere && !pinned { Err(OauthError::OtherIssuer) } else { Ok(client) };
        }
        match (before, identity) {
            (Some(kept), Some(identity)) if kept.serves(identity) => Ok(kept.client.clone()),
            (_, Some(identity)) => Client::introduce(wire, metadata, identity).await,
            (_, None) => Err(OauthError::Unknown),
        }
    }

    /// The scopes to ask for: those of the settings, else those of the refusal, else all that the server names; with
    /// those asked for before, so that nothing is lost on the way up.
    fn scopes(&self, resource: Option<&Resource>, metadata: &Metadata) -> Vec<String> {
        let set = self.registration.map(|registration| registration.scopes.as_slice()).unwrap_or_default();
        let named = resource.map(|resource| resource.scopes_supported.as_slice()).unwrap_or_default();
        let challenged = self.challenge.scopes.as_slice();
        let mut scopes = match (set.is_empty(), challenged.is_empty()) {
            (false, _) => set.to_vec(),
            (true, false) => challenged.to_vec(),
            (true, true) => named.to_vec(),
        };
        if self.challenge.is_insufficient() {
            scopes.extend(challenged.iter().cloned());
        }
        let before = self.kept.filter(|kept| kept.metadata.issuer == metadata.issuer);
        scopes.extend(before.into_iter().flat_map(|kept| kept.scopes.iter().cloned()));
        // Without it some issuers give nothing to renew a token with.
        let offline = "offline_access";
        if set.is_empty() && metadata.scopes_supported.iter().any(|scope| scope == offline) {
            scopes.push(offline.to_owned());
        }
        let mut seen = std::collections::HashSet::new();
        scopes.retain(|scope| seen.insert(scope.clone()));
        scopes
    }
}

impl Kept {
    /// Whether the gateway, as it is known there, still has that identity.
    fn serves(&self, identity: &Identity) -> bool {
        self.redirect.as_deref() == Some(identity.redirect.as_str())
    }
}

impl Pending {
    /// Gets the token for what a person brought back.
    pub async fn complete(self, wire: &Wire, answer: &Answer) -> Result<Kept, OauthError> {
        let Pending { verifier, redirect, mut kept, .. } = self;
        // Before anything else: who answers (RFC 9207, 2.4).
        match &answer.iss {
            Some(iss) if *iss != kept.metadata.issuer => return Err(OauthError::MixUp),
            None if kept.metadata.authorization_response_iss_parameter_supported => {
                return Err(OauthError::MixUp);
            }
            _ => {}
        }
        let Some(code) = &answer.code else {
            let word = answer.error.clone().unwrap_or_default();
            return Err(super::token::refusal(
                400,
                serde_json::json!({"error": word}).to_string().as_bytes(),
            ));
        };
        kept.redeem(wire, code, &verifier, &redirect).await?;
        Ok(kept)
    }
}
