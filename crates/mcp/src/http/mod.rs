//! Remote servers: streamable HTTP in both eras, and the older HTTP+SSE.
//!
//! Every message, whole, is at most [`LINE_MAX`](crate::LINE_MAX) bytes; nothing here prints an address
//! or the value of a header.

mod agent;
mod detect;
mod dial;
mod events;
mod fetch;
mod flights;
mod headers;
mod link;
mod mirror;
mod sse;
mod stream;
mod streamable;
mod trouble;
mod values;

pub use fetch::{FetchError, Request, fetch, send};
pub use mirror::{Repeated, mirrored};

pub use detect::{Hold, Remote, connect};
pub(crate) use link::{Link, Outgoing};

use crate::oauth::Tokens;
use model::Address;
use std::net::IpAddr;
use std::sync::Arc;

/// A remote server and what to say to it.
#[derive(Clone)]
pub struct Target {
    /// Where it is.
    pub address: Address,
    /// Headers that every request carries.
    pub headers: Vec<(String, String)>,
    /// Which addresses its name may resolve to.
    pub admits: fn(IpAddr) -> bool,
    /// Gives requests their token, where the server may want one.
    pub tokens: Option<Arc<dyn Tokens>>,
}
