//! What operations answer that none of them says itself, because it is decided before they are reached, or by what
//! they share: put into the OpenAPI document in one place, by what the guards do.

use crate::access;
use crate::health;
use axum::http::Method;
use utoipa::openapi::path::{Operation, PathItem};
use utoipa::openapi::{Content, OpenApi, Ref, ResponseBuilder};

/// Adds the shared refusals to every operation that can answer them; what one says of its own stays.
pub(crate) fn document(document: &mut OpenApi) {
    for (path, item) in &mut document.paths.paths {
        for (method, operation) in operations(item) {
            for (status, text) in refusals(&method, path, operation) {
                let responses = &mut operation.responses.responses;
                responses.entry(status.into()).or_insert_with(|| refusal(text).into());
            }
        }
    }
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = (Method, &mut Operation)> {
    let all = [
        (Method::GET, &mut item.get),
        (Method::POST, &mut item.post),
        (Method::PUT, &mut item.put),
        (Method::PATCH, &mut item.patch),
        (Method::DELETE, &mut item.delete),
    ];
    all.into_iter().filter_map(|(method, operation)| Some((method, operation.as_mut()?)))
}

/// The refusals of an operation, with what is said of each.
fn refusals(method: &Method, path: &str, operation: &Operation) -> Vec<(&'static str, &'static str)> {
    let mut all = Vec::new();
    if operation.parameters.is_some() || operation.request_body.is_some() {
        all.push(("400", "`VALIDATION_ERROR`: the address or the body cannot be read"));
    }
    // Probes are let in from anywhere, and are never one too many.
    if path == health::PATH {
        return all;
    }
    let forbidden = if access::takes_key(method, path) {
        all.push(("401", "`UNAUTHORIZED`, where there are keys"));
        all.push(("429", "`RATE_LIMITED`: too many wrong keys; see `Retry-After`"));
        "`FORBIDDEN`: the key is not enough for this; `VALIDATION_ERROR`: `Origin` or `Host` is not allowed"
    } else {
        "`VALIDATION_ERROR`: `Origin` or `Host` is not allowed"
    };
    all.push(("403", forbidden));
    // Only those of the API may need the store.
    let away = if path.starts_with("/api/") {
        "`STORE_UNAVAILABLE`, `OVERLOADED`; see `Retry-After`"
    } else {
        "`OVERLOADED`; see `Retry-After`"
    };
    all.push(("503", away));
    all
}

fn refusal(text: &str) -> ResponseBuilder {
    let envelope = Content::new(Some(Ref::from_schema_name("ErrorReply")));
    ResponseBuilder::new().description(text).content("application/json", envelope)
}
