//! Messages between gateway and worker, which do not trust each other: no bytes make a reader panic or reserve
//! more than there is, and every text lies inside its body.

#![no_main]

#[allow(dead_code, reason = "the target needs a part of it")]
#[path = "../../crates/sandbox/src/wire/frame.rs"]
mod frame;

use frame::{Frame, Head, LENGTHS, Reader};
use libfuzzer_sys::fuzz_target;

const MOST: usize = 4096;

fuzz_target!(|bytes: &[u8]| {
    let Some((lengths, rest)) = bytes.split_first_chunk::<LENGTHS>() else { return };
    let Ok(head) = Head::parse(*lengths, MOST) else { return };
    assert!(head.len() <= MOST);
    let Some(rest) = rest.get(..head.len()) else { return };
    let Ok(frame) = Frame::new(head, rest) else { return };
    // Every kind of field in turn, until the head is used up or found to be wrong.
    let mut reader = Reader::new(frame);
    for turn in 0.. {
        let good = match turn % 5 {
            0 => reader.byte().is_ok(),
            1 => reader.flag().is_ok(),
            2 => reader.number().is_ok(),
            3 => reader.count().is_ok_and(|count| count <= rest.len()),
            _ => reader.text().is_ok_and(|text| text.len() <= frame.body.len()),
        };
        if !good {
            break;
        }
    }
});
