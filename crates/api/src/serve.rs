//! The accept loop: connections in, one log line and one count per request, a clean stop.

use crate::access::{self, Asked, Last, Who};
use crate::answer::Refusal;
use crate::app::App;
use crate::call;
use crate::connections::{Connections, connections};
use crate::endpoint;
use crate::health;
use crate::overload;
use crate::patience::{Alarm, Upload, Wire};
use crate::record::{Made, Record};
use crate::routes::router;
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use gateway::{Change, Pass};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Uri};
use hyper_util::rt::TokioIo;
use model::{Code, Fault};
use std::convert::Infallible;
use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream};
use tower::Service;

/// How long requests may go on after the order to stop.
const FINISH_MAX: Duration = Duration::from_secs(5);

/// A request head larger than this is refused.
const HEAD_MAX: usize = 64 * 1024;

/// Serves until `stop` resolves, then refuses new connections and lets requests finish.
pub async fn serve(listener: TcpListener, app: App, stop: impl Future<Output = ()>) {
    let routes = Arc::new(Routes::default());
    let (open, ended) = connections();
    let mut stop = std::pin::pin!(stop);
    let mut refusing = false;
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, from)) => {
                    if std::mem::take(&mut refusing) {
                        tracing::info!("connections are accepted again");
                    }
                    spawn(stream, Source(from.ip()), &routes, &app, open.clone());
                }
                Err(error) => {
                    // It is tried many times a second; the log tells the beginning and the end.
                    if !std::mem::replace(&mut refusing, true) {
                        tracing::warn!(reason = %error, "a connection could not be accepted; trying again");
                    }
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            },
            () = &mut stop => break,
        }
    }
    drop((listener, open));
    app.stop();
    if tokio::time::timeout(FINISH_MAX, ended.stop()).await.is_err() {
        tracing::warn!("requests were cut off after 5 seconds");
    }
}

/// The routes, made when one is first asked for: calls and `/health` need none, and a gateway that does
/// nothing else need not hold them.
#[derive(Default)]
struct Routes(OnceLock<Router>);

impl Routes {
    fn get(&self, app: &App) -> Router {
        self.0.get_or_init(|| router(app.clone())).clone()
    }
}

fn spawn(stream: TcpStream, source: Source, routes: &Arc<Routes>, app: &App, open: Connections) {
    let _ = stream.set_nodelay(true);
    let (routes, app) = (routes.clone(), app.clone());
    let patience = Duration::from_millis(app.gateway().settings().http.client_timeout);
    let last = Arc::new(Last::default());
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let request = request.map(|body| Body::new(Upload::new(body, patience)));
        answer(routes.clone(), app.clone(), (source, last.clone()), request)
    });
    let connection = http1::Builder::new()
        .timer(Alarm::new(patience))
        .header_read_timeout(patience)
        .max_buf_size(HEAD_MAX)
        .writev(false)
        .serve_connection(TokioIo::new(Wire::new(stream, patience)), service);
    tokio::spawn(async move {
        if let Err(error) = open.serve(connection).await {
            tracing::debug!(reason = %error, "a connection ended early");
        }
    });
}

/// One request: a panic becomes a 500, everything is logged and counted.
async fn answer(
    routes: Arc<Routes>,
    app: App,
    (source, last): (Source, Arc<Last>),
    request: Request,
) -> Result<Response, Infallible> {
    let (began, method, uri) = (Instant::now(), request.method().clone(), request.uri().clone());
    Ok(match caught(handle(&routes, &app, (source, &last), request, began)).await {
        Ok(response) => response,
        Err(response) => {
            Record::new(&method, uri.path(), began).close(&app, &response);
            *response
        }
    })
}

/// The response of `work`, or the one for its panic. An `async fn` would hold the work twice.
fn caught(work: impl Future<Output = Response>) -> impl Future<Output = Result<Response, Box<Response>>> {
    let internal = || Refusal::from(Fault::new(Code::InternalError, "Internal error")).into_response();
    AssertUnwindSafe(work).catch_unwind().map(move |done| done.map_err(|_| Box::new(internal())))
}

