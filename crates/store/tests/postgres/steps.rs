//! What a step of a session costs the database.

use super::{open_url, session, started};
use databases::Postgres;
use lockgate_store::{AT_WORK, Claim, Lease};
use std::time::Duration;

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
