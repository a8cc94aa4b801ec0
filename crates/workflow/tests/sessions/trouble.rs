//! A full disk, a locked database, and a step that kills its process.

use crate::support::*;
use libtest_mimic::Trial;
use lockgate_workflow::session::{
    ActivityBuilder, ActivityContext, ActivityResult, Continue, Effect, Retry, SessionManager,
    SessionManagerOptions, SessionStatus, SqliteStore, Start, Step, Waiting, Workflow,
};
use rustix::fs::{FlockOperation, fcntl_lock};
use rustix::process::{Resource, Rlimit, setrlimit};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Names the variable that makes this binary do one of these things in a process of its own.
pub(crate) const CHILD: &str = "LOCKGATE_TROUBLE_CHILD";

/// Three attempts without waits.
const AT_ONCE: Retry = Retry { max_attempts: 3, backoff_ms: 0, hooks_per_attempt: false };

/// How a process ends that its step killed.
const KILLED: i32 = 98;

pub(crate) fn tests() -> Vec<Trial> {
    vec![
        once("a_full_disk_loses_nothing_and_sessions_go_on_later", full_disk),
        once("a_locked_database_loses_nothing_and_sessions_go_on_later", locked),
        once("a_locked_database_fails_no_session_that_runs_another", locked_child),
        once("whoever_only_looks_at_a_session_is_told_of_reading", unread),
        once("somebody_is_asked_about_a_step_that_keeps_killing_its_process", poison),
        once("somebody_is_asked_about_a_later_attempt_that_killed_the_process", killed_later),
    ]
}

/// Does what the environment asks for.
pub(crate) fn live(told: &str) {
    let (what, folder) = told.split_once(' ').unwrap();
    let folder = Path::new(folder);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    match what {
        "full" => runtime.block_on(fill(folder)),
        "lock" => hold(folder),
        "once" => runtime.block_on(tried_once(folder)),
        _ => runtime.block_on(poisoned(folder, what == "later")),
    }
}

fn child(what: &str, folder: &Path) -> Command {
    // A limit on the size of files comes with a signal that must not end the process.
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' XFSZ; exec \"$0\""]).arg(std::env::current_exe().unwrap());
    command.env(CHILD, format!("{what} {}", folder.display()));
    command
}

async fn open(folder: &Path) -> SessionManager {
    let store = Arc::new(SqliteStore::open(folder.join("x.db")).await.unwrap());
    SessionManager::new(SessionManagerOptions { store, ..SessionManagerOptions::default() })
}

/// Steps that must not run twice, with an output that takes room.
fn large(runs: &Arc<AtomicUsize>) -> lockgate_workflow::session::WorkflowBuilder {
    let step = |name: &str| {
        let runs = Arc::clone(runs);
        let run = move |_: &mut ActivityContext| {
            runs.fetch_add(1, Ordering::SeqCst);
            ActivityResult::success(json!({"text": "x".repeat(20_000)}))
        };
        Step::new(ActivityBuilder::new(name).effect(Effect::Once).compute(run).unwrap())
    };
    Workflow::builder("large").step(step("a")).step(step("b")).step(step("c"))
}

fn limit_files(bytes: Option<u64>) {
    setrlimit(Resource::Fsize, Rlimit { current: bytes, maximum: None }).unwrap();
}

const NOT_RECORDED: &str = "The session could not be recorded, so nothing was done; the log says why";

/// In a process of its own: sessions until the disk is full, then again with room.
async fn fill(folder: &Path) {
    let manager = open(folder).await;
    let runs = Arc::new(AtomicUsize::new(0));
    let workflow = large(&runs).build(&manager).unwrap();
    let mut sessions = vec![id(&workflow.start(json!({})).await.unwrap())];
    limit_files(Some(1_500_000));
    let error = loop {
        match workflow.start(json!({"text": "x".repeat(20_000)})).await {
            Ok(reply) => sessions.push(id(&reply)),
            Err(error) => break error,
        }
        assert!(sessions.len() < 1000, "the disk does not get full");
    };
    assert_eq!(error.to_string(), NOT_RECORDED);
    let before = runs.load(Ordering::SeqCst);
    let error = workflow.continue_session(&sessions[0], None, Value::Null).await.unwrap_err();
    assert_eq!(error.to_string(), NOT_RECORDED);
    assert_eq!(runs.load(Ordering::SeqCst), before, "nothing runs that could not be recorded before");
    assert_eq!(manager.get(&sessions[0]).await.unwrap().history.len(), 1);
    limit_files(None);
    let reply = workflow.continue_session(&sessions[0], None, Value::Null).await.unwrap();
    assert!(said(&reply)["message"].as_str().unwrap().starts_with("Step 1 (b) completed"), "{}", reply.text);
    assert_eq!(runs.load(Ordering::SeqCst), before + 1);
    std::fs::write(folder.join("acknowledged"), sessions.join("\n")).unwrap();
    manager.close().await;
}

