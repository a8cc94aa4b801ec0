//! `start`: where every run begins.

use super::{Kind, Role, Shape};
use crate::plan::Action;
use model::{Node, WorkflowType};

pub(super) struct Start;

impl Kind for Start {
    fn name(&self) -> &'static str {
        "start"
    }

    fn title(&self) -> &'static str {
        "Start"
    }

    fn fits(&self, _workflow: WorkflowType) -> bool {
        true
    }

    fn role(&self, _node: &Node) -> Role {
        Role::Start
    }

    fn shape(&self, _node: &Node) -> Shape {
        Shape::Pill
    }

    fn action(&self, _node: &Node) -> Action {
        Action::Pass
    }
}
