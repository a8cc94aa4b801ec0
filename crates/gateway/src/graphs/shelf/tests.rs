//! The shelf: what is active after a start and after changes, and what the store says of it.

use super::*;
use model::WorkflowDraft;
use sandbox::{Report, Script};
use serde_json::{Value, json};
use store::Location;
use workflow::Module;

struct One;

struct Known(Arc<Script>);

impl Module for Known {
    fn id(&self) -> &str {
        "known"
    }

    fn script(&self) -> &Arc<Script> {
        &self.0
    }

    fn version(&self) -> u64 {
        1
    }

    fn ran(&self, _report: &Report) {}
}

impl Modules for One {
    fn edition(&self) -> u64 {
        0
    }

    fn module(&self, id: &str) -> Option<Arc<dyn Module>> {
        (id == "known").then(|| Arc::new(Known(Script::new("known", "return"))) as Arc<dyn Module>)
    }
}

fn workflow(id: &str, module: Option<&str>, enabled: bool) -> Workflow {
    let hook = match module {
        Some(module) => json!({"id": "h", "hookModuleId": module, "blocking": true}),
        None => json!({"id": "h", "script": "return", "blocking": true}),
    };
    around(id, &json!({"id": "h", "type": "hook", "data": {"hook": hook}})).switched(enabled)
}

/// A workflow with this node, whose id is `h`, before the call.
fn around(id: &str, hook: &Value) -> Workflow {
    let node = |id: &str, kind: &str| json!({"id": id, "type": kind, "data": {}});
    let edge = |from: &str, to: &str| json!({"source": from, "target": to});
    let body: Value = json!({
        "name": format!("name of {id}"), "workflowType": "tools/call",
        "nodes": [node("s", "start"), hook, node("c", "mcp-call"), node("e", "end")],
        "edges": [edge("s", "h"), edge("h", "c"), edge("c", "e")],
    });
    let kinds = [&workflow::KIND_NAMES[..], &["stamp"]].concat();
    let draft = WorkflowDraft::parse(&body.to_string(), &kinds).expect("valid");
    Workflow::new(id.into(), draft, 1)
}

fn running(shelf: &Shelf) -> Option<String> {
    shelf.active("tools/call")?.graph().map(|graph| graph.workflow().to_owned())
}

/// Why requests fail.
fn broken(shelf: &Shelf) -> Option<String> {
    shelf.active("tools/call")?.broken().map(|broken| broken.reason.clone())
}

async fn shelf(workflows: Vec<Workflow>, modules: &dyn Modules) -> Shelf {
    let store = store::open(&Location::Memory).await.expect("memory is there");
    for workflow in workflows {
        store.workflows().add(workflow).await.expect("kept");
    }
    Shelf::load(&store, modules, &Kinds::default()).await.expect("read")
}

async fn now(shelf: &Shelf) -> Counts {
    shelf.store.marks().read().await.expect("read")
}

async fn change(shelf: &Shelf, change: Change) {
    shelf.change(now(shelf).await, |_| async { Ok(change) }).await.expect("kept");
}

#[tokio::test]
async fn what_was_active_is_active_after_a_start_and_is_broken_where_its_module_is_gone() {
    let active = |module| workflow("w", Some(module), true);
    assert_eq!(running(&shelf(vec![active("known")], &One).await).as_deref(), Some("w"));
    let lost = shelf(vec![active("gone")], &One).await;
    assert_eq!(running(&lost), None);
    assert_eq!(broken(&lost).as_deref(), Some("it names the hook 'gone', which does not exist"));
    assert!(lost.row().get("w").expect("kept").workflow.enabled);
    assert_eq!(running(&shelf(vec![workflow("w", Some("known"), false)], &One).await), None);
}

