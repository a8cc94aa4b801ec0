//! `redact`: replaces what matches patterns, with an engine whose time grows only with the text.

mod dialect;
#[cfg(test)]
mod tests;

use super::tape::{unescaped, with_signs, without_signs};
use super::writer::{quote, quoted};
use dialect::Translated;
use memchr::memchr2;
use regex::{NoExpand, Regex, RegexBuilder};
use std::ops::Range;
use std::rc::Rc;

/// Letters and digits of mail addresses. Beyond ASCII they are of alphabets that leave spaces between words: in others
/// an address would take the text around it along.
macro_rules! letters {
    () => {
        r"A-Za-z0-9\u{C0}-\u{D6}\u{D8}-\u{F6}\u{F8}-\u{24F}\u{300}-\u{52F}\u{1E00}-\u{1FFF}"
    };
}

/// An address of IPv4, without what stands before it.
macro_rules! ipv4 {
    () => {
        r"(?:(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])\.){3}(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])(?-u:\b)"
    };
}

const CARD: &str = r"(?-u:\b)[3-6][0-9]{3}(?:[ -]?[0-9]{4}){2}[ -]?[0-9]{1,7}(?-u:\b)|(?-u:\b)3[47][0-9]{2}[ -]?[0-9]{6}[ -]?[0-9]{5}(?-u:\b)|(?-u:\b)2(?:22[1-9]|2[3-9][0-9]|[3-6][0-9]{2}|7[01][0-9]|720)(?:[ -]?[0-9]{4}){3}(?-u:\b)";

/// The patterns that have names.
const NAMED: [(&str, &str); 5] = [
    (
        "email",
        concat!(
            "[_",
            letters!(),
            r"][._%+\-",
            letters!(),
            "]*@[",
            letters!(),
            r"](?:[.\-",
            letters!(),
            "]*[",
            letters!(),
            r"])?\.(?:[A-Za-z]{2,24}(?-u:\b)|[\u{370}-\u{52F}]{2,24})"
        ),
    ),
    ("creditCard", CARD),
    ("jwt", r"(?-u:\b)eyJ[A-Za-z0-9_\-]{5,}\.eyJ[A-Za-z0-9_\-]{5,}\.[A-Za-z0-9_\-]*"),
    (
        "apiKey",
        r"(?-u:\b)(?:sk|pk|rk)[-_](?:live[-_]|test[-_]|proj[-_]|ant[-_])?[A-Za-z0-9_\-]{16,}|(?-u:\b)gh[pousr]_[A-Za-z0-9]{30,}|(?-u:\b)github_pat_[A-Za-z0-9_]{30,}|(?-u:\b)xox[abeprs]-[A-Za-z0-9\-]{10,}|(?-u:\b)A(?:KIA|SIA)[A-Z0-9]{16}(?-u:\b)|(?-u:\b)AIza[A-Za-z0-9_\-]{35}|(?-u:\b)glpat-[A-Za-z0-9_\-]{20,}|(?-u:\b)npm_[A-Za-z0-9]{30,}",
    ),
    (
        "ipAddress",
        concat!(
            r"(?-u:\b)",
            ipv4!(),
            // IPv6 that ends with such an address.
            r"|(?:(?-u:\b)(?:[0-9A-Fa-f]{1,4}:){1,5}:|::)(?:[0-9A-Fa-f]{1,4}:){0,5}",
            ipv4!(),
            r"|(?-u:\b)(?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}(?-u:\b)|(?-u:\b)(?:[0-9A-Fa-f]{1,4}:){1,6}(?::[0-9A-Fa-f]{1,4}){1,6}(?-u:\b)|(?-u:\b)(?:[0-9A-Fa-f]{1,4}:){2,7}:|::[Ff]{4}(?::[0-9A-Fa-f]{1,4}){2,3}(?-u:\b)|::1(?-u:\b)"
        ),
    ),
];

/// What begins and ends with a digit, so that an underscore beside it is no part of it. To the matcher it belongs to
/// the word, so these are looked for once more without underscores.
const DIGITS: [(&str, &str); 2] = [("creditCard", CARD), ("ipAddress", concat!(r"(?-u:\b)", ipv4!()))];

/// What stands in the place of an underscore then: as long, part of no word, and in none of those patterns.
const BLANK: &str = "\u{1}";

