//! The HTTP surface: REST, admin routes by resource, metrics, the OpenAPI document and the web page.

mod access;
mod activities;
mod admin;
mod answer;
mod app;
mod audit;
mod body;
mod call;
mod description;
mod endpoint;
mod events;
mod figures;
mod health;
mod hooks;
mod imports;
mod keys;
mod metrics;
mod page;
mod patience;
mod record;
mod rejected;
mod requests;
mod routes;
mod runs;
mod schedules;
mod serve;
mod sessions;
mod settings;
mod sign_in;
mod templates;
mod trials;
mod versions;
mod workflows;

pub use app::{App, Options};
pub use routes::document;
pub use serve::serve;