#[tokio::test]
async fn store_and_memory_agree_on_who_is_active() {
    let shelf = shelf(vec![workflow("a", None, true), workflow("b", None, false)], &One).await;
    assert_eq!((running(&shelf).as_deref(), shelf.active("tools/list").is_none()), (Some("a"), true));
    let on = workflow("b", None, true);
    let graph = Graph::compile(&on).expect("valid");
    change(&shelf, Change::Edit(on, Some(graph), None)).await;
    assert_eq!(running(&shelf).as_deref(), Some("b"));
    let agree = async || {
        let stored = shelf.store.workflows().list().await.expect("read");
        let kept: Vec<_> = shelf.row().all().iter().map(|entry| entry.workflow.clone()).collect();
        assert_eq!(stored, kept);
    };
    agree().await;
    change(&shelf, Change::Remove("b".into(), None)).await;
    assert_eq!(running(&shelf), None);
    agree().await;
}

#[tokio::test]
async fn a_change_that_is_refused_changes_nothing() {
    let shelf = shelf(vec![workflow("a", None, true)], &One).await;
    let since = now(&shelf).await;
    let decide = |row: Arc<Row>| async move { row.get("nobody").map(|_| Change::Remove("a".into(), None)) };
    let Err(Setback::Refused(fault)) = shelf.change(since, decide).await else { panic!("not refused") };
    assert_eq!(fault.message, "Workflow 'nobody' not found");
    let decide = |_| async { Ok(Change::Edit(workflow("nobody", None, false), None, None)) };
    assert!(shelf.change(since, decide).await.is_err());
    shelf.store.workflows().add(workflow("b", None, false)).await.expect("kept");
    let late = shelf.change(since, |_| async { Ok(Change::Remove("a".into(), None)) }).await;
    assert!(matches!(late, Err(Setback::Moved)));
    assert_eq!((running(&shelf).as_deref(), shelf.row().all().len()), (Some("a"), 1));
}

#[tokio::test]
async fn who_uses_a_hook_is_known() {
    let shelf = shelf(vec![workflow("a", Some("known"), false)], &One).await;
    assert_eq!(shelf.user_of("known").as_deref(), Some("name of a"));
    assert_eq!(shelf.user_of("other"), None);
}

#[tokio::test]
async fn what_lacked_a_plug_in_at_the_start_is_active_once_it_is_there() {
    let stamped = around("w", &json!({"id": "h", "type": "stamp", "data": {}})).switched(true);
    let shelf = shelf(vec![stamped, workflow("off", None, false)], &One).await;
    assert_eq!((running(&shelf), broken(&shelf).is_some()), (None, true));
    let manifest = json!({"name": "stamp", "label": "Stamp", "outputs": "many", "script": "return"});
    let plugin = workflow::Plugin::parse(&manifest.to_string()).expect("sound");
    let kinds = Kinds::new(vec![Arc::new(plugin)]);
    shelf.renew(&One, &kinds);
    assert_eq!((running(&shelf).as_deref(), broken(&shelf)), (Some("w"), None));
    let row = shelf.row();
    assert!(row.get("w").expect("kept").workflow.enabled);
    assert!(!row.get("off").expect("kept").workflow.enabled);
}

/// A hook that comes and goes.
struct Sometimes(std::sync::atomic::AtomicBool);

impl Modules for Sometimes {
    fn edition(&self) -> u64 {
        0
    }

    fn module(&self, id: &str) -> Option<Arc<dyn Module>> {
        self.0.load(std::sync::atomic::Ordering::Relaxed).then(|| One.module(id))?
    }
}

#[tokio::test]
async fn what_lacked_a_hook_runs_once_the_hook_is_there_though_nothing_else_changed() {
    let hooks = Sometimes(false.into());
    let shelf = shelf(vec![workflow("w", Some("known"), true)], &hooks).await;
    assert_eq!((running(&shelf), broken(&shelf).is_some()), (None, true));
    assert!(!shelf.catch_up(&hooks, &Kinds::default()).await.expect("read"), "nothing is another");
    assert!(broken(&shelf).is_some());
    hooks.0.store(true, std::sync::atomic::Ordering::Relaxed);
    assert!(shelf.catch_up(&hooks, &Kinds::default()).await.expect("read"));
    assert_eq!(running(&shelf).as_deref(), Some("w"));
    assert!(!shelf.catch_up(&hooks, &Kinds::default()).await.expect("read"));
}
