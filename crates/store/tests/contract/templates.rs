//! The promises of the templates area.

use lockgate_store::{Error, Store, StoredTemplate};

fn template(id: &str) -> StoredTemplate {
    let body = format!(r#"{{"name":"the {id} 日本 ' ?1","n": 9007199254740993123, "x":1e2}}"#);
    StoredTemplate { id: id.into(), body, created_at: i64::MIN }
}

async fn all(store: &Store) -> Vec<StoredTemplate> {
    store.templates().list().await.expect("the list")
}

async fn templates_come_back_as_they_were_saved(store: Store) {
    assert!(all(&store).await.is_empty());
    let kept = [template("z"), template("a"), template("m")];
    for one in &kept {
        store.templates().add(one.clone()).await.expect("added");
    }
    assert_eq!(all(&store).await, kept);
    assert_eq!(store.templates().get("a").await.expect("read"), Some(template("a")));
    assert_eq!(store.templates().get("A").await.expect("read"), None);
}

async fn an_id_is_given_once(store: Store) {
    store.templates().add(template("a")).await.expect("added");
    let other = StoredTemplate { body: "{}".into(), ..template("a") };
    let error = store.templates().add(other).await.expect_err("taken");
    assert!(matches!(&error, Error::Taken(id) if id == "a"), "{error:?}");
    assert_eq!(all(&store).await, [template("a")]);
}

async fn a_removed_template_is_gone(store: Store) {
    store.templates().add(template("a")).await.expect("added");
    store.templates().add(template("b")).await.expect("added");
    assert!(store.templates().remove("a").await.expect("removed"));
    assert!(!store.templates().remove("a").await.expect("nothing to remove"));
    assert!(!store.templates().remove("' OR 1=1 --").await.expect("nothing to remove"));
    assert_eq!(all(&store).await, [template("b")]);
}

contract! {
    templates_come_back_as_they_were_saved,
    an_id_is_given_once,
    a_removed_template_is_gone,
}
