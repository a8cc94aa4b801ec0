//! `tools/list` and its kin: pages of the catalogue, from ready text, and what hooks make of them.

use super::note::Note;
use super::{Asked, Catalog, SERVER_INFO, message};
use crate::access::OWN;
use crate::caller::Caller;
use crate::carried::Failure;
use crate::gateway::Gateway;
use crate::graphs::Active;
use crate::hooks::{Before, Passage, Subject, Trace};
use crate::through::Halt;
use mcp::{Era, Kind, Splice, member_at};
use model::{Code, Fault, Settings};
use serde_json::value::RawValue;

/// How long a modern client may keep a list. Changes are told to those who listen.
pub(super) const TTL_MS: u64 = 1000;

/// Hooks may show each client another list.
pub(super) const SCOPE: &str = "private";

/// What is said of a cursor that is not ours.
const INVALID_CURSOR: &str = "Invalid cursor";

impl Gateway {
    /// One page of a list.
    pub(super) async fn page(&self, asked: &Asked<'_>, kind: Kind) -> Vec<u8> {
        let settings = self.settings();
        let graph = self.graphs.active(asked.method);
        let subject = Subject::general(asked.method, asked.caller())
            .filter(|_| graph.is_some() || !self.hooks.idle(&settings));
        let Some(subject) = subject else { return self.plain_page(asked, kind) };
        let mut passage = self.hooks.open(subject, &settings);
        let params = asked.params.map_or("{}", RawValue::get);
        let list = |params: Option<&str>| self.listed(asked, kind, params);
        let outcome = Box::pin(self.hooked_list(&mut passage, &settings, graph, params, list)).await;
        let trace = passage.trace();
        let hooks = self.told_of(&trace);
        let code = match &outcome {
            Err(Failure::Fault(fault)) => Some(fault.code),
            _ => None,
        };
        asked.note.set(Note::general(code, trace));
        match outcome {
            Ok(result) => message::passed(asked, message::traced(result, &hooks).get()),
            Err(failure) => message::failure(asked, Era::Legacy, &failure, &hooks),
        }
    }

