//! The files of the repository, read once and shared by all checks.

use anyhow::Context;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The root of the repository this program was built from.
pub(crate) fn root() -> anyhow::Result<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().context("finding the root of the repository")
}

/// Folders that hold nothing of ours, wherever they stand.
const FOREIGN: [&str; 3] = [".git", "target", "node_modules"];

/// Folders that only exist after something ran.
const WORKING: [&str; 6] =
    ["data", "fuzz/corpus", "fuzz/artifacts", "ui/dist", "ui/dist.next", "ui/e2e/shots"];

/// One text file.
#[derive(Debug)]
pub(crate) struct File {
    /// Relative to the root, with forward slashes.
    pub(crate) path: String,
    pub(crate) text: String,
}

/// Every file, and the names of all files and folders.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    pub(crate) files: Vec<File>,
    paths: BTreeSet<String>,
}

impl Tree {
    /// Reads everything below `root`, in the order of the names.
    pub(crate) fn read(root: &Path) -> anyhow::Result<Self> {
        let mut tree = Self::default();
        tree.read_folder(root, "")?;
        tree.files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(tree)
    }

    fn read_folder(&mut self, root: &Path, folder: &str) -> anyhow::Result<()> {
        let entries = std::fs::read_dir(root.join(folder)).with_context(|| format!("listing '{folder}'"))?;
        for entry in entries {
            let entry = entry.with_context(|| format!("listing '{folder}'"))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            let kind = entry.file_type().with_context(|| format!("looking at '{path}'"))?;
            if kind.is_dir() {
                if !FOREIGN.contains(&name.as_str()) && !WORKING.contains(&path.as_str()) {
                    self.read_folder(root, &path)?;
                    self.paths.insert(path);
                }
            } else {
                let bytes = std::fs::read(entry.path()).with_context(|| format!("reading '{path}'"))?;
                self.paths.insert(path.clone());
                if let Ok(text) = String::from_utf8(bytes) {
                    self.files.push(File { path, text });
                }
            }
        }
        Ok(())
    }

    /// The files whose name ends with `suffix`.
    pub(crate) fn ending<'a>(&'a self, suffix: &'a str) -> impl Iterator<Item = &'a File> {
        self.files.iter().filter(move |file| file.path.ends_with(suffix))
    }

    /// The text of one file.
    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        self.files.iter().find(|file| file.path == path).map(|file| file.text.as_str())
    }

    /// Whether a file or folder of that name exists; the root is `""`.
    pub(crate) fn holds(&self, path: &str) -> bool {
        path.is_empty() || self.paths.contains(path)
    }

    /// A tree from memory.
    #[cfg(test)]
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let mut tree = Self::default();
        for (path, text) in files {
            let folders = path.match_indices('/').map(|(at, _)| path[..at].to_owned());
            tree.paths.extend(folders);
            tree.paths.insert((*path).to_owned());
            tree.files.push(File { path: (*path).to_owned(), text: (*text).to_owned() });
        }
        tree
    }
}

/// The number of the line that holds byte `at`, from 1.
pub(crate) fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes()[..at].iter().filter(|&&byte| byte == b'\n').count() + 1
}
