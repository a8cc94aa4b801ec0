//! The promises of the workflows area.

use lockgate_store::{Error, Store};
use model::{Workflow, WorkflowDraft, WorkflowType};
use serde_json::json;

fn workflow(id: &str, kind: WorkflowType, enabled: bool) -> Workflow {
    let body = json!({
        "name": format!("the {id}"), "workflowType": "tools/call", "edges": [],
        "nodes": [{"id": "s", "type": "start"}, {"id": "e", "type": "end"}],
    });
    let draft = WorkflowDraft::parse(&body.to_string(), &["start", "end"]).expect("a draft");
    Workflow { workflow_type: kind, ..Workflow::new(id.into(), draft, 5) }.switched(enabled)
}

fn call(id: &str, enabled: bool) -> Workflow {
    workflow(id, WorkflowType::ToolsCall, enabled)
}

async fn all(store: &Store) -> Vec<Workflow> {
    store.workflows().list().await.expect("the list")
}

async fn active(store: &Store) -> String {
    let enabled = all(store).await.into_iter().filter(|workflow| workflow.enabled);
    enabled.map(|workflow| workflow.id).collect::<Vec<_>>().join(" ")
}

async fn workflows_come_back_as_they_were_added(store: Store) {
    assert!(all(&store).await.is_empty());
    let kept = vec![call("z", false), workflow("a", WorkflowType::ToolsList, true), call("m", true)];
    for workflow in &kept {
        store.workflows().add(workflow.clone()).await.expect("added");
    }
    assert_eq!(all(&store).await, kept);
    let error = store.workflows().add(call("z", true)).await.expect_err("taken");
    assert!(matches!(&error, Error::Taken(id) if id == "z"), "{error:?}");
    assert_eq!(all(&store).await, kept, "a refused one turns nothing off");
}

async fn one_graph_of_a_type_is_enabled(store: Store) {
    for workflow in [call("a", true), call("b", true), workflow("l", WorkflowType::ToolsList, true)] {
        store.workflows().add(workflow).await.expect("added");
    }
    assert_eq!(active(&store).await, "b l");
    store.workflows().replace(call("a", true)).await.expect("activated");
    assert_eq!(active(&store).await, "a l");
    store.workflows().replace(call("a", false)).await.expect("disabled");
    assert_eq!(active(&store).await, "l");
    store.workflows().replace(workflow("b", WorkflowType::ToolsList, true)).await.expect("changed");
    assert_eq!(active(&store).await, "b");
    for id in ["s1", "s2"] {
        store.workflows().add(workflow(id, WorkflowType::Session, true)).await.expect("added");
    }
    assert_eq!(active(&store).await, "b s1 s2");
}

async fn an_unknown_workflow_is_not_replaced(store: Store) {
    store.workflows().add(call("a", true)).await.expect("added");
    let error = store.workflows().replace(call("b", true)).await.expect_err("gone");
    assert!(matches!(&error, Error::Gone(id) if id == "b"), "{error:?}");
    assert_eq!(active(&store).await, "a");
}

async fn of_many_activations_at_once_one_holds(store: Store) {
    for i in 0..16 {
        store.workflows().add(call(&format!("w{i}"), false)).await.expect("added");
    }
    let tasks: Vec<_> = (0..16)
        .map(|i| {
            let store = store.clone();
            tokio::spawn(async move { store.workflows().replace(call(&format!("w{i}"), true)).await })
        })
        .collect();
    for task in tasks {
        task.await.expect("no panic").expect("activated");
    }
    let enabled = all(&store).await.into_iter().filter(|workflow| workflow.enabled).count();
    assert_eq!(enabled, 1);
}

async fn a_removed_workflow_is_gone(store: Store) {
    store.workflows().add(call("a", true)).await.expect("added");
    store.workflows().add(call("b", false)).await.expect("added");
    assert!(store.workflows().remove("a").await.expect("removed"));
    assert!(!store.workflows().remove("a").await.expect("nothing to remove"));
    assert!(!store.workflows().remove("' OR 1=1 --").await.expect("nothing to remove"));
    assert_eq!(all(&store).await, [call("b", false)]);
}

async fn what_was_written_comes_back_to_the_letter(store: Store) {
    let nodes = r#"[{"id":"s","type":"start","position":{"x":0.30000000000000004,"y":1e2},"data":{"label":"日本 \u0000 \" '","n":9007199254740993123}},{"id":"e","type":"end"}]"#;
    let body = format!(r#"{{"name":"\u0001 %s ?1","workflowType":"tools/call","edges":[],"nodes":{nodes}}}"#);
    let draft = WorkflowDraft::parse(&body, &["start", "end"]).expect("a draft");
    let workflow = Workflow { revision: u64::MAX, ..Workflow::new("x".into(), draft, i64::MIN) };
    store.workflows().add(workflow.clone()).await.expect("added");
    let kept = all(&store).await;
    assert_eq!(kept, [workflow]);
    assert_eq!(kept[0].nodes.text(), nodes);
}

contract! {
    workflows_come_back_as_they_were_added,
    one_graph_of_a_type_is_enabled,
    an_unknown_workflow_is_not_replaced,
    of_many_activations_at_once_one_holds,
    a_removed_workflow_is_gone,
    what_was_written_comes_back_to_the_letter,
}
