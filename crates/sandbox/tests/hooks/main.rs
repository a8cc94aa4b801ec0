//! Real workers, real scripts. The test binary is its own worker.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may panic, and one prints for another")]

mod changes;
mod console;
mod context;
mod dialect;
mod errors;
mod escapes;
mod fidelity;
mod fuzz;
mod helpers;
mod isolation;
mod language;
mod left;
mod levels;
mod lost;
mod pool;
mod sharing;
mod support;
mod typescript;
mod verdicts;

use libtest_mimic::{Arguments, Trial};

fn main() {
    if lost::misbehaves() {
        return;
    }
    lockgate_sandbox::worker::enter();
    let args: Vec<String> = std::env::args().collect();
    if let [_, mode, what] = args.as_slice()
        && mode == lost::ALONE
    {
        return lost::enter(what);
    }
    let tests = [
        verdicts::tests(),
        changes::tests(),
        context::tests(),
        fidelity::tests(),
        language::tests(),
        levels::tests(),
        isolation::tests(),
        errors::tests(),
        console::tests(),
        helpers::tests(),
        dialect::tests(),
        escapes::tests(),
        lost::tests(),
        pool::tests(),
        sharing::tests(),
        left::tests(),
        fuzz::tests(),
        typescript::tests(),
    ];
    let tests: Vec<Trial> = tests.into_iter().flatten().collect();
    libtest_mimic::run(&Arguments::from_args(), tests).exit();
}
