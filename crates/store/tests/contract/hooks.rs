//! The promises of the hooks area.

use lockgate_store::{Error, Store};
use model::{Hook, HookDraft};
use serde_json::{Value, json};

fn hook(name: &str, order: impl Into<Value>, created_at: i64) -> Hook {
    let order: Value = order.into();
    let body = json!({"name": name, "hookType": "pre", "script": "return", "executionOrder": order});
    let draft = HookDraft::parse(&body).expect("a draft");
    Hook::new(format!("id-{name}"), draft, 0.into(), created_at)
}

async fn hooks(store: &Store) -> Vec<Hook> {
    store.hooks().list().await.expect("the list")
}

async fn names(store: &Store) -> String {
    hooks(store).await.into_iter().map(|hook| hook.name).collect::<Vec<_>>().join(" ")
}

async fn hooks_come_back_in_the_order_in_which_they_run(store: Store) {
    assert!(hooks(&store).await.is_empty());
    let all = vec![
        hook("last", json!(10), 1),
        hook("late", json!(2.0), 9),
        hook("middle", json!(1.5), 1),
        hook("early", json!(2), 3),
        hook("twin", json!(2), 3),
        hook("first", json!(-1), 7),
    ];
    for hook in &all {
        store.hooks().add(vec![hook.clone()]).await.expect("added");
    }
    assert_eq!(names(&store).await, "first middle early twin late last");
    let first = hooks(&store).await.remove(0);
    assert_eq!(first, all[5]);
}

async fn several_are_added_all_or_none(store: Store) {
    store.hooks().add(vec![hook("a", json!(0), 1)]).await.expect("added");
    let batch = vec![hook("b", json!(1), 1), hook("a", json!(2), 1), hook("c", json!(3), 1)];
    let error = store.hooks().add(batch).await.expect_err("taken");
    assert!(matches!(&error, Error::Taken(name) if name == "a"), "{error:?}");
    let twice = vec![hook("d", json!(1), 1), hook("d", json!(2), 1)];
    assert!(matches!(store.hooks().add(twice).await, Err(Error::Taken(_))));
    assert_eq!(names(&store).await, "a");
    store.hooks().add(vec![hook("b", json!(1), 1), hook("c", json!(2), 1)]).await.expect("added");
    assert_eq!(names(&store).await, "a b c");
}

async fn several_are_replaced_all_or_none(store: Store) {
    let before = vec![hook("a", json!(0), 1), hook("b", json!(1), 1), hook("c", json!(2), 1)];
    store.hooks().add(before.clone()).await.expect("added");
    let moved = |hook: &Hook, order: i64| Hook { execution_order: order.into(), ..hook.clone() };
    let unknown = vec![moved(&before[0], 9), hook("nobody", json!(1), 1)];
    let error = store.hooks().replace(unknown).await.expect_err("gone");
    assert!(matches!(&error, Error::Gone(id) if id == "id-nobody"), "{error:?}");
    assert_eq!(error.code(), model::Code::NotFound);
    let taken = vec![moved(&before[0], 9), Hook { name: "c".into(), ..before[1].clone() }];
    let error = store.hooks().replace(taken).await.expect_err("taken");
    assert!(matches!(&error, Error::Taken(name) if name == "c"), "{error:?}");
    let both = vec![Hook { name: "a".into(), ..hook("nobody", json!(1), 1) }];
    assert!(matches!(store.hooks().replace(both).await, Err(Error::Gone(_))));
    assert_eq!(hooks(&store).await, before);

    let turned: Vec<Hook> = before.iter().rev().zip(0..).map(|(hook, order)| moved(hook, order)).collect();
    store.hooks().replace(turned.clone()).await.expect("replaced");
    assert_eq!(hooks(&store).await, turned);
    let renamed = Hook { name: "z".into(), script: "return 1".into(), ..turned[0].clone() };
    store.hooks().replace(vec![renamed.clone()]).await.expect("replaced");
    assert_eq!(hooks(&store).await[0], renamed);
}

async fn a_removed_hook_is_gone_and_its_name_is_free(store: Store) {
    store.hooks().add(vec![hook("a", json!(0), 1), hook("b", json!(1), 1)]).await.expect("added");
    assert!(store.hooks().remove("id-a").await.expect("removed"));
    assert!(!store.hooks().remove("id-a").await.expect("nothing to remove"));
    assert!(!store.hooks().remove("' OR 1=1 --").await.expect("nothing to remove"));
    assert_eq!(names(&store).await, "b");
    store.hooks().add(vec![hook("a", json!(2), 1)]).await.expect("added again");
    assert_eq!(names(&store).await, "b a");
}

async fn of_many_hooks_of_one_name_exactly_one_is_kept(store: Store) {
    let adds: Vec<_> = (0..64)
        .map(|i| {
            let store = store.clone();
            let hook = Hook { id: format!("id-{i}"), ..hook("same", json!(i), 1) };
            tokio::spawn(async move { store.hooks().add(vec![hook.clone()]).await.map(|()| hook) })
        })
        .collect();
    let mut won = Vec::new();
    for add in adds {
        match add.await.expect("no panic") {
            Ok(hook) => won.push(hook),
            Err(error) => assert!(matches!(error, Error::Taken(_)), "{error}"),
        }
    }
    assert_eq!(won.len(), 1);
    assert_eq!(hooks(&store).await, won);
}

async fn every_field_and_every_character_of_a_hook_comes_back(store: Store) {
    let text = "日本 \u{1F600} e\u{301} \"\\/' \n\t\u{1}\0 \u{2028} %s ?1 $1";
    let full = Hook {
        name: text.into(),
        description: Some(text.into()),
        enabled: false,
        script: text.repeat(20_000),
        version: u64::MAX,
        updated_at: i64::MAX,
        ..hook("full", json!(1.5), i64::MIN)
    };
    store.hooks().add(vec![full.clone()]).await.expect("added");
    assert_eq!(hooks(&store).await, [full]);
}

contract! {
    hooks_come_back_in_the_order_in_which_they_run,
    several_are_added_all_or_none,
    several_are_replaced_all_or_none,
    a_removed_hook_is_gone_and_its_name_is_free,
    of_many_hooks_of_one_name_exactly_one_is_kept,
    every_field_and_every_character_of_a_hook_comes_back,
}
