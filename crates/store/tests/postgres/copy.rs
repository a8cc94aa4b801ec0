//! From one store to another and back, without loss.

use super::entry;
use databases::Postgres;
use lockgate_store::{
    AuditDraft, Before, Claim, Created, Error, Location, SessionFilter, SessionLimits, SessionRow, Store,
    StoredActivity, StoredKey, StoredRun, StoredSchedule, StoredTemplate, StoredVersion, VariableChange,
    copy, open,
};
use model::{Hook, HookDraft, RunId, Workflow, WorkflowDraft};
use serde_json::json;

const FREE: SessionLimits =
    SessionLimits { most: u64::MAX, finished_before: i64::MIN, evict_open: false, since: None };
const SESSIONS: i64 = 450;

fn row(n: i64) -> SessionRow {
    let open = n % 3 != 0;
    SessionRow {
        id: format!("s{n}\u{0}"),
        workflow: format!("w{}", n % 4),
        caller: "ann \u{1}".into(),
        status: if open { "paused" } else { "completed" }.into(),
        open,
        started_at: n / 2,
        updated_at: n + 5,
        completed_at: (!open).then_some(n + 5),
        parent: (n % 7 == 0).then(|| "s1".into()),
        waiting: (n % 5 == 0).then(|| format!("event:{n}")),
        due: (n % 6 == 0).then_some(n * 10),
        definition: format!("d{}", n % 3),
    }
}

async fn fill(store: &Store) {
    for name in ["z", "a", "m"] {
        store.servers().add(entry(name)).await.expect("added");
    }
    let hook = |i: usize| {
        let body = json!({"name": format!("h{i}"), "hookType": "both", "script": "return 1;"});
        Hook::new(format!("id{i}"), HookDraft::parse(&body).expect("a draft"), (9 - i).into(), 5)
    };
    store.hooks().add((0..4).map(hook).collect()).await.expect("added");
    for (id, enabled) in [("w1", false), ("w2", true), ("w3", false)] {
        let body = json!({"name": id, "workflowType": "tools/call", "edges": [],
            "nodes": [{"id": "s", "type": "start"}, {"id": "e", "type": "end"}]});
        let draft = WorkflowDraft::parse(&body.to_string(), &["start", "end"]).expect("a draft");
        let workflow = Workflow { enabled, ..Workflow::new(id.into(), draft, 5) };
        store.workflows().add(workflow).await.expect("added");
        let change =
            VariableChange { name: "n \u{0}".into(), before: Before::Any, after: format!("\"{id}\"") };
        assert!(store.variables().change(id, vec![change]).await.expect("changed"));
    }
    for (workflow, revision) in [("w1", 1), ("w1", 2), ("gone", 1)] {
        let version = StoredVersion { workflow: workflow.into(), revision, body: "{}".into(), made_at: 3 };
        store.versions().add(version).await.expect("added");
    }
    let run =
        |at| StoredRun { id: RunId::new(at, 1), workflow: "w1".into(), record: format!("{{\"at\":{at}}}") };
    store.runs().keep((1..=450).map(run).collect::<Vec<_>>()).await.expect("kept");
    let activity =
        StoredActivity { name: "a".into(), body: "{}".into(), revision: 7, created_at: 1, updated_at: 2 };
    assert!(store.activities().put(activity, None).await.expect("put"));
    let schedule = StoredSchedule {
        id: "x".into(),
        workflow: "w1".into(),
        body: "{}".into(),
        next: Some(9),
        paused: true,
        created_at: 1,
        updated_at: 2,
        refused: Some("no".into()),
    };
    store.schedules().put(schedule).await.expect("put");
    let template = StoredTemplate { id: "t".into(), body: "{}".into(), created_at: 4 };
    store.templates().add(template).await.expect("added");
    store.secrets().get_or_keep("session", "a secret").await.expect("kept");
    let key = |n: u8| StoredKey {
        name: format!("k{n}"),
        digest: format!("{n:064x}"),
        grant: "{}".into(),
        created_at: n.into(),
    };
    store.keys().add(key(1)).await.expect("added");
    store.keys().add(key(2)).await.expect("added");
    let draft = |at: i64| AuditDraft {
        at,
        kind: "call".into(),
        who: "a\u{0}".into(),
        subject: "s/t".into(),
        body: "{}".into(),
    };
    store.audit().append((0..450).map(draft).collect()).await.expect("added");
    assert_eq!(store.audit().trim(10).await.expect("trimmed"), 10);
    for n in 0..3 {
        store.definitions().put(&format!("d{n}"), &format!("body {n}")).await.expect("put");
    }
    for n in 0..SESSIONS {
        let events = (0..n % 6).map(|seq| format!("{n} {seq} \u{0}")).collect();
        let key = (n % 2 == 0).then(|| format!("k{n}"));
        let made = store.sessions().create(row(n), key, events, FREE, Claim::Free).await.expect("created");
        assert_eq!(made, Created::Made);
    }
}

