//! The sets of hooks that are compared, and what the calls carry.

use std::sync::Arc;

use crate::load::payload;

/// Some hooks of one kind.
pub(super) struct Case {
    pub(super) name: &'static str,
    pub(super) count: usize,
    pub(super) script: &'static str,
}

/// What a call carries, and the sets of hooks that are measured with it.
pub(super) struct Payload {
    pub(super) name: &'static str,
    size: usize,
    make: fn(usize) -> Arc<str>,
    pub(super) cases: &'static [Case],
}

impl Payload {
    /// What follows the number of each message.
    pub(super) fn rest(&self) -> Arc<str> {
        (self.make)(self.size)
    }

    /// The name of the row with these hooks.
    pub(super) fn row(&self, case: &Case) -> String {
        row(self.name, case.name)
    }
}

/// The name of a row.
pub(super) fn row(payload: &str, hooks: &str) -> String {
    format!("{payload}: {hooks}")
}

const fn one(name: &'static str, script: &'static str) -> Case {
    Case { name, count: 1, script }
}

const fn five(name: &'static str, script: &'static str) -> Case {
    Case { name, count: 5, script }
}

const NO_OP_SCRIPT: &str = "return {continue: true}";
const BRANCH_SCRIPT: &str =
    "if (context.request.params.arguments.message === 'stop') return {continue: false}";
const MODIFY_SCRIPT: &str = "context.request.params.arguments.lang = 'ja'; return {continue: true, context}";
const REDACT_SCRIPT: &str = "const params = context.request.params; \
     params.arguments = redact(params.arguments, ['email', 'creditCard']); return {continue: true, context}";
/// The same two expressions, by the helper and by the script's own engine.
const HELPER_SCRIPT: &str = r"const input = context.request.params.arguments;
     input.message = redact(input.message, ['[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\\.[A-Za-z]{2,}', '\\b[0-9]{4}(?:[ -]?[0-9]{4}){3}\\b']);
     return {continue: true, context}";
const PLAIN_SCRIPT: &str = r"const input = context.request.params.arguments;
     input.message = input.message.replace(/[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}/g, '[redacted]')
         .replace(/\b[0-9]{4}(?:[ -]?[0-9]{4}){3}\b/g, '[redacted]');
     return {continue: true, context}";

/// No hook at all: what the others are compared with.
pub(super) const NONE: Case = Case { name: "none", count: 0, script: "" };
/// One hook that reads a field and branches.
pub(super) const BRANCH: Case = one("1 branch", BRANCH_SCRIPT);
/// The names of the other rows that are held to targets.
pub(super) const NO_OP: &str = "1 no-op";
pub(super) const MODIFY: &str = "1 modify";
pub(super) const FIVE: &str = "5 no-op";
pub(super) const HELPER: &str = "1 redact by the helper";
pub(super) const SMALL: &str = "1 KB";
pub(super) const TEXT: &str = "10 KB of text";

const COMMON: [Case; 9] = [
    NONE,
    one(NO_OP, NO_OP_SCRIPT),
    BRANCH,
    one(MODIFY, MODIFY_SCRIPT),
    one("1 redact", REDACT_SCRIPT),
    five(FIVE, NO_OP_SCRIPT),
    five("5 branch", BRANCH_SCRIPT),
    five("5 modify", MODIFY_SCRIPT),
    five("5 redact", REDACT_SCRIPT),
];

/// Everything that is measured.
pub(super) const PAYLOADS: [Payload; 3] = [
    Payload { name: SMALL, size: 1 << 10, make: payload::records, cases: &COMMON },
    Payload { name: "50 KB", size: 50 << 10, make: payload::records, cases: &COMMON },
    Payload {
        name: TEXT,
        size: 10 << 10,
        make: payload::text,
        cases: &[NONE, one(HELPER, HELPER_SCRIPT), one("1 redact in plain JavaScript", PLAIN_SCRIPT)],
    },
];
