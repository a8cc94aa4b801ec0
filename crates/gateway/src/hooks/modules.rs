//! Hooks as modules: a node of a graph may name one by its id (spec 2.2).

use super::Hooks;
use super::book::Entry;
use sandbox::{Report, Script};
use std::sync::Arc;
use workflow::Module;

impl workflow::Modules for Hooks {
    fn edition(&self) -> u64 {
        self.book.page().edition
    }

    fn module(&self, id: &str) -> Option<Arc<dyn Module>> {
        self.book.page().get(id).map(|entry| Arc::clone(entry) as Arc<dyn Module>)
    }
}

impl Module for Entry {
    fn id(&self) -> &str {
        &self.hook.id
    }

    fn script(&self) -> &Arc<Script> {
        &self.script
    }

    fn version(&self) -> u64 {
        self.hook.version
    }

    fn ran(&self, report: &Report) {
        self.note_as_module(report);
    }
}
