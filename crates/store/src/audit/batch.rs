//! Entries that wait to be added.

use super::{AuditDraft, AuditLine};
use model::access::Digest;
use std::fmt::Write;

/// Things that happened, to be added together. All are in one piece of memory: of calls there may be tens of
/// thousands a second. Short texts of which only a digest is kept wait beside them until [`complete`](Self::complete),
/// which need not be done by whoever serves calls.
#[derive(Debug, Default)]
pub struct AuditBatch {
    texts: String,
    ends: Vec<Ends>,
    /// The texts that are to become digests.
    raw: String,
    /// Where the digits of each go, and where its text ends.
    open: Vec<(usize, usize)>,
}

/// The same, ready to be added.
#[derive(Debug, Default)]
pub struct AuditLines(AuditBatch);

/// The body of an entry while it is written.
pub struct AuditBody<'a>(&'a mut AuditBatch);

/// Where the texts of an entry end, one after the other.
#[derive(Clone, Copy, Debug)]
struct Ends {
    at: i64,
    kind: usize,
    who: usize,
    subject: usize,
    body: usize,
}

/// Texts up to this length wait for their digest; the digest of a longer one is made at once.
const RAW_MAX: usize = 512;

/// The room that is worth keeping for the next entries: that of the busiest tenth of a second. Memory that is asked for
/// anew each time costs more than what is written into it.
const ROOM_MAX: usize = 8 << 20;

/// What stands in the place of the digits of a digest that is not made yet.
const DIGITS: &str = "0000000000000000000000000000000000000000000000000000000000000000";

impl AuditBatch {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Adds one, whose subject is given in pieces.
    pub fn add(
        &mut self,
        at: i64,
        kind: &str,
        who: &str,
        subject: &[&str],
        body: impl FnOnce(&mut AuditBody<'_>),
    ) {
        let mut push = |parts: &[&str]| {
            parts.iter().for_each(|part| self.texts.push_str(part));
            self.texts.len()
        };
        let (kind, who, subject) = (push(&[kind]), push(&[who]), push(subject));
        body(&mut AuditBody(self));
        let body = self.texts.len();
        self.ends.push(Ends { at, kind, who, subject, body });
    }

    /// Makes the digests that are missing.
    pub fn complete(mut self) -> AuditLines {
        let mut from = 0;
        for &(place, to) in &self.open {
            let digits = Digest::of(&self.raw.as_bytes()[from..to]).hex();
            self.texts.replace_range(place..place + DIGITS.len(), &digits);
            from = to;
        }
        AuditLines(self)
    }
}

impl AuditBody<'_> {
    /// Adds to it.
    pub fn push(&mut self, text: &str) {
        self.0.texts.push_str(text);
    }

    /// Adds the digits of a number.
    pub fn push_number(&mut self, number: u64) {
        match u8::try_from(number) {
            // Most calls take no longer.
            Ok(number) if number < 10 => self.0.texts.push(char::from(b'0' + number)),
            // Nothing can go wrong with a text in memory.
            _ => _ = write!(self.0.texts, "{number}"),
        }
    }

    /// Adds the digits of the SHA-256 of a text.
    pub fn push_digest(&mut self, text: &str) {
        let AuditBatch { texts, raw, open, .. } = &mut *self.0;
        if text.len() > RAW_MAX {
            return texts.push_str(&Digest::of(text.as_bytes()).hex());
        }
        raw.push_str(text);
        open.push((texts.len(), raw.len()));
        texts.push_str(DIGITS);
    }
}

impl AuditLines {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The room of these for others.
    pub fn clear(self) -> AuditBatch {
        let AuditBatch { mut texts, mut ends, mut raw, mut open } = self.0;
        if texts.capacity() + raw.capacity() > ROOM_MAX {
            return AuditBatch::default();
        }
        texts.clear();
        ends.clear();
        raw.clear();
        open.clear();
        AuditBatch { texts, ends, raw, open }
    }

    pub(crate) fn lines(&self) -> impl Iterator<Item = AuditLine<'_>> {
        let starts = std::iter::once(0).chain(self.0.ends.iter().map(|ends| ends.body));
        starts.zip(&self.0.ends).map(|(start, &Ends { at, kind, who, subject, body })| AuditLine {
            at,
            kind: &self.0.texts[start..kind],
            who: &self.0.texts[kind..who],
            subject: &self.0.texts[who..subject],
            body: &self.0.texts[subject..body],
        })
    }
}

impl Extend<AuditDraft> for AuditBatch {
    fn extend<I: IntoIterator<Item = AuditDraft>>(&mut self, drafts: I) {
        for AuditDraft { at, kind, who, subject, body } in drafts {
            self.add(at, &kind, &who, &[&subject], |text| text.push(&body));
        }
    }
}
