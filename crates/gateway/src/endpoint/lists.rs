//! `tools/list` and its kin: pages of the catalogue, from ready text, and what hooks make of them.

use super::note::Note;
use super::{Asked, SERVER_INFO, message};
use crate::call::Failure;
use crate::caller::Caller;
use crate::gateway::Gateway;
use crate::hooks::{Before, Passage, Subject, Trace};
use crate::through::Halt;
use mcp::{Era, Kind, member_at};
use model::{Code, Fault, Settings};
use serde_json::value::RawValue;
use std::sync::Arc;
use workflow::Graph;

/// How long a modern client may keep a list. Changes are told to those who listen.
pub(super) const TTL_MS: u64 = 1000;

/// Hooks may show each client another list.
pub(super) const SCOPE: &str = "private";

/// What is said of a cursor that is not ours.
const INVALID_CURSOR: &str = "Invalid cursor";

/// What a cursor of ours begins with.
const CURSOR: &str = "page-";

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
            Ok(result) => message::passed(asked, message::traced(result, hooks.as_deref()).get()),
            Err(failure) => message::failure(asked, Era::Legacy, &failure, hooks.as_deref()),
        }
    }

    /// A page that no hook sees, copied once from the ready text.
    fn plain_page(&self, asked: &Asked<'_>, kind: Kind) -> Vec<u8> {
        let catalog = self.catalog_of(&asked.caller());
        let number = page_number(asked.params.map(RawValue::get));
        let Some((entries, next)) = number.and_then(|number| catalog.page(kind, number)) else {
            return message::error(asked.id, Code::ValidationError.jsonrpc(), INVALID_CURSOR, None);
        };
        let mut tail = String::from("]");
        if let Some(number) = next {
            tail += &format!(r#","nextCursor":"{CURSOR}{number}""#);
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
        graph: Option<Arc<Graph>>,
        params: &str,
        list: impl Fn(Option<&str>) -> Result<Box<RawValue>, Failure> + Sync,
    ) -> Result<Box<RawValue>, Failure> {
        let changed = match passage.before(params).await? {
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
        let found = page_number(params).and_then(|number| catalog.page(kind, number));
        let (entries, next) = found.ok_or_else(|| Fault::new(Code::ValidationError, INVALID_CURSOR))?;
        let cursor = next.map(|number| format!(r#","nextCursor":"{CURSOR}{number}""#)).unwrap_or_default();
        Ok(format!(r#""{}":[{entries}]{cursor}"#, kind.member()))
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
        Some((outcome.map(|result| rest(result.get())), passage.trace()))
    }
}

/// The envelope of REST around the tools of a list. What a script put there that is no tool is left out.
fn rest(result: &str) -> Vec<u8> {
    let tools = member_at(result, "tools").map_or("[]", |at| &result[at]);
    let tools: Vec<&RawValue> = serde_json::from_str(tools).unwrap_or_default();
    let named = |tool: &&str| member_at(tool, "name").is_some_and(|at| tool[at].starts_with('"'));
    let tools: Vec<&str> = tools.into_iter().map(RawValue::get).filter(named).collect();
    format!(r#"{{"success":true,"tools":[{}]}}"#, tools.join(",")).into_bytes()
}

/// 0 without a cursor; `None` for one that is not ours.
fn page_number(params: Option<&str>) -> Option<usize> {
    let Some(params) = params else { return Some(0) };
    let Some(at) = member_at(params, "cursor") else { return Some(0) };
    match &params[at] {
        "null" => Some(0),
        text => {
            let cursor: String = serde_json::from_str(text).ok()?;
            let digits = cursor.strip_prefix(CURSOR)?;
            // A number has one form; what only reads like one of ours is not.
            digits.parse().ok().filter(|number: &usize| number.to_string() == digits)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_tool_is_left_out_of_the_list() {
        for (result, expected) in [
            (
                r#"{"tools":[{"name":"a", "x": 1.0},{"name":5},7,null,[{"name":"b"}],{}]}"#,
                r#"[{"name":"a", "x": 1.0}]"#,
            ),
            (r#"{"tools":[{"name":"a"},{"name":"b"}]}"#, r#"[{"name":"a"},{"name":"b"}]"#),
            (r#"{"tools":{"name":"a"}}"#, "[]"),
            ("{}", "[]"),
        ] {
            let body = format!(r#"{{"success":true,"tools":{expected}}}"#);
            assert_eq!(String::from_utf8_lossy(&rest(result)), body, "{result}");
        }
    }

    #[test]
    fn a_cursor_is_good_in_the_one_form_in_which_it_is_given() {
        assert_eq!(page_number(None), Some(0));
        assert_eq!(page_number(Some(r#"{"cursor":null}"#)), Some(0));
        assert_eq!(page_number(Some(r#"{"cursor":"page-12"}"#)), Some(12));
        for wrong in ["page-+1", "page-01", "page-", "page- 1", "page--1", "12", ""] {
            assert_eq!(page_number(Some(&format!(r#"{{"cursor":"{wrong}"}}"#))), None, "{wrong}");
        }
    }
}
