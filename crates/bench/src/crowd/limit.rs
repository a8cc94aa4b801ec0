//! How many descriptors this process and the gateway it starts may have.

use anyhow::{Context, ensure};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the limit to what is needed; a process that is started later has the same.
pub(super) fn raise(needed: u64) -> anyhow::Result<()> {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current.is_none_or(|current| current >= needed) {
        return Ok(());
    }
    if maximum.is_none_or(|maximum| maximum >= needed) {
        return setrlimit(Resource::Nofile, Rlimit { current: Some(needed), maximum })
            .context("raising the limit of open files");
    }
    let raised = setrlimit(Resource::Nofile, Rlimit { current: Some(needed), maximum: Some(needed) });
    ensure!(
        raised.is_ok(),
        "so many connections need {needed} open files, and this machine allows {} to a process: raise it \
         (`ulimit -Hn {needed}` as root), or ask for fewer with --connections and --callers",
        maximum.unwrap_or_default()
    );
    Ok(())
}
