//! `GET /api/config`: the configuration as the file stands now, where each value comes from, and whether that is in
//! effect.

use crate::access::Who;
use crate::answer::{Refusal, json};
use crate::app::App;
use crate::call::ErrorReply;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use config::{Explained, Explanation};
use model::access::Role;
use serde::Serialize;
use serde_json::Value;

/// The configuration, secrets masked.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Effective {
    /// The version of the gateway.
    version: &'static str,
    /// The config file.
    path: String,
    /// Whether the file says what is in effect; false when it was edited and not read again.
    in_effect: bool,
    /// Every setting.
    values: Vec<EffectiveValue>,
    /// The servers of the file as written, secrets masked.
    #[schema(value_type = Vec<Object>)]
    servers: Vec<Value>,
}

/// One setting.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct EffectiveValue {
    /// Its path in the file, such as `http.timeoutStatus`.
    key: String,
    /// Its value.
    #[schema(value_type = Value)]
    value: Value,
    /// `flag`, `file`, `environment` or `default`.
    origin: &'static str,
    /// The flag or the variable.
    from: Option<&'static str>,
}

impl From<Explanation> for EffectiveValue {
    fn from(Explanation { key, value, origin, from }: Explanation) -> Self {
        Self { key, value, origin, from }
    }
}

/// Shows the config file as it stands now, secrets masked: where each value comes from, and whether it is in effect.
#[utoipa::path(get, path = "/api/config", tag = "config", operation_id = "showConfig",
    responses(
        (status = 200, body = Effective),
        (status = 400, body = ErrorReply, description = "`VALIDATION_ERROR`: the file is wrong now, or not there"),
    ))]
pub(crate) async fn show(State(app): State<App>, who: Who) -> Result<Response, Refusal> {
    let Explained { config, mut values, servers } = app.explain()?;
    // Who may not list them does not read of them here either.
    if who.pass.is_some_and(|pass| !pass.may(Role::Operator)) {
        values.retain(|value| value.key != "keys");
    }
    let effective = Effective {
        version: env!("CARGO_PKG_VERSION"),
        path: config.path.to_string_lossy().into_owned(),
        in_effect: config.settings == *app.gateway().settings() && app.runs(&config.servers),
        values: values.into_iter().map(EffectiveValue::from).collect(),
        servers,
    };
    Ok(json(StatusCode::OK, &effective))
}
