//! What readers of JSON text share that look for places in it and for nothing else.

use memchr::memchr2;

/// How far a string is looked through word by word, which is quicker for short ones.
const SHORT: usize = 32;

/// A word with this byte in all places.
const fn all(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; 8])
}

/// The highest bit of each byte of a word that is zero. Those behind the first may be wrong.
const fn zeros(word: u64) -> u64 {
    word.wrapping_sub(all(1)) & !word & all(0x80)
}

/// Where the first quote or backslash stands from `at` on; the end where there is none.
#[inline]
fn special(bytes: &[u8], mut at: usize) -> usize {
    let far = at + SHORT;
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let word = u64::from_le_bytes(*chunk);
        let found = zeros(word ^ all(b'"')) | zeros(word ^ all(b'\\'));
        if found != 0 {
            return at + (found.trailing_zeros() / 8) as usize;
        }
        at += 8;
        if at >= far {
            return at + memchr2(b'"', b'\\', &bytes[at..]).unwrap_or(bytes.len() - at);
        }
    }
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().position(|byte| matches!(byte, b'"' | b'\\')).unwrap_or(rest.len())
}

/// Where the quote stands that ends the string whose text begins at `from`, and whether there are escapes in it.
#[inline]
pub fn string_end(bytes: &[u8], from: usize) -> Option<(usize, bool)> {
    let (mut at, mut escaped) = (from, false);
    loop {
        at = special(bytes, at);
        if *bytes.get(at)? == b'"' {
            return Some((at, escaped));
        }
        // Whatever follows a backslash belongs to the string.
        escaped = true;
        at += 2;
    }
}

#[cfg(test)]
mod tests {
    use super::string_end;

    fn plain(bytes: &[u8], from: usize) -> Option<(usize, bool)> {
        let (mut at, mut escaped) = (from, false);
        loop {
            match bytes.get(at)? {
                b'"' => return Some((at, escaped)),
                b'\\' => (at, escaped) = (at + 2, true),
                _ => at += 1,
            }
        }
    }

    #[test]
    fn the_end_of_a_string_is_found_wherever_it_stands() {
        for length in (0..80).chain([200, 1000]) {
            for rest in ["\"", "\",\"b\":\"\\\"", "", "\\\"\" ", "\\\\\"", "\\", "#]\u{a2}\u{dc}\""] {
                let begun: String = "x!\u{e9}".chars().cycle().take(length).collect();
                let text = format!("{{\"{begun}{rest}");
                assert_eq!(string_end(text.as_bytes(), 2), plain(text.as_bytes(), 2), "{text}");
            }
        }
        assert_eq!(string_end(b"\"", 5), None);
    }
}
