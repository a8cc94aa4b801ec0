//! One file per command.

pub(crate) mod call;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod diagram;
pub(crate) mod doctor;
pub(crate) mod import;
pub(crate) mod serve;
pub(crate) mod stdio;
pub(crate) mod tools;
pub(crate) mod verify_hooks;
