//! Hooks as modules: a node of a graph may name one by its id (spec 2.2).

use super::Hooks;
use sandbox::Script;
use std::sync::Arc;

impl workflow::Modules for Hooks {
    fn script(&self, id: &str) -> Option<Arc<Script>> {
        self.book.page().get(id).map(|entry| entry.script.clone())
    }
}
