//! Where the built programs are.

use std::path::{Path, PathBuf};

/// The gateway under test.
pub fn lockgate() -> PathBuf {
    built("lockgate")
}

/// The stdio MCP server of the tests.
pub fn fixture() -> PathBuf {
    built("lockgate-fixture")
}

/// A test binary lies in `target/<profile>/deps`, the programs one folder above.
fn built(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("a test binary knows its path");
    let found = test.ancestors().skip(1).take(2).map(|folder| folder.join(name)).find(|path| runs(path));
    found.unwrap_or_else(|| panic!("{name} is not there; build it first: cargo build --workspace --bins"))
}

fn runs(path: &Path) -> bool {
    path.is_file()
}
