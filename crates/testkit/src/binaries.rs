//! Where the built programs and the files of the repository are.

use std::path::{Path, PathBuf};

/// The gateway under test.
pub fn lockgate() -> PathBuf {
    built("lockgate")
}

/// The stdio MCP server of the tests.
pub fn fixture() -> PathBuf {
    built("lockgate-fixture")
}

/// The MCP server that offers what the conformance suite asks for.
pub fn conformance_fixture() -> PathBuf {
    built("conformance-fixture")
}

/// A file or folder of the repository.
pub fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
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