async fn full_disk() {
    let folder = tempfile::tempdir().unwrap();
    let out = child("full", folder.path()).output().unwrap();
    assert!(out.status.success(), "{}\n{}", out.status, String::from_utf8_lossy(&out.stderr));
    let manager = open(folder.path()).await;
    let workflow = large(&Arc::default()).build(&manager).unwrap();
    let acknowledged = std::fs::read_to_string(folder.path().join("acknowledged")).unwrap();
    assert!(acknowledged.lines().count() > 2, "{acknowledged}");
    for session in acknowledged.lines() {
        assert!(!manager.get(session).await.unwrap().history.is_empty());
        let done = workflow.run_on(session).await.unwrap();
        assert_eq!(structured(&done)["status"], "completed");
    }
    manager.close().await;
}

/// In a process of its own: keeps writers out of the database until its input ends.
fn hold(folder: &Path) {
    // Writers take an exclusive lock on a part of this file, readers a shared one.
    let file = std::fs::File::options().read(true).write(true).open(folder.join("x.db-shm")).unwrap();
    fcntl_lock(&file, FlockOperation::LockShared).unwrap();
    std::io::stdout().write_all(b"held\n").unwrap();
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
}

async fn locked() {
    let desk = Desk::open(Kind::Sqlite).await;
    let runs = Arc::new(AtomicUsize::new(0));
    let workflow = desk.build(large(&runs));
    let session = id(&workflow.start(json!({})).await.unwrap());
    let mut holder = lock(desk.folder.path());
    let error = workflow.continue_session(&session, None, Value::Null).await.unwrap_err();
    assert_eq!(error.to_string(), NOT_RECORDED);
    assert_eq!(runs.load(Ordering::SeqCst), 1, "nothing runs that could not be recorded before");
    drop(holder.stdin.take());
    assert!(holder.wait().unwrap().success());
    let done = workflow.run_on(&session).await.unwrap();
    assert_eq!(structured(&done)["status"], "completed");
    assert_eq!(runs.load(Ordering::SeqCst), 3);
}

/// Keeps writers out of the database of a desk until the input of this is dropped and it ends.
fn lock(folder: &Path) -> std::process::Child {
    let mut holder = child("lock", folder);
    let mut holder = holder.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(holder.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "held\n");
    holder
}