/// The ends of lines that are no single byte.
const SEPARATORS: [char; 2] = ['\u{2028}', '\u{2029}'];

/// The fewest digits that a pattern with a name takes for something.
const FEWEST: usize = 13;

/// Matches nothing, for a list without patterns.
const NOTHING: &str = r"[^\s\S]";

/// What replaces a match when the script does not say.
pub(crate) const REPLACEMENT: &str = "[redacted]";

/// How many compiled patterns are kept, and how large each may be.
const KEPT: usize = 16;
const LARGEST: usize = 1 << 20;

/// How many patterns one call may name, and how long their texts may be together.
pub(crate) const MOST_PATTERNS: usize = 64;
const LONGEST: usize = 16 << 10;

/// How many patterns are looked for each by itself; more than that would be slower than all at once.
const MOST_APART: usize = 3;

/// One pattern of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Pattern {
    /// A name, or else a regular expression.
    Text(String),
    /// A regular expression of the script's own engine: its source and flags.
    Expression(String, String),
}

/// All that have a name.
pub(crate) fn all() -> Vec<Pattern> {
    NAMED.iter().map(|(name, _)| Pattern::Text((*name).to_owned())).collect()
}

/// The patterns that were compiled before, the latest last.
#[derive(Debug, Default)]
pub(crate) struct Patterns {
    // A copy of an expression would begin with an empty cache, so it is shared.
    kept: Vec<(Vec<Pattern>, Rc<Matcher>)>,
}

/// The patterns of a call, compiled.
#[derive(Debug)]
pub(crate) struct Matcher {
    /// All of them, as alternatives of one.
    all: Regex,
    /// Each for itself, where they are several: one alone is found much faster than one of many.
    each: Vec<Regex>,
    /// Those of them that an underscore does not hide.
    digits: Option<Regex>,
    /// Those of them that look for the ends of lines.
    lines: Option<Regex>,
    /// The shortest number that may be one of them.
    fewest: usize,
}

impl Patterns {
    /// What finds all these patterns.
    pub(crate) fn find(&mut self, patterns: &[Pattern]) -> Result<Rc<Matcher>, String> {
        if let Some(at) = self.kept.iter().position(|(kept, _)| kept == patterns) {
            let found = self.kept.remove(at);
            self.kept.push(found);
        } else {
            let matcher = Matcher::new(patterns)?;
            if self.kept.len() >= KEPT {
                self.kept.remove(0);
            }
            self.kept.push((patterns.to_vec(), Rc::new(matcher)));
        }
        self.kept.last().map(|(_, matcher)| Rc::clone(matcher)).ok_or_else(String::new)
    }
}

/// Has the matcher look at the system, which it does once, while it still can.
pub(crate) fn warm() {
    let regex = compile("[ab]+c").map(|regex| regex.is_match("abac"));
    debug_assert_eq!(regex, Ok(true));
}

fn compile(source: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(source).size_limit(LARGEST).dfa_size_limit(LARGEST).nest_limit(100).build()
}

/// One pattern in the words of the matcher.
struct Part {
    source: String,
    /// Compiled by itself, but for one that has a name.
    alone: Option<Regex>,
    lines: bool,
}

impl Part {
    /// A pattern must be whole by itself: joined with others, one could end where another begins.
    fn new(pattern: &Pattern) -> Result<Self, String> {
        let (text, translated) = match pattern {
            Pattern::Text(text) => {
                if let Some((_, source)) = NAMED.iter().find(|(name, _)| name == text) {
                    return Ok(Self { source: format!("(?:{source})"), alone: None, lines: false });
                }
                (text, Translated { source: text.clone(), lines: false })
            }
            Pattern::Expression(text, flags) => {
                (text, dialect::translate(text, flags).map_err(|why| refused(text, &why))?)
            }
        };
        let alone = compile(&translated.source).map_err(|error| refused(text, &error.to_string()))?;
        let source = format!("(?:{})", translated.source);
        Ok(Self { source, alone: Some(alone), lines: translated.lines })
    }
}

