//! `end`: where every run ends.

use super::{Kind, Role, Shape};
use crate::plan::Action;
use model::Node;

pub(super) struct End;

impl Kind for End {
    fn name(&self) -> &'static str {
        "end"
    }

    fn title(&self) -> &'static str {
        "End"
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
