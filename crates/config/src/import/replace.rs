//! A file replaced whole or not at all, its old text kept beside it.

use super::Error;
use std::fs::{File, Metadata, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

const BACKUPS_MAX: usize = 1000;

/// Writes `text` to `path` in one step. When `old` was there, it is kept in a backup, whose path is
/// returned; a file that no longer holds `old` is left alone.
pub(super) fn replace(path: &Path, old: Option<&str>, text: &str) -> Result<Option<PathBuf>, Error> {
    // A link stays a link: what it points to is replaced.
    let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = target.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let io = |doing, path: &Path| {
        let path = path.to_owned();
        move |cause| Error::Io { doing, path, cause }
    };
    let metadata = old.map(|_| std::fs::metadata(&target)).transpose().map_err(io("read", &target))?;
    let mut file =
        tempfile::Builder::new().prefix(".lockgate-").tempfile_in(folder).map_err(io("write in", folder))?;
    file.write_all(text.as_bytes()).map_err(io("write", file.path()))?;
    if let Some(metadata) = &metadata {
        keep_owner(file.as_file(), metadata).map_err(io("write", file.path()))?;
    }
    file.as_file().sync_all().map_err(io("write", file.path()))?;
    let Some((old, metadata)) = old.zip(metadata) else {
        file.persist_noclobber(&target).map_err(|error| io("create", &target)(error.error))?;
        sync(folder);
        return Ok(None);
    };
    let backup = back_up(path, old, &metadata)?;
    let unchanged = std::fs::read(&target).is_ok_and(|now| now == old.as_bytes());
    let outcome = if unchanged {
        file.persist(&target).map(drop).map_err(|error| io("replace", &target)(error.error))
    } else {
        Err(Error::Unsafe { reason: "it was changed at the same time; try again" })
    };
    if let Err(error) = outcome {
        let _ = std::fs::remove_file(&backup);
        return Err(error);
    }
    sync(folder);
    Ok(Some(backup))
}

/// The old text in `<path>.bak`, or `.bak1` and so on: an older backup is never overwritten.
fn back_up(path: &Path, old: &str, metadata: &Metadata) -> Result<PathBuf, Error> {
    let io = |path: &Path, cause| Error::Io { doing: "write the backup", path: path.to_owned(), cause };
    let mut last = std::io::Error::from(std::io::ErrorKind::AlreadyExists);
    let mut backup = path.to_owned();
    for i in 0..BACKUPS_MAX {
        let number = if i == 0 { String::new() } else { i.to_string() };
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".bak{number}"));
        backup = PathBuf::from(name);
        match private().open(&backup) {
            Ok(mut file) => {
                let written = file.write_all(old.as_bytes()).and_then(|()| keep_owner(&file, metadata));
                if let Err(cause) = written.and_then(|()| file.sync_all()) {
                    let _ = std::fs::remove_file(&backup);
                    return Err(io(&backup, cause));
                }
                return Ok(backup);
            }
            Err(cause) if cause.kind() == std::io::ErrorKind::AlreadyExists => last = cause,
            Err(cause) => return Err(io(&backup, cause)),
        }
    }
    Err(io(&backup, last))
}

/// Options for a new file that nobody else may read until its permissions are set.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Gives `file` the owner, as far as that is allowed, and the permissions of the file it stands for.
fn keep_owner(file: &File, metadata: &Metadata) -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let _ = std::os::unix::fs::fchown(file, Some(metadata.uid()), Some(metadata.gid()));
    }
    file.set_permissions(metadata.permissions())
}

/// Makes the new name durable. A folder that cannot be synced does not undo what was done.
fn sync(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_backup_is_never_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c.yaml");
        std::fs::write(&path, "0").unwrap();
        for (old, new, expected) in
            [("0", "1", "c.yaml.bak"), ("1", "2", "c.yaml.bak1"), ("2", "3", "c.yaml.bak2")]
        {
            let backup = replace(&path, Some(old), new).unwrap().unwrap();
            assert_eq!(backup, folder.path().join(expected));
            assert_eq!(std::fs::read_to_string(&backup).unwrap(), old);
            assert_eq!(std::fs::read_to_string(&path).unwrap(), new);
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 4);
    }

    #[test]
    fn a_file_that_changed_meanwhile_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c.yaml");
        std::fs::write(&path, "theirs").unwrap();
        assert!(matches!(replace(&path, Some("ours"), "new"), Err(Error::Unsafe { .. })));
        assert!(matches!(replace(&path, None, "new"), Err(Error::Io { .. })));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "theirs");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn permissions_and_links_are_kept() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real.yaml"), folder.path().join("link.yaml"));
        std::fs::write(&real, "old").unwrap();
        std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let backup = replace(&link, Some("old"), "new").unwrap().unwrap();
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
        for path in [&real, &backup] {
            assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o640);
        }
        assert_eq!(std::fs::read_to_string(&real).unwrap(), "new");
        let fresh = folder.path().join("fresh.yaml");
        assert_eq!(replace(&fresh, None, "new").unwrap(), None);
        assert_eq!(std::fs::metadata(&fresh).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
