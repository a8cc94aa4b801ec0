//! Parameters as a client sent them, and how they go on to a server: only names and tokens change.

use crate::talk::Talk;
use mcp::{Splice, Word, member_at, mentions, only_members_at};
use otlp::Context;
use serde_json::value::RawValue;
use std::ops::Range;

/// The text of `params` with the places that may have to change.
#[derive(Clone, Debug)]
pub(crate) struct Sent<'a> {
    text: &'a str,
    /// Whether the client sent any parameters.
    given: bool,
    places: Places,
    /// What earlier rounds brought, where there were any.
    talk: Option<&'a Talk>,
}

/// The places in the text of `params` that may have to change.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    path: &'static [&'static str],
    /// The name or address of what is asked for.
    key: Option<Range<usize>>,
    meta: Option<Range<usize>>,
    /// Where a `_meta` stands that is no object.
    odd: Option<Range<usize>>,
    token: Option<Range<usize>>,
}

/// What a server must be given besides, or must not be given.
#[derive(Clone, Debug, Default)]
pub(crate) struct Needs {
    /// Members for `_meta` that a modern server wants and a legacy client did not send.
    pub(crate) meta: String,
    /// Whether the members of the modern era are taken out, for a legacy server.
    pub(crate) strip: bool,
    /// Whether it is a legacy server.
    pub(crate) legacy: bool,
    /// Whether progress is wanted even if the client did not ask for it.
    pub(crate) progress: bool,
    /// The span that asks, where the request is traced; it takes the place of the client's.
    pub(crate) trace: Option<Context>,
}

impl Needs {
    /// The members of `_meta` that tell of the span, each with its value as JSON.
    pub(crate) fn trace_members(&self) -> impl Iterator<Item = (&'static str, String)> {
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        let parent = self.trace.as_ref().map(|trace| ("traceparent", quoted(&trace.parent())));
        let state = self.trace.as_ref().and_then(|trace| trace.state.as_deref());
        parent.into_iter().chain(state.map(|state| ("tracestate", quoted(state))))
    }
}

/// Whether a member of the parameters brings what a server wanted to know, in the modern era.
fn is_answer(name: &str) -> bool {
    name == ANSWERS.text() || name == STATE.text()
}

/// What the names of the modern era's own members begin with.
static MODERN_PREFIX: Word = Word::new("io.modelcontextprotocol/");
static TOKEN: Word = Word::new("progressToken");
static TASK: Word = Word::new("task");
static ANSWERS: Word = Word::new("inputResponses");
static STATE: Word = Word::new("requestState");

impl<'a> Sent<'a> {
    /// `path` leads to the member that names what is asked for, such as `["name"]` or `["ref", "uri"]`.
    pub(crate) fn new(params: Option<&'a RawValue>, path: &'static [&'static str]) -> Self {
        let text = params.map_or("{}", RawValue::get);
        let inside = |at: Range<usize>, name: &str| {
            let start = at.start;
            let [inner] = only_members_at(&text[at], [name]);
            inner.map(|inner| start + inner.start..start + inner.end)
        };
        // A name that stands twice is none: the server could take the one that was not looked at.
        let [meta, first] = only_members_at(text, ["_meta", path.first().unwrap_or(&"")]);
        let key = match path {
            [] => None,
            [_, rest @ ..] => rest.iter().try_fold(first, |at, name| Some(inside(at?, name))).flatten(),
        };
        let odd = meta.clone().filter(|at| !text[at.clone()].starts_with('{'));
        let meta = meta.filter(|_| odd.is_none());
        let mentioned = meta.clone().filter(|at| mentions(&text[at.clone()], &TOKEN));
        let token = mentioned.and_then(|at| inside(at, TOKEN.text()));
        let places = Places { path, key, meta, odd, token };
        Self { text, given: params.is_some(), places, talk: None }
    }

    /// A copy of parameters in which the places are known.
    pub(crate) fn at(params: Option<&'a RawValue>, places: Places) -> Self {
        let (text, given) = (params.map_or("{}", RawValue::get), params.is_some());
        Self { text, given, places, talk: None }
    }

    /// The same as a further round of a request.
    pub(crate) fn within(self, talk: Option<&'a Talk>) -> Self {
        Self { talk, ..self }
    }

    /// The places in the text.
    pub(crate) fn places(&self) -> &Places {
        &self.places
    }

    /// The text as the client sent it.
    pub(crate) fn text(&self) -> &'a str {
        self.text
    }

