//! Which path leads where, and the OpenAPI document made of the same list.

use crate::answer::{Refusal, json_bytes};
use crate::app::App;
use crate::rejected;
use crate::{
    activities, admin, audit, call, endpoint, events, figures, health, hooks, imports, keys, metrics, page,
    requests, runs, schedules, sessions, settings, sign_in, templates, trials, versions, workflows,
};
use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::map_response;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use model::{Code, Fault};
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::{Modify, OpenApi};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

#[derive(OpenApi)]
#[openapi(info(
    title = "Lockgate",
    description = "A programmable MCP gateway: many MCP servers behind one endpoint.",
    license(name = "Apache-2.0", identifier = "Apache-2.0")
), security(("key" = []), ()), modifiers(&Scheme))]
struct Document;

/// How a key is sent.
struct Scheme;

impl Modify for Scheme {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let scheme = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
        document.components.get_or_insert_default().add_security_scheme("key", scheme);
    }
}

fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::with_openapi(Document::openapi())
        .routes(routes!(call::call))
        .routes(routes!(call::tools))
        .routes(routes!(health::health))
        .routes(routes!(admin::list, admin::add))
        .routes(routes!(admin::remove))
        .routes(routes!(admin::restart))
        .routes(routes!(admin::logs))
        .routes(routes!(admin::reload))
        .routes(routes!(imports::import))
        .routes(routes!(imports::demo))
        .routes(routes!(settings::show))
        .routes(routes!(figures::stats))
        .routes(routes!(requests::list))
        .routes(routes!(hooks::list, hooks::create))
        .routes(routes!(hooks::show, hooks::change, hooks::remove))
        .routes(routes!(hooks::reorder))
        .routes(routes!(hooks::validate))
        .routes(routes!(hooks::import))
        .routes(routes!(hooks::reset))
        .routes(routes!(hooks::types))
        .routes(routes!(trials::draft))
        .routes(routes!(trials::hook))
        .routes(routes!(trials::captures))
        .routes(routes!(workflows::list, workflows::create))
        .routes(routes!(workflows::show, workflows::change, workflows::remove))
        .routes(routes!(workflows::activate))
        .routes(routes!(workflows::disable))
        .routes(routes!(workflows::export))
        .routes(routes!(workflows::import))
        .routes(routes!(workflows::validate))
        .routes(routes!(workflows::diagram))
        .routes(routes!(workflows::node_types))
        .routes(routes!(templates::list, templates::save))
        .routes(routes!(templates::import))
        .routes(routes!(templates::show, templates::remove))
        .routes(routes!(templates::export))
        .routes(routes!(templates::create))
        .routes(routes!(runs::execute))
        .routes(routes!(runs::of_workflow))
        .routes(routes!(runs::list))
        .routes(routes!(runs::show))
        .routes(routes!(activities::list, activities::create))
        .routes(routes!(activities::show, activities::change, activities::remove))
        .routes(routes!(sessions::list))
        .routes(routes!(sessions::stats))
        .routes(routes!(sessions::raise))
        .routes(routes!(sessions::show))
        .routes(routes!(sessions::proceed))
        .routes(routes!(sessions::pause))
        .routes(routes!(sessions::cancel))
        .routes(routes!(sessions::approve))
        .routes(routes!(schedules::list, schedules::create))
        .routes(routes!(schedules::show, schedules::change, schedules::remove))
        .routes(routes!(versions::list))
        .routes(routes!(versions::show, versions::remove))
        .routes(routes!(versions::compare))
        .routes(routes!(versions::restore))
        .routes(routes!(sign_in::who_am_i, sign_in::sign_in, sign_in::sign_out))
        .routes(routes!(keys::list, keys::create))
        .routes(routes!(keys::revoke))
        .routes(routes!(audit::list))
        .routes(routes!(audit::export))
        .routes(routes!(events::events))
        .routes(routes!(metrics::metrics))
        .routes(routes!(openapi))
}

/// The description of this API.
pub fn document() -> utoipa::openapi::OpenApi {
    let mut document = routes().split_for_parts().1;
    rejected::document(&mut document);
    document
}

/// Serves the description of this API.
#[utoipa::path(get, path = "/api/openapi.json", tag = "operations", operation_id = "openapi",
    responses((status = 200, content_type = "application/json")))]
async fn openapi() -> Response {
    match document().to_json() {
        Ok(text) => json_bytes(StatusCode::OK, text),
        Err(_) => Refusal::from(Fault::new(Code::InternalError, "Internal error")).into_response(),
    }
}

/// Every route, with the error envelope where there is none.
pub(crate) fn router(app: App) -> Router {
    let (router, _) = routes().split_for_parts();
    let router = router
        .route(endpoint::PATH, post(endpoint::post).get(endpoint::get).delete(endpoint::delete))
        .route("/sse", get(endpoint::sse))
        .route("/messages", post(endpoint::messages));
    let router = router.fallback(page::page).method_not_allowed_fallback(no_such_method);
    router.layer(map_response(rejected::enveloped)).with_state(app)
}

async fn no_such_method(request: Request) -> Response {
    let message = format!("{} is not allowed here; see the Allow header", request.method());
    Refusal::from(Fault::new(Code::MethodNotAllowed, message)).into_response()
}
