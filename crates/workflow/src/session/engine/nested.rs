//! Sessions that run as steps of others.

use super::close::Cut;
use super::entry::{Start, Steps, new_id};
use super::{Engine, Error, Inner};
use crate::session::activity::{Activity, Running};
use crate::session::kinds::{Nested, NestedEnd, RunWorkflow, attempt_key};
use crate::session::state::State;
use model::session::SessionStatus;
use std::sync::{Arc, Weak};
use std::time::Duration;

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

/// How soon a session is asked about again whose host does not answer.
const AGAIN: Duration = Duration::from_secs(1);

impl Inner {
    /// What an error tells of a session that runs as a step: that it cannot be, or only that whoever knows of it does not
    /// do its work. Then the step is taken up again as after a crash; but a host has everything done that it was asked,
    /// however long it takes, so with one the session is asked about again, and this is nothing.
    async fn untold(&self, error: Error) -> Result<Option<NestedEnd>, String> {
        match error {
            Error::NotFound(_)
            | Error::NoWorkflow(_)
            | Error::Full(_)
            | Error::TooDeep
            | Error::Definition(_) => Err(error.to_string()),
            Error::Store(_)
            | Error::Unread(_)
            | Error::Unrecorded(_)
            | Error::Away(_)
            | Error::Overtaken
            | Error::Stopping => {
                if !self.is_hosted() {
                    return Ok(Some(NestedEnd::Unknown(error)));
                }
                tracing::debug!(reason = %error, "a session that runs as a step is asked about again");
                tokio::time::sleep(AGAIN).await;
                Ok(None)
            }
        }
    }
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
            loop {
                let (id, plan, start, own) =
                    (id.clone(), Arc::clone(&plan), start.clone(), Arc::clone(&inner));
                // A session of its own goes on when whoever waits for it leaves.
                let started = tokio::spawn(async move {
                    match own.is_hosted() {
                        true => own.start_hosted(id, &plan, start).await,
                        false => own.start(id, &plan, start).await,
                    }
                });
                match started.await.map_err(|_| "Internal error".to_owned())? {
                    Ok((id, _)) => return self.again(&id).await,
                    Err(error) => {
                        if let Some(end) = inner.untold(error).await? {
                            return Ok(end);
                        }
                    }
                }
            }
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
            let state = loop {
                match inner.open(session).await {
                    Ok((_, state)) => break state,
                    Err(error) => {
                        if let Some(end) = inner.untold(error).await? {
                            return Ok(end);
                        }
                    }
                }
            };
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
