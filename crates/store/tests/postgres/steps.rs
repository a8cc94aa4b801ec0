//! What a step of a session costs the database.

use super::{open_url, session, started};
use databases::Postgres;
use lockgate_store::{AT_WORK, Claim, Error, Lease, Store};
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::time::Duration;
use tokio::task::JoinHandle;

/// Counts arrive when the connections that made them are gone.
async fn count(server: &Postgres, name: &str, column: &str, least: u64) -> u64 {
    let sql = format!("SELECT {column} FROM pg_stat_user_tables WHERE relname = 'sessions'");
    for _ in 0..300 {
        let count = server.psql(name, &sql).parse().expect("a number");
        if count >= least {
            return count;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("the database does not say how often it wrote");
}

#[tokio::test]
async fn a_step_touches_no_index() {
    const STEPS: u64 = 200;
    let server = Postgres::shared();
    let database = server.database();
    let name = database.url.rsplit('/').next().expect("a name");
    let store = open_url(&database.url).await.expect("opened");
    let sessions = store.sessions();
    for id in ["a", "b"] {
        started(&store, session(id)).await;
    }
    let claims = [(Some(AT_WORK), Claim::Take(Lease { holder: "x".into(), ms: 1000 })), (None, Claim::Free)];
    for at in 0..STEPS {
        let (word, claim) = claims[usize::try_from(at % 2).expect("small")].clone();
        for id in ["a", "b"] {
            let row = lockgate_store::SessionRow { waiting: word.map(Into::into), ..session(id) };
            assert!(sessions.append(row, 1 + at, vec!["{}".into()], claim.clone()).await.expect("appended"));
        }
    }
    store.close().await;
    let written = count(server, name, "n_tup_upd", 2 * STEPS).await;
    assert_eq!(written, 2 * STEPS);
    // A page that somebody looks at just then cannot be tidied up.
    assert!(count(server, name, "n_tup_hot_upd", 0).await >= written - written / 10);
}

#[tokio::test]
async fn a_session_that_is_left_alone_is_not_looked_at_again_before_its_next_step() {
    let server = Postgres::shared();
    let database = server.database();
    let name = database.url.rsplit('/').next().expect("a name");
    let store = open_url(&database.url).await.expect("opened");
    let sessions = store.sessions();
    let lease = Lease { holder: "x".into(), ms: 0 };
    started(&store, session("idle")).await;
    let busy = || server.psql(name, "SELECT busy FROM lockgate.sessions");
    assert_eq!(busy(), "t");
    assert!(sessions.take_up(0, &lease, 9).await.expect("answered").is_empty());
    assert_eq!(busy(), "f");
    let at_work = lockgate_store::SessionRow { waiting: Some(AT_WORK.into()), ..session("idle") };
    let took = Claim::Take(lease.clone());
    assert!(sessions.append(at_work, 1, vec!["{}".into()], took).await.expect("appended"));
    assert_eq!(sessions.take_up(0, &lease, 9).await.expect("answered"), ["idle"]);
    assert_eq!(busy(), "t");
}

/// Appends to all of these sessions at once, after their first event.
fn append_all(store: &Store, ids: &[String]) -> Vec<JoinHandle<Result<bool, Error>>> {
    let append = |id: &String| {
        let (store, row) = (store.clone(), session(id));
        tokio::spawn(async move { store.sessions().append(row, 1, vec!["{}".into()], Claim::Free).await })
    };
    ids.iter().map(append).collect()
}

#[tokio::test]
async fn appends_that_come_at_once_share_a_commit() {
    let server = Postgres::shared();
    let database = server.database();
    let name = database.url.rsplit('/').next().expect("a name");
    let store = open_url(&database.url).await.expect("opened");
    let ids: Vec<_> = (0..64).map(|n| format!("s{n}")).collect();
    for id in &ids {
        started(&store, session(id)).await;
    }
    for append in append_all(&store, &ids) {
        assert!(append.await.expect("no panic").expect("answered"));
    }
    let sql = "SELECT count(DISTINCT xmin::text) FROM lockgate.session_events WHERE seq = 1";
    let commits: usize = server.psql(name, sql).parse().expect("a number");
    assert!(commits <= 8, "{commits} commits");
}

#[tokio::test]
async fn appends_that_come_while_others_are_on_their_way_share_commits() {
    let server = Postgres::shared();
    let database = server.database();
    let name = database.url.rsplit('/').next().expect("a name");
    let store = open_url(&database.url).await.expect("opened");
    let ids: Vec<_> = (0..32).map(|n| format!("s{n}")).collect();
    for id in &ids {
        started(&store, session(id)).await;
    }
    // Nothing can be written until the lock is given back.
    let mut psql = server.client(name);
    let mut other = psql.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("psql runs");
    let mut says = BufReader::new(other.stdout.take().expect("its output")).lines();
    let mut told = other.stdin.take().expect("its input");
    writeln!(told, "BEGIN; LOCK TABLE lockgate.session_events IN EXCLUSIVE MODE; SELECT 'locked';")
        .expect("told");
    assert_eq!(says.next().expect("a line").expect("text"), "locked");
    let mut appends = Vec::new();
    for id in &ids[..2] {
        appends.extend(append_all(&store, std::slice::from_ref(id)));
        let sql = format!(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = '{name}' AND wait_event_type = 'Lock'"
        );
        while server.psql(name, &sql) != appends.len().to_string() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
    // Each of these is asked for before the next one comes: on one thread, whoever yields lets all others go on.
    for id in &ids[2..] {
        appends.extend(append_all(&store, std::slice::from_ref(id)));
        tokio::task::yield_now().await;
    }
    drop(told);
    for append in appends {
        assert!(append.await.expect("no panic").expect("answered"));
    }
    // Usually three; every millisecond in which nothing comes back may be one more, up to half of the connections.
    let sql = "SELECT count(DISTINCT xmin::text) FROM lockgate.session_events WHERE seq = 1";
    let commits: usize = server.psql(name, sql).parse().expect("a number");
    assert!((3..=9).contains(&commits), "{commits}");
    other.wait().expect("psql ends");
}

#[tokio::test]
async fn sessions_that_somebody_holds_keep_no_other_waiting() {
    const HELD: usize = 6;
    let server = Postgres::shared();
    let database = server.database();
    let name = database.url.rsplit('/').next().expect("a name");
    let store = open_url(&database.url).await.expect("opened");
    let ids: Vec<_> = (0..32).map(|n| format!("s{n}")).collect();
    for id in &ids {
        started(&store, session(id)).await;
    }
    let mut psql = server.client(name);
    let mut other = psql.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("psql runs");
    let mut says = BufReader::new(other.stdout.take().expect("its output")).lines();
    let mut told = other.stdin.take().expect("its input");
    let held = ids[..HELD].join("', '");
    writeln!(told, "BEGIN; SELECT id FROM lockgate.sessions WHERE id IN ('{held}') FOR UPDATE;")
        .expect("told");
    for _ in 0..HELD {
        says.next().expect("a line").expect("text");
    }
    // Some come alone, and some with others.
    let mut waiting = Vec::new();
    for id in &ids[..HELD - 1] {
        waiting.extend(append_all(&store, std::slice::from_ref(id)));
        let sql = format!(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = '{name}' AND wait_event_type = 'Lock'"
        );
        while server.psql(name, &sql) != waiting.len().to_string() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
    let mut appends = append_all(&store, &ids[HELD - 1..]);
    waiting.push(appends.remove(0));
    for append in appends {
        assert!(append.await.expect("no panic").expect("answered"));
    }
    assert!(waiting.iter().all(|append| !append.is_finished()));
    drop(told);
    for append in waiting {
        assert!(append.await.expect("no panic").expect("answered"));
    }
    other.wait().expect("psql ends");
}
