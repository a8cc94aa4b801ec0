//! Sessions that this version recorded. Later versions must read them, and find the same sessions in them.
//!
//! Each `fixtures/<name>.jsonl` has a first line `{"id": …}` and then an event on each line; `<name>.json` is the
//! session that they make. `LOCKGATE_WRITE_FIXTURES=1` records them anew, which is right only before a version
//! is released; those of the gateway, which begin with `forked`, stay: the library has no graphs.

use crate::crash;
use crate::replay::{keep, reader};
use crate::support::*;
use libtest_mimic::Trial;
use lockgate_workflow::session::{
    Continue, InMemoryStore, SessionManager, SessionManagerOptions, SessionQuery, SqliteStore, Steps,
    WorkflowStore,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::Store;

/// Every kind of event.
const KINDS: [&str; 23] = [
    "started",
    "asked",
    "given",
    "chosen",
    "passed",
    "judged",
    "held",
    "allowed",
    "awaits",
    "came",
    "began",
    "failing",
    "nested",
    "did",
    "ended",
    "doubted",
    "completed",
    "failed",
    "cancelled",
    "undone",
    "paused",
    "resumed",
    "remembered",
];

pub(crate) fn tests() -> Vec<Trial> {
    vec![
        once("recorded_sessions_are_read_as_they_were", read),
        once("recorded_sessions_that_are_open_go_on", go_on),
    ]
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sessions/fixtures")
}

fn names() -> Vec<String> {
    let files = std::fs::read_dir(folder()).unwrap().map(|file| file.unwrap().path());
    let lines = files.filter(|path| path.extension().is_some_and(|end| end == "jsonl"));
    let mut names: Vec<String> =
        lines.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    names.sort();
    names
}

/// The id and the events of a fixture.
fn recorded(name: &str) -> (String, Vec<String>) {
    let text = std::fs::read_to_string(folder().join(format!("{name}.jsonl"))).unwrap();
    let mut lines = text.lines().map(str::to_owned);
    let first: Value = serde_json::from_str(&lines.next().unwrap()).unwrap();
    (first["id"].as_str().unwrap().to_owned(), lines.collect())
}

async fn read() {
    if std::env::var_os("LOCKGATE_WRITE_FIXTURES").is_some() {
        record().await;
    }
    let mut kinds = BTreeSet::new();
    for name in names() {
        let (id, events) = recorded(&name);
        let kind = |event: &String| {
            let event: Value = serde_json::from_str(event).unwrap();
            event["is"].as_str().unwrap().to_owned()
        };
        kinds.extend(events.iter().map(kind));
        let store = InMemoryStore::new();
        keep(store.journal(), &id, events).await;
        let found = reader(store.journal()).get(&id).await.unwrap();
        let expected = std::fs::read_to_string(folder().join(format!("{name}.json"))).unwrap();
        let expected: Value = serde_json::from_str(&expected).unwrap();
        assert_eq!(json!(found), expected, "{name}");
    }
    assert_eq!(kinds, KINDS.map(str::to_owned).into(), "every kind of event is recorded somewhere");
}

async fn go_on() {
    let (id, events) = recorded("calc-paused");
    let store = Arc::new(InMemoryStore::new());
    keep(store.journal(), &id, events).await;
    let options = SessionManagerOptions { store, ..SessionManagerOptions::default() };
    let manager = SessionManager::new(options);
    let workflow = calc().build(&manager).unwrap();
    let done = workflow.run_on(&id).await;
    // The row says `w`, as those of all fixtures; the events say `calc`.
    let done = done.unwrap();
    assert_eq!(structured(&done)["results"]["tag"]["got"], json!({"result": 200}));
}

/// Records all fixtures anew.
async fn record() {
    for file in std::fs::read_dir(folder()).unwrap().map(Result::unwrap) {
        if !file.file_name().to_string_lossy().starts_with("forked") {
            std::fs::remove_file(file.path()).unwrap();
        }
    }
    for variant in ["good", "undone"] {
        let place = tempfile::tempdir().unwrap();
        crash::finish(variant, place.path());
        write(variant, SqliteStore::open(place.path().join("x.db")).await.unwrap().journal()).await;
    }
    for cut in 1.. {
        let place = tempfile::tempdir().unwrap();
        if crash::cut(cut, place.path()) {
            break;
        }
        let store = SqliteStore::open(place.path().join("x.db")).await.unwrap();
        crash::take_up(&store, place.path()).await;
        let open = store.list_sessions(SessionQuery::default()).await.unwrap();
        if let Some(waiting) = open.iter().find_map(|session| session.waiting.as_ref()) {
            let word = json!(waiting)["for"].as_str().unwrap().to_owned();
            write(&format!("waiting-{word}"), store.journal()).await;
        }
        store.close().await;
    }
    calc_sessions().await;
}

async fn calc_sessions() {
    let desk = Desk::open(Kind::Memory).await;
    let calc = desk.build(calc());
    let begin = json!({"a": 5, "b": 3});
    let paused = id(&calc.start(begin.clone()).await.unwrap());
    let result = Some(json!({"result": 100}));
    desk.manager.set_memory(&paused, "note", json!("kept")).await.unwrap();
    calc.continue_session(&paused, result, Value::Null).await.unwrap();
    calc.pause(&paused).await.unwrap();
    let ended = id(&calc.start(begin).await.unwrap());
    calc.pause(&ended).await.unwrap();
    calc.continue_session(&ended, None, Value::Null).await.unwrap();
    calc.cancel(&ended).await.unwrap();
    let asked = id(&calc.start(json!({"a": 1, "b": 1})).await.unwrap());
    let request = Continue { session: Some(asked), steps: Steps::Most(2), ..Continue::default() };
    calc.continue_with(request).await.unwrap();
    write("calc", desk.store.journal()).await;
}

/// Writes the sessions of a store, each under its workflow and status.
async fn write(name: &str, store: &Store) {
    for kept in store.sessions().list(store::SessionFilter::default(), usize::MAX, 0).await.unwrap() {
        let session = reader(store).get(&kept.row.id).await.unwrap();
        let own = match session.workflow_name.as_str() {
            "calc" => format!("calc-{}", session.status),
            workflow => format!("{name}-{workflow}"),
        };
        let mut lines = vec![json!({"id": kept.row.id}).to_string()];
        lines.extend(kept.events);
        std::fs::write(folder().join(format!("{own}.jsonl")), lines.join("\n") + "\n").unwrap();
        let session = serde_json::to_string_pretty(&session).unwrap();
        std::fs::write(folder().join(format!("{own}.json")), session + "\n").unwrap();
    }
}
