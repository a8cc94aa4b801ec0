//! The gateway as an OAuth client of remote servers: finding a server's issuer, introducing itself there, and
//! getting tokens (RFC 6749, 7636, 8414, 8707, 9207, 9728).
//!
//! Nothing here keeps anything. Secrets go over TLS or stay on this machine, and only to the issuer they belong to;
//! no error holds a token, a secret or an address.

mod assertion;
mod authorization;
mod challenge;
mod client;
mod error;
mod form;
mod issuer;
mod random;
mod resource;
mod token;
mod wire;

pub use assertion::is_private_key;
pub use authorization::{Answer, Pending, Wish};
pub use challenge::Challenge;
pub use client::{Client, Identity};
pub use error::OauthError;
pub use issuer::Metadata;
pub use resource::Resource;
pub use token::{Kept, Token};
pub use wire::{Reach, Wire};

pub use hyper::header::HeaderValue;
use std::pin::Pin;

/// Gives requests to one server their token.
pub trait Tokens: Send + Sync {
    /// The value of `Authorization`, when there is one.
    fn current(&self) -> Option<HeaderValue>;

    /// Takes note that the server refused a request that carried `used`. Whether there is another token now, so that
    /// the request is worth sending again.
    fn refused<'a>(
        &'a self,
        used: Option<&'a HeaderValue>,
        challenge: &'a Challenge,
    ) -> Pin<Box<dyn Future<Output = bool> + Send + 'a>>;

    /// Takes note that the server refused the same request with that newer token too.
    fn refused_again(&self, used: Option<&HeaderValue>, challenge: &Challenge);
}
