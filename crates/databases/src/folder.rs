//! The folder of a server: who uses it, and the watcher that ends the server when nobody does.

use std::fs::{File, create_dir_all};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Waits until nobody has held the folder's lock for a while, then runs the command that ends the server, and removes
/// the folder. Who starts a server holds the other lock, so that none is started while this one ends.
const WATCH: &str = r#"
folder=$1; linger=$2; end=$3; idle=0
while [ -d "$folder" ]; do
    sleep 1
    if flock -n -x "$folder/users" true; then idle=$((idle + 1)); else idle=0; fi
    if [ "$idle" -ge "$linger" ]; then
        flock -x "$folder.start" flock -n -x "$folder/users" sh -c "$end; rm -rf '$folder'"
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
        if !ready.exists() {
            let _ = std::fs::remove_dir_all(path);
            create_dir_all(path).expect("a folder for the server");
            start(path);
            File::create(&ready).expect("the mark of a started server");
        }
        let user = File::create(path.join("users")).expect("the lock of those who use it");
        user.lock_shared().expect("one of those who use it");
        let watched = path.join("watched");
        if !watched.exists() {
            watch(path, linger, end);
            File::create(watched).expect("the mark of the watcher");
        }
        Self { path: path.to_owned(), _user: user }
    }
}

fn watch(path: &Path, linger: u32, end: &str) {
    let mut watcher = Command::new("setsid");
    watcher.args(["--fork", "sh", "-c", WATCH, "watch"]).arg(path).arg(linger.to_string()).arg(end);
    let done = watcher.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    assert!(done.is_ok_and(|status| status.success()), "the watcher of the server starts");
}
