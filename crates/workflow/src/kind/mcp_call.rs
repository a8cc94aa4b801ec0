//! `mcp-call`: the original request goes to its server, once.

use super::{Kind, Role, Shape};
use crate::plan::Action;
use model::Node;

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

    fn action(&self, _node: &Node) -> Action {
        Action::Call
    }
}
