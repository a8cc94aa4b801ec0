//! Changing single members of a JSON object without touching the rest of its text.

use crate::walk::Walk;
use crate::word::Word;
use std::borrow::Cow;
use std::ops::Range;

/// Whether an object may have a member of that name, which is far cheaper to say than where it stands. A letter of a
/// name may be written as an escape.
pub fn mentions(object: &str, name: &Word) -> bool {
    name.is_in(object.as_bytes()) || has_escaped_letters(object)
}

/// Whether any letter in a text is written as an escape, as far as a look can tell.
pub fn has_escaped_letters(text: &str) -> bool {
    static ESCAPE: Word = Word::new("\\u");
    escapes(text) && ESCAPE.is_in(text.as_bytes())
}

/// Whether anything is escaped in a text, which most are without.
fn escapes(text: &str) -> bool {
    memchr::memchr(b'\\', text.as_bytes()).is_some()
}

/// Where the value of a member of an object stands in its text; the last one wins, as for most readers.
pub fn member_at(object: &str, name: &str) -> Option<Range<usize>> {
    let [at] = members_at(object, [name]);
    at
}

/// The same for several members in one pass over the text.
pub fn members_at<const N: usize>(object: &str, names: [&str; N]) -> [Option<Range<usize>>; N] {
    find_members(object, names, false)
}

/// The same for members that must be there only once: one that is there twice is none.
pub fn only_members_at<const N: usize>(object: &str, names: [&str; N]) -> [Option<Range<usize>>; N] {
    find_members(object, names, true)
}

/// Whether an object has a member of that name twice. The name is looked for as text first, so that a long object is
/// read only where it may be so.
pub fn repeats(object: &str, name: &Word) -> bool {
    let found = |once| find_members(object, [name.text()], once) != [None];
    may_repeat(object, name) && found(false) && !found(true)
}

/// Whether an object has a member `outer` that has a member of that name twice.
pub fn repeats_within(object: &str, outer: &str, name: &Word) -> bool {
    may_repeat(object, name) && member_at(object, outer).is_some_and(|at| repeats(&object[at], name))
}

fn may_repeat(text: &str, name: &Word) -> bool {
    static ESCAPE: Word = Word::new("\\u00");
    let bytes = text.as_bytes();
    let plain = name.all_in(bytes).nth(1).is_some();
    // A plain letter may be written as an escape, which nobody does who has nothing to hide.
    let is_plain = |at: usize| matches!(bytes.get(at + 4), Some(b'2'..=b'7'));
    plain || (escapes(text) && ESCAPE.all_in(bytes).any(is_plain))
}

/// The same in an object whose end is missing. A value at the very end may not be whole, and is none.
pub(crate) fn begun_members_at<const N: usize>(object: &str, names: [&str; N]) -> [Option<Range<usize>>; N] {
    let (found, _) = walk_members(&mut Walk::new(object), object, names);
    found.map(|at| at.filter(|at| at.end < object.len()))
}

fn find_members<const N: usize>(object: &str, names: [&str; N], once: bool) -> [Option<Range<usize>>; N] {
    let mut walk = Walk::new(object);
    let (mut found, twice) = walk_members(&mut walk, object, names);
    if !walk.ended {
        return [const { None }; N];
    }
    found.iter_mut().zip(twice).filter(|(_, twice)| once && *twice).for_each(|(one, _)| *one = None);
    found
}

/// Where these members stand up to the end of the walk, and which of them stand there twice.
fn walk_members<const N: usize>(
    walk: &mut Walk<'_>,
    object: &str,
    names: [&str; N],
) -> ([Option<Range<usize>>; N], [bool; N]) {
    let (mut found, mut twice) = ([const { None }; N], [false; N]);
    for (key, value) in walk {
        let name = name_in(&object[key]);
        if let Some(at) = names.iter().position(|wanted| *wanted == name) {
            twice[at] |= found[at].replace(value).is_some();
        }
    }
    (found, twice)
}

/// A name as it reads. One with half a character cannot be read, and stays as it was written: no name that anybody
/// looks for is like it.
pub(crate) fn name_in(written: &str) -> Cow<'_, str> {
    match written.contains('\\') {
        false => written.trim_matches('"').into(),
        true => serde_json::from_str::<String>(written).map_or(written.into(), Cow::Owned),
    }
}

/// One member of an object, and where it stands in the text.
#[derive(Debug)]
pub struct Member<'a> {
    /// The name as it reads.
    pub name: Cow<'a, str>,
    /// The name as it was written, with its quotes.
    pub key: Range<usize>,
    /// The value.
    pub value: Range<usize>,
}

/// The members of an object in their order; none of what is no object.
pub fn members(object: &str) -> Vec<Member<'_>> {
    let mut walk = Walk::new(object);
    let member = |(key, value): (Range<usize>, _)| Member { name: name_in(&object[key.clone()]), key, value };
    let found: Vec<Member<'_>> = walk.by_ref().map(member).collect();
    if walk.ended { found } else { Vec::new() }
}

/// An object without some of its members; what is kept stays as it was written.
pub fn without(object: &str, lost: impl Fn(&str) -> bool) -> String {
    let members = members(object);
    let kept = |member: &Member<'_>| !lost(&member.name);
    let (Some(first), Some(last)) = (members.first(), members.last()) else { return object.to_owned() };
    // The comma of what is lost goes too: the one behind it, and at the end the one before it.
    let end = members.iter().rfind(|member| kept(member)).map_or(first.key.start, |member| member.value.end);
    let mut out = String::with_capacity(object.len());
    let mut from = 0;
    for (member, next) in members.iter().zip(&members[1..]).filter(|(_, next)| next.key.start < end) {
        if !kept(member) {
            out.push_str(&object[from..member.key.start]);
            from = next.key.start;
        }
    }
    out.push_str(&object[from..end]);
    out.push_str(&object[last.value.end..]);
    out
}

