//! Store and memory agree, counters survive edits, and a hook that keeps failing is tripped.

use super::*;
use model::{Code, HookDraft, HookPatch, OnError};
use sandbox::{ErrorCode, Limit, Report, ScriptError, Verdict};
use serde_json::{Value, json};
use store::Location;

async fn book() -> (Store, Book) {
    let store = store::open(&Location::Memory).await.expect("opened");
    let book = Book::load(&store).await.expect("loaded");
    (store, book)
}

fn hook(name: &str, extra: &Value) -> Hook {
    let mut body = json!({"name": name, "hookType": "pre", "script": "return"});
    body.as_object_mut().expect("a map").extend(extra.as_object().expect("a map").clone());
    Hook::new(format!("id-{name}"), HookDraft::parse(&body).expect("valid"), 0.into(), 1)
}

async fn change(
    book: &Book,
    decide: impl FnOnce(&Page) -> Result<Change, Fault>,
) -> Result<Arc<Page>, Setback> {
    // A store that is closed has no counts any more.
    let since = book.store.marks().read().await.unwrap_or_default();
    book.change(since, decide).await
}

fn fault(refused: Result<Arc<Page>, Setback>) -> Fault {
    match refused {
        Err(Setback::Refused(fault)) => fault,
        _ => panic!("not refused"),
    }
}

async fn add(book: &Book, hooks: Vec<Hook>) {
    change(book, |_| Ok(Change::Add(hooks))).await.expect("added");
}

async fn edit(book: &Book, name: &str, patch: &Value) {
    let patch = HookPatch::parse(patch).expect("valid");
    let decide = |page: &Page| Ok(Change::Edit(entry(page, name).hook.patched(patch, 1)));
    change(book, decide).await.expect("edited");
}

fn entry(page: &Page, name: &str) -> Arc<Entry> {
    page.get(&format!("id-{name}")).expect("it is there").clone()
}

fn names(entries: &[Arc<Entry>]) -> String {
    entries.iter().map(|entry| entry.hook.name.as_str()).collect::<Vec<_>>().join(" ")
}

fn report(verdict: Verdict) -> Report {
    Report { verdict, micros: 30, memory: 1000, console: Vec::new(), returned: None, changes: None }
}

fn failure(code: ErrorCode) -> Report {
    let limit = (code == ErrorCode::Timeout).then_some(Limit::Time);
    let error = ScriptError { code, message: "boom".into(), line: Some(3), column: Some(7), limit };
    report(Verdict::Failed(error))
}

fn success() -> Report {
    report(Verdict::Continue { changed: false })
}

#[tokio::test]
async fn each_phase_has_its_enabled_hooks_in_order() {
    let (_, book) = book().await;
    assert!(book.is_empty());
    let hooks = vec![
        hook("last", &json!({"executionOrder": 9})),
        hook("both", &json!({"executionOrder": 2, "hookType": "both"})),
        hook("off", &json!({"executionOrder": 1, "hookType": "both", "enabled": false})),
        hook("post", &json!({"executionOrder": 0.5, "hookType": "post"})),
    ];
    add(&book, hooks).await;
    let page = book.page();
    assert_eq!(names(page.all()), "post off both last");
    assert_eq!((names(page.pre()), names(page.post())), ("both last".into(), "post both".into()));
}

#[tokio::test]
async fn memory_shows_what_the_store_keeps_after_every_change() {
    let (store, book) = book().await;
    let agree = async |expected: &str| {
        let kept = store.hooks().list().await.expect("the list");
        let shown: Vec<Hook> = book.page().all().iter().map(|entry| entry.hook.clone()).collect();
        assert_eq!(kept, shown);
        assert_eq!(names(book.page().all()), expected);
        let again = Book::load(&store).await.expect("loaded");
        assert_eq!(names(again.page().all()), expected);
    };
    add(&book, vec![hook("a", &json!({"executionOrder": 0})), hook("b", &json!({"executionOrder": 1}))])
        .await;
    agree("a b").await;
    edit(&book, "a", &json!({"executionOrder": 2, "script": "return {}"})).await;
    agree("b a").await;
    let turn = |page: &Page| {
        let hooks = page.all().iter().rev().zip(0_u64..).map(|(e, n)| e.hook.moved(n.into(), 1));
        Ok(Change::Move(hooks.collect()))
    };
    change(&book, turn).await.expect("moved");
    agree("a b").await;
    change(&book, |_| Ok(Change::Remove("id-a".into()))).await.expect("removed");
    agree("b").await;

    let twin = Hook { id: "other".into(), ..hook("b", &json!({})) };
    let refusal = fault(change(&book, |_| Ok(Change::Add(vec![twin]))).await);
    assert_eq!((refusal.code, refusal.message.as_str()), (Code::Conflict, "Hook name 'b' is taken"));
    let gone = hook("nobody", &json!({}));
    let refusal = fault(change(&book, |_| Ok(Change::Edit(gone))).await);
    assert_eq!((refusal.code, refusal.message.as_str()), (Code::NotFound, "Hook 'id-nobody' not found"));
    agree("b").await;
    store.close().await;
    let refusal = fault(change(&book, |_| Ok(Change::Remove("id-b".into()))).await);
    assert_eq!(refusal.code, Code::InternalError);
    assert_eq!(names(book.page().all()), "b");
}

