//! The reader of a remote server's event stream: no bytes make it panic, it holds no more than its limit, and
//! how a stream is cut into pieces changes nothing.

#![no_main]

#[allow(dead_code, reason = "the target needs a part of it")]
#[path = "../../crates/mcp/src/http/events.rs"]
mod events;

use bytes::Bytes;
use events::{Event, Events};
use libfuzzer_sys::fuzz_target;

const LIMIT: usize = 512;

fuzz_target!(|bytes: &[u8]| {
    let whole = read(bytes, bytes.len().max(1));
    assert!(whole.iter().flatten().all(|event| event.data.len() <= LIMIT));
    for size in [1, 7] {
        assert_eq!(read(bytes, size), whole, "in pieces of {size}");
    }
});

/// The events of a stream that comes in pieces of that size; `None` for one that is too large.
fn read(bytes: &[u8], size: usize) -> Option<Vec<Event>> {
    let mut events = Events::new(LIMIT);
    let mut found = Vec::new();
    for piece in bytes.chunks(size) {
        let mut piece = Bytes::copy_from_slice(piece);
        while let Some(event) = events.next(&mut piece).ok()? {
            found.push(event);
        }
        assert!(piece.is_empty());
    }
    assert!(events.last_id().is_none_or(|id| !id.contains('\0')));
    let _ = events.retry();
    Some(found)
}