async fn handle(
    routes: &Routes,
    app: &App,
    (source, last): (Source, &Last),
    mut request: Request,
    began: Instant,
) -> Response {
    if !endpoint::names_one_host(request.uri(), request.headers()) {
        let fault =
            Fault::new(Code::ValidationError, "The request names more than one host").with("field", "Host");
        let response = access::refusal(request.uri().path(), fault);
        Record::new(request.method(), request.uri().path(), began).close(app, &response);
        return response;
    }
    let stranger = endpoint::stranger(app, request.headers(), request.uri().path());
    let under_way = UnderWay::new(app);
    let admitted = match under_way.shed(&mut request, source) {
        Ok(()) => access::admit(app, Asked::of(&request, last), source.0).await,
        Err(response) => Err(response),
    };
    let pass = match admitted {
        Ok(pass) => pass,
        Err(response) if stranger.is_none() => {
            Record::new(request.method(), request.uri().path(), began).close(app, &response);
            return *response;
        }
        Err(_) => None,
    };
    let stranger =
        stranger.or_else(|| endpoint::stranger_inside(app, request.headers(), request.uri().path()));
    if stranger.is_none() && request.method() == Method::POST {
        match request.uri().path() {
            call::PATH => return call::answer(app, request, pass.as_deref(), began).await,
            endpoint::PATH => return endpoint::answer(app, request, pass, began).await,
            _ => {}
        }
    }
    if let Some(pass) = &pass {
        request.extensions_mut().insert(pass.clone());
    }
    let (method, uri) = (request.method().clone(), request.uri().clone());
    request.extensions_mut().insert(source);
    let deed = changes(&method, &uri).then(|| Deed {
        app,
        who: Who::of_request(&request),
        asked: (&method, uri.path(), source),
        over: false,
    });
    let response = match stranger {
        Some((refused, _)) if access::is_endpoint(uri.path()) => refused.into_response(),
        Some((refused, header)) => {
            let fault = Fault::new(Code::ValidationError, refused.text).with("field", header);
            Refusal::with_status(fault, refused.status).into_response()
        }
        None if uri.path() == health::PATH && method == Method::GET => {
            health::health(State(app.clone())).await
        }
        None => {
            let answered = Box::pin(routes.get(app).call(request)).await;
            answered.unwrap_or_else(|never| match never {})
        }
    };
    Record::new(&method, uri.path(), began).close(app, &response);
    if let Some(deed) = deed {
        deed.over(&response);
    }
    response
}

/// Whether a request that succeeds is a change for the audit log. What is only checked or tried is none.
fn changes(method: &Method, uri: &Uri) -> bool {
    let (path, query) = (uri.path(), uri.query().unwrap_or_default());
    // Anything may have these names, too.
    let tried = *method == Method::POST && (path.ends_with("/validate") || path.ends_with("/test"));
    let dry = path == "/api/servers/import" && query.split('&').any(|pair| pair == "dryRun=true");
    let reads = matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS);
    path.starts_with("/api/") && !reads && !tried && !dry
}

/// Where a request comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source(pub(crate) IpAddr);

/// The status of a change whose client did not wait for its answer.
const LEFT: u16 = 499;

/// A request that may change something, for the audit log. What it began goes on to its end when the client leaves, so
/// that is recorded, too.
struct Deed<'a> {
    app: &'a App,
    who: Who,
    /// Method, path and where it comes from.
    asked: (&'a Method, &'a str, Source),
    over: bool,
}

impl Deed<'_> {
    /// It has its answer; one that was refused changed nothing.
    fn over(mut self, response: &Response) {
        self.over = true;
        if response.status().is_success() {
            let extensions = response.extensions();
            let who =
                extensions.get::<Arc<Pass>>().map_or_else(|| self.who.caller().id(), |pass| pass.name());
            let made = extensions.get::<Made>().map_or(&[][..], |made| &made.0);
            self.record(who, response.status().as_u16(), made);
        }
    }

    fn record(&self, who: &str, status: u16, made: &[String]) {
        let (method, path, Source(source)) = self.asked;
        let method = method.as_str();
        let change = Change { who, source: Some(source), method, path, status, made };
        self.app.gateway().record_change(&change);
    }
}

impl Drop for Deed<'_> {
    fn drop(&mut self) {
        // A panic is an answer, and says nothing of what was done before it.
        let status = if std::thread::panicking() { Code::InternalError.http() } else { LEFT };
        // Nothing of a sign-in goes on, and anybody may begin one.
        if !self.over && self.asked.1 != access::SIGN_IN {
            self.record(self.who.caller().id(), status, &[]);
        }
    }
}

/// A request under way; dropping it makes room for another.
struct UnderWay<'a> {
    app: &'a App,
    count: u64,
}

impl<'a> UnderWay<'a> {
    fn new(app: &'a App) -> Self {
        Self { app, count: app.under_way().fetch_add(1, Relaxed) + 1 }
    }

    /// Turns a request away when too many are under way.
    fn shed(&self, request: &mut Request, Source(source): Source) -> Result<(), Box<Response>> {
        let most = self.app.gateway().settings().limits.in_flight;
        if overload::admits(request, (self.count, most), source) {
            return Ok(());
        }
        let (method, path) = (request.method().as_str(), request.uri().path());
        Err(Box::new(overload::turn_away(self.app, source, method, path)))
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.app.under_way().fetch_sub(1, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body_util::BodyExt;

    #[tokio::test]
    async fn a_panic_becomes_a_500_in_the_envelope() {
        let response = caught(async { panic!("boom") }).await.expect_err("it panicked");
        assert_eq!(response.status().as_u16(), 500);
        let body = response.into_body().collect().await.expect("a body").to_bytes();
        assert_eq!(
            body,
            r#"{"success":false,"error":{"code":"INTERNAL_ERROR","message":"Internal error","details":{}}}"#
        );
    }
}
