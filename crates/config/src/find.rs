//! Where the config file is, and its text.

use crate::{Environment, Error};
use std::io::Read;
use std::path::{Path, PathBuf};

/// The usual places, in the order in which they are tried.
pub const CANDIDATES: [&str; 3] = ["./lockgate.yaml", "./config/config.yaml", "/config/config.yaml"];

/// The largest config file, in bytes.
pub const FILE_MAX: u64 = 4 * 1024 * 1024;

/// What the command line says about the config file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// `--config`.
    pub path: Option<PathBuf>,
}

/// The path of the file: the flag, then `CONFIG_PATH`, then the first candidate that exists. A path
/// that was given is not replaced by another.
pub(crate) fn find(source: &Source, env: &Environment, candidates: &[PathBuf]) -> Result<PathBuf, Error> {
    let given = source.path.clone().or_else(|| env.setting("CONFIG_PATH").map(PathBuf::from));
    let paths = given.map_or_else(|| candidates.to_vec(), |path| vec![path]);
    match paths.iter().find(|path| path.exists()) {
        Some(path) => Ok(path.clone()),
        None => Err(Error::NotFound { paths }),
    }
}

/// The text of the file at `path`.
pub(crate) fn read(path: &Path) -> Result<String, Error> {
    let refuse = |message: String| Error::File { message };
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path);
    file.and_then(|file| file.take(FILE_MAX + 1).read_to_end(&mut bytes)).map_err(|cause| {
        if cause.kind() == std::io::ErrorKind::NotFound {
            return Error::NotFound { paths: vec![path.to_owned()] };
        }
        refuse(format!("cannot read {}: {cause}", model::text::shown(&path.to_string_lossy())))
    })?;
    if bytes.len() as u64 > FILE_MAX {
        return Err(refuse(format!("the file exceeds maximum size ({FILE_MAX} bytes)")));
    }
    String::from_utf8(bytes).map_err(|cause| {
        let at = cause.utf8_error().valid_up_to();
        let line = 1 + cause.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count();
        refuse(format!("the file is not UTF-8 (line {line})"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flag_goes_before_the_variable_and_both_before_the_usual_places() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, "x").unwrap();
            path
        };
        let (flag, variable, second, third) = (file("flag"), file("variable"), file("second"), file("third"));
        let candidates = [folder.path().join("first"), second.clone(), third];
        let with = Environment::from_pairs([("CONFIG_PATH", variable.to_str().unwrap())]);
        let without = Environment::from_pairs([("CONFIG_PATH", "")]);
        let check = |path: Option<&PathBuf>, env: &Environment, expected: &PathBuf| {
            let source = Source { path: path.cloned() };
            assert_eq!(&find(&source, env, &candidates).unwrap(), expected);
        };
        check(Some(&flag), &with, &flag);
        check(None, &with, &variable);
        check(None, &without, &second);
    }

    #[test]
    fn a_given_path_is_not_replaced_by_another() {
        let folder = tempfile::tempdir().unwrap();
        let there = folder.path().join("there");
        std::fs::write(&there, "x").unwrap();
        let candidates = [there];
        let check = |path: Option<&str>, variable: &str| {
            let env = Environment::from_pairs([("CONFIG_PATH", variable)]);
            find(&Source { path: path.map(PathBuf::from) }, &env, &candidates).unwrap_err().to_string()
        };
        assert_eq!(check(Some("no/flag.yaml"), ""), "Config file not found: no/flag.yaml");
        assert_eq!(check(None, "no/variable.yaml"), "Config file not found: no/variable.yaml");
    }

    #[test]
    fn all_three_paths_are_named_when_none_was_given() {
        let nowhere = ["a/1.yaml", "a/2.yaml", "a/3.yaml"].map(PathBuf::from);
        let error = find(&Source::default(), &Environment::default(), &nowhere).unwrap_err();
        assert_eq!(error.to_string(), "Config file not found: a/1.yaml, a/2.yaml, a/3.yaml");
        assert_eq!(CANDIDATES, ["./lockgate.yaml", "./config/config.yaml", "/config/config.yaml"]);
    }

    #[test]
    fn a_file_that_is_no_text_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c.yaml");
        let check = |bytes: &[u8], expected: &str| {
            std::fs::write(&path, bytes).unwrap();
            assert_eq!(
                read(&path).unwrap_err().to_string(),
                format!("Error: Invalid config.yaml: {expected}")
            );
        };
        check(b"a: 1\nb: \xff\n", "the file is not UTF-8 (line 2)");
        check(&vec![b'#'; 4_194_305], "the file exceeds maximum size (4194304 bytes)");
        std::fs::write(&path, vec![b'#'; 4_194_304]).unwrap();
        assert!(read(&path).is_ok());
        let line = read(folder.path()).unwrap_err().to_string();
        assert!(line.starts_with("Error: Invalid config.yaml: cannot read "), "{line}");
    }
}
