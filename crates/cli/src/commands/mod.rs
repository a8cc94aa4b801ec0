//! One file per command.

pub(crate) mod audit;
pub(crate) mod call;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod diagram;
pub(crate) mod doctor;
pub(crate) mod import;
pub(crate) mod key;
pub(crate) mod migrate;
pub(crate) mod serve;
pub(crate) mod stdio;
pub(crate) mod store_copy;
pub(crate) mod tools;
pub(crate) mod verify_hooks;
