//! Worked examples of graphs with real workers and real scripts. The test binary is its own worker.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod examples;
mod support;
mod variables;

use libtest_mimic::{Arguments, Trial};

fn main() {
    sandbox::worker::enter();
    let tests: Vec<Trial> = examples::tests().into_iter().chain(variables::tests()).collect();
    libtest_mimic::run(&Arguments::from_args(), tests).exit();
}
