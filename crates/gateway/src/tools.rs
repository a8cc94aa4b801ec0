//! The cached tools of a server, with the bytes that `GET /mcp/tools` sends.

use crate::metrics::ToolStats;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::sync::Arc;

/// The tools of one server as its last list gave them.
#[derive(Debug, Default)]
pub(crate) struct ToolSet {
    by_name: HashMap<Box<str>, Arc<ToolStats>>,
    /// Every entry as it was written, in the server's order.
    listed: Vec<mcp::Entry>,
    /// Where the few tools stand whose arguments are repeated as headers.
    with_headers: HashMap<Box<str>, usize>,
    /// What the server says of its tools, of those of which it says something.
    hints: HashMap<Box<str>, Hints>,
}

/// What a server says of a tool: some of its annotations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Hints {
    /// A call changes nothing.
    pub(crate) read_only_hint: bool,
    /// A second call with the same arguments changes nothing more.
    pub(crate) idempotent_hint: bool,
}

impl ToolSet {
    /// Takes over a fresh list; `stats` gives the counters of a tool, old or new.
    pub(crate) fn new(listed: Vec<mcp::Entry>, mut stats: impl FnMut(&str) -> Arc<ToolStats>) -> Self {
        let by_name = listed.iter().map(|tool| (tool.key.as_str().into(), stats(&tool.key))).collect();
        let annotated = |(at, tool): (usize, &mcp::Entry)| {
            tool.raw.get().contains("x-mcp-header").then(|| (tool.key.as_str().into(), at))
        };
        let with_headers = listed.iter().enumerate().filter_map(annotated).collect();
        let hinted = |tool: &mcp::Entry| {
            let hints = hints(tool.raw.get()).filter(|hints| *hints != Hints::default())?;
            Some((tool.key.as_str().into(), hints))
        };
        let hints = listed.iter().filter_map(hinted).collect();
        Self { by_name, listed, with_headers, hints }
    }

    /// The counters of a tool; `None` when the server has no such tool.
    pub(crate) fn get(&self, name: &str) -> Option<&Arc<ToolStats>> {
        self.by_name.get(name)
    }

    /// The entries, in the server's order.
    pub(crate) fn entries(&self) -> &[mcp::Entry] {
        &self.listed
    }

    /// The entry of a tool whose arguments may have to be repeated as headers.
    pub(crate) fn with_headers(&self, name: &str) -> Option<&mcp::Entry> {
        self.listed.get(*self.with_headers.get(name)?)
    }

    /// What the server says of a tool.
    pub(crate) fn hints(&self, name: &str) -> Hints {
        self.hints.get(name).copied().unwrap_or_default()
    }

    /// How many tools there are.
    pub(crate) fn len(&self) -> usize {
        self.listed.len()
    }

    /// Appends the REST entries of those that are seen to a list that may have some, separated by commas.
    pub(crate) fn write_rest(
        &self,
        server: &str,
        timeout: u64,
        seen: impl Fn(&str) -> bool,
        out: &mut Vec<u8>,
    ) {
        for tool in self.listed.iter().filter(|tool| seen(&tool.key)) {
            if !out.ends_with(b"[") {
                out.push(b',');
            }
            write_entry(tool, server, timeout, out);
        }
    }
}

/// The annotations in the entry of a tool.
fn hints(raw: &str) -> Option<Hints> {
    #[derive(Deserialize)]
    struct Tool {
        annotations: Hints,
    }
    // Most tools have none, and need not be read for that.
    raw.contains("Hint")
        .then(|| serde_json::from_str::<Tool>(raw).ok())
        .flatten()
        .map(|tool| tool.annotations)
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Entry<'a> {
    #[serde(borrow)]
    description: Option<&'a RawValue>,
    #[serde(borrow)]
    input_schema: Option<&'a RawValue>,
    #[serde(borrow)]
    output_schema: Option<&'a RawValue>,
}

fn write_entry(tool: &mcp::Entry, server: &str, timeout: u64, out: &mut Vec<u8>) {
    let entry: Entry<'_> = serde_json::from_str(tool.raw.get()).unwrap_or_default();
    let schema = |raw: Option<&RawValue>| {
        raw.map(RawValue::get).filter(|text| text.starts_with('{')).map(str::to_owned)
    };
    let text = |raw: Option<&RawValue>| {
        raw.map(RawValue::get).filter(|text| text.starts_with('"')).map(str::to_owned)
    };
    out.extend_from_slice(br#"{"name":"#);
    mcp::quote(&tool.key, out);
    out.extend_from_slice(br#","description":"#);
    out.extend_from_slice(text(entry.description).as_deref().unwrap_or("\"\"").as_bytes());
    out.extend_from_slice(br#","server":"#);
    mcp::quote(server, out);
    out.extend_from_slice(br#","inputSchema":"#);
    out.extend_from_slice(schema(entry.input_schema).as_deref().unwrap_or(r#"{"type":"object"}"#).as_bytes());
    out.extend_from_slice(br#","outputSchema":"#);
    out.extend_from_slice(schema(entry.output_schema).as_deref().unwrap_or("null").as_bytes());
    out.extend_from_slice(format!(r#","timeout":{timeout}}}"#).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rest(raw: &str) -> String {
        let raw = RawValue::from_string(raw.into()).expect("json");
        let mut out = Vec::new();
        write_entry(&mcp::Entry { key: "t".into(), raw }, "s", 5, &mut out);
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn what_a_server_says_of_its_tools_is_known() {
        let hints = |read_only_hint, idempotent_hint| Hints { read_only_hint, idempotent_hint };
        for (tool, expected) in [
            (r#"{"name":"t","annotations":{"readOnlyHint":true}}"#, hints(true, false)),
            (r#"{"name":"t","annotations":{"idempotentHint":true,"title":"T"}}"#, hints(false, true)),
            (r#"{"name":"t","annotations":{"readOnlyHint":"yes"}}"#, hints(false, false)),
            (r#"{"name":"t","description":"readOnlyHint"}"#, hints(false, false)),
            (r#"{"name":"t"}"#, hints(false, false)),
        ] {
            let raw = RawValue::from_string(tool.into()).expect("json");
            let set = ToolSet::new(vec![mcp::Entry { key: "t".into(), raw }], |_| Arc::default());
            assert_eq!(set.hints("t"), expected, "{tool}");
        }
    }

    #[test]
    fn an_entry_has_six_members_whatever_the_server_gave() {
        assert_eq!(
            rest(
                r#"{"name":"t","description":"d","inputSchema":{"$defs":{}},"outputSchema":{"type":"object"},"x":1}"#
            ),
            r#"{"name":"t","description":"d","server":"s","inputSchema":{"$defs":{}},"outputSchema":{"type":"object"},"timeout":5}"#
        );
        for odd in [r#"{"name":"t"}"#, r#"{"name":"t","description":5,"inputSchema":[],"outputSchema":null}"#]
        {
            assert_eq!(
                rest(odd),
                r#"{"name":"t","description":"","server":"s","inputSchema":{"type":"object"},"outputSchema":null,"timeout":5}"#
            );
        }
    }
}
