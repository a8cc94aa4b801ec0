//! The two hooks that mark requests, and how a mark is told in a reply.

use anyhow::bail;
use serde_json::{Value, json};

/// A city for which the hook before the request blocks it.
pub(super) const BLOCKED: &str = "blocked";

/// A city for which the hook before the request spoils it, so that it fails.
pub(super) const FAILED: &str = "failed";

/// The most of a reply that a report shows.
const SHOWN: usize = 160;

/// Leaves its trace where only the hook after the reply can see it.
const BEFORE: &str = r#"
const { shared, clientId } = context.metadata;
shared.before = context.requestType;
const params = context.request.params;
if (params?.arguments?.city === "blocked") {
  return { continue: false, error: { message: `mark:${context.requestType}:${clientId}:blocked` } };
}
if (params?.arguments?.city === "failed") params.arguments = "spoiled";
"#;

/// Marks the reply with what both hooks saw. A list over REST shows its entries only, so they are marked too.
const AFTER: &str = r#"
const { shared, clientId, error } = context.metadata;
const mark = `mark:${shared.before}:${clientId}`;
if (error) return void console.warn(`${mark}:failed`);
const { response } = context;
response._meta = { ...response._meta, "lockgate/mark": mark };
response.tools?.push({ name: mark, inputSchema: { type: "object" } });
"#;

/// Both hooks as they are created.
pub(super) fn hooks() -> [Value; 2] {
    [("before", "pre", BEFORE), ("after", "post", AFTER)].map(
        |(name, kind, script)| json!({"name": name, "hookType": kind, "script": script, "onError": "stop"}),
    )
}

/// What a reply to that kind of request bears when both hooks ran for this client.
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