/// A text with some places replaced.
pub struct Splice<'a> {
    text: &'a str,
    changes: Vec<(Range<usize>, Cow<'a, [u8]>)>,
}

impl<'a> Splice<'a> {
    /// A text that is not changed yet.
    pub fn new(text: &'a str) -> Self {
        Self { text, changes: Vec::new() }
    }

    /// Puts `with` in the place of a range. Ranges do not overlap.
    pub fn replace(&mut self, at: Range<usize>, with: impl Into<Cow<'a, [u8]>>) {
        self.changes.push((at, with.into()));
    }

    /// Puts members (without braces, such as `"a":1`) first into the object that begins at `at`.
    pub fn insert_members(&mut self, at: usize, members: &str) {
        let after = at + 1;
        let empty = self.text[after..].trim_start().starts_with('}');
        let mut inserted = Vec::with_capacity(members.len() + 1);
        inserted.extend_from_slice(members.as_bytes());
        if !empty {
            inserted.push(b',');
        }
        self.changes.push((after..after, inserted.into()));
    }

    /// Puts members last into the object that is the whole text.
    pub fn append_members(&mut self, members: &str) {
        let inner = self.text.trim_end();
        let inner = inner.strip_suffix('}').unwrap_or(inner).trim_end();
        let separator = if inner.ends_with('{') { "" } else { "," };
        self.changes.push((inner.len()..inner.len(), format!("{separator}{members}").into_bytes().into()));
    }

    /// Whether nothing is changed.
    pub fn is_same(&self) -> bool {
        self.changes.is_empty()
    }

    /// Writes the text with its changes; line breaks between tokens are left out.
    pub fn write(mut self, out: &mut Vec<u8>) {
        self.changes.sort_by_key(|(at, _)| at.start);
        let mut from = 0;
        for (at, with) in &self.changes {
            write_line(&self.text.as_bytes()[from..at.start], out);
            write_line(with, out);
            from = at.end;
        }
        write_line(&self.text.as_bytes()[from..], out);
    }
}

/// A raw line break can only stand between tokens, where it means nothing but would end a line.
pub(crate) fn write_line(json: &[u8], out: &mut Vec<u8>) {
    match memchr::memchr2(b'\n', b'\r', json).is_some() {
        false => out.extend_from_slice(json),
        true => out.extend(json.iter().filter(|byte| !matches!(byte, b'\n' | b'\r'))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_is_found_by_its_name_at_the_top_only() {
        let text = r#" { "a" : {"name":1} , "n\u0061me" : "x y" } "#;
        assert_eq!(member_at(text, "name").map(|at| &text[at]), Some(r#""x y""#));
        assert_eq!(member_at(text, "a").map(|at| &text[at]), Some(r#"{"name":1}"#));
        assert_eq!(member_at(text, "b"), None);
        assert_eq!(member_at("[1]", "a"), None);
        assert_eq!(member_at(r#"{"a":1,"a":2}"#, "a"), Some(11..12));
        assert_eq!(members_at(r#"{"a":1,"b":2}"#, ["b", "c", "a"]), [Some(11..12), None, Some(5..6)]);
    }

    #[test]
    fn a_name_with_half_a_character_hides_no_other() {
        let text = r#"{"\ud800":1,"name":"x","b\udfff":{"name":2}}"#;
        assert_eq!(member_at(text, "name").map(|at| &text[at]), Some(r#""x""#));
        let names: Vec<String> =
            members(text).into_iter().map(|member| text[member.key].to_owned()).collect();
        assert_eq!(names, [r#""\ud800""#, r#""name""#, r#""b\udfff""#]);
    }

    #[test]
    fn what_is_kept_of_an_object_stays_as_it_was_written() {
        #[track_caller]
        fn check(object: &str, expected: &str) {
            assert_eq!(without(object, |name| name.starts_with('x')), expected);
        }
        check(r#"{ "\u0061b" : 1.0 }"#, r#"{ "\u0061b" : 1.0 }"#);
        check(r#"{"x":1, "\u0061b":1 , "\ud800":2}"#, r#"{"\u0061b":1 , "\ud800":2}"#);
        check(r#"{"a":1 ,"x":2, "x2":3 ,"b":{"x":4}}"#, r#"{"a":1 ,"b":{"x":4}}"#);
        check(r#"{"a":1 ,"\u0078":2, "x2":3 }"#, r#"{"a":1 }"#);
        check(r#"{ "x":1,"x2":2 }"#, "{  }");
        check("{ }", "{ }");
        check("[1]", "[1]");
    }

    #[test]
    fn everything_that_is_not_replaced_stays_as_it_was() {
        let text = "{ \"name\":\"a\",\n \"n\": 1.0e5 , \"_meta\":{ } }";
        let mut splice = Splice::new(text);
        let meta = member_at(text, "_meta").expect("there");
        splice.insert_members(meta.start, r#""k":1"#);
        splice.replace(member_at(text, "name").expect("there"), br#""b""#.as_slice());
        let mut out = Vec::new();
        splice.write(&mut out);
        assert_eq!(String::from_utf8(out).expect("text"), r#"{ "name":"b", "n": 1.0e5 , "_meta":{"k":1 } }"#);
    }
}
