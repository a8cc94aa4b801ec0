//! A slower disk: this program and the gateways that it starts wait whenever they make something durable.
//!
//! What a session can reach hangs on how long a commit takes, and some disks say so at once. The floor, the gateway and
//! a database that the run starts are slowed down, by a library that stands before the C library.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, ensure};

/// The library, which the C compiler makes when it is needed.
const SOURCE: &str = include_str!("slow.c");

/// Says how long to wait, in microseconds, and that the library is there.
const WAIT: &str = "BENCH_COMMIT_US";

/// Whether this program runs on the slower disk already.
pub(super) fn is_slow() -> bool {
    std::env::var_os(WAIT).is_some()
}

/// Runs this program again, with the same arguments, on a disk that takes so much longer.
pub(super) fn run_again(wait: Duration) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let (source, library) = (folder.path().join("slow.c"), folder.path().join("slow.so"));
    std::fs::write(&source, SOURCE)?;
    let mut compiler = Command::new("cc");
    compiler.args(["-O2", "-shared", "-fPIC", "-o"]).arg(&library).arg(&source);
    let compiled = compiler.status().context("running the C compiler, cc")?;
    ensure!(compiled.success(), "the C compiler could not make the library of the slower disk");
    // PostgreSQL runs as a user of its own.
    std::fs::set_permissions(folder.path(), Permissions::from_mode(0o755))?;
    let again = Command::new(std::env::current_exe()?)
        .args(std::env::args_os().skip(1))
        .env("LD_PRELOAD", &library)
        .env(WAIT, wait.as_micros().to_string())
        .status()?;
    ensure!(again.success(), "the measurement on the slower disk ended with {again}");
    Ok(())
}
