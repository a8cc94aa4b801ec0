//! `mcp-call`: the original request goes to its server.
//!
//! It goes once. With `data.cache`, the reply of a tool that is annotated as read-only is kept for a while and
//! given again; with `data.retry`, a call of a tool that is annotated as read-only or idempotent is made again
//! when it failed on the way. Other tools are called as without them.

use super::{Kind, Role, Shape};
use crate::kinds::check_data;
use crate::plan::{Action, Cache, Retry, Terms};
use model::Node;
use serde_json::{Value, json};
use std::sync::LazyLock;
use std::time::Duration;

/// How many replies are kept unless the node says otherwise.
const ENTRIES: u64 = 256;

static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    json!({"type": "object", "properties": {
        "cache": {"type": "object", "required": ["ttlMs"], "additionalProperties": false, "properties": {
            "ttlMs": {"type": "integer", "minimum": 1, "maximum": 86_400_000},
            "maxEntries": {"type": "integer", "minimum": 1, "maximum": 10_000, "default": ENTRIES},
        }},
        "retry": {"type": "object", "required": ["maxAttempts"], "additionalProperties": false, "properties": {
            "maxAttempts": {"type": "integer", "minimum": 2, "maximum": 5, "default": 2},
            "backoffMs": {"type": "integer", "minimum": 0, "maximum": 60_000, "default": 0},
        }},
    }})
});

/// The JSON Schema of its `data`.
pub(crate) fn schema() -> &'static Value {
    &SCHEMA
}

/// The members of its `data` that have a meaning for calls of tools only.
pub(crate) fn terms_of(node: &Node) -> impl Iterator<Item = &'static str> {
    ["cache", "retry"].into_iter().filter(|name| node.data.contains_key(*name))
}

pub(super) struct McpCall;

impl Kind for McpCall {
    fn name(&self) -> &'static str {
        "mcp-call"
    }

    fn title(&self) -> &'static str {
        "MCP Call"
    }

    fn role(&self, _node: &Node) -> Role {
        Role::Call
    }

    fn shape(&self, _node: &Node) -> Shape {
        Shape::Double
    }

    fn check(&self, node: &Node) -> Vec<String> {
        if terms_of(node).next().is_none() {
            return Vec::new();
        }
        check_data(&SCHEMA, node)
    }

    fn action(&self, node: &Node) -> Action {
        let number = |option: &str, name: &str| node.data.get(option)?.get(name)?.as_f64().map(|n| n as u64);
        let cache = number("cache", "ttlMs").map(|ttl| {
            let most = number("cache", "maxEntries").unwrap_or(ENTRIES);
            Cache::new(Duration::from_millis(ttl), usize::try_from(most).unwrap_or(usize::MAX))
        });
        let retry = number("retry", "maxAttempts").map(|most| Retry {
            most: u32::try_from(most).unwrap_or(1),
            backoff: Duration::from_millis(number("retry", "backoffMs").unwrap_or(0)),
        });
        let plain = cache.is_none() && retry.is_none();
        Action::Call((!plain).then(|| Box::new(Terms { cache, retry })))
    }
}
