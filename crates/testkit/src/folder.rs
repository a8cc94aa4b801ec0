//! The temporary folder of one gateway: its working directory, config file and data.

use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder that goes with the value.
pub struct Folder(TempDir);

impl Folder {
    /// An empty folder with an empty data folder.
    pub fn new() -> Self {
        let folder = Self(TempDir::new().expect("the temporary folder is writable"));
        std::fs::create_dir(folder.data()).expect("a folder can be made");
        folder
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// A path below it.
    pub fn join(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// The config file.
    pub fn config(&self) -> PathBuf {
        self.join("gateway.yaml")
    }

    /// The data folder.
    pub fn data(&self) -> PathBuf {
        self.join("data")
    }

    /// Writes a file below the folder, and the folders above it.
    #[track_caller]
    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.join(name);
        let parent = path.parent().expect("a file has a folder");
        std::fs::create_dir_all(parent).expect("a folder can be made");
        std::fs::write(&path, text).expect("a file can be written");
        path
    }

    /// Reads a file below the folder; empty when it is not there.
    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.join(name)).unwrap_or_default()
    }

    /// Writes the config file in one step, as a careful editor does.
    pub fn write_config(&self, text: &str) {
        let draft = self.write("gateway.yaml.new", text);
        std::fs::rename(draft, self.config()).expect("a file can be renamed");
    }
}

impl Default for Folder {
    fn default() -> Self {
        Self::new()
    }
}
