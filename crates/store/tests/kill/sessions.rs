//! Journals of sessions under `kill -9`: every acknowledged event is there, and no journal has a gap.
//!
//! Two writers compete for each session, so that an acknowledgement also says who won its place.

use super::{FILE, ROUND, ROUNDS, check_integrity, run_and_kill};
use lockgate_store::{Claim, Created, Location, SessionLimits, SessionRow, Store, open};
use std::io::Write;
use std::path::Path;

const SESSIONS: usize = 4;
const WRITERS: usize = 2;
const FREE: SessionLimits =
    SessionLimits { most: u64::MAX, finished_before: i64::MIN, evict_open: false, since: None };

/// The row of a session that has this many events: which columns change goes in turns.
fn row(round: usize, session: usize, events: usize) -> SessionRow {
    let turn = events % 4;
    SessionRow {
        status: if turn == 3 { "paused" } else { "running" }.into(),
        updated_at: events as i64,
        waiting: (turn == 1).then(|| "approval".into()),
        due: (turn == 2).then_some(events as i64),
        ..SessionRow::started(&format!("r{round}-s{session}"), "calc", 0)
    }
}

fn event(seq: usize, writer: usize) -> String {
    format!("{seq} {writer} {}", "x".repeat(seq * 37 % 700))
}

#[test]
fn every_acknowledged_event_survives_kill_9_and_no_journal_has_a_gap() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    if let (Ok(file), Ok(round)) = (std::env::var(FILE), std::env::var(ROUND)) {
        runtime.block_on(write_for_ever(Path::new(&file), round.parse().expect("a number")));
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("lockgate.db");
    for round in 0..ROUNDS {
        let test = "sessions::every_acknowledged_event_survives_kill_9_and_no_journal_has_a_gap";
        let acknowledged = run_and_kill(test, &path, round, 1 + round * 23);
        runtime.block_on(check(&path, round, &acknowledged));
        check_integrity(&path);
        check_tables(&path);
    }
}

async fn write_for_ever(path: &Path, round: usize) {
    let store = open(&Location::Sqlite(path.into())).await.expect("opened");
    let mut tasks = Vec::new();
    for session in 0..SESSIONS {
        let made = store.sessions().create(row(round, session, 0), None, Vec::new(), FREE, Claim::Free).await;
        assert_eq!(made.expect("created"), Created::Made);
        tasks.extend((0..WRITERS).map(|writer| tokio::spawn(write(store.clone(), round, session, writer))));
    }
    for task in tasks {
        task.await.expect("no panic");
    }
}

/// Appends one to three events at a time wherever the journal ends, and prints each that was acknowledged.
async fn write(store: Store, round: usize, session: usize, writer: usize) {
    let mut at = 0;
    loop {
        let end = at + 1 + at % 3;
        let events = (at..end).map(|seq| event(seq, writer)).collect();
        let won = store
            .sessions()
            .append(row(round, session, end), at as u64, events, Claim::Free)
            .await
            .expect("answered");
        if won {
            let lines: String =
                (at..end).map(|seq| format!("\nack {session} {}\n", seq * WRITERS + writer)).collect();
            std::io::stdout().write_all(lines.as_bytes()).expect("the parent reads");
        }
        let id = row(round, session, 0).id;
        at += store.sessions().events_after(&id, at as u64).await.expect("read").expect("it is there").len();
    }
}

async fn check(path: &Path, round: usize, acknowledged: &[(usize, usize)]) {
    let store = open(&Location::Sqlite(path.into())).await.expect("opened after the kill");
    for session in 0..SESSIONS {
        let id = row(round, session, 0).id;
        let kept = store.sessions().get(&id).await.expect("read");
        let acks: Vec<_> = acknowledged.iter().filter(|(s, _)| *s == session).map(|(_, n)| *n).collect();
        let Some(kept) = kept else {
            assert!(acks.is_empty(), "{id} was acknowledged");
            continue;
        };
        for n in acks {
            assert_eq!(kept.events.get(n / WRITERS), Some(&event(n / WRITERS, n % WRITERS)), "{id}");
        }
        assert_eq!(kept.row, row(round, session, kept.events.len()), "the row is that of the last event");
        for (seq, found) in kept.events.iter().enumerate() {
            assert!((0..WRITERS).any(|writer| *found == event(seq, writer)), "{id} {seq}: {found}");
        }
    }
    store.close().await;
}

/// What the area does not show: the numbers of the events, and the counts beside them.
fn check_tables(path: &Path) {
    let connection = rusqlite::Connection::open(path).expect("a look from outside");
    let ask = |sql| connection.query_row(sql, (), |row| row.get::<_, i64>(0)).expect("an answer");
    let gaps = "SELECT count(*) FROM sessions JOIN (
            SELECT session, count(*) AS n, min(seq) AS low, max(seq) AS high FROM session_events GROUP BY session
        ) ON session = number WHERE n <> events OR low <> 0 OR high <> n - 1";
    assert_eq!(ask(gaps), 0, "journals with a gap");
    let counts =
        "SELECT count(*) FROM (SELECT workflow, status, open, count(*) FROM sessions GROUP BY 1, 2, 3
        EXCEPT SELECT * FROM session_counts)";
    assert_eq!(ask(counts), 0, "wrong counts");
}
