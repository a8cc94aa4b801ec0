//! The HTTP client of one remote server: pooled connections, its headers on every request, no redirects.

use super::Target;
use super::dial::Dialer;
use super::trouble::Trouble;
use super::values::basic;
use crate::oauth::{Challenge, Tokens};
use bytes::Bytes;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Body, Incoming};
use hyper::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue, USER_AGENT};
use hyper::{Method, Request, Response, Uri};
use hyper_util::client::legacy::{Client, Error};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use model::Address;
use std::sync::Arc;
use std::time::Duration;
use tower_service::Service;

/// Shorter than the five seconds after which common servers close an idle connection.
const IDLE_MAX: Duration = Duration::from_secs(4);

/// Room for the head of a response.
const HEAD_MAX: usize = 64 * 1024;

/// How long it may take to learn whether the server is still there.
const CHECK_MAX: Duration = Duration::from_secs(2);

/// Speaks HTTP with one server.
pub(super) struct Agent {
    http: Client<Dialer, Full<Bytes>>,
    dialer: Dialer,
    pub(super) address: Address,
    headers: HeaderMap,
    tokens: Option<Arc<dyn Tokens>>,
}

impl Agent {
    pub(super) fn new(target: &Target) -> Self {
        let dialer = Dialer::new(target.admits);
        let http = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE_MAX)
            .http1_max_buf_size(HEAD_MAX)
            .build(dialer.clone());
        let (address, tokens) = (target.address.clone(), target.tokens.clone());
        Self { http, dialer, address, headers: standing(target), tokens }
    }

    /// Sends one request and waits for the head of its answer.
    pub(super) async fn send(
        &self,
        method: Method,
        path: &str,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<Response<Incoming>, Trouble> {
        match &self.tokens {
            None => self.send_once(method, path, headers, body).await,
            Some(tokens) => Box::pin(self.send_with(&**tokens, method, path, headers, body)).await,
        }
    }

    /// One that was refused for want of a token goes once more when there is another token.
    async fn send_with(
        &self,
        tokens: &dyn Tokens,
        method: Method,
        path: &str,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<Response<Incoming>, Trouble> {
        let used = tokens.current();
        let answer = self
            .send_once(method.clone(), path, with_token(headers.clone(), used.clone()), body.clone())
            .await?;
        let Some(challenge) = Challenge::read(answer.status(), answer.headers()) else { return Ok(answer) };
        if !tokens.refused(used.as_ref(), &challenge).await {
            return Ok(answer);
        }
        drop(answer);
        let used = tokens.current();
        let answer = self.send_once(method, path, with_token(headers, used.clone()), body).await?;
        if let Some(challenge) = Challenge::read(answer.status(), answer.headers()) {
            tokens.refused_again(used.as_ref(), &challenge);
        }
        Ok(answer)
    }

    async fn send_once(
        &self,
        method: Method,
        path: &str,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<Response<Incoming>, Trouble> {
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = method;
        *request.uri_mut() = self.uri(path)?;
        *request.headers_mut() = self.headers.clone();
        request.headers_mut().extend(headers);
        trace(request.headers_mut());
        self.http.request(request).await.map_err(|error| trouble(&error))
    }

    /// Whether a connection can still be made.
    pub(super) async fn reaches(&self) -> bool {
        let Ok(uri) = self.uri("/") else { return false };
        let connected = self.dialer.clone().call(uri);
        matches!(tokio::time::timeout(CHECK_MAX, connected).await, Ok(Ok(_)))
    }

    fn uri(&self, path: &str) -> Result<Uri, Trouble> {
        Uri::builder()
            .scheme(self.address.scheme())
            .authority(self.address.authority())
            .path_and_query(path)
            .build()
            .map_err(|_| Trouble::Endpoint)
    }
}

fn with_token(mut headers: HeaderMap, token: Option<HeaderValue>) -> HeaderMap {
    if let Some(token) = token {
        headers.insert(AUTHORIZATION, token);
    }
    headers
}

/// The headers of every request. None of their values is ever printed.
fn standing(target: &Target) -> HeaderMap {
    let agent = HeaderValue::from_static(concat!("lockgate/", env!("CARGO_PKG_VERSION")));
    let mut headers = HeaderMap::from_iter([(USER_AGENT, agent)]);
    if let Some(value) = target.address.credentials.as_deref().and_then(basic) {
        headers.insert(AUTHORIZATION, value);
    }
    for (name, value) in &target.headers {
        let name = HeaderName::from_bytes(name.as_bytes());
        let value = HeaderValue::from_bytes(value.as_bytes());
        if let (Ok(name), Ok(mut value)) = (name, value) {
            value.set_sensitive(true);
            headers.insert(name, value);
        }
    }
    headers
}

/// Tells the server which span asks, where the request is traced.
fn trace(headers: &mut HeaderMap) {
    let Some(context) = otlp::current() else { return };
    let state = context.state.as_deref().map(|state| ("tracestate", state.to_owned()));
    for (name, value) in [("traceparent", context.parent())].into_iter().chain(state) {
        if let Ok(value) = HeaderValue::from_str(&value) {
            headers.insert(name, value);
        }
    }
}

/// The whole body, when it is at most `limit` bytes.
pub(super) async fn read(body: Incoming, limit: usize) -> Result<Bytes, Trouble> {
    if body.size_hint().lower() > limit as u64 {
        return Err(Trouble::Overrun);
    }
    match Limited::new(body, limit).collect().await {
        Ok(body) => Ok(body.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(Trouble::Overrun),
        Err(_) => Err(Trouble::Broken),
    }
}

fn trouble(error: &Error) -> Trouble {
    if !error.is_connect() {
        return Trouble::Broken;
    }
    let mut cause: &dyn std::error::Error = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    Trouble::Unreachable(cause.to_string())
}
