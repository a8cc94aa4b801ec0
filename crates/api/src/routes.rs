//! Which path leads where, and the OpenAPI document made of the same list.

use crate::answer::{Refusal, json_bytes};
use crate::app::App;
use crate::{
    activities, admin, call, endpoint, events, figures, health, hooks, imports, metrics, page, runs,
    schedules, sessions, settings, templates, trials, versions, workflows,
};
use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use model::{Code, Fault};
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

#[derive(OpenApi)]
#[openapi(info(
    title = "Lockgate",
    description = "A programmable MCP gateway: many MCP servers behind one endpoint.",
    license(name = "Apache-2.0", identifier = "Apache-2.0")
))]
struct Document;

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
        .routes(routes!(events::events))
        .routes(routes!(metrics::metrics))
        .routes(routes!(openapi))
}

/// The description of this API.
pub fn document() -> utoipa::openapi::OpenApi {
    routes().split_for_parts().1
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
    router.fallback(page::page).method_not_allowed_fallback(no_such_method).with_state(app)
}

async fn no_such_method(request: Request) -> Response {
    let message = format!("{} is not allowed here; see the Allow header", request.method());
    Refusal::from(Fault::new(Code::MethodNotAllowed, message)).into_response()
}
