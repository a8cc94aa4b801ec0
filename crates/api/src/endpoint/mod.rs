//! `/mcp`: both eras at one address, told apart by the request itself (spec 6.1).

mod door;
pub(crate) mod events;
mod headers;
mod session;
mod sse;

pub(crate) use door::{names_one_host, stranger, stranger_inside};
pub(crate) use session::{Left, Seen};
pub(crate) use sse::{Streams, messages, sse};

use crate::access::Who;
use crate::app::App;
use crate::body;
use crate::call;
use crate::overload::Reserve;
use crate::record::{Record, RefusedWith};
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use gateway::{Batch, Caller, Claim, Guest, Line, Notebook, Pass, Visit, Visitor, Way};
use hyper::Method;
use mcp::{Body as Meaning, Era, Message, Word};
use model::{Code, Details, Fault};
use session::SESSION_ID;
use std::sync::Arc;
use std::time::Instant;

/// Messages that may wait for a client that reads slowly.
const LINE_MAX: usize = 64;

/// What a modern request must have and does not.
const NO_VERSION: &str = "Missing _meta io.modelcontextprotocol/protocolVersion";

/// A JSON-RPC error outside of any request, with its HTTP status.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) status: StatusCode,
    code: i64,
    pub(crate) text: String,
    details: Details,
}

fn refused(status: StatusCode, code: i64, text: impl Into<String>) -> Refused {
    Refused { status, code, text: text.into(), details: Details::new() }
}

/// A fault of the door, as JSON-RPC with its HTTP status.
pub(crate) fn refusal(fault: &Fault) -> Response {
    let data = serde_json::json!({"code": fault.code.name(), "details": fault.details});
    let error = serde_json::json!({"code": fault.jsonrpc(), "message": fault.message, "data": data});
    let body = serde_json::json!({"jsonrpc": "2.0", "id": null, "error": error});
    let status = StatusCode::from_u16(fault.code.http()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = json(status, body.to_string().into_bytes());
    crate::answer::retry_after(fault, &mut response);
    response.extensions_mut().insert(RefusedWith(fault.code));
    response
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let code = match self.status {
            StatusCode::FORBIDDEN => Code::Forbidden,
            StatusCode::NOT_FOUND => Code::NotFound,
            _ => Code::of_jsonrpc(self.code),
        };
        let data = serde_json::json!({"code": code.name(), "details": self.details});
        let error = serde_json::json!({"code": self.code, "message": self.text, "data": data});
        let body = serde_json::json!({"jsonrpc": "2.0", "id": null, "error": error});
        let mut response = json(self.status, body.to_string().into_bytes());
        response.extensions_mut().insert(RefusedWith(code));
        response
    }
}

fn json(status: StatusCode, body: Vec<u8>) -> Response {
    crate::answer::json_bytes(status, body)
}

/// Where MCP clients come in.
pub(crate) const PATH: &str = "/mcp";

/// Where clients of the old transport say something.
pub(crate) const MESSAGES: &str = "/messages";

/// `POST /mcp`: answers with plain JSON, unless something must be said before: then with a stream. It stands in the
/// router for the methods that it allows; the accept loop takes every such request first.
pub(crate) async fn post(State(app): State<App>, request: Request) -> Response {
    let pass = request.extensions().get::<Arc<Pass>>().cloned();
    answer(&app, request, pass, Instant::now()).await
}

/// The whole way of a message, with its log line. The accept loop comes here without the router.
pub(crate) async fn answer(app: &App, request: Request, pass: Option<Arc<Pass>>, began: Instant) -> Response {
    let (head, body) = request.into_parts();
    let reserve = head.extensions.get::<Reserve>().copied();
    let response = match reply(app.clone(), head.headers, (body, reserve), pass, began).await {
        Ok(Answer::Logged(response)) => return response,
        Ok(Answer::Plain(response)) => response,
        Err(refused) => refused.into_response(),
    };
    Record::new(&head.method, PATH, began).close(app, &response);
    response
}

/// The response to a message.
enum Answer {
    /// Its log line is written, or will be when the stream of it ends.
    Logged(Response),
    /// It has none yet.
    Plain(Response),
}