    /// A page that no hook sees, copied once from the ready text.
    fn plain_page(&self, asked: &Asked<'_>, kind: Kind) -> Vec<u8> {
        let catalog = self.catalog_of(&asked.caller());
        let Some((entries, next)) = page_of(&catalog, kind, asked.params.map(RawValue::get)) else {
            return message::error(asked.id, Code::ValidationError.jsonrpc(), INVALID_CURSOR, None);
        };
        let mut tail = String::from("]");
        if let Some(cursor) = next {
            tail += &format!(r#","nextCursor":"{cursor}""#);
        }
        if asked.guest.era() == Era::Modern {
            tail += &format!(r#","ttlMs":{TTL_MS},"cacheScope":"{SCOPE}","_meta":{{{SERVER_INFO}}}"#);
        }
        message::page(asked, kind.member(), entries, &tail)
    }

    /// A list between its hooks. `list` makes it, given the parameters where there are any.
    async fn hooked_list(
        &self,
        passage: &mut Passage<'_>,
        settings: &Settings,
        graph: Option<Active>,
        params: &str,
        list: impl Fn(Option<&str>) -> Result<Box<RawValue>, Failure> + Sync,
    ) -> Result<Box<RawValue>, Failure> {
        let changed = match passage.before(params.to_owned()).await? {
            Before::Changed(params) => Some(params),
            Before::Same | Before::Answered => None,
        };
        let params = changed.as_deref().map_or(params, RawValue::get);
        let list = &list;
        let outcome = match graph {
            None => passage.take_answer().map_or_else(|| list(Some(params)), |answer| Ok(answer.reply)),
            Some(graph) => {
                let call = |changed: Option<Box<RawValue>>| async move {
                    list(Some(changed.as_deref().map_or(params, RawValue::get)))
                };
                match self.through(&graph, passage, settings, params, &(), call).await {
                    Ok(result) => Ok(result),
                    Err(Halt::Failed(failure)) => Err(failure),
                    Err(Halt::Stopped(fault)) => return Err(fault.into()),
                }
            }
        };
        passage.after(outcome).await
    }

    fn listed(&self, asked: &Asked<'_>, kind: Kind, params: Option<&str>) -> Result<Box<RawValue>, Failure> {
        let members = self.members(asked, kind, params)?;
        let whole = RawValue::from_string(format!("{{{members}}}"));
        whole.map_err(|_| Fault::new(Code::InternalError, "Internal error").into())
    }

    /// A page as members of a result, without braces.
    fn members(&self, asked: &Asked<'_>, kind: Kind, params: Option<&str>) -> Result<String, Fault> {
        let catalog = self.catalog_of(&asked.caller());
        let found = page_of(&catalog, kind, params);
        let (entries, next) = found.ok_or_else(|| Fault::new(Code::ValidationError, INVALID_CURSOR))?;
        let cursor = next.map(|cursor| format!(r#","nextCursor":"{cursor}""#)).unwrap_or_default();
        Ok(format!(r#""{}":[{entries}]{cursor}"#, kind.member()))
    }

    /// Appends the gateway's own tools, as REST lists those of servers, to a list that may have some.
    pub(crate) fn write_own_tools(&self, out: &mut Vec<u8>) {
        let (settings, own) = (self.settings(), self.sessions.own());
        let usual = settings.default_timeout.min(settings.max_timeout);
        for (_, entry) in own.seen_by(None) {
            if !out.ends_with(b"[") {
                out.push(b',');
            }
            out.extend_from_slice(whole_tool(entry, |_| usual).as_bytes());
        }
    }

    /// The reply to `GET /mcp/tools` as hooks and the active graph leave it, with those that ran. `None` when
    /// there are none.
    pub(crate) async fn hooked_tools(
        &self,
        caller: Caller<'_>,
        tools: &[u8],
    ) -> Option<(Result<Vec<u8>, Failure>, Trace)> {
        let settings = self.settings();
        let graph = self.graphs.active("tools/list");
        if graph.is_none() && self.hooks.idle(&settings) {
            return None;
        }
        let subject = Subject::general("tools/list", caller)?;
        let mut passage = self.hooks.open(subject, &settings);
        let list = |_: Option<&str>| {
            let text = String::from_utf8_lossy(tools);
            let entries = member_at(&text, "tools").map_or("[]", |at| &text[at]);
            let list = format!(r#"{{"tools":{entries}}}"#);
            RawValue::from_string(list).map_err(|_| Fault::new(Code::InternalError, "Internal error").into())
        };
        let outcome = Box::pin(self.hooked_list(&mut passage, &settings, graph, "{}", list)).await;
        let timeout = |server: &str| {
            let registry = self.registry();
            let usual = settings.default_timeout.min(settings.max_timeout);
            registry.get(server).map_or(usual, |server| server.timeout(&settings))
        };
        Some((outcome.map(|result| rest(result.get(), timeout)), passage.trace()))
    }
}

/// The envelope of REST around the tools of a list. What a script put there that is no tool is left out.
fn rest(result: &str, timeout: impl Fn(&str) -> u64) -> Vec<u8> {
    let tools = member_at(result, "tools").map_or("[]", |at| &result[at]);
    let tools: Vec<&RawValue> = serde_json::from_str(tools).unwrap_or_default();
    let named = |tool: &&str| member_at(tool, "name").is_some_and(|at| tool[at].starts_with('"'));
    let tools = tools.into_iter().map(RawValue::get).filter(named);
    let tools: Vec<String> = tools.map(|tool| whole_tool(tool, &timeout)).collect();
    format!(r#"{{"success":true,"tools":[{}]}}"#, tools.join(",")).into_bytes()
}

/// A tool with all that REST says of one (spec 1.8), whatever a script left of it. One that no server gives is the
/// gateway's own.
fn whole_tool(tool: &str, timeout: impl Fn(&str) -> u64) -> String {
    const NAMES: [&str; 5] = ["description", "server", "inputSchema", "outputSchema", "timeout"];
    let places = mcp::members_at(tool, NAMES);
    let said = |at: usize| places[at].clone().map(|place| &tool[place]);
    let server = said(1).and_then(|server| serde_json::from_str::<String>(server).ok());
    let server = server.as_deref().unwrap_or(OWN);
    let is_right = [
        said(0).is_some_and(|text| text.starts_with('"')),
        said(1).is_some_and(|text| text.starts_with('"')),
        said(2).is_some_and(|schema| schema.starts_with('{')),
        said(3).is_some_and(|schema| schema.starts_with('{') || schema == "null"),
        said(4).is_some_and(|ms| ms.parse::<u64>().is_ok()),
    ];
    if is_right == [true; 5] {
        return tool.to_owned();
    }
    let usual = [
        r#""""#.to_owned(),
        format!(r#""{OWN}""#),
        r#"{"type":"object"}"#.to_owned(),
        "null".to_owned(),
        timeout(server).to_string(),
    ];
    let (mut splice, mut lacking) = (Splice::new(tool), Vec::new());
    for ((name, place), (is_right, usual)) in NAMES.iter().zip(places).zip(is_right.into_iter().zip(usual)) {
        match place {
            Some(place) if !is_right => splice.replace(place, usual.into_bytes()),
            Some(_) => {}
            None => lacking.push(format!(r#""{name}":{usual}"#)),
        }
    }
    if !lacking.is_empty() {
        splice.append_members(&lacking.join(","));
    }
    let mut out = Vec::with_capacity(tool.len() + 128);
    splice.write(&mut out);
    String::from_utf8(out).unwrap_or_else(|_| tool.to_owned())
}

/// The page that is asked for, and the cursor of the next; nothing for a cursor that is not good, or not any more.
fn page_of<'a>(catalog: &'a Catalog, kind: Kind, params: Option<&str>) -> Option<(&'a str, Option<&'a str>)> {
    catalog.page(kind, cursor_in(params).ok()?.as_deref())
}

/// The cursor that is asked with; an error where it is none that could be ours.
fn cursor_in(params: Option<&str>) -> serde_json::Result<Option<String>> {
    let text = params.and_then(|params| member_at(params, "cursor").map(|at| &params[at]));
    serde_json::from_str(text.unwrap_or("null"))
}

/// Whether a list is asked for with no cursor, or with one that may be good once all servers are there.
pub(super) fn may_be_cursor(params: Option<&str>) -> bool {
    cursor_in(params).is_ok_and(|cursor| cursor.is_none_or(|cursor| super::catalog::is_cursor(&cursor)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_tool_is_left_out_of_the_list() {
        const REST: &str = r#""description":"","server":"lockgate","inputSchema":{"type":"object"},"outputSchema":null,"timeout":5"#;
        for (result, expected) in [
            (
                r#"{"tools":[{"name":"a", "x": 1.0},{"name":5},7,null,[{"name":"b"}],{}]}"#,
                r#"[{"name":"a", "x": 1.0,REST}]"#,
            ),
            (r#"{"tools":[{"name":"a"},{"name":"b"}]}"#, r#"[{"name":"a",REST},{"name":"b",REST}]"#),
            (r#"{"tools":{"name":"a"}}"#, "[]"),
            ("{}", "[]"),
        ] {
            let body = format!(r#"{{"success":true,"tools":{}}}"#, expected.replace("REST", REST));
            assert_eq!(String::from_utf8_lossy(&rest(result, |_| 5)), body, "{result}");
        }
    }

    #[test]
    fn a_tool_is_made_whole_and_nothing_else_of_it_is_touched() {
        #[track_caller]
        fn check(tool: &str, expected: &str) {
            let timeout = |server: &str| if server == "s" { 7 } else { 5 };
            assert_eq!(whole_tool(tool, timeout), expected);
        }
        let whole = r#"{ "server":"s","name":"a","inputSchema":{}, "outputSchema":{ },"timeout":1,"description":"d"}"#;
        check(whole, whole);
        check(&whole.replace("{ }", "null"), &whole.replace("{ }", "null"));
        check(&whole.replace("{ }", "[]"), &whole.replace("{ }", "null"));
        check(&whole.replace(":1,", ":1.5,"), &whole.replace(":1,", ":7,"));
        let bare = whole.replace(r#","timeout":1"#, "");
        check(&bare, &bare.replace(r#""d"}"#, r#""d","timeout":7}"#));
        check(
            &whole.replace(r#""s""#, "null").replace(":1,", ":null,"),
            &whole.replace(r#""s""#, r#""lockgate""#).replace(":1,", ":5,"),
        );
    }

    #[test]
    fn a_cursor_is_a_text_or_left_out() {
        assert_eq!(cursor_in(None).ok(), Some(None));
        assert_eq!(cursor_in(Some("{}")).ok(), Some(None));
        assert_eq!(cursor_in(Some(r#"{"cursor":null}"#)).ok(), Some(None));
        assert_eq!(cursor_in(Some(r#"{"cursor":"p\u0061ge"}"#)).ok(), Some(Some("page".to_owned())));
        for wrong in ["12", "{}", "true", r#"["page"]"#] {
            assert!(cursor_in(Some(&format!(r#"{{"cursor":{wrong}}}"#))).is_err(), "{wrong}");
        }
        for (params, expected) in [
            ("{}", true),
            (r#"{"cursor":"page-12-00c0ffee00c0ffee"}"#, true),
            (r#"{"cursor":"page-12"}"#, false),
            (r#"{"cursor":"zorp"}"#, false),
            (r#"{"cursor":5}"#, false),
        ] {
            assert_eq!(may_be_cursor(Some(params)), expected, "{params}");
        }
    }
}