/// Everything that a store shows, as text.
async fn everything(store: &Store) -> String {
    let mut all = format!("{:?}\n", store.servers().list().await.expect("servers"));
    all += &format!("{:?}\n", store.hooks().list().await.expect("hooks"));
    all += &format!("{:?}\n", store.workflows().list().await.expect("workflows"));
    for id in ["w1", "w2", "w3", "gone"] {
        all += &format!("{:?}\n", store.variables().all(id).await.expect("variables"));
        all += &format!("{:?}\n", store.versions().list(id, 99, 0).await.expect("versions"));
    }
    all += &format!("{:?}\n", store.runs().list(None, usize::MAX, 0).await.expect("runs"));
    all += &format!("{:?}\n", store.activities().list().await.expect("activities"));
    all += &format!("{:?}\n", store.schedules().list().await.expect("schedules"));
    all += &format!("{:?}\n", store.templates().list().await.expect("templates"));
    for n in 0..3 {
        all += &format!("{:?}\n", store.definitions().get(&format!("d{n}")).await.expect("definitions"));
    }
    let sessions = store.sessions().list(SessionFilter::default(), usize::MAX, 0).await.expect("sessions");
    for session in sessions {
        all += &format!("{session:?}\n");
    }
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn a_round_trip_from_sqlite_over_postgresql_loses_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| Location::Sqlite(folder.path().join(name));
    let first = open(&file("first.db")).await.expect("opened");
    let second = open(&Postgres::shared().database().url.parse().expect("a location")).await.expect("opened");
    let third = open(&file("third.db")).await.expect("opened");
    fill(&first).await;
    let out = copy(&first, &second).await.expect("copied");
    let back = copy(&second, &third).await.expect("copied");
    assert_eq!(out, back);
    assert_eq!((out.sessions, out.runs, out.versions, out.secrets), (SESSIONS as usize, 450, 3, 1));
    let expected = everything(&first).await;
    assert!(expected == everything(&second).await, "the copy in PostgreSQL is another");
    assert!(expected == everything(&third).await, "the copy of the copy is another");
    let again = third.sessions().create(row(999), Some("k2".into()), Vec::new(), FREE, Claim::Free).await;
    let other = SessionRow { workflow: "w2".into(), ..row(998) };
    let named = third.sessions().create(other, Some("k2".into()), Vec::new(), FREE, Claim::Free).await;
    assert_eq!(again.expect("created"), Created::Made, "w3 has no session of that key");
    assert_eq!(named.expect("answered"), Created::Exists("s2\u{0}".into()), "keys came along");
    assert_eq!(third.secrets().get_or_keep("session", "another").await.expect("kept"), "a secret");
    assert_eq!(out.audit, 441, "440, and the one that says which are forgotten");
    assert_eq!(third.keys().list().await.expect("read"), first.keys().list().await.expect("read"));
    let chain = first.audit().verify().await.expect("it holds");
    assert_eq!(second.audit().verify().await.expect("it holds"), chain);
    assert_eq!(third.audit().verify().await.expect("it holds"), chain);
    let occupied = copy(&first, &third).await.expect_err("refused");
    assert!(matches!(occupied, Error::Occupied("servers")), "{occupied}");
}

#[tokio::test]
async fn a_store_that_an_instance_ran_on_is_not_empty() {
    let memory = async || open(&Location::Memory).await.expect("opened");
    let (from, to) = (memory().await, memory().await);
    from.secrets().get_or_keep("session", "the one that clients know").await.expect("kept");
    to.secrets().get_or_keep("session", "another").await.expect("kept");
    let occupied = copy(&from, &to).await.expect_err("refused");
    assert!(matches!(occupied, Error::Occupied("secrets")), "{occupied}");
    copy(&from, &memory().await).await.expect("copied");
}