async fn locked_child() {
    let desk = Desk::open(Kind::Sqlite).await;
    let holder = Arc::new(Mutex::new(None));
    let build = |desk: &Desk, runs: usize| {
        let (folder, holder) = (desk.folder.path().to_owned(), Arc::clone(&holder));
        let run = move |_: &mut ActivityContext| {
            // What comes of the first run cannot be recorded.
            if runs == 0 {
                holder.lock().unwrap().replace(lock(&folder));
            }
            ActivityResult::success(json!({"runs": runs + 1}))
        };
        let run = ActivityBuilder::new("run").effect(Effect::Repeatable).compute(run).unwrap();
        desk.build(Workflow::builder("inner").step(Step::new(run)));
        let nest = Step::new(desk.manager.workflow_activity("nest", "inner"));
        desk.build(Workflow::builder("outer").step(nest))
    };
    let outer = build(&desk, 0);
    let call = tokio::spawn(async move { outer.start(json!({})).await });
    // The session that runs as a step gives up after five seconds; then there is room again.
    tokio::time::sleep(Duration::from_millis(7500)).await;
    let mut held = holder.lock().unwrap().take().expect("it ran");
    drop(held.stdin.take());
    assert!(held.wait().unwrap().success());
    let error = call.await.unwrap().unwrap_err().to_string();
    assert!(error.starts_with("The step was run, but its end could not be recorded"), "{error}");
    let desk = desk.restart().await;
    let outer = build(&desk, 1);
    desk.manager.recover().await.unwrap();
    let deadline = Instant::now() + Duration::from_secs(10);
    let session = loop {
        let session = outer.sessions().await.unwrap().pop().unwrap();
        if !session.status.is_open() {
            break session;
        }
        assert!(Instant::now() < deadline, "{session:?}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    };
    assert_eq!((session.status, session.error), (SessionStatus::Completed, None));
    assert_eq!(session.memory.get("nest"), Some(&json!({"runs": 2})));
}

async fn unread() {
    let desk = Desk::open(Kind::Sqlite).await;
    let workflow = desk.build(calc());
    let session = id(&workflow.start(json!({"a": 1, "b": 2})).await.unwrap());
    desk.manager.close().await;
    let error = workflow.status(&session).await.unwrap_err();
    assert_eq!(error.to_string(), "The session could not be read; the log says why");
    let error = workflow.continue_session(&session, None, Value::Null).await.unwrap_err();
    assert_eq!(error.to_string(), NOT_RECORDED);
}

/// In a process of its own: takes up a session whose step kills the process, with its first attempt or a later one,
/// unless somebody is asked.
async fn poisoned(folder: &Path, later: bool) {
    let manager = open(folder).await;
    let kills = move |context: &mut ActivityContext| match later && context.attempt == 0 {
        true => ActivityResult::failure("not yet"),
        false => std::process::exit(KILLED),
    };
    let kills =
        ActivityBuilder::new("kills").effect(Effect::Repeatable).retry(AT_ONCE).compute(kills).unwrap();
    let calc = calc().build(&manager).unwrap();
    let workflow = Workflow::builder("poison").step(Step::new(kills)).build(&manager).unwrap();
    let healthy = calc.start(json!({"a": 1, "b": 2})).await.unwrap();
    assert!(!healthy.is_error, "others are not harmed");
    manager.recover().await.unwrap();
    let start = Start { key: Some("the one".into()), input: json!({}), ..Start::default() };
    let reply = workflow.start_with(start).await.unwrap();
    let asked = structured(&reply);
    assert_eq!(asked["waiting"]["for"], "uncertain", "{asked}");
    assert_eq!(asked["nextStepOptions"].as_array().unwrap().len(), 3);
    let session = manager.get(asked["sessionId"].as_str().unwrap()).await.unwrap();
    assert!(matches!(session.waiting, Some(Waiting::Uncertain { .. })));
    let resolve = Some("done".to_owned());
    let session = Some(session.session_id);
    let done = workflow.continue_with(Continue { session, resolve, ..Continue::default() }).await.unwrap();
    assert_eq!(structured(&done)["status"], "completed");
    manager.close().await;
}

/// Lives that their step ends, and one that comes to its end.
fn lives(what: &str, killed: usize) {
    let folder = tempfile::tempdir().unwrap();
    for life in 1..=killed {
        let out = child(what, folder.path()).output().unwrap();
        assert_eq!(out.status.code(), Some(KILLED), "life {life}: {}", String::from_utf8_lossy(&out.stderr));
    }
    let out = child(what, folder.path()).output().unwrap();
    assert!(out.status.success(), "{}\n{}", out.status, String::from_utf8_lossy(&out.stderr));
}

async fn poison() {
    ["poison", "later"].into_iter().for_each(|what| lives(what, 3));
}

/// In a process of its own: a step that must not be repeated fails, kills the process with its second attempt, and
/// succeeds with the third, which nobody makes unasked.
async fn tried_once(folder: &Path) {
    let (manager, tried) = (open(folder).await, folder.join("tried"));
    let runs = move || std::fs::read_to_string(&tried).unwrap_or_default().len();
    let (counted, noted) = (runs.clone(), folder.join("tried"));
    let run = move |_: &mut ActivityContext| {
        std::fs::write(&noted, "x".repeat(counted() + 1)).unwrap();
        match counted() {
            1 => ActivityResult::failure("not yet"),
            2 => std::process::exit(KILLED),
            _ => ActivityResult::success(json!({})),
        }
    };
    let run = ActivityBuilder::new("charge").effect(Effect::Once).retry(AT_ONCE).compute(run).unwrap();
    let workflow = Workflow::builder("once").step(Step::new(run)).build(&manager).unwrap();
    manager.recover().await.unwrap();
    let start = Start { key: Some("the one".into()), input: json!({}), ..Start::default() };
    let asked = structured(&workflow.start_with(start).await.unwrap());
    assert_eq!((&asked["waiting"]["for"], runs()), (&json!("uncertain"), 2), "{asked}");
    let (session, resolve) = (asked["sessionId"].as_str().map(str::to_owned), Some("retry".to_owned()));
    let done = workflow.continue_with(Continue { session, resolve, ..Continue::default() }).await.unwrap();
    assert_eq!((structured(&done)["status"].clone(), runs()), (json!("completed"), 3));
    manager.close().await;
}

async fn killed_later() {
    lives("once", 1);
}
