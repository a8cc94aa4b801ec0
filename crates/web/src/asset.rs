//! The embedded files.

use flate2::read::GzDecoder;
use std::io::Read;

/// One file of the page.
#[derive(Debug)]
pub(crate) struct Asset {
    /// Below the root, such as `assets/index-Ab12.js`.
    pub(crate) path: &'static str,
    /// Changes with the content; quoted as HTTP wants it.
    pub(crate) etag: &'static str,
    /// The content, compressed.
    pub(crate) gzip: &'static [u8],
}

/// In the order of their paths.
static ASSETS: &[Asset] = include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// Stands in for the page where none was built.
pub(crate) const MISSING: &str = include_str!("missing.html");

/// Finds a file by its path without the leading slash; the empty path is the page itself.
pub(crate) fn find(path: &str) -> Option<&'static Asset> {
    let path = if path.is_empty() { "index.html" } else { path };
    ASSETS.binary_search_by(|asset| asset.path.cmp(path)).ok().map(|at| &ASSETS[at])
}

impl Asset {
    /// The content as it was before compression.
    pub(crate) fn plain(&self) -> std::io::Result<Vec<u8>> {
        let mut plain = Vec::with_capacity(self.gzip.len() * 4);
        GzDecoder::new(self.gzip).read_to_end(&mut plain)?;
        Ok(plain)
    }

    /// Whether its name changes with its content, so that it may be kept for ever.
    pub(crate) fn is_hashed(&self) -> bool {
        self.path.starts_with("assets/")
    }

    /// What kind of content it is, by the ending of its name.
    pub(crate) fn kind(&self) -> &'static str {
        match self.path.rsplit('.').next().unwrap_or_default() {
            "html" => "text/html; charset=utf-8",
            "js" => "text/javascript; charset=utf-8",
            "css" => "text/css; charset=utf-8",
            "svg" => "image/svg+xml",
            "json" => "application/json",
            "png" => "image/png",
            "woff2" => "font/woff2",
            _ => "application/octet-stream",
        }
    }
}