async fn reply(
    app: App,
    headers: HeaderMap,
    (body, reserve): (Body, Option<Reserve>),
    pass: Option<Arc<Pass>>,
    began: Instant,
) -> Result<Answer, Refused> {
    let bytes = read(&app, &headers, body).await?;
    if let Some(Err(response)) = reserve.map(|reserve| reserve.check(&app, PATH, &bytes)) {
        return Ok(Answer::Plain(*response));
    }
    let (line, mut said) = mcp::mail(LINE_MAX);
    let mut work = Box::pin(take(Work { app, headers, pass, bytes, line, began }));
    let (mut response, session) = tokio::select! {
        done = &mut work => match done? {
            Done::Responded(response) => return Ok(Answer::Plain(response)),
            Done::Replied { status, reply, session } => match (said.try_recv(), reply) {
                (Some(first), reply) => (events::finish(first, said, async move { reply }), session),
                (None, Some(reply)) => (replied(status, reply), session),
                (None, None) => (StatusCode::ACCEPTED.into_response(), session),
            },
        },
        Some(first) = said.recv() => (events::finish(first, said, async move { work.await.ok()?.reply() }), None),
    };
    if let Some(session) = session {
        response.headers_mut().insert(&SESSION_ID, session);
    }
    Ok(Answer::Logged(response))
}

async fn read(app: &App, headers: &HeaderMap, body: Body) -> Result<Bytes, Refused> {
    let max = app.gateway().settings().limits.body;
    let read = body::read(headers, body, max).await;
    read.map_err(|fault| Refused {
        details: fault.details,
        ..refused(StatusCode::BAD_REQUEST, -32700, fault.message)
    })
}

/// A message to be worked on, with nothing borrowed: its reply may become a stream.
struct Work {
    app: App,
    headers: HeaderMap,
    pass: Option<Arc<Pass>>,
    bytes: Bytes,
    line: Line,
    began: Instant,
}

/// What came of a message.
enum Done {
    /// A response that is no reply of the endpoint.
    Responded(Response),
    /// The reply, where there is one, and the id of the session that it begins.
    Replied { status: StatusCode, reply: Option<Vec<u8>>, session: Option<HeaderValue> },
}

impl Done {
    /// An error that says what is wrong with the request itself, or beyond which limit it is.
    fn refused(reply: Vec<u8>) -> Self {
        let code = gateway::code_in(&reply);
        let status = match code {
            Some(Code::RateLimited | Code::Overloaded) => StatusCode::OK,
            _ => StatusCode::BAD_REQUEST,
        };
        let mut response = replied(status, reply);
        code.and_then(|code| response.extensions_mut().insert(RefusedWith(code)));
        Self::Responded(response)
    }

    fn reply(self) -> Option<Vec<u8>> {
        match self {
            Self::Responded(_) => None,
            Self::Replied { reply, .. } => reply,
        }
    }
}

/// Reads the message, once, and finds out who sent it.
async fn take(work: Work) -> Result<Done, Refused> {
    if Batch::begins(&work.bytes) {
        return batch(&work).await;
    }
    let Some(message) = Message::parse(&work.bytes) else {
        return Ok(Done::refused(gateway::unreadable(&work.bytes)));
    };
    let headers = &work.headers;
    // Most legacy requests have no such word anywhere, and are not looked at any closer.
    static PREFIX: Word = Word::new("io.modelcontextprotocol/");
    let maybe_modern = PREFIX.is_in(&work.bytes) || headers::claims_modern(headers);
    if !maybe_modern {
        return legacy(&work, &message).await;
    }
    let claim = Claim::read(&message);
    if let Some(claim) = &claim
        && let Some(version) = claim.version()
        && let Err(text) =
            headers::match_body(headers, &message, claim, &version, work.app.gateway(), work.pass.as_deref())
    {
        return Ok(Done::refused(gateway::protocol_error(message.id, -32020, &text)));
    }
    match claim.map_or(Ok(None), |claim| claim.guest()) {
        Err(reply) => return Ok(Done::refused(reply)),
        Ok(Some(guest)) => return modern(&work, &message, &guest).await,
        Ok(None) => {}
    }
    if headers::claims_modern(headers) {
        return Ok(Done::refused(gateway::protocol_error(message.id, -32602, NO_VERSION)));
    }
    legacy(&work, &message).await
}

