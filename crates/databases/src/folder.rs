//! The folder of a server: who uses it, and the watcher that ends the server when nobody does.

use std::fs::{File, TryLockError, create_dir_all};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

/// Waits until nobody has held the folder's lock for a while, then runs the command that ends the server, and removes
/// the folder. Who starts a server holds the other lock, so that none is started while this one ends. Its standard
/// input is the file `watched`, locked: where that lock can be had, the watcher was killed, and the server most likely
/// with it.
const WATCH: &str = r#"
folder=$1; linger=$2; end=$3; idle=0
while [ -d "$folder" ]; do
    sleep 1
    if flock -n -x "$folder/users" true; then idle=$((idle + 1)); else idle=0; fi
    if [ "$idle" -ge "$linger" ]; then
        flock -x "$folder.start" flock -n -x "$folder/users" sh -c "$end; rm -rf '$folder'" && break
        idle=0
    fi
done
# Others may wait at the lock of a shared server.
[ "$linger" -gt 1 ] || rm -f "$folder.start"
"#;

/// A folder in use: while this lives, the server does.
pub(crate) struct Folder {
    pub(crate) path: PathBuf,
    _user: File,
}

impl Folder {
    /// Joins the users of the folder; makes it and calls `start` where there is no server yet. `end` is the command
    /// that ends the server, and `linger` for how many seconds without users it goes on.
    pub(crate) fn join(path: &Path, linger: u32, end: &str, start: impl FnOnce(&Path)) -> Self {
        let gate = File::create(path.with_added_extension("start")).expect("the lock for starting");
        gate.lock().expect("the only one who starts");
        let ready = path.join("ready");
        if !ready.exists() || !is_watched(path) {
            if path.exists() {
                let _ = quiet(Command::new("sh").args(["-c", end]));
                std::fs::remove_dir_all(path).expect("what a killed server left is removed");
            }
            create_dir_all(path).expect("a folder for the server");
            start(path);
            watch(path, linger, end);
            File::create(&ready).expect("the mark of a started server");
        }
        let user = File::create(path.join("users")).expect("the lock of those who use it");
        user.lock_shared().expect("one of those who use it");
        Self { path: path.to_owned(), _user: user }
    }
}

fn is_watched(path: &Path) -> bool {
    let lock = File::open(path.join("watched")).map(|file| file.try_lock());
    matches!(lock, Ok(Err(TryLockError::WouldBlock)))
}

fn watch(path: &Path, linger: u32, end: &str) {
    let lock = File::create(path.join("watched")).expect("the lock of the watcher");
    lock.lock().expect("the only watcher");
    let mut watcher = Command::new("setsid");
    watcher.args(["--fork", "sh", "-c", WATCH, "watch"]).arg(path).arg(linger.to_string()).arg(end);
    let done = quiet(watcher.stdin(lock));
    assert!(done.is_ok_and(|status| status.success()), "the watcher of the server starts");
}

fn quiet(command: &mut Command) -> io::Result<ExitStatus> {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_was_killed_with_its_watcher_is_started_again() {
        let parent = tempfile::tempdir().expect("a folder");
        let (path, mut starts) = (parent.path().join("server"), 0);
        let mut join = || Folder::join(&path, 1, "true", |_| starts += 1);
        let (first, second) = (join(), join());
        assert_eq!(starts, 1);
        drop((first, second));
        while path.exists() {
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        // What is left behind where everything was killed: the marks, and nobody who holds a lock.
        create_dir_all(&path).expect("a folder");
        for mark in ["ready", "watched", "users"] {
            File::create(path.join(mark)).expect("a mark");
        }
        let mut starts = 0;
        drop(Folder::join(&path, 1, "true", |_| starts += 1));
        assert_eq!(starts, 1);
    }
}
