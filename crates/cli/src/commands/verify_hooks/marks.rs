//! The hooks that mark requests, those of the list and that of a graph, and how a mark is told in a reply.

use anyhow::bail;
use serde_json::{Value, json};

/// A city for which the hook before the request blocks it.
pub(super) const BLOCKED: &str = "blocked";

/// A city for which the hook before the request spoils it, so that it fails.
pub(super) const FAILED: &str = "failed";

/// The most of a reply that a report shows.
const SHOWN: usize = 160;

/// Leaves its trace where only the next hook can see it.
const BEFORE: &str = r#"
const { shared, clientId } = context.metadata;
shared.first = context.requestType;
const params = context.request.params;
if (params?.arguments?.city === "blocked") {
  return { continue: false, error: { message: `mark:${context.requestType}:${clientId}:blocked` } };
}
if (params?.arguments?.city === "failed") params.arguments = "spoiled";
"#;

/// Stands behind the one that blocks, and hands on its trace to the hook after the reply.
const BEHIND: &str = "context.metadata.shared.before = context.metadata.shared.first;";

/// The hook in the graph.
const INSIDE: &str = "context.metadata.shared.graph = ':graph';";

/// Marks the reply with what all hooks saw. A list over REST shows its entries only, so they are marked too. The call of
/// a step is seen by nobody but the hooks, which tell of it in the log.
const AFTER: &str = r#"
const { shared, clientId, error, origin } = context.metadata;
const mark = `mark:${shared.before}:${clientId}${shared.graph ?? ""}`;
if (error) return void console.warn(`${mark}:failed`);
if (origin === "workflow") console.warn(`${mark}:step`);
const { response } = context;
response._meta = { ...response._meta, "lockgate/mark": mark };
response.tools?.push({ name: mark, inputSchema: { type: "object" } });
"#;

/// The hooks of the list as they are created.
pub(super) fn hooks() -> [Value; 3] {
    [("before", "pre", BEFORE), ("behind", "pre", BEHIND), ("after", "post", AFTER)].map(
        |(name, kind, script)| json!({"name": name, "hookType": kind, "script": script, "onError": "stop"}),
    )
}

/// A graph around calls with one hook before them.
pub(super) fn graph() -> Value {
    let node = |id: &str, kind: &str| json!({"id": id, "type": kind, "data": {"label": id}});
    let mut hook = node("inside", "hook");
    hook["data"]["hook"] = json!({"id": "inside", "script": INSIDE, "blocking": true});
    let edge = |from: &str, to: &str| json!({"id": format!("{from}-{to}"), "source": from, "target": to});
    json!({
        "name": "around", "workflowType": "tools/call", "enabled": false,
        "nodes": [node("start", "start"), hook, node("call", "mcp-call"), node("end", "end")],
        "edges": [edge("start", "inside"), edge("inside", "call"), edge("call", "end")],
    })
}

/// What a reply to that kind of request bears when all hooks ran for this client.
pub(super) fn mark(kind: &str, client: &str) -> String {
    format!("mark:{kind}:{client}")
}

/// Fails unless the reply bears the mark.
pub(super) fn expect(reply: &str, mark: &str) -> anyhow::Result<()> {
    // The end of the mark counts: one client's name may be the beginning of another's.
    let found = reply.match_indices(mark).any(|(at, _)| reply[at + mark.len()..].starts_with('"'));
    if found {
        return Ok(());
    }
    let shown: String = reply.chars().take(SHOWN).collect();
    bail!("no hook marked the reply: {shown}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_without_the_right_mark_is_a_miss() {
        let right = mark("CallTool", "rest");
        let check = |reply: &str, found: bool| assert_eq!(expect(reply, &right).is_ok(), found, "{reply}");
        check(r#"{"_meta":{"lockgate/mark":"mark:CallTool:rest"}}"#, true);
        check(r#"{"content":[]}"#, false);
        check("", false);
        // The hook before the request did not run, another client's reply, another kind of request.
        check(r#""mark:undefined:rest""#, false);
        check(r#""mark:CallTool:rest-2""#, false);
        check(r#""mark:ListTools:rest""#, false);
        check(r#""mark:CallTool:rest:blocked""#, false);
    }
}