async fn legacy(work: &Work, message: &Message<'_>) -> Result<Done, Refused> {
    let mut session = None;
    let guest = match &message.body {
        Meaning::Method(method, _) if method == "initialize" => {
            // A greeting that is refused begins nothing.
            let Some(guest) = Guest::greeting(message) else {
                let (status, reply) = logged(work, message, &Guest::from_initialize("{}")).await;
                return Ok(Done::Replied { status, reply, session });
            };
            // The handshake of a legacy client: its session id holds all that is known of it.
            let guest = Arc::new(guest);
            let id = session::seal(&work.app, work.pass.as_deref(), &guest);
            if id.len() > session::ID_MAX {
                let text =
                    "capabilities and clientInfo.name are too large for a session id, which holds them";
                return Ok(Done::refused(gateway::protocol_error(message.id, -32602, text)));
            }
            session = HeaderValue::from_str(&id).ok();
            guest
        }
        Meaning::Method(method, _) if matches!(&**method, "server/discover" | "subscriptions/listen") => {
            return Ok(Done::refused(gateway::protocol_error(message.id, -32602, NO_VERSION)));
        }
        _ => session::guest(&work.app, work.pass.as_deref(), &work.headers)?,
    };
    let (status, reply) = logged(work, message, &guest).await;
    Ok(Done::Replied { status, reply, session })
}

async fn modern(work: &Work, message: &Message<'_>, guest: &Guest) -> Result<Done, Refused> {
    if matches!(&message.body, Meaning::Method(method, _) if method == "subscriptions/listen")
        && message.id.is_some()
    {
        let (note, name) = (Notebook::new(Way::Http, work.began), call::client_id(&work.headers));
        let (name, pass, line) = (name.as_deref(), work.pass.as_ref(), &work.line);
        let visitor = Visitor { guest, name, pass, line, note: &note, cancel: None };
        let traced = call::traced(&work.headers);
        return Ok(match work.app.gateway().listen_modern(visitor, traced, message).await {
            Ok((first, news)) => Done::Responded(events::follow(&work.app, &first, news)),
            Err(refusal) => Done::refused(refusal),
        });
    }
    let (status, reply) = logged(work, message, guest).await;
    Ok(Done::Replied { status, reply, session: None })
}

/// Works on a message and logs its request when it is done, with what is known by then.
async fn logged(work: &Work, message: &Message<'_>, guest: &Guest) -> (StatusCode, Option<Vec<u8>>) {
    let notebook = Notebook::new(Way::Http, work.began);
    let name = call::client_id(&work.headers);
    let name = name.as_deref();
    let visitor =
        Visitor { guest, name, pass: work.pass.as_ref(), line: &work.line, note: &notebook, cancel: None };
    let caller = Caller::guest(guest, name).with(work.pass.as_deref()).leaving(&notebook.footprint);
    let visit = work.app.gateway().visit_of(Way::Http, message, call::traced(&work.headers), work.began);
    let visit = visit.map(|visit| visit.by(caller));
    // Pinned first: it is large, and is not moved about.
    let received = std::pin::pin!(work.app.gateway().receive(visitor, message));
    let reply = Visit::within(visit.as_ref(), received).await;
    let code = visit.and_then(|visit| visit.close_with(&notebook.seen(caller), reply.as_deref()));
    let status = match &reply {
        // What is said of an answer, or of what is nothing at all, can only be that it is wrong.
        Some(_) if !matches!(message.body, Meaning::Method(..)) => StatusCode::BAD_REQUEST,
        Some(reply) => status_of(reply, guest.era()),
        None => StatusCode::ACCEPTED,
    };
    let mut record = Record::new(&Method::POST, PATH, notebook.began);
    if let Some(note) = notebook.note() {
        (record.server, record.tool, record.hooks) = (note.server(), note.tool(), Some(&note.hooks));
    }
    record.write(&work.app, status, code);
    (status, reply)
}

/// The modern era wants some errors in the HTTP status too.
fn status_of(reply: &[u8], era: Era) -> StatusCode {
    if era == Era::Legacy || !gateway::is_error(reply) {
        return StatusCode::OK;
    }
    let code = Message::parse(reply).and_then(|message| match message.body {
        Meaning::Error(error) => Some(mcp::RpcError::read(error).code),
        _ => None,
    });
    match code {
        Some(-32601) => StatusCode::NOT_FOUND,
        Some(-32022..=-32020) => StatusCode::BAD_REQUEST,
        _ => StatusCode::OK,
    }
}

