//! `/api/session`: signing in to the web page with a key, and out again.

use crate::access::{self, Cookie, Who, cleared};
use crate::answer::{Refusal, json};
use crate::app::App;
use crate::body;
use crate::call::ErrorReply;
use crate::hooks::read;
use crate::serve::Source;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use gateway::Pass;
use model::access::Role;
use model::{Code, Fault, FieldError};
use serde::{Deserialize, Serialize};

/// The largest body.
const BODY_MAX: u64 = 16 * 1024;

/// A key to sign in with.
#[derive(Deserialize, utoipa::ToSchema)]
pub(crate) struct SignIn {
    /// The key.
    key: String,
}

/// Who is signed in.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SignedIn {
    /// Whether there are keys at all; without any, everybody may do everything.
    keys: bool,
    /// The name of the key; absent without keys.
    name: Option<String>,
    /// What it may do on the admin routes; absent when it may do nothing there.
    role: Option<Role>,
}

impl SignedIn {
    fn of(pass: Option<&Pass>) -> Self {
        match pass {
            None => Self { keys: false, name: None, role: Some(Role::Operator) },
            Some(pass) => Self { keys: true, name: Some(pass.name().to_owned()), role: pass.grant().role },
        }
    }
}

/// Signs in with a key. The answer sets a cookie, which the page's later requests carry.
#[utoipa::path(post, path = "/api/session", tag = "access", operation_id = "signIn",
    request_body = SignIn,
    responses(
        (status = 200, body = SignedIn),
        (status = 400, body = ErrorReply, description = "`VALIDATION_ERROR`"),
        (status = 401, body = ErrorReply, description = "`UNAUTHORIZED`: the key is not, or no longer, good"),
        (status = 429, body = ErrorReply, description = "`RATE_LIMITED`: too many wrong keys; see `Retry-After`"),
    ))]
pub(crate) async fn sign_in(State(app): State<App>, request: Request) -> Result<Response, Refusal> {
    let source = request.extensions().get::<Source>().copied();
    let headers = request.headers().clone();
    let body = body::object(read(request, BODY_MAX).await?)?;
    let wrong = || Fault::from(FieldError::new("key", "must be a string with the key"));
    let SignIn { key } = SignIn::deserialize(&body).map_err(|_| wrong())?;
    if app.gateway().access().is_open() {
        return Ok(json(StatusCode::OK, &SignedIn::of(None)));
    }
    let Source(source) = source.ok_or_else(|| Fault::new(Code::InternalError, "Internal error"))?;
    let pass = access::sign_in(&app, key.trim(), source)?;
    let mut response = json(StatusCode::OK, &SignedIn::of(Some(&pass)));
    if let Some(cookie) = Cookie::new(&pass).header(&app, &headers) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    // Whoever signs in is known from here on, for the audit log.
    response.extensions_mut().insert(pass);
    Ok(response)
}

/// Tells who is signed in.
#[utoipa::path(get, path = "/api/session", tag = "access", operation_id = "whoAmI",
    responses(
        (status = 200, body = SignedIn),
        (status = 401, body = ErrorReply, description = "`UNAUTHORIZED`: nobody is; a key is needed"),
    ))]
pub(crate) async fn who_am_i(who: Who) -> Response {
    json(StatusCode::OK, &SignedIn::of(who.pass.as_deref()))
}

/// Signs out: takes the cookie away.
#[utoipa::path(delete, path = "/api/session", tag = "access", operation_id = "signOut",
    responses((status = 204)))]
pub(crate) async fn sign_out(State(app): State<App>, headers: HeaderMap) -> Response {
    let mut response = StatusCode::NO_CONTENT.into_response();
    for cookie in cleared(&app, &headers) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    response
}
