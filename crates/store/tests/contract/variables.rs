//! The promises of the variables area.

use lockgate_store::{Before, Error, Store, VariableChange};
use model::{Workflow, WorkflowDraft};
use serde_json::json;

async fn add_workflow(store: &Store, id: &str) {
    let body = json!({
        "name": id, "workflowType": "tools/call", "edges": [],
        "nodes": [{"id": "s", "type": "start"}, {"id": "e", "type": "end"}],
    });
    let draft = WorkflowDraft::parse(&body.to_string(), &["start", "end"]).expect("a draft");
    store.workflows().add(Workflow::new(id.into(), draft, 5)).await.expect("added");
}

fn set(name: &str, before: Before, after: &str) -> VariableChange {
    VariableChange { name: name.into(), before, after: after.into() }
}

fn is(text: &str) -> Before {
    Before::Is(Some(text.into()))
}

async fn change(store: &Store, workflow: &str, changes: Vec<VariableChange>) -> bool {
    store.variables().change(workflow, changes).await.expect("answered")
}

/// The variables of a workflow as `name=value`, in the order of their names.
async fn all(store: &Store, workflow: &str) -> String {
    let all = store.variables().all(workflow).await.expect("read");
    all.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
}

async fn a_variable_comes_back_to_the_letter(store: Store) {
    add_workflow(&store, "w").await;
    add_workflow(&store, "other").await;
    assert_eq!(all(&store, "w").await, "");
    let odd = r#"{"a" : [1.0, 12345678901234567890, "日本 \u0000 ' \""]}"#;
    assert!(change(&store, "w", vec![set("odd", Before::Any, odd), set("n", Before::Any, "null")]).await);
    assert_eq!(all(&store, "w").await, format!("n=null odd={odd}"));
    assert_eq!(all(&store, "other").await, "");
    assert!(change(&store, "w", vec![set("odd", Before::Any, "1")]).await);
    assert_eq!(all(&store, "w").await, "n=null odd=1");
}

async fn what_is_not_as_expected_is_not_changed_and_nothing_else_is(store: Store) {
    add_workflow(&store, "w").await;
    assert!(!change(&store, "w", vec![set("a", is("1"), "2")]).await);
    assert!(change(&store, "w", vec![set("a", Before::Is(None), "1")]).await);
    assert!(!change(&store, "w", vec![set("a", Before::Is(None), "2")]).await);
    assert!(!change(&store, "w", vec![set("b", Before::Any, "1"), set("a", is("9"), "2")]).await);
    assert_eq!(all(&store, "w").await, "a=1");
    assert!(change(&store, "w", vec![set("b", Before::Any, "1"), set("a", is("1"), "2")]).await);
    assert_eq!(all(&store, "w").await, "a=2 b=1");
}

async fn no_update_is_lost_when_many_come_at_once(store: Store) {
    add_workflow(&store, "w").await;
    let tasks: Vec<_> = (0..8)
        .map(|_| {
            let store = store.clone();
            tokio::spawn(async move {
                for _ in 0..8 {
                    loop {
                        let now = store.variables().all("w").await.expect("read").get("n").cloned();
                        let next = now.as_deref().map_or(0, |n| n.parse::<u32>().expect("a number")) + 1;
                        if change(&store, "w", vec![set("n", Before::Is(now), &next.to_string())]).await {
                            break;
                        }
                    }
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.expect("no panic");
    }
    assert_eq!(all(&store, "w").await, "n=64");
}

async fn variables_go_with_their_workflow(store: Store) {
    add_workflow(&store, "w").await;
    add_workflow(&store, "other").await;
    for id in ["w", "other"] {
        assert!(change(&store, id, vec![set("a", Before::Any, "1")]).await);
    }
    let kept = store.workflows().list().await.expect("listed")[0].clone();
    store.workflows().replace(kept).await.expect("replaced");
    assert_eq!(all(&store, "w").await, "a=1", "a change of the workflow takes nothing away");
    assert!(store.workflows().remove("w").await.expect("removed"));
    assert_eq!(all(&store, "w").await, "");
    let error = store.variables().change("w", vec![set("a", Before::Any, "1")]).await.expect_err("gone");
    assert!(matches!(&error, Error::Gone(id) if id == "w"), "{error:?}");
    add_workflow(&store, "w").await;
    assert_eq!(all(&store, "w").await, "", "a workflow of the same id begins with nothing");
    assert_eq!(all(&store, "other").await, "a=1");
}

contract! {
    a_variable_comes_back_to_the_letter,
    what_is_not_as_expected_is_not_changed_and_nothing_else_is,
    no_update_is_lost_when_many_come_at_once,
    variables_go_with_their_workflow,
}