/// A reply, which says in a header too when a call beyond a limit is worth trying again.
fn replied(status: StatusCode, reply: Vec<u8>) -> Response {
    let wait = retry_after(&reply);
    let mut response = json(status, reply);
    if let Some(seconds) = wait {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

/// After how many seconds an error of the gateway is worth trying again, where it says so.
fn retry_after(reply: &[u8]) -> Option<u64> {
    let Meaning::Error(error) = gateway::is_error(reply).then(|| Message::parse(reply))??.body else {
        return None;
    };
    mcp::RpcError::read(error).data?.get("details")?.get("retryAfter")?.as_u64()
}

/// Several messages in one array, as revision 2025-03-26 allows.
async fn batch(work: &Work) -> Result<Done, Refused> {
    let batch = match Batch::read(&work.bytes) {
        Ok(batch) => batch,
        Err(reply) => return Ok(Done::refused(reply)),
    };
    if headers::claims_modern(&work.headers) {
        return Ok(Done::refused(Batch::unknown()));
    }
    let guest = session::guest(&work.app, work.pass.as_deref(), &work.headers)?;
    if let Err(reply) = batch.check(&guest) {
        return Ok(Done::refused(reply));
    }
    let notebook = Notebook::new(Way::Http, work.began);
    let name = call::client_id(&work.headers);
    let name = name.as_deref();
    let visitor = Visitor {
        guest: &guest,
        name,
        pass: work.pass.as_ref(),
        line: &work.line,
        note: &notebook,
        cancel: None,
    };
    let traced = call::traced(&work.headers);
    let reply = work.app.gateway().receive_batch(&batch, visitor, Way::Http, traced).await;
    let status = if reply.is_some() { StatusCode::OK } else { StatusCode::ACCEPTED };
    Record::new(&Method::POST, PATH, notebook.began).write(&work.app, status, None);
    Ok(Done::Replied { status, reply, session: None })
}

/// `GET /mcp`: a legacy client's stream for what concerns no request.
pub(crate) async fn get(State(app): State<App>, who: Who, headers: HeaderMap) -> Result<Response, Refused> {
    if !headers.contains_key(&SESSION_ID) {
        return Ok(no_session_here());
    }
    let guest = session::guest(&app, who.pass.as_deref(), &headers)?;
    Ok(events::listen(&app, &guest, who.pass, &headers))
}

/// `DELETE /mcp`: a legacy client says goodbye.
pub(crate) async fn delete(
    State(app): State<App>,
    who: Who,
    headers: HeaderMap,
) -> Result<Response, Refused> {
    if !headers.contains_key(&SESSION_ID) {
        return Ok(no_session_here());
    }
    let guest = session::guest(&app, who.pass.as_deref(), &headers)?;
    app.gateway().leave(&guest);
    app.left().add(guest.number);
    app.seen().forget(guest.number);
    Ok(StatusCode::NO_CONTENT.into_response())
}

fn no_session_here() -> Response {
    not_served("Only POST is served without a session", "POST")
}

/// The refusal of a method, with those that are served.
fn not_served(message: impl Into<String>, allowed: &'static str) -> Response {
    let mut response =
        crate::answer::Refusal::from(Fault::new(Code::MethodNotAllowed, message)).into_response();
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allowed));
    response
}

/// Refuses every method but these. A stream has no `HEAD`: there is nothing of it but what comes.
pub(crate) async fn only(request: Request, allowed: &'static str) -> Response {
    let message = format!("{} is not allowed here; see the Allow header", request.method());
    body::discard(request).await;
    not_served(message, allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_has_its_status_however_it_is_written() {
        #[track_caller]
        fn check(rest: &str, era: Era, status: u16) {
            for id in ["7", r#""a,\"error\":""#, "null"] {
                let reply = format!(r#"{{"jsonrpc":"2.0","id":{id},{rest}}}"#);
                assert_eq!(status_of(reply.as_bytes(), era).as_u16(), status, "{reply}");
            }
        }
        for error in [
            r#""error":{"code":-32021,"message":"m"}"#,
            r#""error":{"code": -32021, "message": "m"}"#,
            r#""error": { "message":"m","code":-32021}"#,
            r#""error":{"data":{"code":1},"message":"m","code":-32021}"#,
        ] {
            check(error, Era::Modern, 400);
            check(error, Era::Legacy, 200);
            check(&error.replace("-32021", "-32601"), Era::Modern, 404);
            check(&error.replace("-32021", "-32602"), Era::Modern, 200);
        }
        check(r#""result":{"error":{"code":-32021},"x":1}"#, Era::Modern, 200);
    }
}
