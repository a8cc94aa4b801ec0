//! What is particular to sessions in SQLite: a full disk, the plans of its queries, and the counts.

use super::super::{Sqlite, refused};
use crate::{Claim, Created, Error, SessionFilter, SessionLimits, SessionRow};
use rusqlite::ErrorCode;
use std::sync::Arc;

const FREE: SessionLimits =
    SessionLimits { most: u64::MAX, finished_before: i64::MIN, evict_open: false, since: None };
const TASKS: usize = 8;

fn row(id: &str) -> SessionRow {
    SessionRow { caller: "ann".into(), definition: "d1".into(), ..SessionRow::started(id, "calc", 1) }
}

async fn open(folder: &tempfile::TempDir) -> Arc<Sqlite> {
    Arc::new(Sqlite::open(&folder.path().join("x.db")).await.expect("opened"))
}

async fn set_pages(sqlite: &Sqlite, pages: u32) {
    let limit = sqlite
        .write(move |c| c.pragma_update(None, "max_page_count", pages).map_err(refused("limit", "x.db")));
    limit.await.expect("limited");
}

/// Appends from the event `at` on until the disk is full; returns how many events were acknowledged.
async fn fill(sqlite: Arc<Sqlite>, id: String, at: u64) -> u64 {
    for at in (at..).step_by(2) {
        let done =
            sqlite.append_to_session(row(&id), at, vec!["e".repeat(300), "f".repeat(300)], Claim::Free).await;
        match done {
            Ok(done) => assert!(done, "{id} at {at}"),
            Err(Error::Database { cause: source, .. }) => {
                assert_eq!(source.sqlite_error_code(), Some(ErrorCode::DiskFull), "{source}");
                return at;
            }
            Err(other) => panic!("{other}"),
        }
    }
    unreachable!("the disk is finite")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_takes_nothing_that_was_acknowledged_and_appends_go_on_when_there_is_room() {
    let folder = tempfile::tempdir().expect("a folder");
    let sqlite = open(&folder).await;
    for task in 0..TASKS {
        let made = sqlite
            .create_session(row(&format!("s{task}")), None, vec![], FREE, Claim::Free)
            .await
            .expect("created");
        assert_eq!(made, Created::Made);
    }
    let mut ends = vec![0; TASKS];
    for pages in [120, 200] {
        set_pages(&sqlite, pages).await;
        let tasks: Vec<_> = ends
            .iter()
            .enumerate()
            .map(|(task, &at)| tokio::spawn(fill(Arc::clone(&sqlite), format!("s{task}"), at)))
            .collect();
        for (task, end) in tasks.into_iter().zip(&mut ends) {
            let last = task.await.expect("no panic");
            assert!(last > *end, "there was room for some");
            *end = last;
        }
        for (task, &end) in ends.iter().enumerate() {
            let kept = sqlite.session_events(&format!("s{task}"), 0).await.expect("a full disk can be read");
            assert_eq!(
                kept.map(|kept| kept.len() as u64),
                Some(end),
                "what was refused is not there, what was acknowledged is"
            );
        }
    }
    let state = sqlite.read(|c| {
        c.query_row("PRAGMA integrity_check", (), |row| row.get::<_, String>(0))
            .map_err(refused("check", "x.db"))
    });
    assert_eq!(state.await.expect("checked"), "ok");
    sqlite.close().await;
}

/// The plan of a query, as SQLite explains it.
async fn plan(sqlite: &Sqlite, sql: &'static str) -> String {
    let lines = sqlite.read(move |c| {
        let mut statement =
            c.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).map_err(refused("explain", "x.db"))?;
        let lines =
            statement.query_map([], |row| row.get::<_, String>(3)).map_err(refused("explain", "x.db"))?;
        lines.collect::<Result<Vec<_>, _>>().map_err(refused("explain", "x.db"))
    });
    lines.await.expect("explained").join("; ")
}

#[tokio::test]
async fn lists_and_timers_use_an_index_and_sort_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let sqlite = open(&folder).await;
    let cases = [
        ("SELECT * FROM sessions WHERE 1 ORDER BY started_at DESC, id LIMIT 50", "sessions_by_start"),
        (
            "SELECT * FROM sessions WHERE workflow = 'w' ORDER BY started_at DESC, id LIMIT 50",
            "sessions_by_workflow",
        ),
        (
            "SELECT * FROM sessions WHERE status = 's' ORDER BY started_at DESC, id LIMIT 50",
            "sessions_by_status",
        ),
        (
            "SELECT * FROM sessions WHERE caller = 'c' ORDER BY started_at DESC, id LIMIT 50",
            "sessions_by_caller",
        ),
        (
            "SELECT * FROM sessions WHERE parent = 'p' ORDER BY started_at DESC, id LIMIT 50",
            "sessions_by_parent",
        ),
        (
            "SELECT id FROM sessions WHERE open AND workflow = 'w' AND caller = 'c'
             ORDER BY started_at DESC, id LIMIT 50",
            "sessions_open",
        ),
        (
            "SELECT id FROM sessions WHERE due IS NOT NULL AND due <= 5 ORDER BY due, id LIMIT 9",
            "sessions_due",
        ),
        ("SELECT id FROM sessions WHERE waiting = 'w' ORDER BY started_at, id LIMIT 9", "sessions_waiting"),
        ("SELECT number FROM sessions WHERE NOT open ORDER BY completed_at, id LIMIT 1", "sessions_finished"),
        ("SELECT count(*) FROM sessions WHERE definition = 'd' AND open = 1", "sessions_by_definition"),
    ];
    for (sql, index) in cases {
        let plan = plan(&sqlite, sql).await;
        assert!(plan.contains(index) && !plan.contains("TEMP B-TREE"), "{sql}: {plan}");
    }
    sqlite.close().await;
}

#[tokio::test]
async fn the_counts_are_those_of_the_sessions() {
    let folder = tempfile::tempdir().expect("a folder");
    let sqlite = open(&folder).await;
    let limits = SessionLimits { most: 12, ..FREE };
    for i in 0..40 {
        let one = SessionRow { workflow: format!("w{}", i % 3), started_at: i, ..row(&format!("s{i}")) };
        sqlite.create_session(one.clone(), None, vec![], limits, Claim::Free).await.expect("answered");
        let open = i % 4 == 0;
        let status = if open { "paused" } else { "completed" };
        let one = SessionRow { status: status.into(), open, completed_at: Some(i), ..one };
        sqlite.append_to_session(one, 0, vec!["{}".into()], Claim::Free).await.expect("answered");
    }
    let counted = sqlite.read(|c| {
        let differs = "SELECT count(*) FROM (
            SELECT workflow, status, open, count(*) AS n FROM sessions GROUP BY 1, 2, 3
            EXCEPT SELECT workflow, status, open, sessions FROM session_counts WHERE sessions <> 0)";
        let strays = "SELECT count(*) FROM session_events WHERE session NOT IN (SELECT number FROM sessions)";
        let ask = |sql| c.query_row(sql, (), |row| row.get::<_, i64>(0)).map_err(refused("count", "x.db"));
        Ok((ask(differs)?, ask(strays)?, ask("SELECT sum(sessions) FROM session_counts")?))
    });
    let all = sqlite.count_sessions(SessionFilter::default()).await.expect("a count") as i64;
    assert_eq!(counted.await.expect("counted"), (0, 0, all));
    assert_eq!(
        sqlite.list_sessions(SessionFilter::default(), 99, 0).await.expect("the list").len() as i64,
        all
    );
    sqlite.close().await;
}
