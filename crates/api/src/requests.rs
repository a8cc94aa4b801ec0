//! `GET /api/requests`: the last requests of clients, searched.

use crate::answer::{Refusal, json};
use crate::app::App;
use crate::call::ErrorReply;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, RawQuery, State};
use axum::http::StatusCode;
use axum::response::Response;
use gateway::{RequestPage, RequestQuery};
use model::{Code, Fault};

/// Lists the last requests of clients that fit, the newest first: who asked for what, when, and what came of it,
/// never what was sent or answered. How many there are is for `requests.keep` to say.
#[utoipa::path(get, path = "/api/requests", tag = "operations", operation_id = "listRequests",
    params(RequestQuery),
    responses(
        (status = 200, body = RequestPage),
        (status = 400, body = ErrorReply, description = "`VALIDATION_ERROR`"),
    ))]
pub(crate) async fn list(
    State(app): State<App>,
    RawQuery(written): RawQuery,
    query: Result<Query<RequestQuery>, QueryRejection>,
) -> Result<Response, Refusal> {
    let Query(query) = query.map_err(|_| unreadable(&written.unwrap_or_default()))?;
    Ok(json(StatusCode::OK, &app.gateway().requests(&query)?))
}

/// What is wrong with a query that cannot be read: a number that is none, or something that is given twice.
fn unreadable(query: &str) -> Fault {
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let mut numbers = pairs.filter(|(name, _)| ["limit", "before", "slower"].contains(name));
    match numbers.find(|(_, value)| value.parse::<u64>().is_err()) {
        Some((name, _)) => {
            let message = format!("{name} must be an integer that is not negative");
            Fault::new(Code::ValidationError, message).with("field", name)
        }
        None => Fault::new(Code::ValidationError, "A parameter cannot be read, or is given twice"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parameter_that_cannot_be_read_is_named() {
        for (query, field) in [
            ("limit=5&slower=-1", Some("slower")),
            ("before=x", Some("before")),
            ("limit=", Some("limit")),
            ("limit=1&limit=2", None),
        ] {
            let fault = unreadable(query);
            assert_eq!(fault.details.get("field").and_then(|field| field.as_str()), field, "{query}");
        }
    }
}
