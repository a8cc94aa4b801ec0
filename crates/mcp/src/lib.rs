//! The one speaker of MCP: the JSON-RPC envelope, the two eras of the protocol, and the client side
//! over a pair of pipes or over HTTP.
//!
//! `params` and `result` stay raw bytes: only the envelope is parsed, so what passes is not altered.

mod client;
mod envelope;
mod era;
mod http;
mod inbox;
mod lines;
mod lists;
mod mail;
mod noise;
pub mod oauth;
mod outbox;
mod pending;
mod result;
mod said;
mod splice;
mod walk;
mod word;

pub use client::{Client, Driver, End, WeakClient};
pub use envelope::{Body, Message, RpcError, quote};
pub use era::{Era, HandshakeError, LEGACY, MODERN, Peer, Transport, handshake};
pub use http::{FetchError, Hold, Remote, Repeated, Request, Target, connect, fetch, mirrored, send};
pub use inbox::{COMPLETE, GONE, NOBODY, OVER};
pub use lines::{LINE_MAX, Lines, Stop};
pub use lists::{Entry, Kind, ListError, list};
pub use mail::{Receiver, Sender, mail};
pub use pending::{Ear, Gone, Listener, Means, Outcome, Pending};
pub use result::CallResult;
pub use said::{Claim, Said};
pub use splice::{
    Member, Splice, has_escaped_letters, member_at, members, members_at, mentions, only_members_at, repeats,
    repeats_within, without,
};
pub use word::Word;
