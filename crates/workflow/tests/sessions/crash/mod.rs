//! The crash harness: the process ends after everything that a session tells, one point after the other, begins
//! again, and is driven to the end. The end must be that of a run which nobody disturbed, and effects that must
//! happen once happen once.

mod client;
mod world;

use libtest_mimic::Trial;
use lockgate_workflow::session::{SessionManager, SessionManagerOptions, SqliteStore};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

/// Names the variable that makes this binary live one life of the harness.
pub(crate) const CHILD: &str = "LOCKGATE_CRASH_CHILD";

/// How a life ends that was cut short.
const CUT: i32 = 99;

/// Each variant is spread over that many tests.
const PARTS: usize = 6;

pub(crate) fn tests() -> Vec<Trial> {
    let mut all = Vec::new();
    for variant in ["good", "undone"] {
        for part in 0..PARTS {
            let name =
                format!("whenever_the_process_ends_the_{variant}_workflow_comes_to_the_same_end_{part}");
            all.push(Trial::test(name, move || {
                every_point(variant, part);
                Ok(())
            }));
        }
        let name = format!("a_process_that_keeps_ending_brings_the_{variant}_workflow_to_the_same_end");
        all.push(Trial::test(name, move || {
            again_and_again(variant);
            Ok(())
        }));
    }
    all
}

/// Lives the life that the environment asks for.
pub(crate) fn live(told: &str) {
    let mut words = told.splitn(3, ' ');
    let mut word = || words.next().unwrap().to_owned();
    let (variant, cut, folder) = (word(), word().parse().unwrap(), word());
    client::live(&variant, cut, Path::new(&folder));
}

/// One life; says whether it came to the end by itself.
fn life(variant: &str, cut: usize, folder: &Path) -> bool {
    let told = format!("{variant} {cut} {}", folder.display());
    let out = Command::new(std::env::current_exe().unwrap()).env(CHILD, told).output().unwrap();
    match out.status.code() {
        Some(0) => true,
        Some(CUT) => false,
        _ => panic!("life {variant} {cut}: {}\n{}", out.status, String::from_utf8_lossy(&out.stderr)),
    }
}

/// Brings a variant to its end without a crash.
pub(crate) fn finish(variant: &str, folder: &Path) {
    assert!(life(variant, usize::MAX, folder));
}

/// Ends the good variant at a point; says whether it came to the end before.
pub(crate) fn cut(cut: usize, folder: &Path) -> bool {
    life("good", cut, folder)
}

/// Takes up what a process left, as the next one does, and no more.
pub(crate) async fn take_up(store: &SqliteStore, folder: &Path) {
    let store = Arc::new(store.clone());
    let manager = SessionManager::new(SessionManagerOptions { store, ..SessionManagerOptions::default() });
    world::outer(&manager, &world::Effects::new(folder), "good");
    manager.recover().await.unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
}

/// What a run left behind: its sessions without times and ids, and how often each effect happened.
struct Left {
    sessions: Value,
    effects: BTreeMap<String, usize>,
}

fn left(folder: &Path) -> Left {
    let sessions = std::fs::read_to_string(folder.join("end.json")).unwrap();
    let mut effects = BTreeMap::new();
    for line in std::fs::read_to_string(folder.join("effects")).unwrap().lines() {
        *effects.entry(line.to_owned()).or_default() += 1;
    }
    Left { sessions: serde_json::from_str(&sessions).unwrap(), effects }
}

/// A run that nobody disturbs.
fn undisturbed(variant: &str) -> Left {
    let folder = tempfile::tempdir().unwrap();
    assert!(life(variant, usize::MAX, folder.path()));
    let left = left(folder.path());
    let expected = if variant == "good" { "completed" } else { "failed" };
    assert_eq!(left.sessions[0]["status"], expected, "{}", left.sessions);
    left
}

fn compare(variant: &str, cut: usize, expected: &Left, folder: &Path) {
    let found = left(folder);
    assert_eq!(found.sessions, expected.sessions, "{variant}, cut at {cut}");
    let once = world::once(variant);
    for effect in expected.effects.keys() {
        let times = found.effects.get(effect).copied().unwrap_or(0);
        match once.contains(&effect.as_str()) {
            true => assert_eq!(times, 1, "{variant}, cut at {cut}: {effect} must happen once"),
            false => assert!(times >= 1, "{variant}, cut at {cut}: {effect} must happen"),
        }
    }
    assert!(once.iter().all(|effect| expected.effects.contains_key(*effect)), "{:?}", expected.effects);
}

/// Ends the process at every `PARTS`-th point.
fn every_point(variant: &str, part: usize) {
    let expected = undisturbed(variant);
    let mut points = 0;
    for cut in (part + 1..).step_by(PARTS) {
        let folder = tempfile::tempdir().unwrap();
        if life(variant, cut, folder.path()) {
            break;
        }
        points += 1;
        assert!(life(variant, usize::MAX, folder.path()));
        compare(variant, cut, &expected, folder.path());
    }
    assert!(points > 3, "there are more points than {points}");
}

/// Ends every process after a few points, until one gets to the end.
fn again_and_again(variant: &str) {
    let expected = undisturbed(variant);
    for cut in [9, 11, 14] {
        let folder = tempfile::tempdir().unwrap();
        let lives = (1..200).find(|_| life(variant, cut, folder.path()));
        assert!(lives.is_some_and(|lives| lives > 2), "{variant}, always cut at {cut}: {lives:?} lives");
        compare(variant, cut, &expected, folder.path());
    }
}

/// A value without times, and with names in the place of ids.
fn plain(value: &Value, ids: &[(String, &str)]) -> Value {
    const TIMES: [&str; 5] = ["startedAt", "completedAt", "timestamp", "since", "expiresAt"];
    match value {
        Value::Object(map) => {
            let all = map.iter().map(|(key, value)| {
                let value = if TIMES.contains(&key.as_str()) { json!(0) } else { plain(value, ids) };
                (key.clone(), value)
            });
            Value::Object(all.collect())
        }
        Value::Array(items) => items.iter().map(|item| plain(item, ids)).collect(),
        Value::String(text) => {
            let named = ids.iter().find(|(id, _)| id == text).map(|(_, name)| *name);
            named.unwrap_or(text).into()
        }
        other => other.clone(),
    }
}
