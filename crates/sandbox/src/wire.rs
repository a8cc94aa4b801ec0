//! The messages between gateway and worker.
//!
//! A frame is a length of the head, a length of the body, the head and the body. The head holds numbers
//! and the lengths of texts; the body holds the texts one after the other, so that it is valid UTF-8 as a
//! whole. What comes from a worker is not trusted: every length is held against what is there.

mod checked;
mod frame;
mod messages;
mod outcome;

pub(crate) use checked::Checked;
pub(crate) use frame::{Frame, Head, LENGTHS, Malformed, ROOM, Writer};
pub(crate) use messages::{
    Answer, Ask, Reply, Request, Source, Task, answer, ask, check, checked, job, outcome, ready,
};
pub(crate) use outcome::{Ended, Outcome};
