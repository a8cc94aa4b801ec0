//! Whether another process uses the same file, told by locks that end with the process that holds them.

use super::Sqlite;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

impl Sqlite {
    /// Whether no other process uses the file; from now on others know of this one.
    pub(crate) async fn is_alone(&self) -> bool {
        let path = self.path.clone();
        let asked = tokio::task::spawn_blocking(move || enter(&path)).await;
        match asked.unwrap_or_else(|_| Err(io::Error::other("the look at the locks failed"))) {
            Ok((alone, presence)) => {
                *self.presence.lock().unwrap_or_else(PoisonError::into_inner) = Some(presence);
                alone
            }
            Err(error) => {
                tracing::warn!(reason = %error, "whether others use the store cannot be told; their work is taken up when its time is over");
                false
            }
        }
    }

    /// Others need not reckon with this process any more.
    pub(super) fn leave(&self) {
        drop(self.presence.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

/// One process at a time looks around; each stays with a shared lock, so that the exclusive one is free only when
/// nobody is there.
fn enter(path: &Path) -> io::Result<(bool, File)> {
    let door = open(beside(path, ".door"))?;
    door.lock()?;
    let presence = open(beside(path, ".present"))?;
    let alone = presence.try_lock().is_ok();
    if alone {
        presence.unlock()?;
    }
    presence.lock_shared()?;
    Ok((alone, presence))
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

fn open(path: PathBuf) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
