//! For tests: real database servers that clean up after themselves.
//!
//! A server lives in a folder of its own, on a free port, and ends by itself soon after the last process that uses it,
//! however that one ends. [`Postgres::shared`] is one server for all tests of this checkout, [`Postgres::own`] one that
//! a test may stop and kill, [`Redis::own`] a Redis of the same kind, [`Restate::own`] a Restate.

mod certificate;
mod folder;
mod postgres;
mod redis;
mod restate;

pub use postgres::{Database, Postgres};
pub use redis::Redis;
pub use restate::Restate;
