//! Nodes whose scripts run in one job, as they are sent.

use super::{Source, Spot};
use crate::scripts::{Module, Modules};
use crate::text::quote;
use arc_swap::ArcSwapOption;
use sandbox::{Script, Step};
use std::fmt;
use std::sync::Arc;

/// Nodes next to each other, by number. What is sent of them is put together once, and again when hooks have changed
/// that they name; a run looks nothing up.
pub(crate) struct Row {
    pub(crate) spots: Box<[usize]>,
    ready: ArcSwapOption<Ready>,
}

/// The scripts of a row.
pub(crate) struct Ready {
    /// Which edition of the hooks it was made of, where it names any.
    edition: Option<u64>,
    pub(crate) steps: Box<[Step]>,
    /// The hook of the list whose script a step is; nothing where it is the node's own.
    modules: Box<[Option<Arc<dyn Module>>]>,
}

impl FromIterator<usize> for Row {
    fn from_iter<I: IntoIterator<Item = usize>>(spots: I) -> Self {
        Self { spots: spots.into_iter().collect(), ready: ArcSwapOption::empty() }
    }
}

impl Row {
    /// The scripts as they stand now. All nodes of a row have one.
    pub(crate) fn ready(&self, spots: &[Spot], modules: &dyn Modules) -> Arc<Ready> {
        // Read before the hooks are, so that a change in between is noticed by the next run.
        let edition = modules.edition();
        let is_current = |ready: &Arc<Ready>| ready.edition.is_none_or(|known| known == edition);
        if let Some(ready) = self.ready.load_full().filter(is_current) {
            return ready;
        }
        let names = |&spot: &usize| {
            let script = spots[spot].action.script();
            script.is_some_and(|(source, _)| matches!(source, Source::Module(_)))
        };
        let edition = self.spots.iter().any(names).then_some(edition);
        let (steps, modules) = self.spots.iter().map(|&spot| step(&spots[spot], modules)).unzip();
        let (steps, modules): (Vec<Step>, Vec<Option<Arc<dyn Module>>>) = (steps, modules);
        let ready = Arc::new(Ready { edition, steps: steps.into(), modules: modules.into() });
        self.ready.store(Some(Arc::clone(&ready)));
        ready
    }
}

impl Ready {
    /// The hook of the list that a step runs, if it is one.
    pub(crate) fn module(&self, step: usize) -> Option<&Arc<dyn Module>> {
        self.modules[step].as_ref()
    }

    /// The name of that hook.
    pub(crate) fn name(&self, step: usize) -> Option<&Arc<str>> {
        self.module(step).map(|module| &module.script().name)
    }
}

fn step(spot: &Spot, modules: &dyn Modules) -> (Step, Option<Arc<dyn Module>>) {
    let (source, stop) = spot.action.script().expect("only nodes with a script become steps");
    let (script, module) = match source {
        Source::Own(script) => (Arc::clone(script), None),
        Source::Module(id) => match modules.module(id) {
            Some(module) => (Arc::clone(module.script()), Some(module)),
            // One that is gone fails in its place, as any script can.
            None => (missing(&spot.name, id), None),
        },
    };
    (Step { place: Some(Arc::clone(&spot.place)), ..Step::new(script, stop) }, module)
}

/// A script in the place of a module that is gone.
fn missing(name: &Arc<str>, id: &str) -> Arc<Script> {
    let mut source = String::from("throw new Error(");
    quote(&mut source, &format!("the hook '{id}' does not exist"));
    Script::new(Arc::clone(name), source + ")")
}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Row").field(&self.spots).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Action, Graph, Stage};
    use crate::testing::stored;
    use sandbox::Report;
    use serde_json::{Value, json};
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    /// Hooks that count how often they are looked for.
    #[derive(Default)]
    struct Book {
        edition: AtomicU64,
        looks: AtomicU64,
    }

    struct Hook(Arc<Script>, u64);

    impl Module for Hook {
        fn id(&self) -> &str {
            "known"
        }

        fn script(&self) -> &Arc<Script> {
            &self.0
        }

        fn version(&self) -> u64 {
            self.1
        }

        fn ran(&self, _report: &Report) {}
    }

    impl Modules for Book {
        fn edition(&self) -> u64 {
            self.edition.load(Relaxed)
        }

        fn module(&self, id: &str) -> Option<Arc<dyn Module>> {
            self.looks.fetch_add(1, Relaxed);
            let version = self.edition();
            let script = Script::new("Known", format!("return {version}"));
            (id == "known").then(|| Arc::new(Hook(script, version)) as Arc<dyn Module>)
        }
    }

    #[test]
    fn a_row_is_put_together_once_for_each_edition_of_the_hooks() {
        let hook = |id: &str, data: Value| json!({"id": id, "type": "hook", "data": {"hook": data}});
        let nodes = [
            json!({"id": "s", "type": "start", "data": {}}),
            hook("own", json!({"id": "1", "script": "return", "blocking": true})),
            hook("known", json!({"id": "2", "hookModuleId": "known", "blocking": true})),
            hook("gone", json!({"id": "3", "hookModuleId": "gone", "blocking": true})),
            json!({"id": "c", "type": "mcp-call", "data": {}}),
            json!({"id": "e", "type": "end", "data": {}}),
        ];
        let edges: Vec<Value> =
            nodes.windows(2).map(|pair| json!({"source": pair[0]["id"], "target": pair[1]["id"]})).collect();
        let graph = Graph::compile(&stored(&json!(nodes), &json!(edges))).expect("a valid graph");
        let rows: Vec<&Row> = graph
            .stages
            .iter()
            .filter_map(|stage| match stage {
                Stage::Hooks { row, .. } => Some(row),
                _ => None,
            })
            .collect();
        let [row] = rows[..] else { panic!("one row: {rows:?}") };
        let own = graph.spots[row.spots[0]].action.script().map(|(source, _)| source);
        let book = Book::default();
        for edition in 0..3 {
            book.edition.store(edition, Relaxed);
            for _ in 0..5 {
                let ready = row.ready(&graph.spots, &book);
                let Some(Source::Own(script)) = own else { panic!("{own:?}") };
                assert!(Arc::ptr_eq(&ready.steps[0].script, script) && ready.module(0).is_none());
                assert_eq!(&*ready.steps[1].script.source, format!("return {edition}"));
                assert_eq!(ready.module(1).map(|module| module.version()), Some(edition));
                assert_eq!((ready.name(1).map(|name| &**name), ready.name(2)), (Some("Known"), None));
                assert!(ready.steps[2].script.source.contains("'gone' does not exist"));
            }
            assert_eq!(book.looks.swap(0, Relaxed), 2);
        }
        assert!(matches!(graph.spots[row.spots[0]].action, Action::Hook { stop: true, .. }));
        // What names no hook stays as it is.
        let alone = &graph.spots[row.spots[0]].alone;
        let first = alone.ready(&graph.spots, &book);
        book.edition.store(9, Relaxed);
        assert!(Arc::ptr_eq(&first, &alone.ready(&graph.spots, &book)));
    }
}
