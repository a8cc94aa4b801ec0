//! Why there is no token.

use crate::http::FetchError;

/// Why there is no token. Never holds an address, a secret or a token.
#[derive(Debug, thiserror::Error)]
pub enum OauthError {
    /// An address that must not be used.
    #[error("the address of the {0} {1}")]
    Address(&'static str, String),
    /// Something that does not answer.
    #[error("the {0} cannot be had: {1}")]
    Fetch(&'static str, FetchError),
    /// Something that does not answer in time.
    #[error("the {0} did not answer within 10 seconds")]
    Slow(&'static str),
    /// Something that is not what it should be.
    #[error("the {0} is not valid: {1}")]
    Invalid(&'static str, &'static str),
    /// The metadata belongs to another server.
    #[error("the server's metadata is that of another address")]
    Resource,
    /// Nothing tells who gives tokens.
    #[error("the server does not say who gives tokens for it")]
    NoIssuer,
    /// An issuer that may not see the credentials.
    #[error(
        "the server names another issuer than the one that its credentials are for; check it, and set servers[].oauth.issuer"
    )]
    OtherIssuer,
    /// An issuer without PKCE.
    #[error("the issuer does not support PKCE with S256")]
    NoPkce,
    /// An issuer that takes no unknown clients.
    #[error(
        "the issuer takes no client that it does not know; register the gateway there, and set servers[].oauth.clientId"
    )]
    Unknown,
    /// What the issuer says, in its own word.
    #[error("the issuer refused: {0}")]
    Refused(String),
    /// An answer that comes from another issuer, or does not say from which.
    #[error("the answer does not come from the issuer that was asked")]
    MixUp,
    /// A key that cannot sign.
    #[error("servers[].oauth.privateKey is no private key in PEM (PKCS#8) of RSA, P-256 or Ed25519")]
    Key,
}