    /// The same request with other parameters, read the same way.
    pub(crate) fn again<'b>(&self, params: &'b RawValue) -> Sent<'b>
    where
        'a: 'b,
    {
        Sent::new(Some(params), self.places.path).within(self.talk)
    }

    /// The parameters with the members of a further round, in place of those that they have.
    pub(crate) fn with_answers(&self, members: &str) -> Option<Box<RawValue>> {
        let kept = mcp::without(self.text, is_answer);
        let mut splice = Splice::new(&kept);
        let mut out = Vec::with_capacity(kept.len() + members.len() + 1);
        if !members.is_empty() {
            splice.insert_members(kept.find('{')?, members);
        }
        splice.write(&mut out);
        RawValue::from_string(String::from_utf8(out).ok()?).ok()
    }

    /// The parameters without what only hooks asked for.
    pub(crate) fn for_server(&self) -> Option<Box<RawValue>> {
        self.with_answers(&self.talk?.for_server(self.text))
    }

    /// Whether it is a further round of a request: what it brings is for whoever asked about the same one.
    pub(crate) fn answers(&self) -> bool {
        let brought = || mcp::members_at(self.text, [ANSWERS.text(), STATE.text()]);
        self.talk.is_some() || brought().iter().any(Option::is_some)
    }

    /// The name or address as the client wrote it.
    pub(crate) fn key(&self) -> Option<String> {
        serde_json::from_str(&self.text[self.places.key.clone()?]).ok()
    }

    /// The client's own progress token, as it wrote it. `null` is none.
    pub(crate) fn token(&self) -> Option<&'a str> {
        self.places.token.clone().map(|at| &self.text[at]).filter(|text| *text != "null")
    }

    /// A member of `_meta`, as it was written.
    pub(crate) fn meta(&self, name: &str) -> Option<&'a str> {
        let meta = &self.text[self.places.meta.clone()?];
        member_at(meta, name).map(|at| &meta[at])
    }

    /// Writes the parameters for a server that knows the thing as `own` and the request as `id`: nothing where the
    /// client sent none and none are needed.
    pub(crate) fn write(&self, own: &str, id: u64, needs: &Needs, out: &mut Vec<u8>) {
        if let Some(params) = self.without_foreign(needs) {
            return self.again(&params).write(own, id, needs, out);
        }
        if let Some(params) = (!needs.legacy).then(|| self.for_server()).flatten() {
            return self.again(&params).within(None).write(own, id, needs, out);
        }
        let mut splice = Splice::new(self.text);
        if let Some(at) = self.places.key.clone() {
            let written = self.text[at.clone()].strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
            if written != Some(own) || own.contains(['"', '\\']) {
                let mut quoted = Vec::with_capacity(own.len() + 2);
                mcp::quote(own, &mut quoted);
                splice.replace(at, quoted);
            }
        }
        let mut members = needs.meta.clone();
        if needs.progress && self.places.token.is_none() {
            let separator = if members.is_empty() { "" } else { "," };
            members += &format!(r#"{separator}"progressToken":{id}"#);
        }
        for (name, value) in needs.trace_members() {
            match self.traced(name).filter(|_| !self.strips(needs)) {
                Some(at) => splice.replace(at, value.into_bytes()),
                None => {
                    let separator = if members.is_empty() { "" } else { "," };
                    members += &format!(r#"{separator}"{name}":{value}"#);
                }
            }
        }
        let start = self.text.find('{').unwrap_or_default();
        match self.places.meta.clone() {
            Some(at) if self.strips(needs) => {
                let stripped = self.stripped_meta(&self.text[at.clone()], id, &members, needs);
                splice.replace(at, stripped);
            }
            Some(at) => {
                if let Some(token) = self.places.token.clone() {
                    splice.replace(token, id.to_string().into_bytes());
                }
                if !members.is_empty() {
                    splice.insert_members(at.start, &members);
                }
            }
            None if members.is_empty() || !self.text.starts_with('{') => {}
            None => match self.places.odd.clone() {
                Some(at) => splice.replace(at, format!("{{{members}}}").into_bytes()),
                None => splice.insert_members(start, &format!(r#""_meta":{{{members}}}"#)),
            },
        }
        if self.given || !splice.is_same() {
            splice.write(out);
        }
    }

    /// The parameters without what a legacy server must not be given, where they have it. A `task` says nothing to a modern
    /// client, while a legacy server would begin one, of which that client could learn nothing; the answers of a round
    /// were for a hook.
    fn without_foreign(&self, needs: &Needs) -> Option<Box<RawValue>> {
        let (task, answers) = (needs.strip, needs.strip || (self.talk.is_some() && needs.legacy));
        let has = |word: &Word| mentions(self.text, word) && member_at(self.text, word.text()).is_some();
        if !(task && has(&TASK)) && !(answers && (has(&ANSWERS) || has(&STATE))) {
            return None;
        }
        let goes = |name: &str| (task && name == TASK.text()) || (answers && is_answer(name));
        RawValue::from_string(mcp::without(self.text, goes)).ok()
    }

    /// Whether members of the modern era have to be taken out.
    fn strips(&self, needs: &Needs) -> bool {
        needs.strip
            && self.places.meta.clone().is_some_and(|at| MODERN_PREFIX.is_in(self.text[at].as_bytes()))
    }

    /// Where a member of `_meta` stands that tells of a trace.
    fn traced(&self, name: &str) -> Option<Range<usize>> {
        let meta = self.places.meta.clone()?;
        member_at(&self.text[meta.clone()], name).map(|at| meta.start + at.start..meta.start + at.end)
    }

    /// `_meta` without the members of the modern era, with our token and with `members`.
    fn stripped_meta(&self, meta: &str, id: u64, members: &str, needs: &Needs) -> Vec<u8> {
        let replaced = |name: &str| needs.trace_members().any(|(traced, _)| traced == name);
        let kept = mcp::without(meta, |name| name.starts_with(MODERN_PREFIX.text()) || replaced(name));
        let mut splice = Splice::new(&kept);
        for token in mcp::members(&kept).into_iter().filter(|member| member.name == "progressToken") {
            splice.replace(token.value, id.to_string().into_bytes());
        }
        if !members.is_empty() {
            splice.append_members(members);
        }
        let mut out = Vec::with_capacity(kept.len() + members.len() + 16);
        splice.write(&mut out);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(params: &str, path: &'static [&'static str], needs: &Needs, expected: &str) {
        let raw = RawValue::from_string(params.into()).expect("json");
        let mut out = Vec::new();
        Sent::new(Some(&raw), path).write("own", 7, needs, &mut out);
        assert_eq!(String::from_utf8(out).expect("text"), expected);
    }

    #[test]
    fn only_names_and_tokens_change() {
        let plain = &Needs::default();
        check(r#"{"name":"own", "x": 1.0}"#, &["name"], plain, r#"{"name":"own", "x": 1.0}"#);
        check(
            r#"{"arguments":{"name":"n"},"name":"s__own"}"#,
            &["name"],
            plain,
            r#"{"arguments":{"name":"n"},"name":"own"}"#,
        );
        check(
            r#"{"ref":{"type":"t","uri":"s+own"}}"#,
            &["ref", "uri"],
            plain,
            r#"{"ref":{"type":"t","uri":"own"}}"#,
        );
        check(
            r#"{"_meta":{"a":1,"progressToken":"abc"},"name":"own"}"#,
            &["name"],
            plain,
            r#"{"_meta":{"a":1,"progressToken":7},"name":"own"}"#,
        );
        let progress = &Needs { progress: true, ..Needs::default() };
        check("{ }", &[], progress, r#"{"_meta":{"progressToken":7} }"#);
        check(r#"{"_meta": null }"#, &[], progress, r#"{"_meta": {"progressToken":7} }"#);
        check(r#"{"_meta":[1]}"#, &[], plain, r#"{"_meta":[1]}"#);
        check("[1]", &[], progress, "[1]");
    }

    #[test]
    fn what_was_not_sent_is_written_only_where_something_is_needed() {
        let write = |needs: &Needs| {
            let mut out = Vec::new();
            Sent::new(None, &[]).write("own", 7, needs, &mut out);
            String::from_utf8(out).expect("text")
        };
        assert_eq!(write(&Needs::default()), "");
        let modern = Needs { meta: r#""v":2"#.into(), ..Needs::default() };
        assert_eq!(write(&modern), r#"{"_meta":{"v":2}}"#);
    }

    #[test]
    fn a_modern_server_gets_what_a_legacy_client_does_not_say() {
        let needs = &Needs { meta: r#""v":2"#.into(), ..Needs::default() };
        check(
            r#"{"name":"own","_meta":{"k":1}}"#,
            &["name"],
            needs,
            r#"{"name":"own","_meta":{"v":2,"k":1}}"#,
        );
        check(r#"{"name":"own"}"#, &["name"], needs, r#"{"_meta":{"v":2},"name":"own"}"#);
    }

    #[test]
    fn the_span_that_asks_takes_the_place_of_the_clients() {
        let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        let needs = &Needs { trace: Context::read(parent, Some("a=1")), ..Needs::default() };
        let told = format!(r#""traceparent":"{parent}","tracestate":"a=1""#);
        check(r#"{"name":"own"}"#, &["name"], needs, &format!(r#"{{"_meta":{{{told}}},"name":"own"}}"#));
        check(
            r#"{"_meta":{"k":1.0, "traceparent":"00-x"},"name":"own"}"#,
            &["name"],
            needs,
            &format!(r#"{{"_meta":{{"tracestate":"a=1","k":1.0, "traceparent":"{parent}"}},"name":"own"}}"#),
        );
        let strip = &Needs { strip: true, ..needs.clone() };
        check(
            r#"{"_meta":{"io.modelcontextprotocol/x":1,"traceparent":"00-x","k":2},"name":"own"}"#,
            &["name"],
            strip,
            &format!(r#"{{"_meta":{{"k":2,{told}}},"name":"own"}}"#),
        );
    }

    #[test]
    fn a_legacy_server_does_not_get_the_members_of_the_modern_era() {
        let needs = &Needs { strip: true, ..Needs::default() };
        check(
            r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","k":1.0,"progressToken":3},"name":"own"}"#,
            &["name"],
            needs,
            r#"{"_meta":{"k":1.0,"progressToken":7},"name":"own"}"#,
        );
        check(r#"{"_meta":{"k":1.0 }}"#, &[], needs, r#"{"_meta":{"k":1.0 }}"#);
        check(
            r#"{"_meta":{ "\u0061b":1 , "io.modelcontextprotocol/x":1, "\ud800" : 2.0 },"name":"own"}"#,
            &["name"],
            needs,
            r#"{"_meta":{ "\u0061b":1 , "\ud800" : 2.0 },"name":"own"}"#,
        );
        check(
            r#"{"name":"s__own","task":{"ttl":5},"arguments":{"task": 1.0}}"#,
            &["name"],
            needs,
            r#"{"name":"own","arguments":{"task": 1.0}}"#,
        );
        let task = r#"{"name":"own","task":{"ttl":5}}"#;
        check(task, &["name"], &Needs::default(), task);
    }
}
