//! `end`: where every run ends.

use super::{Kind, Role, Shape};
use crate::plan::Action;
use model::{Node, WorkflowType};

pub(super) struct End;

impl Kind for End {
    fn name(&self) -> &'static str {
        "end"
    }

    fn title(&self) -> &'static str {
        "End"
    }

    fn fits(&self, _workflow: WorkflowType) -> bool {
        true
    }

    fn role(&self, _node: &Node) -> Role {
        Role::End
    }

    fn shape(&self, _node: &Node) -> Shape {
        Shape::Pill
    }

    fn action(&self, _node: &Node) -> Action {
        Action::Pass
    }
}
