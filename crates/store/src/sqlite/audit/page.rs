//! Entries in the room of one row. The first is in its columns, and each of the others is told by how it differs from
//! the one before: entries of calls are nearly the same, and of calls there may be tens of thousands a second.
//!
//! An entry is the difference of the times, then for each text how many bytes at its beginning and at its end are those
//! of the same text before, and the bytes in between. Numbers are in groups of seven bits, the least first.

use crate::AuditDraft;
use crate::audit::AuditLine;

/// The most entries in a row: whoever wants one of them reads them all.
pub(super) const ENTRIES_MAX: usize = 256;

/// The bytes after which a row is full: as they are kept, and as they are read.
const BYTES_MAX: usize = 32 << 10;
const PLAIN_MAX: usize = 1 << 20;

/// The entries of a row after its first, while they are written.
#[derive(Default)]
pub(super) struct More {
    bytes: Vec<u8>,
    count: usize,
    /// The length of all texts.
    plain: usize,
}

impl More {
    /// Begins another row.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        (self.count, self.plain) = (0, 0);
    }

    pub(super) fn is_full(&self) -> bool {
        self.count + 1 >= ENTRIES_MAX || self.bytes.len() >= BYTES_MAX || self.plain >= PLAIN_MAX
    }

    /// What is kept of them.
    pub(super) fn bytes(&self) -> Option<&[u8]> {
        (self.count > 0).then_some(&self.bytes)
    }

    /// Adds an entry after another one.
    pub(super) fn add(&mut self, line: AuditLine<'_>, before: AuditLine<'_>) {
        self.count += 1;
        self.plain += line.texts().map(str::len).iter().sum::<usize>();
        let later = line.at.wrapping_sub(before.at);
        // The sign goes to the lowest bit, so that small steps back are short too.
        self.number(((later << 1) ^ (later >> 63)).cast_unsigned());
        for (text, old) in line.texts().into_iter().zip(before.texts()) {
            self.text(text.as_bytes(), old.as_bytes());
        }
    }

    fn text(&mut self, text: &[u8], old: &[u8]) {
        let head = shared(text.iter(), old.iter());
        let (text, old) = (&text[head..], &old[head..]);
        let tail = shared(text.iter().rev(), old.iter().rev());
        let own = &text[..text.len() - tail];
        for length in [head, tail, own.len()] {
            self.number(length as u64);
        }
        self.bytes.extend_from_slice(own);
    }

    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number.to_le_bytes()[0] | 0x80);
            number >>= 7;
        }
        self.bytes.push(number.to_le_bytes()[0]);
    }
}

/// How many of them are the same from the beginning on.
fn shared<'a>(one: impl Iterator<Item = &'a u8>, other: impl Iterator<Item = &'a u8>) -> usize {
    one.zip(other).take_while(|(a, b)| a == b).count()
}

/// All entries of a row; `None` if that is not what we wrote.
pub(super) fn read(first: AuditDraft, mut more: &[u8]) -> Option<Vec<AuditDraft>> {
    let mut drafts = vec![first];
    while !more.is_empty() && drafts.len() < ENTRIES_MAX {
        let before = drafts.last()?;
        let later = number(&mut more)?;
        let later = (later >> 1).cast_signed() ^ -((later & 1).cast_signed());
        let mut next = |old: &str| text(&mut more, old.as_bytes());
        let (kind, who) = (next(&before.kind)?, next(&before.who)?);
        let (subject, body) = (next(&before.subject)?, next(&before.body)?);
        let at = before.at.wrapping_add(later);
        drafts.push(AuditDraft { at, kind, who, subject, body });
    }
    more.is_empty().then_some(drafts)
}

fn text(more: &mut &[u8], old: &[u8]) -> Option<String> {
    let mut length = || usize::try_from(number(more)?).ok();
    let (head, tail, own) = (length()?, length()?, length()?);
    let own = more.split_off(..own)?;
    let (head, rest) = old.split_at_checked(head)?;
    let (_, tail) = rest.split_at_checked(rest.len().checked_sub(tail)?)?;
    String::from_utf8([head, own, tail].concat()).ok()
}

fn number(more: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let byte = *more.split_off_first()?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(at: i64, texts: [&str; 4]) -> AuditDraft {
        let [kind, who, subject, body] = texts.map(str::to_owned);
        AuditDraft { at, kind, who, subject, body }
    }

    fn written(drafts: &[AuditDraft]) -> More {
        let mut more = More::default();
        for pair in drafts.windows(2) {
            more.add(pair[1].line(), pair[0].line());
        }
        more
    }

    #[test]
    fn entries_are_read_as_they_were_written() {
        let long = "x".repeat(70_000);
        let drafts = [
            draft(5, ["call", "a", "s/t", r#"{"n":1,"outcome":"OK"}"#]),
            draft(5, ["call", "a", "s/t", r#"{"n":1,"outcome":"OK"}"#]),
            draft(6, ["call", "a", "s/t", r#"{"n":11,"outcome":"OK"}"#]),
            draft(-1, ["change", "", "/api/日", "{}"]),
            draft(i64::MAX, ["change", "", "/api/本", "{\"日\":1}"]),
            draft(i64::MIN, ["", "", "", ""]),
            draft(0, ["", "", "", &long]),
            draft(0, ["aa", "aaa", "a", &long[1..]]),
            draft(0, ["aaa", "aa", "aa", &long]),
        ];
        let more = written(&drafts);
        let read = read(drafts[0].clone(), more.bytes().expect("some")).expect("entries");
        assert_eq!(read, drafts);
    }

    #[test]
    fn an_entry_alone_needs_nothing_more() {
        let alone = draft(5, ["call", "a", "s/t", "{}"]);
        assert_eq!(written(std::slice::from_ref(&alone)).bytes(), None);
        assert_eq!(read(alone.clone(), &[]), Some(vec![alone]));
    }

    #[test]
    fn a_row_is_full_by_what_it_says_too() {
        let long = draft(5, ["call", "a", &"x".repeat(PLAIN_MAX / 4), "{}"]);
        let mut more = More::default();
        let added = (0..).take_while(|_| {
            more.add(long.line(), long.line());
            !more.is_full()
        });
        assert_eq!(added.count(), 3);
        more.clear();
        assert!(!more.is_full());
    }

    #[test]
    fn what_nobody_wrote_is_not_read() {
        let first = draft(5, ["call", "a", "s/t", "日"]);
        let more = written(&[first.clone(), draft(6, ["call", "b", "s/t", "本"])]);
        let good = more.bytes().expect("some");
        for end in 1..good.len() {
            assert_eq!(read(first.clone(), &good[..end]), None, "{end} bytes");
        }
        for place in 0..good.len() {
            for other in 0..=u8::MAX {
                let mut bad = good.to_vec();
                bad[place] = other;
                // Whatever it is, there is an answer.
                read(first.clone(), &bad);
            }
        }
        let endless = [0x80; 11];
        assert_eq!(read(first.clone(), &endless), None);
        let same = written(&[first.clone(), first.clone()]);
        let many = same.bytes().expect("some").repeat(ENTRIES_MAX);
        assert_eq!(read(first, &many), None);
    }
}
