//! Which path leads where, and the OpenAPI document made of the same list.
//!
//! Routes take only path and method from what describes an operation. The document is made by a test, which keeps it
//! as a file; the gateway serves that file, so that nothing of it is made or kept in memory while it runs.

use crate::answer::Refusal;
use crate::app::App;
use crate::rejected;
use crate::workflows::NodeKinds;
use crate::{
    activities, admin, audit, body, call, description, endpoint, events, figures, health, hooks, imports,
    keys, metrics, page, requests, resource, runs, schedules, sessions, settings, shared, sign_in, templates,
    trials, versions, visas, workflows,
};
use axum::Router;
use axum::extract::Request;
use axum::middleware::map_response;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, MethodRouter, get, on, post};
use model::{Code, Fault};
use utoipa::openapi::HttpMethod;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::{Modify, OpenApi, Path};

/// Gives every handler to the router and to the document.
macro_rules! operations {
    ($($module:ident::$name:ident),* $(,)?) => {
        pastey::paste! {
            fn routes() -> Router<App> {
                Router::new()$(.route(
                    &$module::[<__path_ $name>]::path(),
                    on(filter(&$module::[<__path_ $name>]::methods()), $module::$name),
                ))*
            }

            #[derive(OpenApi)]
            #[openapi(
                info(
                    title = "Lockgate",
                    description = "A programmable MCP gateway: many MCP servers behind one endpoint.",
                    license(name = "Apache-2.0", identifier = "Apache-2.0")
                ),
                security(("key" = []), ()),
                modifiers(&Scheme, &NodeKinds),
                paths($($module::$name),*)
            )]
            struct Document;
        }
    };
}

operations! {
    call::call,
    call::tools,
    health::health,
    admin::list,
    admin::add,
    admin::remove,
    admin::restart,
    admin::logs,
    visas::sign_in,
    visas::sign_out,
    visas::callback,
    visas::document,
    admin::reload,
    imports::import,
    imports::demo,
    settings::show,
    figures::stats,
    requests::list,
    hooks::list,
    hooks::create,
    hooks::show,
    hooks::change,
    hooks::remove,
    hooks::reorder,
    hooks::validate,
    hooks::import,
    hooks::reset,
    hooks::types,
    trials::draft,
    trials::hook,
    trials::captures,
    workflows::list,
    workflows::create,
    workflows::show,
    workflows::change,
    workflows::remove,
    workflows::activate,
    workflows::disable,
    workflows::export,
    workflows::import,
    workflows::validate,
    workflows::diagram,
    workflows::node_types,
    templates::list,
    templates::save,
    templates::import,
    templates::show,
    templates::remove,
    templates::export,
    templates::create,
    runs::execute,
    runs::of_workflow,
    runs::list,
    runs::show,
    activities::list,
    activities::create,
    activities::show,
    activities::change,
    activities::remove,
    sessions::list,
    sessions::stats,
    sessions::raise,
    sessions::show,
    sessions::step,
    sessions::proceed,
    sessions::pause,
    sessions::cancel,
    sessions::approve,
    schedules::list,
    schedules::create,
    schedules::show,
    schedules::change,
    schedules::remove,
    versions::list,
    versions::show,
    versions::remove,
    versions::compare,
    versions::restore,
    sign_in::who_am_i,
    sign_in::sign_in,
    sign_in::sign_out,
    keys::list,
    keys::create,
    keys::revoke,
    resource::of_endpoint,
    resource::of_origin,
    audit::list,
    audit::export,
    events::events,
    metrics::metrics,
    description::openapi,
}

/// How a key is sent.
struct Scheme;

impl Modify for Scheme {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let scheme = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
        document.components.get_or_insert_default().add_security_scheme("key", scheme);
    }
}

/// The methods of an operation, as the router names them.
fn filter(methods: &[HttpMethod]) -> MethodFilter {
    let one = |method: &HttpMethod| match method {
        HttpMethod::Get => MethodFilter::GET,
        HttpMethod::Put => MethodFilter::PUT,
        HttpMethod::Post => MethodFilter::POST,
        HttpMethod::Head => MethodFilter::HEAD,
        HttpMethod::Patch => MethodFilter::PATCH,
        HttpMethod::Trace => MethodFilter::TRACE,
        HttpMethod::Delete => MethodFilter::DELETE,
        HttpMethod::Options => MethodFilter::OPTIONS,
    };
    methods.iter().map(one).reduce(MethodFilter::or).expect("an operation has a method")
}

/// The description of this API, made anew.
pub fn document() -> utoipa::openapi::OpenApi {
    let mut document = Document::openapi();
    shared::document(&mut document);
    document
}

/// Every route, with the error envelope where there is none.
pub(crate) fn router(app: App) -> Router {
    let router = routes()
        .route(
            endpoint::PATH,
            but(post(endpoint::post).get(endpoint::get).delete(endpoint::delete), "DELETE,GET,POST"),
        )
        .route("/sse", but(get(endpoint::sse), "GET"))
        .route("/messages", post(endpoint::messages));
    let router = router.fallback(page::page).method_not_allowed_fallback(no_such_method);
    router.layer(map_response(rejected::enveloped)).with_state(app)
}

/// A route with a stream, where every other method is refused, `HEAD` too.
fn but(route: MethodRouter<App>, allowed: &'static str) -> MethodRouter<App> {
    let refuse = move |request: Request| endpoint::only(request, allowed);
    route.head(refuse).fallback(refuse)
}

async fn no_such_method(request: Request) -> Response {
    let message = format!("{} is not allowed here; see the Allow header", request.method());
    body::discard(request).await;
    Refusal::from(Fault::new(Code::MethodNotAllowed, message)).into_response()
}
