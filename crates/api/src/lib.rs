//! The HTTP surface: REST, admin routes by resource, metrics and the OpenAPI document.

mod admin;
mod answer;
mod app;
mod body;
mod call;
mod endpoint;
mod events;
mod health;
mod hooks;
mod metrics;
mod record;
mod routes;
mod runs;
mod serve;
mod trials;
mod workflows;

pub use app::{App, Options};
pub use routes::document;
pub use serve::serve;
