//! The web page, embedded in the binary as gzip. It is plain data and pure functions: who serves it asks
//! [`answer`] what to say to a request, and needs to know nothing of files, caches and policies.

mod answer;
mod asset;

pub use answer::{Answer, Question, answer};
