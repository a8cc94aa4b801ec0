//! The HTTP surface: REST, admin routes by resource, metrics and the OpenAPI document.

mod admin;
mod answer;
mod app;
mod body;
mod call;
mod endpoint;
mod events;
mod health;
mod metrics;
mod record;
mod routes;
mod serve;

pub use app::{App, Options};
pub use routes::document;
pub use serve::serve;
