//! The one speaker of OpenTelemetry: trace contexts of W3C, spans, and their form on the wire.
//!
//! A [`Tracer`] decides which requests are traced and gives each a [`Span`]. [`Span::within`] makes it the current
//! one of a future; whatever runs inside adds [`child`] spans without being told of the tracer. A span that ends goes
//! to a bounded queue and is lost when that is full, so nobody ever waits for whoever takes the [`Spans`]. A request
//! that is not traced costs one look at a variable of its thread; the context that its client gave is handed on as it is
//! ([`Within::carrying`]).

mod context;
mod current;
mod random;
mod span;
mod tracer;
mod wire;

pub use context::Context;
pub use current::{Within, child, current, inherit, is_traced, past};
pub use span::{Kind, Record, Span, Value};
pub use tracer::{Counts, Spans, Tracer};
pub use wire::encode;
