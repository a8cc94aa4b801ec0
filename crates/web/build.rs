//! Gathers the files of the web page: those of `ui/dist` when they are there, else those of `ui/prebuilt`, else
//! none. It needs neither Node nor the network, and never fails: a page without files says how to build them.

use std::collections::hash_map::DefaultHasher;
use std::fmt::Write;
use std::hash::Hasher;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let ui = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let folders = [ui.join("dist"), ui.join("prebuilt")];
    println!("cargo::rerun-if-changed=build.rs");
    folders.iter().for_each(|folder| println!("cargo::rerun-if-changed={}", folder.display()));
    let files = folders.iter().map(|folder| files(folder)).find(|files| has_page(files)).unwrap_or_default();
    if let Err(error) = write(&out, &files) {
        println!("cargo::warning=the web page is not embedded: {error}");
    }
}

/// What is served below a path, as gzip.
struct File {
    path: String,
    gzip: Vec<u8>,
}

fn has_page(files: &[File]) -> bool {
    files.iter().any(|file| file.path == "index.html")
}

/// Every `.gz` below the folder, by its path without that ending.
fn files(folder: &Path) -> Vec<File> {
    let mut found = Vec::new();
    gather(folder, "", &mut found);
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

fn gather(folder: &Path, prefix: &str, found: &mut Vec<File>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let Ok(name) = entry.file_name().into_string() else { continue };
        if entry.path().is_dir() {
            gather(&entry.path(), &format!("{prefix}{name}/"), found);
        } else if let (Some(path), Ok(gzip)) = (name.strip_suffix(".gz"), fs::read(entry.path())) {
            found.push(File { path: format!("{prefix}{path}"), gzip });
        }
    }
}

/// Writes the files beside a list of them in Rust. The files are copies, so that the list stays true when the
/// folder changes.
fn write(out: &Path, files: &[File]) -> std::io::Result<()> {
    let mut list = String::from("&[\n");
    for (number, File { path, gzip }) in files.iter().enumerate() {
        fs::write(out.join(format!("{number}.gz")), gzip)?;
        let mut hasher = DefaultHasher::new();
        hasher.write(gzip);
        let tag = format!("\"{:016x}\"", hasher.finish());
        let bytes = format!("include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{number}.gz\"))");
        let _ = writeln!(list, "    Asset {{ path: {path:?}, etag: {tag:?}, gzip: {bytes} }},");
    }
    fs::write(out.join("assets.rs"), list + "]\n")
}
