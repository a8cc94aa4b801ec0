//! What was acknowledged survives `kill -9`, and nothing is kept in part.
//!
//! The test starts itself again as a child that adds servers from several tasks and prints each
//! name once its add has returned, or that edits all hooks at once, or that writes journals; the
//! acknowledgements are thus kept outside the store. The child is killed at an arbitrary moment,
//! and the file compared with what was printed.

mod sessions;

use lockgate_store::{Location, open};
use model::{Args, Hook, HookDraft, ServerEntry};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

const FILE: &str = "LOCKGATE_TEST_FILE";
const ROUND: &str = "LOCKGATE_TEST_ROUND";
const TASKS: usize = 6;
const ROUNDS: usize = 12;
const HOOKS: usize = 20;

fn entry(round: usize, task: usize, n: usize) -> ServerEntry {
    let args = Args::List(vec![format!("{n}-").repeat(50 * task + n % 40)]);
    let name = format!("r{round}-t{task}-n{n}");
    ServerEntry {
        args,
        ..serde_json::from_value(serde_json::json!({"name": name, "command": "c"})).expect("an entry")
    }
}

#[test]
fn what_was_acknowledged_survives_kill_9() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    if let (Ok(file), Ok(round)) = (std::env::var(FILE), std::env::var(ROUND)) {
        runtime.block_on(add_for_ever(Path::new(&file), round.parse().expect("a number")));
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("lockgate.db");
    let mut total = 0;
    for round in 0..ROUNDS {
        // Different lengths of life, from "just opened" on.
        let acknowledged = run_and_kill("what_was_acknowledged_survives_kill_9", &path, round, 1 + round * 7);
        total += acknowledged.len();
        runtime.block_on(check(&path, round, &acknowledged));
    }
    assert!(total >= ROUNDS, "the children did add: {total}");
}

async fn add_for_ever(path: &Path, round: usize) {
    let store = open(&Location::Sqlite(path.into())).await.expect("opened");
    let tasks: Vec<_> = (0..TASKS)
        .map(|task| {
            let store = store.clone();
            tokio::spawn(async move {
                for n in 0.. {
                    store.servers().add(entry(round, task, n)).await.expect("added");
                    let line = format!("\nack {task} {n}\n");
                    std::io::stdout().write_all(line.as_bytes()).expect("the parent reads");
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.expect("no panic");
    }
}

/// Kills the child after `limit` acknowledgements, and returns all that it made, also those
/// between the decision and the death.
fn run_and_kill(test: &str, path: &Path, round: usize, limit: usize) -> Vec<(usize, usize)> {
    let mut child = Command::new(std::env::current_exe().expect("this test"))
        .args(["--exact", test, "--nocapture"])
        .env(FILE, path)
        .env(ROUND, round.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .expect("started");
    let mut acknowledged = Vec::new();
    for line in BufReader::new(child.stdout.take().expect("piped")).split(b'\n') {
        let line = String::from_utf8(line.expect("read")).expect("text");
        let Some((task, n)) = line.strip_prefix("ack ").and_then(|rest| rest.split_once(' ')) else {
            continue;
        };
        acknowledged.push((task.parse().expect("a task"), n.parse().expect("a number")));
        if acknowledged.len() == limit {
            child.kill().expect("SIGKILL");
        }
    }
    let status = child.wait().expect("reaped");
    assert!(!status.success(), "the child was killed: {status}");
    acknowledged
}

/// Each task adds one after the other: the file holds everything up to its last acknowledgement,
/// and at most the one that was under way.
async fn check(path: &Path, round: usize, acknowledged: &[(usize, usize)]) {
    let store = open(&Location::Sqlite(path.into())).await.expect("opened after the kill");
    let kept = store.servers().list().await.expect("every definition is whole");
    for task in 0..TASKS {
        let acks = acknowledged.iter().filter(|(t, _)| *t == task).count();
        let prefix = format!("r{round}-t{task}-");
        let found: Vec<_> = kept.iter().map(|s| &s.entry).filter(|e| e.name.starts_with(&prefix)).collect();
        assert!((acks..=acks + 1).contains(&found.len()), "{prefix}: {acks} acknowledged, {}", found.len());
        for (n, found) in found.iter().enumerate() {
            assert_eq!(**found, entry(round, task, n));
        }
    }
    store.close().await;
    check_integrity(path);
}

fn check_integrity(path: &Path) {
    let state: String = rusqlite::Connection::open(path)
        .and_then(|c| c.query_row("PRAGMA integrity_check", (), |row| row.get(0)))
        .expect("checked");
    assert_eq!(state, "ok");
}

/// All hooks after edit `n`: each has the script of that edit, and their order has turned by one.
fn hooks_after(n: usize) -> Vec<Hook> {
    let hook = |i: usize| {
        let script = format!("return {n};{}", " ".repeat(300 * i));
        let body = serde_json::json!({"name": format!("h{i}"), "hookType": "both", "script": script});
        let draft = HookDraft::parse(&body).expect("a draft");
        Hook { version: n as u64, ..Hook::new(format!("id{i}"), draft, ((i + n) % HOOKS).into(), 0) }
    };
    let mut hooks: Vec<Hook> = (0..HOOKS).map(hook).collect();
    Hook::sort(&mut hooks);
    hooks
}

#[test]
fn an_edit_cut_short_by_kill_9_is_there_whole_or_not_at_all() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    if let Ok(file) = std::env::var(FILE) {
        runtime.block_on(edit_for_ever(Path::new(&file)));
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("lockgate.db");
    for round in 0..ROUNDS {
        let test = "an_edit_cut_short_by_kill_9_is_there_whole_or_not_at_all";
        let acknowledged = run_and_kill(test, &path, round, 1 + round * 3);
        let last = acknowledged.last().expect("the child did edit").1;
        runtime.block_on(async {
            let store = open(&Location::Sqlite(path.clone())).await.expect("opened after the kill");
            let kept = store.hooks().list().await.expect("every definition is whole");
            assert!(
                kept == hooks_after(last) || kept == hooks_after(last + 1),
                "round {round}: neither edit {last} nor the next: {kept:?}"
            );
            store.close().await;
        });
        check_integrity(&path);
    }
}

/// Goes on from the edit that the file holds.
async fn edit_for_ever(path: &Path) {
    let store = open(&Location::Sqlite(path.into())).await.expect("opened");
    let kept = store.hooks().list().await.expect("the list");
    if kept.is_empty() {
        store.hooks().add(hooks_after(0)).await.expect("added");
    }
    for n in kept.first().map_or(1, |hook| hook.version as usize + 1).. {
        store.hooks().replace(hooks_after(n)).await.expect("replaced");
        let line = format!("\nack 0 {n}\n");
        std::io::stdout().write_all(line.as_bytes()).expect("the parent reads");
    }
}
