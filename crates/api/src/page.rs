//! The web page, on every path that nothing else answers.

use crate::answer::Refusal;
use crate::body;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use model::{Code, Fault};
use std::borrow::Cow;
use web::{Answer, Question};

/// Serves a file of the page, or says that there is no such path.
pub(crate) async fn page(request: Request) -> Response {
    let path = request.uri().path();
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    let question = Question {
        path,
        accept_encoding: text(request.headers(), &header::ACCEPT_ENCODING),
        if_none_match: text(request.headers(), &header::IF_NONE_MATCH),
    };
    let refused = match web::answer(&question) {
        Some(answer) if reads => return respond(answer, *request.method() == Method::HEAD),
        Some(_) => no_such_method(request.method()),
        None => Refusal::from(Fault::new(Code::NotFound, format!("No such path: {path}"))).into_response(),
    };
    body::discard(request).await;
    refused
}

/// The page is only read.
fn no_such_method(method: &Method) -> Response {
    let message = format!("{method} is not allowed here; see the Allow header");
    let mut response = Refusal::from(Fault::new(Code::MethodNotAllowed, message)).into_response();
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET,HEAD"));
    response
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

fn respond(answer: Answer, head: bool) -> Response {
    let length = answer.body.len();
    let body = match answer.body {
        _ if head => Body::empty(),
        Cow::Borrowed(bytes) => Body::from(bytes),
        Cow::Owned(bytes) => Body::from(bytes),
    };
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    for (name, value) in answer.headers {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    if answer.status == 200 {
        headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    }
    response
}
