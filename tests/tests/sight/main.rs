//! What can be seen of requests: traces, metrics, the log of requests; and what must not be: secrets. Hardened servers.

mod dashboard;
mod harden;
mod requests;
mod secrets;
mod traces;
