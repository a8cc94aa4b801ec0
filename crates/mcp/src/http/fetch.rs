//! A document at an address: one request, no redirects, a bounded body.

use super::Target;
use super::agent::{Agent, read};
use super::trouble::Trouble;
use bytes::Bytes;
use hyper::header::{ACCEPT, HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, StatusCode};

/// Why a document cannot be had. Never holds an address or a header.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// No connection could be made.
    #[error("the server cannot be reached: {0}")]
    Unreachable(String),
    /// The server has something else to say.
    #[error("the server answered with HTTP status {0}")]
    Status(u16),
    /// A header cannot be sent.
    #[error("the header '{0}' cannot be sent: its name or value has characters that are not allowed")]
    Header(String),
    /// It is larger than allowed.
    #[error("it has more than {0} bytes")]
    TooLarge(usize),
    /// The connection broke.
    #[error("the connection broke before the answer was there")]
    Broken,
}

/// A request to an address.
pub struct Request {
    /// Its method.
    pub method: String,
    /// Its headers, besides those of the target.
    pub headers: Vec<(String, String)>,
    /// Its body.
    pub body: Vec<u8>,
}

/// Sends one request and reads the whole answer, of at most `limit` bytes: its status and its body. How long that
/// may take is the caller's to say.
pub async fn send(target: &Target, request: Request, limit: usize) -> Result<(u16, Bytes), FetchError> {
    let method = Method::from_bytes(request.method.as_bytes()).map_err(|_| FetchError::Broken)?;
    let mut headers = HeaderMap::new();
    for (name, value) in &request.headers {
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| FetchError::Header(name.clone()))?;
        let value = HeaderValue::from_str(value).map_err(|_| FetchError::Header(name.to_string()))?;
        headers.append(name, value);
    }
    let path = target.address.path.clone();
    let answer = Agent::new(target).send(method, &path, headers, request.body.into()).await;
    let answer = answer.map_err(|trouble| refused(trouble, limit))?;
    let status = answer.status().as_u16();
    let body = read(answer.into_body(), limit).await.map_err(|trouble| refused(trouble, limit))?;
    Ok((status, body))
}

/// Reads the JSON document at an address, of at most `limit` bytes. How long that may take is the caller's to say.
pub async fn fetch(target: &Target, limit: usize) -> Result<Bytes, FetchError> {
    let agent = Agent::new(target);
    let headers = HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static("application/json"))]);
    let path = target.address.path.clone();
    let answer = agent.send(Method::GET, &path, headers, Bytes::new()).await;
    let answer = answer.map_err(|trouble| refused(trouble, limit))?;
    match answer.status() {
        StatusCode::OK => read(answer.into_body(), limit).await.map_err(|trouble| refused(trouble, limit)),
        status => Err(FetchError::Status(status.as_u16())),
    }
}

fn refused(trouble: Trouble, limit: usize) -> FetchError {
    match trouble {
        Trouble::Unreachable(reason) => FetchError::Unreachable(reason),
        Trouble::Overrun => FetchError::TooLarge(limit),
        _ => FetchError::Broken,
    }
}