/// The patterns of a call, each by itself.
fn parts(patterns: &[Pattern]) -> Result<Vec<Part>, String> {
    if patterns.len() > MOST_PATTERNS {
        return Err(format!("redact takes at most {MOST_PATTERNS} patterns"));
    }
    let length = |pattern: &Pattern| match pattern {
        Pattern::Text(text) | Pattern::Expression(text, _) => text.len(),
    };
    if patterns.iter().map(length).sum::<usize>() > LONGEST {
        return Err("the patterns of redact are too long".to_owned());
    }
    if patterns.is_empty() {
        return Ok(vec![Part { source: NOTHING.to_owned(), alone: None, lines: false }]);
    }
    patterns.iter().map(Part::new).collect()
}

/// Says that a pattern is wrong, and how.
fn refused(text: &str, why: &str) -> String {
    let text: String = text.chars().take(80).collect();
    let reason = why.lines().last().unwrap_or_default().trim_start_matches("error: ");
    let hint = "redact matches in linear time, so look-around and back-references are not available";
    format!("redact cannot use the pattern '{text}': {reason} ({hint})")
}

/// All these as alternatives of one; nothing where there are none.
fn together<'a>(sources: impl Iterator<Item = &'a str>) -> Result<Option<Regex>, String> {
    let source = sources.collect::<Vec<_>>().join("|");
    if source.is_empty() {
        return Ok(None);
    }
    compile(&source).map(Some).map_err(|error| refused("", &error.to_string()))
}

impl Matcher {
    fn new(patterns: &[Pattern]) -> Result<Self, String> {
        let mut parts = parts(patterns)?;
        let only = if let [part] = parts.as_mut_slice() { part.alone.take() } else { None };
        let all = match only {
            Some(only) => only,
            None => together(parts.iter().map(|part| part.source.as_str()))?.ok_or_else(String::new)?,
        };
        let lines = parts.iter().filter(|part| part.lines);
        let lines = together(lines.map(|part| part.source.as_str()))?;
        let named = |name: &str| patterns.iter().any(|it| matches!(it, Pattern::Text(text) if text == name));
        let digits = DIGITS.iter().filter(|(name, _)| named(name));
        let digits = together(digits.map(|(_, source)| *source))?;
        let is_named =
            |it: &Pattern| matches!(it, Pattern::Text(text) if NAMED.iter().any(|(name, _)| name == text));
        let fewest = if patterns.iter().all(is_named) { FEWEST } else { 0 };
        let several = (2..=MOST_APART).contains(&parts.len());
        let alone = |part: Part| match part.alone {
            Some(alone) => Ok(Some(alone)),
            None => together(std::iter::once(part.source.as_str())),
        };
        let apart = parts.into_iter().filter(|_| several);
        let each = apart.filter_map(|part| alone(part).transpose()).collect::<Result<_, _>>()?;
        Ok(Self { all, each, digits, lines, fewest })
    }

    /// Replaces every match in a text. Nothing when there is none.
    pub(crate) fn replace(&self, text: &str, replacement: &str) -> Option<String> {
        let replaced = self.replace_words(text, replacement);
        let Some(digits) = &self.digits else { return replaced };
        let so_far = replaced.as_deref().unwrap_or(text);
        if memchr::memchr(b'_', so_far.as_bytes()).is_none() {
            return replaced;
        }
        let plain = so_far.replace('_', BLANK);
        let (mut out, mut at) = (String::new(), 0);
        for found in digits.find_iter(&plain) {
            out.push_str(&so_far[at..found.start()]);
            out.push_str(replacement);
            at = found.end();
        }
        if at > 0 { Some(out + &so_far[at..]) } else { replaced }
    }

    fn replace_words(&self, text: &str, replacement: &str) -> Option<String> {
        if let Some(lines) = &self.lines
            && text.contains(SEPARATORS)
        {
            return self.replace_lines(lines, text, replacement);
        }
        if !self.each.is_empty() && !self.each.iter().any(|one| one.is_match(text)) {
            return None;
        }
        self.replace_apart(text, replacement).or_else(|| {
            match self.all.replace_all(text, NoExpand(replacement)) {
                std::borrow::Cow::Borrowed(_) => None,
                std::borrow::Cow::Owned(replaced) => Some(replaced),
            }
        })
    }

