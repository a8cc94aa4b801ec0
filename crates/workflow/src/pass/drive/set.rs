//! Nodes that set variables, and where the variables of the scope `workflow` come from and go to.

use super::{Drive, unfit};
use crate::pass::{Stop, marks};
use crate::plan::{Action, Scope, Setting};
use crate::record::{SpotRun, SpotState};
use crate::scripts::Scripts;
use sandbox::{ConsoleLine, ScriptError, Verdict, short};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::time::Duration;
use store::{Before, Store, VariableChange};
use tokio::time::timeout;

/// How long a request waits for others that compute kept variables of the same workflow.
const TURN: Duration = Duration::from_secs(30);

/// How often kept variables are computed anew, because another gateway with the same store was faster.
const TRIES: usize = 64;

/// The longest text of a value that is kept.
const KEPT: usize = 64 << 10;

/// Variables by name, each as JSON text.
type Values = BTreeMap<String, Box<RawValue>>;

impl<S: Scripts> Drive<'_, S> {
    /// The variables with which a run begins.
    pub(super) async fn recall<T>(&mut self, spot: usize) -> Result<(), Stop<T>> {
        let kept = match (self.graph.scope, self.pass.store) {
            (Some(Scope::Workflow), Some(store)) => self.kept(store).await,
            _ => Ok(Values::new()),
        };
        self.variables = Some(text(&kept.map_err(|error| self.failed(spot, error))?));
        Ok(())
    }

    /// Sets the variables of a node.
    pub(super) async fn set<T>(&mut self, spot: usize) -> Result<(), Stop<T>> {
        let graph = self.graph;
        let Action::Set { settings, scope, stop, .. } = &graph.spots[spot].action else {
            unreachable!("only nodes that set variables come here");
        };
        let began = self.run.started(spot);
        let mut console = Vec::new();
        let done = match scope {
            Scope::Run => self.computed(spot, settings, self.values(), &mut console).await,
            Scope::Workflow => self.kept_anew(spot, settings, &mut console).await,
        };
        let mut did = SpotRun { state: SpotState::Completed, began, console, ..SpotRun::default() };
        did.ended = self.run.now();
        let took = did.ended.saturating_sub(began);
        let failure = match done {
            Ok(values) => {
                let values = text(&values);
                did.values = Some(short(&values).into());
                self.result(spot, &format!("{{\"variables\":{values}}}"));
                self.variables = Some(values);
                self.mark(spot, None, "set", took);
                None
            }
            Err(error) => {
                did.state = SpotState::Error;
                did.error = Some(error.message.as_str().into());
                self.mark(spot, None, "failed", took);
                self.result(spot, "null");
                Some(error)
            }
        };
        self.run.note(spot, did);
        match failure {
            Some(error) if *stop => Err(self.failed(spot, error)),
            _ => {
                self.launch(spot);
                Ok(())
            }
        }
    }

    /// The variables as they are.
    fn values(&self) -> Values {
        self.variables.as_deref().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }

    /// The variables with those of a node set.
    async fn computed(
        &self,
        spot: usize,
        settings: &[Setting],
        mut before: Values,
        console: &mut Vec<ConsoleLine>,
    ) -> Result<Values, ScriptError> {
        let node = &self.graph.spots[spot];
        let constants = settings.iter().filter_map(|one| Some((one.name.to_string(), one.constant.clone()?)));
        if node.action.script().is_none() {
            before.extend(constants);
            return Ok(before);
        }
        let ready = self.ready_alone(spot);
        let ran = self.send(&[spot], &ready, Some(&text(&before))).await;
        let mut report = ran.reports.into_iter().next().ok_or_else(|| unfit("it could not be run"))?;
        node.action.place(&mut report);
        marks::log(&self.graph.workflow, node, None, &report);
        *console = report.console;
        let mut after: Values = match (report.verdict, ran.variables) {
            (Verdict::Failed(error), _) => return Err(error),
            (_, None) => before,
            (_, Some(text)) => {
                serde_json::from_str(&text).map_err(|_| unfit("what it hands back is no object"))?
            }
        };
        // A number in a script has fewer digits than one in JSON may have.
        after.extend(constants);
        Ok(after)
    }

    /// Sets kept variables of a node, in the store and then here.
    async fn kept_anew(
        &self,
        spot: usize,
        settings: &[Setting],
        console: &mut Vec<ConsoleLine>,
    ) -> Result<Values, ScriptError> {
        let graph = self.graph;
        let store = self.pass.store.ok_or_else(|| unfit("there is no store to keep variables in"))?;
        if graph.spots[spot].action.script().is_none() {
            // Constants depend on nothing, so they need not wait for anybody.
            let after = self.computed(spot, settings, self.values(), console).await?;
            let changes = changes(settings, &after, |_| Before::Any)?;
            store.variables().change(&graph.workflow, changes).await.map_err(|error| self.unkept(&error))?;
            return Ok(after);
        }
        let turn = timeout(TURN, graph.turn.lock()).await;
        let _turn =
            turn.map_err(|_| unfit("other requests took too long to set the variables of the workflow"))?;
        for _ in 0..TRIES {
            let kept = self.kept(store).await?;
            let mut before = self.values();
            for one in settings {
                // What is kept counts, not what this run saw of it earlier.
                match kept.get(&*one.name) {
                    Some(value) => _ = before.insert(one.name.to_string(), value.clone()),
                    None => _ = before.remove(&*one.name),
                }
            }
            let after = self.computed(spot, settings, before, console).await?;
            let expected = |name: &str| Before::Is(kept.get(name).map(|value| value.get().to_owned()));
            let changes = changes(settings, &after, expected)?;
            let held = store.variables().change(&graph.workflow, changes).await;
            if held.map_err(|error| self.unkept(&error))? {
                return Ok(after);
            }
        }
        Err(unfit("the variables of the workflow change too often"))
    }

    async fn kept(&self, store: &Store) -> Result<Values, ScriptError> {
        let kept = store.variables().all(&self.graph.workflow).await.map_err(|error| self.unkept(&error))?;
        let read = |(name, text)| Some((name, RawValue::from_string(text).ok()?));
        Ok(kept.into_iter().filter_map(read).collect())
    }

    /// The cause is for whoever runs the gateway; a client is told that there is one.
    fn unkept(&self, error: &store::Error) -> ScriptError {
        if let store::Error::Gone(_) = error {
            return unfit("the workflow is gone, and its variables with it");
        }
        tracing::error!(workflowId = &*self.graph.workflow, reason = %error, "variables cannot be kept");
        unfit("the store does not answer; the log says why")
    }
}

/// What a node does to the store.
fn changes(
    settings: &[Setting],
    after: &Values,
    before: impl Fn(&str) -> Before,
) -> Result<Vec<VariableChange>, ScriptError> {
    let change = |one: &Setting| {
        // A script may have removed it; then it is null.
        let after = after.get(&*one.name).map_or("null", |value| value.get());
        if after.len() > KEPT {
            let bytes = after.len();
            return Err(unfit(&format!("'{}' has {bytes} bytes; at most {KEPT} are kept", one.name)));
        }
        Ok(VariableChange { name: one.name.to_string(), before: before(&one.name), after: after.to_owned() })
    };
    settings.iter().map(change).collect()
}

/// The text of a JSON object.
fn text(values: &Values) -> String {
    serde_json::to_string(values).expect("names and JSON texts")
}
