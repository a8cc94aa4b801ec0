//! Signing in to remote servers on behalf of the gateway, and the gateway's own document as an OAuth client.

use crate::answer::{Refusal, json, never_keep};
use crate::app::App;
use crate::call::ErrorReply;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use mcp::oauth::{Answer, Identity};
use model::{Code, Fault};
use serde::Serialize;

/// Where people come back to.
const CALLBACK: &str = "/oauth/callback";

/// Where the gateway's own document is.
const DOCUMENT: &str = "/client-metadata.json";

/// A sign-in that was begun.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct Begun {
    /// The address to open in a browser.
    url: String,
}

fn identity(app: &App) -> Identity {
    let base = app.public_url();
    let document = base.starts_with("https://").then(|| format!("{base}{DOCUMENT}"));
    Identity { redirect: format!("{base}{CALLBACK}"), document }
}

/// Begins a sign-in to a remote server; the answer has the address to open in a browser.
#[utoipa::path(post, path = "/api/servers/{name}/sign-in", tag = "servers", operation_id = "signInToServer",
    params(("name" = String, Path)),
    responses(
        (status = 200, body = Begun),
        (status = 404, body = ErrorReply, description = "`NOT_FOUND`"),
        (status = 409, body = ErrorReply, description = "`CONFLICT`: nobody can sign in to this server; the message says why"),
    ))]
pub(crate) async fn sign_in(State(app): State<App>, Path(name): Path<String>) -> Result<Response, Refusal> {
    let url = app.gateway().begin_sign_in(&name, &identity(&app)).await?;
    let mut response = json(StatusCode::OK, &Begun { url });
    never_keep(&mut response);
    Ok(response)
}

/// Forgets the sign-in to a remote server, and starts it anew without.
#[utoipa::path(delete, path = "/api/servers/{name}/sign-in", tag = "servers", operation_id = "signOutOfServer",
    params(("name" = String, Path)),
    responses(
        (status = 204),
        (status = 404, body = ErrorReply, description = "`NOT_FOUND`"),
        (status = 409, body = ErrorReply, description = "`CONFLICT`: the server is not one to sign in to"),
    ))]
pub(crate) async fn sign_out(State(app): State<App>, Path(name): Path<String>) -> Result<Response, Refusal> {
    app.gateway().sign_out(&name).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Takes what a person brings back from the issuer of a server.
#[utoipa::path(get, path = "/oauth/callback", tag = "servers", operation_id = "signedInToServer",
    params(
        ("state" = Option<String>, Query, description = "What the sign-in is known by"),
        ("code" = Option<String>, Query, description = "What a token is given for"),
        ("iss" = Option<String>, Query, description = "The issuer that answers"),
        ("error" = Option<String>, Query, description = "Why there is no code"),
    ),
    responses(
        (status = 200, content_type = "text/html", description = "Signed in; the window can be closed"),
        (status = 400, content_type = "text/html", description = "Not signed in; the page says why"),
    ))]
pub(crate) async fn callback(State(app): State<App>, Query(answer): Query<Answer>) -> Response {
    // A person who closes the window early does not leave a token half taken.
    let work = tokio::spawn(async move { app.gateway().complete_sign_in(&answer).await });
    let outcome = work.await.unwrap_or_else(|_| Err(Fault::new(Code::InternalError, "Internal error")));
    match outcome {
        Ok(name) => page(
            StatusCode::OK,
            &format!("Signed in to {name}."),
            "You can close this window. このウィンドウを閉じてください。",
        ),
        Err(fault) => {
            let status = StatusCode::from_u16(fault.code.http()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            page(status, "Not signed in.", &fault.message)
        }
    }
}

/// Tells issuers that read it what the gateway is as a client.
#[utoipa::path(get, path = "/client-metadata.json", tag = "servers", operation_id = "clientMetadata",
    responses(
        (status = 200, body = serde_json::Value, description = "Client ID metadata document"),
        (status = 404, body = ErrorReply, description = "`NOT_FOUND`: the gateway has no public https address"),
    ))]
pub(crate) async fn document(State(app): State<App>) -> Result<Response, Refusal> {
    let identity = identity(&app);
    match identity.document {
        Some(_) => Ok(json(StatusCode::OK, &identity.describe())),
        None => Err(Fault::new(Code::NotFound, "This takes http.publicUrl with https").into()),
    }
}

/// A page without scripts; names and messages hold nothing that could be markup.
fn page(status: StatusCode, title: &str, text: &str) -> Response {
    let safe = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let (title, text) = (safe(title), safe(text));
    let body = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Lockgate</title>\
         <body><main><h1>{title}</h1><p>{text}</p></main></body></html>"
    );
    let mut response = (status, body).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"),
    );
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    never_keep(&mut response);
    response
}
