//! Sessions that run as steps of others.

use super::close::Cut;
use super::entry::{Start, Steps, new_id};
use super::{Engine, Error, Inner};
use crate::session::activity::{Activity, Running};
use crate::session::kinds::{Nested, NestedEnd, RunWorkflow, attempt_key};
use crate::session::state::State;
use model::session::SessionStatus;
use std::sync::{Arc, Weak};

impl Inner {
    /// Ends the session that runs as this attempt, where there is one. Those of other attempts and members go on.
    pub(super) async fn end_attempt(
        &self,
        state: &State,
        activity: &dyn Activity,
        (key, attempt): (&str, u32),
        cut: Cut,
    ) {
        if let Some((workflow, _)) = activity.nested() {
            self.end_keyed(workflow, &state.session.client_id, &attempt_key(key, attempt), cut).await;
        }
    }

    /// The session that runs as this attempt, where there is one.
    pub(super) async fn session_of_attempt(
        &self,
        state: &State,
        activity: &dyn Activity,
        (key, attempt): (&str, u32),
    ) -> Result<Option<String>, Error> {
        let Some((workflow, _)) = activity.nested() else { return Ok(None) };
        let key = start_key(&attempt_key(key, attempt));
        Ok(self.store.sessions().keyed(workflow, &state.session.client_id, &key).await?)
    }

    async fn end_keyed(&self, workflow: &str, caller: &str, attempt: &str, cut: Cut) {
        match self.store.sessions().keyed(workflow, caller, &start_key(attempt)).await {
            Ok(Some(id)) => {
                if let Some(inner) = self.me.upgrade() {
                    inner.end_child(id, cut).await;
                }
            }
            Ok(None) => {}
            Err(error) => {
                tracing::error!(attempt, reason = %error, "the session of a step cannot be found");
            }
        }
    }
}

/// The key with which the session of an attempt is started.
fn start_key(attempt: &str) -> String {
    format!("step:{attempt}")
}

/// Runs workflows as steps of others, without keeping the engine alive.
pub(super) struct Runner(pub(super) Weak<Inner>);

impl RunWorkflow for Runner {
    fn knows(&self, workflow: &str) -> bool {
        self.0.upgrade().is_some_and(|inner| Engine(inner).find(workflow).is_some())
    }

    fn run<'a>(&'a self, nested: Nested<'a>) -> Running<'a, Result<NestedEnd, String>> {
        Box::pin(async move {
            let inner = self.0.upgrade().ok_or("The gateway is stopping")?;
            let engine = Engine(Arc::clone(&inner));
            let missing = || format!("Workflow '{}' is not active", nested.workflow);
            let plan = engine.find(nested.workflow).ok_or_else(missing)?;
            let start = Start {
                client_id: nested.client_id.to_owned(),
                input: nested.input.clone(),
                key: Some(start_key(nested.key)),
                steps: Steps::All,
                whole: true,
                parent: nested.parent.map(str::to_owned),
                schedule: None,
                ear: None,
            };
            let id = nested.id.map_or_else(new_id, str::to_owned);
            // A session of its own goes on when whoever waits for it leaves.
            let started = tokio::spawn(async move {
                match inner.is_hosted() {
                    true => inner.start_hosted(id, &plan, start).await,
                    false => inner.start(id, &plan, start).await,
                }
            });
            let started = started.await;
            let (id, _) =
                started.map_err(|_| "Internal error".to_owned())?.map_err(|error| error.to_string())?;
            self.again(&id).await
        })
    }

    fn end<'a>(&'a self, session: &'a str, error: &'a str) -> Running<'a, ()> {
        Box::pin(async move {
            if let Some(inner) = self.0.upgrade() {
                inner.end_child(session.to_owned(), Cut::Fail(error.to_owned())).await;
            }
        })
    }

    fn end_attempt<'a>(
        &'a self,
        workflow: &'a str,
        client_id: &'a str,
        key: &'a str,
        error: &'a str,
    ) -> Running<'a, ()> {
        Box::pin(async move {
            if let Some(inner) = self.0.upgrade() {
                inner.end_keyed(workflow, client_id, key, Cut::Fail(error.to_owned())).await;
            }
        })
    }

    fn again<'a>(&'a self, session: &'a str) -> Running<'a, Result<NestedEnd, String>> {
        Box::pin(async move {
            let inner = self.0.upgrade().ok_or("The gateway is stopping")?;
            let (_, state) = inner.open(session).await.map_err(|error| error.to_string())?;
            let id = session.to_owned();
            Ok(match state.session.status {
                SessionStatus::Completed => NestedEnd::Done(id, state.previous.clone()),
                SessionStatus::Failed => {
                    NestedEnd::Failed(id, state.session.error.clone().unwrap_or_default())
                }
                SessionStatus::Cancelled => NestedEnd::Failed(id, "The session was cancelled".into()),
                _ => NestedEnd::Waits(id),
            })
        })
    }
}
