//! Requests of OAuth: bounded in time and size, no redirects, and only to addresses that may be reached.

use super::error::OauthError;
use crate::http::{FetchError, Request, Target, send};
use bytes::Bytes;
use model::Address;
use model::oauth::is_safe;
use serde::de::DeserializeOwned;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

/// How long an answer may take.
const ANSWER_MAX: Duration = Duration::from_secs(10);

/// The most bytes of a document or an answer.
const BYTES_MAX: usize = 256 * 1024;

/// Which of the addresses that a name resolves to may be used.
type Admits = fn(IpAddr) -> bool;

/// Whether an address may be reached, and which of the addresses that its name resolves to.
pub type Reach = Arc<dyn Fn(&Address) -> Result<Admits, String> + Send + Sync>;

/// Sends the requests of OAuth.
#[derive(Clone)]
pub struct Wire {
    reach: Reach,
}

impl Wire {
    /// A wire to what may be reached.
    pub fn new(reach: Reach) -> Self {
        Self { reach }
    }

    /// The target at an address, when it is safe and may be reached.
    pub(super) fn target(&self, what: &'static str, url: &str) -> Result<Target, OauthError> {
        let wrong = |why: String| OauthError::Address(what, why);
        let address = Address::parse(url).map_err(|why| wrong(why.to_owned()))?;
        if !is_safe(&address) {
            return Err(wrong("must be https; http is for loopback only".into()));
        }
        let admits = (self.reach)(&address).map_err(wrong)?;
        Ok(Target { address, headers: Vec::new(), admits, tokens: None })
    }

    /// Reads a document; `None` when there is none.
    pub(super) async fn read<T: DeserializeOwned>(
        &self,
        what: &'static str,
        url: &str,
    ) -> Result<Option<T>, OauthError> {
        let headers = vec![("accept".to_owned(), "application/json".to_owned())];
        let request = Request { method: "GET".into(), headers, body: Vec::new() };
        let (status, body) = self.send(what, url, request).await?;
        match status {
            200 => serde_json::from_slice(&body)
                .map(Some)
                .map_err(|_| OauthError::Invalid(what, "it is not the JSON it should be")),
            500.. => Err(OauthError::Fetch(what, FetchError::Status(status))),
            _ => Ok(None),
        }
    }

    /// Sends a body and gives back the status and the whole answer.
    pub(super) async fn post(
        &self,
        what: &'static str,
        url: &str,
        (kind, authorization): (&str, Option<String>),
        body: String,
    ) -> Result<(u16, Bytes), OauthError> {
        let mut headers = vec![
            ("accept".to_owned(), "application/json".to_owned()),
            ("content-type".to_owned(), kind.to_owned()),
        ];
        headers.extend(authorization.map(|value| ("authorization".to_owned(), value)));
        self.send(what, url, Request { method: "POST".into(), headers, body: body.into_bytes() }).await
    }

    async fn send(
        &self,
        what: &'static str,
        url: &str,
        request: Request,
    ) -> Result<(u16, Bytes), OauthError> {
        let target = self.target(what, url)?;
        let sent = tokio::time::timeout(ANSWER_MAX, send(&target, request, BYTES_MAX)).await;
        sent.map_err(|_| OauthError::Slow(what))?.map_err(|error| OauthError::Fetch(what, error))
    }
}
