//! The last lines of a child's standard error, bounded and without secrets.

mod assembly;
mod escapes;
mod secrets;

use assembly::Assembly;
use secrets::Secrets;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::net::unix::pipe;

/// The most lines kept.
const LINES: usize = 200;
/// The most bytes kept, over all lines.
const BYTES: usize = 64 * 1024;
/// The longest line kept, in bytes.
const LINE: usize = 4 * 1024;
/// The end of a line that was cut.
const CUT: &str = "…";

/// The last lines that a child wrote to standard error. A cheap handle: clones share the lines.
#[derive(Clone)]
pub struct Tail {
    shared: Arc<Shared>,
}

struct Shared {
    secrets: Secrets,
    ring: Mutex<Ring>,
}

#[derive(Default)]
struct Ring {
    lines: VecDeque<String>,
    bytes: usize,
}

impl Tail {
    /// An empty tail that shows `***` wherever one of the secrets stands.
    pub fn new(secrets: Vec<String>) -> Self {
        let secrets = Secrets::new(secrets);
        Self { shared: Arc::new(Shared { secrets, ring: Mutex::default() }) }
    }

    /// All lines kept, oldest first.
    pub fn lines(&self) -> Vec<String> {
        self.ring().lines.iter().cloned().collect()
    }

    /// The last `n` lines, oldest first.
    pub fn last(&self, n: usize) -> Vec<String> {
        let ring = self.ring();
        ring.lines.iter().skip(ring.lines.len().saturating_sub(n)).cloned().collect()
    }

    /// A text with `***` wherever one of the secrets stands that is at least so many characters long: in a text that is
    /// not the child's own, what is shorter is more likely to be there by chance.
    pub fn mask_from(&self, shortest: usize, text: &str) -> String {
        self.shared.secrets.mask(text, usize::MAX, shortest)
    }

    /// Whether there is nothing that it would mask.
    pub fn masks_nothing(&self) -> bool {
        self.shared.secrets.is_empty()
    }

    /// A text with `***` wherever one of the secrets stands, as a line would have it.
    pub fn mask(&self, text: &str) -> String {
        self.mask_from(0, text)
    }

    /// Adds one line as the child wrote it, free of escapes, and lets go of the oldest.
    fn push(&self, raw: &[u8]) {
        let line = self.shared.secrets.mask(&String::from_utf8_lossy(raw), LINE, 0);
        let mut ring = self.ring();
        ring.bytes += line.len();
        ring.lines.push_back(line);
        while ring.lines.len() > LINES || ring.bytes > BYTES {
            let oldest = ring.lines.pop_front().map_or(0, |line| line.len());
            ring.bytes -= oldest;
        }
    }

    fn ring(&self) -> MutexGuard<'_, Ring> {
        self.shared.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Tail {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tail").field("lines", &self.ring().lines.len()).finish_non_exhaustive()
    }
}

/// Reads standard error until its end, so that the child never waits for a reader.
///
/// Memory stays bounded whatever the child writes. A last line without a newline counts at the end.
pub async fn drain(stderr: pipe::Receiver, tail: Tail) {
    // A secret that begins before the cut must be here as a whole to be found; 4 for a cut character.
    let mut assembly = Assembly::new(LINE + tail.shared.secrets.longest() + 4);
    while stderr.readable().await.is_ok() {
        // Not kept over an await: an idle child costs no buffer.
        let mut bytes = [0; 8 * 1024];
        match stderr.try_read(&mut bytes) {
            Ok(0) => break,
            Ok(n) => assembly.feed(&bytes[..n], |line| tail.push(line)),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            Err(_) => break,
        }
        // A child that writes without a pause must not keep a thread of the gateway to itself.
        tokio::task::consume_budget().await;
    }
    assembly.finish(|line| tail.push(line));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(secrets: &[&str], bytes: &[u8]) -> Vec<String> {
        let tail = Tail::new(secrets.iter().map(|&secret| secret.into()).collect());
        let mut assembly = Assembly::new(LINE + tail.shared.secrets.longest() + 4);
        // Byte by byte: no boundary between two reads may matter.
        for byte in bytes {
            assembly.feed(std::slice::from_ref(byte), |line| tail.push(line));
        }
        assembly.finish(|line| tail.push(line));
        tail.lines()
    }

    #[test]
    fn lines_are_plain_text_without_secrets() {
        for (bytes, expected) in [
            (&b"one\ntwo"[..], &["one", "two"][..]),
            (b"one\r\n\n", &["one", ""]),
            (b"\x1b[1;31mred\x1b[0m \x1b]0;title\x07x\x1b]8;;u\x1b\\y\x1b(B\n", &["red xy"]),
            (b"\x1b]never closed\nnext\n", &["", "next"]),
            (b"bell\x07 tab\t\n", &["bell tab\t"]),
            (b"bad \xff utf\n", &["bad \u{fffd} utf"]),
            (b"key=s3cret;s3cretlong s3\n", &["key=***;*** s3"]),
            (b"s3\x1b[0mcret\n", &["***"]),
            (b"s3cr\net\n", &["s3cr", "et"]),
        ] {
            assert_eq!(filled(&["s3cret", "s3cretlong", ""], bytes), expected);
        }
    }

    #[test]
    fn a_long_line_is_cut_and_a_secret_across_the_cut_is_masked() {
        let mut bytes = vec![b'x'; LINE - 5];
        bytes.extend_from_slice(b"topsecret");
        bytes.resize(1 << 20, b'y');
        let lines = filled(&["topsecret"], &bytes);
        assert_eq!(lines.len(), 1);
        assert!(lines[0].len() <= LINE, "{}", lines[0].len());
        assert!(lines[0].ends_with(CUT));
        assert!(!lines[0].contains("tops"));
        let wide = "é".repeat(LINE);
        assert!(filled(&[], wide.as_bytes())[0].len() <= LINE);
    }

    #[test]
    fn only_the_last_lines_are_kept() {
        let many: String = (0..1000).map(|n| format!("line {n}\n")).collect();
        let lines = filled(&[], many.as_bytes());
        assert_eq!(
            (lines.len(), lines[0].as_str(), lines[LINES - 1].as_str()),
            (LINES, "line 800", "line 999")
        );
        let fat: String = (0..100).map(|_| "z".repeat(4000) + "\n").collect();
        assert!(filled(&[], fat.as_bytes()).iter().map(String::len).sum::<usize>() <= BYTES);
    }
}
