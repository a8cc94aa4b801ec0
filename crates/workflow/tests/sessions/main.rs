//! Session workflows through the Rust library, on every store. The test binary is its own child process.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod again;
#[cfg(feature = "rmcp")]
mod attach;
mod attempts;
mod closures;
mod crash;
mod examples;
mod fixtures;
mod hosted;
mod inputs;
mod instances;
mod kept;
mod late;
mod levels;
mod library;
mod nested;
mod overtime;
mod races;
mod replay;
mod support;
mod table;
mod trouble;

use libtest_mimic::{Arguments, Trial};

fn main() {
    if let Ok(told) = std::env::var(crash::CHILD) {
        return crash::live(&told);
    }
    if let Ok(told) = std::env::var(trouble::CHILD) {
        return trouble::live(&told);
    }
    let tests = [
        examples::tests(),
        library::tests(),
        inputs::tests(),
        levels::tests(),
        again::tests(),
        attempts::tests(),
        closures::tests(),
        crash::tests(),
        races::tests(),
        late::tests(),
        overtime::tests(),
        instances::tests(),
        nested::tests(),
        kept::tests(),
        trouble::tests(),
        replay::tests(),
        hosted::tests(),
        fixtures::tests(),
        table::tests(),
        #[cfg(feature = "rmcp")]
        attach::tests(),
    ];
    let tests: Vec<Trial> = tests.into_iter().flatten().collect();
    libtest_mimic::run(&Arguments::from_args(), tests).exit();
}