    /// The same in a text with ends of lines that the matcher does not know: it is looked at once more with others in
    /// their place, which are as long together.
    fn replace_lines(&self, lines: &Regex, text: &str, replacement: &str) -> Option<String> {
        let copy = text.replace(SEPARATORS, "\n\n\n");
        // A match that takes a part of such an end takes all of it.
        let whole = |it: Range<usize>| text.floor_char_boundary(it.start)..text.ceil_char_boundary(it.end);
        let more = lines.find_iter(&copy).map(|found| found.range()).filter(|it| !it.is_empty()).map(whole);
        let mut found: Vec<Range<usize>> =
            self.all.find_iter(text).map(|found| found.range()).chain(more).collect();
        found.sort_by_key(|it| (it.start, std::cmp::Reverse(it.end)));
        let (mut out, mut at, mut any) = (String::new(), 0, false);
        for it in found {
            if it.start >= at {
                out.push_str(&text[at..it.start]);
                out.push_str(replacement);
                (at, any) = (it.end, true);
            } else {
                at = at.max(it.end);
            }
        }
        any.then(|| out + &text[at..])
    }

    /// Whether a number, as it is written, holds a match. What only begins behind the point is a fraction.
    pub(crate) fn finds_number(&self, number: &str) -> bool {
        let is_whole = |at: usize| at == 0 || number.as_bytes()[at - 1] != b'.';
        number.len() >= self.fewest && self.all.find_iter(number).any(|found| is_whole(found.start()))
    }

    /// The same in a string as JSON writes it, without quotes; what it becomes is given with quotes. Half a surrogate
    /// pair has no text: it is looked at as a sign that is no letter, and stays where no match holds it.
    fn replace_written(&self, written: &str, replacement: &str) -> Option<String> {
        if memchr::memchr(b'\\', written.as_bytes()).is_none() {
            return self.replace(written, replacement).map(|text| quoted(&text));
        }
        if let Some(content) = unescaped(written) {
            return self.replace(&content, replacement).map(|text| quoted(&text));
        }
        self.replace(&with_signs(written), replacement).map(|text| without_signs(&quoted(&text)))
    }

    /// The same with what each pattern finds for itself: the leftmost match counts, and of those that begin at the
    /// same place the first, as it is with alternatives. Matches without text are left to those.
    fn replace_apart(&self, text: &str, replacement: &str) -> Option<String> {
        let mut next: Vec<_> = self.each.iter().map(|one| one.find(text)).collect();
        let (mut out, mut at) = (String::new(), 0);
        while let Some(found) = next.iter().flatten().min_by_key(|found| found.start()) {
            if found.is_empty() {
                return None;
            }
            out.push_str(&text[at..found.start()]);
            out.push_str(replacement);
            at = found.end();
            for (one, next) in self.each.iter().zip(&mut next) {
                if next.is_some_and(|next| next.start() < at) {
                    *next = one.find_at(text, at);
                }
            }
        }
        (at > 0).then(|| out + &text[at..])
    }
}

/// Replaces every match in a JSON text: in strings, in the names of members, and numbers as a whole.
pub(crate) fn json(matcher: &Matcher, json: &str, replacement: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(start) = memchr::memchr(b'"', rest.as_bytes()) {
        let Some(end) = closing(rest, start + 1) else { break };
        numbers(matcher, &rest[..start], replacement, &mut out);
        match matcher.replace_written(&rest[start + 1..end], replacement) {
            Some(replaced) => out.push_str(&replaced),
            None => out.push_str(&rest[start..=end]),
        }
        rest = &rest[end + 1..];
    }
    numbers(matcher, rest, replacement, &mut out);
    out
}

/// Replaces numbers in what stands between strings.
fn numbers(matcher: &Matcher, text: &str, replacement: &str, out: &mut String) {
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c == '-' || c.is_ascii_digit()) {
        let is_part = |c: char| matches!(c, '0'..='9' | '-' | '+' | '.' | 'e' | 'E');
        let end = rest[start..].find(|c| !is_part(c)).map_or(rest.len(), |length| start + length);
        out.push_str(&rest[..start]);
        match matcher.finds_number(&rest[start..end]) {
            true => quote(replacement, out),
            false => out.push_str(&rest[start..end]),
        }
        rest = &rest[end..];
    }
    out.push_str(rest);
}

/// Where the string ends whose content begins at `at`.
fn closing(text: &str, mut at: usize) -> Option<usize> {
    loop {
        at += memchr2(b'"', b'\\', text.as_bytes().get(at..)?)?;
        if text.as_bytes()[at] == b'"' {
            return Some(at);
        }
        at += 2;
    }
}
