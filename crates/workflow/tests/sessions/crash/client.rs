//! One life of the process: it opens the store, takes up what was under way, and a client drives the session on as
//! far as it gets.

use super::world::{Effects, data, outer};
use super::{CUT, plain};
use lockgate_workflow::session::{
    Approval, Continue, Listen, News, SessionManager, SessionManagerOptions, SessionQuery, SqliteStore,
    Start, Waiting, Wake, Workflow, WorkflowSession, WorkflowStore,
};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Ends the process at the `cut`-th thing that it hears.
struct Killer {
    heard: AtomicUsize,
    cut: usize,
}

impl Listen for Killer {
    fn hear(&self, _: &News<'_>) {
        if self.heard.fetch_add(1, Ordering::SeqCst) + 1 == self.cut {
            std::process::exit(CUT);
        }
    }
}

/// Lives, until the session is finished or the process ends.
pub(super) fn live(variant: &str, cut: usize, folder: &Path) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let store = Arc::new(SqliteStore::open(folder.join("x.db")).await.unwrap());
        let effects = Effects::new(folder);
        let manager = SessionManager::new(SessionManagerOptions {
            store: Arc::clone(&store) as Arc<dyn WorkflowStore>,
            listener: Some(Arc::new(Killer { heard: AtomicUsize::new(0), cut })),
            ..SessionManagerOptions::default()
        });
        let workflow = outer(&manager, &effects, variant);
        manager.recover().await.unwrap();
        let client = Client { manager, workflow, store, effects };
        let sessions = client.drive().await;
        let ids: Vec<(String, &str)> = sessions
            .iter()
            .zip(["outer", "inner"])
            .map(|(one, name)| (one.session_id.clone(), name))
            .collect();
        let end = plain(&json!(sessions), &ids);
        std::fs::write(folder.join("end.json"), end.to_string()).unwrap();
        client.manager.close().await;
    });
}

struct Client {
    manager: SessionManager,
    workflow: Workflow,
    store: Arc<SqliteStore>,
    effects: Effects,
}

impl Client {
    /// Drives the session to its end; gives it and the one that ran as its step.
    async fn drive(&self) -> Vec<WorkflowSession> {
        let start = Start {
            client_id: "me".into(),
            input: json!({"q": 1}),
            key: Some("the one".into()),
            ..Start::default()
        };
        self.workflow.start_with(start).await.unwrap();
        let deadline = Instant::now() + Duration::from_secs(15);
        loop {
            let sessions = self.sessions().await;
            if sessions.iter().all(|session| !session.status.is_open()) {
                return sessions;
            }
            assert!(Instant::now() < deadline, "it does not come to its end: {}", json!(sessions));
            for session in sessions.iter().rev().filter(|session| session.status.is_open()) {
                self.help(session).await;
            }
        }
    }

    /// All sessions, the outer one first.
    async fn sessions(&self) -> Vec<WorkflowSession> {
        let mut all = self.store.list_sessions(SessionQuery::default()).await.unwrap();
        all.sort_by_key(|session| session.parent_session_id.is_some());
        assert!(all.len() <= 2, "a start was made twice: {}", json!(all));
        all
    }

    /// Does what an open session needs to go on.
    async fn help(&self, session: &WorkflowSession) {
        let id = session.session_id.as_str();
        match &session.waiting {
            Some(Waiting::Approval { digest, .. }) => {
                let approval = Approval { digest: digest.clone(), allow: true, ..Approval::default() };
                self.carry_on(session, Continue { approval: Some(approval), ..Continue::default() }).await;
            }
            Some(Waiting::Event { event, .. }) => {
                let bring = |sum: i64, session: Option<&str>| Wake {
                    event: event.clone(),
                    data: json!({"sum": sum}),
                    session: session.map(str::to_owned),
                };
                if event == "paid" {
                    assert_eq!(
                        self.manager.signal(&bring(6, Some(id))).await.unwrap(),
                        0,
                        "the filter holds it back"
                    );
                }
                self.manager.signal(&bring(7, None)).await.unwrap();
            }
            Some(Waiting::Uncertain { activity_name, .. }) => {
                let request = match self.happened(activity_name) {
                    Some(name) => Continue {
                        resolve: Some("done".into()),
                        result: Some(data(name)),
                        ..Continue::default()
                    },
                    None => Continue { resolve: Some("retry".into()), ..Continue::default() },
                };
                self.carry_on(session, request).await;
            }
            Some(Waiting::Session { .. }) => tokio::time::sleep(Duration::from_millis(1)).await,
            None if session.parent_session_id.is_some() => tokio::time::sleep(Duration::from_millis(1)).await,
            None => self.carry_on(session, Continue::default()).await,
        }
    }

    /// Whether a step that is uncertain had its effect: somebody looks at the world.
    fn happened<'a>(&self, activity: &'a str) -> Option<&'a str> {
        // In the group only `left` can be uncertain.
        let name = if activity == "parallel" { "left" } else { activity };
        (self.effects.of(name) > 0).then_some(name)
    }

    async fn carry_on(&self, session: &WorkflowSession, request: Continue) {
        let request = Continue { session: Some(session.session_id.clone()), ..request };
        let done = self.manager.engine().proceed(&session.workflow_name, request).await.unwrap();
        let fails = done.text.starts_with("Workflow failed at step 9 (explode)");
        let late = done.text.starts_with("Cannot continue workflow in status");
        assert!(!done.is_error || fails || late, "{}", done.text);
    }
}