#[tokio::test]
async fn a_script_stays_the_same_until_its_text_changes() {
    let (_, book) = book().await;
    add(&book, vec![hook("a", &json!({}))]).await;
    let first = entry(&book.page(), "a");
    edit(&book, "a", &json!({"enabled": false})).await;
    let second = entry(&book.page(), "a");
    assert!(Arc::ptr_eq(&first.script, &second.script));
    assert_eq!((first.hook.version, second.hook.version), (1, 2));
    edit(&book, "a", &json!({"script": "return 1"})).await;
    let third = entry(&book.page(), "a");
    assert!(!Arc::ptr_eq(&second.script, &third.script));
    assert_eq!(&*third.script.source, "return 1");
}

#[tokio::test]
async fn counters_survive_an_edit() {
    let (_, book) = book().await;
    add(&book, vec![hook("a", &json!({}))]).await;
    let first = entry(&book.page(), "a");
    first.note(&success());
    first.note(&report(Verdict::Blocked));
    first.note(&failure(ErrorCode::Timeout));
    edit(&book, "a", &json!({"script": "return 1"})).await;
    // A call that began before the edit still counts.
    first.note(&failure(ErrorCode::ScriptError));
    let stats = entry(&book.page(), "a").stats();
    assert_eq!((stats.executions, stats.errors, stats.timeouts, stats.blocks), (4, 1, 1, 1));
    assert_eq!(stats.peak_memory, 1000);
    assert!((25..=50).contains(&stats.p50_us), "{}", stats.p50_us);
}

#[tokio::test]
async fn ten_failures_in_a_row_trip_a_hook_whose_failures_count_for_nothing() {
    let (_, book) = book().await;
    add(&book, vec![hook("a", &json!({})), hook("guard", &json!({"onError": "stop"}))]).await;
    let tripped = |name: &str| entry(&book.page(), name).is_tripped();
    let fail = |name: &str, times: usize| {
        (0..times).for_each(|_| entry(&book.page(), name).note(&failure(ErrorCode::ScriptError)));
    };
    fail("a", 9);
    entry(&book.page(), "a").note(&success());
    fail("a", 9);
    assert!(!tripped("a"), "a success in between starts the count anew");
    fail("a", 1);
    assert!(tripped("a"));
    assert!(!entry(&book.page(), "a").is_passed_over(), "it may yet block somebody else's call");
    entry(&book.page(), "a").note(&success());
    assert!(!tripped("a"), "it ended well");
    fail("a", 10);
    let last = entry(&book.page(), "a").last_error().expect("an error");
    assert_eq!((last.code.as_str(), last.message.as_str(), last.line), ("SCRIPT_ERROR", "boom", Some(3)));

    let place = |page: &Page| Ok(Change::Move(vec![entry(page, "a").hook.moved(7.into(), 1)]));
    change(&book, place).await.expect("moved");
    assert!(tripped("a"), "another place is no edit");
    entry(&book.page(), "a").reset();
    assert!(!tripped("a") && entry(&book.page(), "a").last_error().is_none());
    fail("a", 10);
    assert!(tripped("a"));
    edit(&book, "a", &json!({"script": "return 1"})).await;
    assert!(!tripped("a") && entry(&book.page(), "a").last_error().is_none());

    fail("guard", 50);
    assert_eq!(entry(&book.page(), "guard").hook.on_error, OnError::Stop);
    assert!(!tripped("guard"), "a guard goes on refusing");
}

#[tokio::test]
async fn ten_times_out_of_budget_in_a_row_and_a_hook_is_passed_over() {
    let (_, book) = book().await;
    add(&book, vec![hook("a", &json!({})), hook("guard", &json!({"onError": "stop"}))]).await;
    let passed = |name: &str| entry(&book.page(), name).is_passed_over();
    let fail = |name: &str, code: ErrorCode, times: usize| {
        (0..times).for_each(|_| entry(&book.page(), name).note(&failure(code)));
    };
    fail("a", ErrorCode::Timeout, 9);
    fail("a", ErrorCode::ScriptError, 1);
    fail("a", ErrorCode::Timeout, 9);
    assert!(!passed("a") && entry(&book.page(), "a").is_tripped(), "one in between cost nothing");
    fail("a", ErrorCode::Timeout, 1);
    assert!(passed("a"));
    entry(&book.page(), "a").reset();
    assert!(!passed("a"));
    let memory = |limit| ScriptError {
        code: ErrorCode::ScriptError,
        message: "much".into(),
        line: None,
        column: None,
        limit: Some(limit),
    };
    let note = |limit| entry(&book.page(), "a").note(&report(Verdict::Failed(memory(limit))));
    (0..20).for_each(|_| note(Limit::Output));
    assert!(!passed("a"), "what a script hands back costs no worker");
    (0..10).for_each(|_| note(Limit::Memory));
    assert!(passed("a"));
    edit(&book, "a", &json!({"script": "return 1"})).await;
    assert!(!passed("a"));
    fail("guard", ErrorCode::Timeout, 50);
    assert!(!passed("guard"), "a guard goes on refusing");
}
