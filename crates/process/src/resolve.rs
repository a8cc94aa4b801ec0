//! From the command a user wrote to the file that is executed.

use crate::Error;
use rustix::fs::{Access, access};
use std::path::{Path, PathBuf};

/// Finds the file behind `command`: as it stands when it has a slash, else along `path`.
///
/// An empty element of `path` is the working directory, as in a shell. The result always has a slash.
pub fn resolve(command: &str, path: &str) -> Result<PathBuf, Error> {
    if command.contains('/') {
        let file = PathBuf::from(command);
        return check(&file, command).map(|()| file);
    }
    let mut refused = None;
    for folder in path.split(':') {
        let folder = if folder.is_empty() { "." } else { folder };
        let file = Path::new(folder).join(command);
        match check(&file, command) {
            Ok(()) if !command.is_empty() => return Ok(file),
            Err(error @ Error::NotExecutable { .. }) => refused = refused.or(Some(error)),
            _ => {}
        }
    }
    Err(refused.unwrap_or_else(|| Error::NotFound { command: command.to_owned() }))
}

fn check(file: &Path, command: &str) -> Result<(), Error> {
    let command = || command.to_owned();
    match file.metadata() {
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            Err(Error::NotExecutable { command: command() })
        }
        Err(_) => Err(Error::Missing { command: command() }),
        Ok(data) if !data.is_file() => Err(Error::NotAFile { command: command() }),
        Ok(_) => access(file, Access::EXEC_OK).map_err(|_| Error::NotExecutable { command: command() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    fn folder(files: &[(&str, u32)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, mode) in files {
            fs::write(folder.path().join(name), "").expect("the file is written");
            fs::set_permissions(folder.path().join(name), Permissions::from_mode(*mode))
                .expect("the mode is set");
        }
        folder
    }

    #[test]
    fn a_bare_name_is_the_first_executable_on_the_path() {
        let (plain, tools) = (folder(&[("tool", 0o644)]), folder(&[("tool", 0o755), ("data", 0o644)]));
        let path = format!("/nowhere:{}:{}", plain.path().display(), tools.path().display());
        assert_eq!(resolve("tool", &path).expect("it is there"), tools.path().join("tool"));
        let error = resolve("data", &path).expect_err("it cannot be run");
        assert!(matches!(error, Error::NotExecutable { .. }), "{error}");
        let error = resolve("absent", &path).expect_err("it cannot be run");
        assert_eq!(error.to_string(), "command 'absent' not found on PATH; install it or give its full path");
        for odd in ["", ".", ".."] {
            assert!(matches!(resolve(odd, &path), Err(Error::NotFound { .. })), "{odd:?}");
        }
    }

    #[test]
    fn a_path_is_taken_as_it_stands() {
        let tools = folder(&[("tool", 0o755), ("data", 0o644)]);
        let at = |name: &str| format!("{}/{name}", tools.path().display());
        assert_eq!(resolve(&at("tool"), "").expect("it is there"), tools.path().join("tool"));
        assert!(matches!(resolve(&at("data"), ""), Err(Error::NotExecutable { .. })));
        assert!(matches!(resolve(&at("absent"), ""), Err(Error::Missing { .. })));
        assert!(matches!(resolve(&at("."), ""), Err(Error::NotAFile { .. })));
    }
}
