//! Which activities and session workflows there are, where they come from, and what is wrong with new ones.

use super::among::{Changed, namesake};
use super::own::OwnTools;
use super::{FileDefinitions, faults};
use crate::gateway::{Gateway, unstored};
use crate::graphs::{WorkflowView, unfit};
use model::session::{Activity, Procedure, Run, SessionStatus, Step};
use model::{Fault, Settings, Workflow, WorkflowType};
use serde::Serialize;
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use store::{SessionFilter, StoredActivity};
use workflow::session::{Defined, Definition, Kit, Plan, check_code};
use workflow::{Problem, Rule};

/// Where a definition comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum DefinitionSource {
    /// The config file: it cannot be changed over the API.
    Config,
    /// The API.
    Api,
}

/// The activities as they are now.
#[derive(Default)]
pub(super) struct Book {
    pub(super) activities: BTreeMap<String, Arc<Entry>>,
    /// Why workflows of the API cannot be active with them, by their ids.
    pub(super) unfit: BTreeMap<String, String>,
}

/// One activity.
pub(super) struct Entry {
    pub(super) activity: Activity,
    pub(super) source: DefinitionSource,
    /// As it is kept, where it is.
    pub(super) stored: Option<StoredActivity>,
}

impl Book {
    pub(super) fn plain(&self) -> BTreeMap<String, Activity> {
        self.activities.iter().map(|(name, entry)| (name.clone(), entry.activity.clone())).collect()
    }
}

impl Gateway {
    /// Reads the activities, makes the plans of all active session workflows and offers their tools. What cannot be
    /// offered is logged and left off. Whoever calls holds `followed`.
    pub(crate) async fn offer_sessions(&self) -> Result<(), store::Error> {
        let mut book = self.read_book().await?;
        let plain = book.plain();
        book.unfit = self.unfit_workflows(&plain);
        let mut plans: Vec<Arc<Plan>> = Vec::new();
        for (procedure, version) in self.procedures() {
            let name = procedure.name.clone();
            let definition = Definition::new(procedure, &plain, version);
            match self.sessions.engine.plan(definition) {
                Ok(plan) => plans.push(plan),
                Err(reason) => tracing::error!(workflow = name, reason, "the workflow cannot be offered"),
            }
        }
        let (kit, workflows) = (self.kit_now(), self.sessions.engine.workflows());
        let published = book.activities.values().filter(|entry| entry.activity.publish);
        let published =
            published.map(|entry| Arc::new(Defined::new(entry.activity.clone(), &kit, &workflows))).collect();
        let own = OwnTools::new(&plans, published, &self.settings().tools.expose);
        self.sessions.engine.offer(plans);
        if own.is_scripted() {
            self.hooks.sandbox.warm();
        }
        self.sessions.own.store(Arc::new(own));
        self.sessions.book.store(Arc::new(book));
        self.sessions.unoffered.store(false, Ordering::Relaxed);
        (self.around.changed)();
        Ok(())
    }

    /// Whether the store keeps other activities than are known here.
    pub(crate) async fn activities_differ(&self) -> Result<bool, store::Error> {
        let kept = self.store.activities().list().await?;
        let book = self.sessions.book.load();
        let known = |one: &StoredActivity| {
            // One that the config file covers is not in the book.
            let entry = book.activities.get(&one.name);
            entry.is_some_and(|entry| entry.stored.as_ref().is_none_or(|stored| stored == one))
        };
        let count = book.activities.values().filter(|entry| entry.stored.is_some()).count();
        Ok(!kept.iter().all(known) || kept.len() < count)
    }

    /// What plans are made with.
    pub(super) fn kit_now(&self) -> Arc<Kit> {
        self.sessions.kit.load_full().expect("sessions were opened before they are used")
    }

    async fn read_book(&self) -> Result<Book, store::Error> {
        let mut activities = BTreeMap::new();
        for stored in self.store.activities().list().await? {
            match serde_json::from_str::<Activity>(&stored.body) {
                Ok(activity) => {
                    let entry = Entry { activity, source: DefinitionSource::Api, stored: Some(stored) };
                    activities.insert(entry.activity.name.clone(), Arc::new(entry));
                }
                Err(error) => {
                    tracing::error!(activity = stored.name, reason = %error, "a stored activity cannot be read");
                }
            }
        }
        for activity in &self.sessions.file.load().activities {
            let entry = Entry { activity: activity.clone(), source: DefinitionSource::Config, stored: None };
            let before = activities.insert(activity.name.clone(), Arc::new(entry));
            if before.is_some() {
                let name = activity.name.as_str();
                tracing::warn!(
                    activity = name,
                    "the config file has an activity of the same name as one of the API"
                );
            }
        }
        Ok(Book { activities, unfit: BTreeMap::new() })
    }

    /// The session workflows that are active: those of the file, then those of the API.
    fn procedures(&self) -> Vec<(Procedure, Option<u64>)> {
        let mut all: Vec<(Procedure, Option<u64>)> =
            self.sessions.file.load().procedures.iter().map(|procedure| (procedure.clone(), None)).collect();
        for workflow in self.graphs.of_type(WorkflowType::Session).into_iter().filter(|one| one.enabled) {
            match workflow.procedure() {
                Ok(procedure) if all.iter().any(|(other, _)| other.name == procedure.name) => {
                    let other =
                        if self.is_in_file(&procedure.name) { "the config file" } else { "the store" };
                    let workflow = procedure.name;
                    tracing::warn!(
                        workflow,
                        "{other} has another workflow of the same name; this one is not offered"
                    );
                }
                Ok(procedure) => all.push((procedure, Some(workflow.revision))),
                Err(error) => {
                    tracing::error!(workflow = workflow.name, reason = %error, "the workflow cannot be offered");
                }
            }
        }
        all
    }

    /// The session workflows of the config file, as the admin API shows them.
    pub(crate) fn file_workflows(&self) -> Vec<WorkflowView> {
        let (file, read_at) = (self.sessions.file.load(), self.sessions.read_at.load(Ordering::Relaxed));
        let view = |procedure: &Procedure| {
            let workflow = Workflow::of_file(procedure, read_at)?;
            let steps = workflow.steps();
            Some(WorkflowView {
                workflow,
                steps,
                source: DefinitionSource::Config,
                valid: true,
                reason: None,
                problem: None,
            })
        };
        file.procedures.iter().filter_map(view).collect()
    }

    /// Why a workflow of the API cannot be active with the activities that there are.
    pub(crate) fn unfit_session(&self, id: &str) -> Option<String> {
        self.sessions.book.load().unfit.get(id).cloned()
    }

    /// Whether a workflow may be changed over the API.
    pub(crate) fn not_of_the_file(&self, id: &str) -> Result<(), Fault> {
        let file = self.sessions.file.load();
        match file.procedures.iter().find(|one| Workflow::file_id(&one.name) == id) {
            Some(procedure) => Err(faults::in_the_file("Workflow", &procedure.name)),
            None => Ok(()),
        }
    }

    /// What keeps a session workflow from being stored: unknown activities, a name that is taken, scripts that do
    /// not compile. One that is still being drawn is kept as it is, as long as it is not to be active.
    pub(crate) async fn check_session_workflow(&self, workflow: &Workflow) -> Result<(), Fault> {
        let procedure = match workflow.procedure() {
            Err(error) if workflow.is_unfinished() => match workflow.enabled {
                true => {
                    let problems = self.graphs.kinds().validate(workflow);
                    return Err(unfit(&problems).unwrap_or_else(|| error.into()));
                }
                false => None,
            },
            read => Some(read?),
        };
        self.name_taken(workflow).map_or(Ok(()), Err)?;
        let Some(procedure) = procedure else { return Ok(()) };
        self.tool_taken(&procedure).map_or(Ok(()), Err)?;
        match self.faults_of(workflow, procedure, &[]).await.into_iter().next() {
            Some((_, fault)) => Err(fault),
            None => Ok(()),
        }
    }

    /// The same of a workflow that a template makes, under any name that is free. `open` are the names of activities
    /// that nobody has chosen yet.
    pub(crate) async fn check_session_template(
        &self,
        workflow: &Workflow,
        open: &[&str],
    ) -> Result<(), Fault> {
        if workflow.workflow_type != WorkflowType::Session || workflow.is_unfinished() {
            return Ok(());
        }
        let procedure = Procedure { name: String::new(), ..workflow.procedure()? };
        match self.faults_of(workflow, procedure, open).await.into_iter().next() {
            Some((_, fault)) => Err(fault),
            None => Ok(()),
        }
    }

    /// The same as problems, all of them, of a workflow that need not be stored.
    pub(crate) async fn session_problems(&self, workflow: &Workflow) -> Vec<Problem> {
        let mut found: Vec<(Rule, Fault)> =
            self.name_taken(workflow).map(|fault| (Rule::NameTaken, fault)).into_iter().collect();
        // Conditions are nodes of the graph, and looked at with it.
        let (nodes, steps): (Vec<_>, Vec<_>) = workflow.steps_so_far().into_iter().unzip();
        let procedure = workflow.terms.clone().procedure(workflow.name.clone(), String::new(), steps);
        found.extend(self.tool_taken(&procedure).map(|fault| (Rule::NameTaken, fault)));
        found.extend(self.faults_of(workflow, procedure, &[]).await);
        let node = |fault: &Fault| {
            let field = fault.details.get("field")?.as_str()?;
            let step: usize = field.strip_prefix("steps[")?.split_once(']')?.0.parse().ok()?;
            nodes.get(step).map(|node| node.id.clone())
        };
        let told = |(rule, fault): (Rule, Fault)| Problem {
            node: node(&fault),
            ..Problem::new(rule, fault.message)
        };
        found.into_iter().map(told).collect()
    }

    /// Whether another session workflow has its name.
    pub(super) fn name_taken(&self, workflow: &Workflow) -> Option<Fault> {
        let name = &workflow.name;
        let stored = self.graphs.of_type(WorkflowType::Session);
        let taken = stored.iter().any(|other| other.id != workflow.id && other.name == *name)
            || (workflow.id != Workflow::file_id(name) && self.is_in_file(name));
        taken.then(|| faults::conflict(format!("Workflow \"{name}\" is already registered with a server")))
    }

    /// Whether a published activity has the name of one of its tools.
    fn tool_taken(&self, procedure: &Procedure) -> Option<Fault> {
        let book = self.sessions.book.load();
        let activities = book.activities.values().map(|entry| &entry.activity);
        let exposed = &self.settings().tools.expose;
        let found = namesake(activities, std::slice::from_ref(procedure), exposed);
        found.map(|(_, message)| faults::conflict(message))
    }

    /// What is wrong with a session workflow among the definitions that there are, and activities of these names.
    async fn faults_of(
        &self,
        workflow: &Workflow,
        procedure: Procedure,
        open: &[&str],
    ) -> Vec<(Rule, Fault)> {
        let mut activities = self.sessions.book.load().plain();
        for name in open {
            activities.entry((*name).to_owned()).or_insert_with(|| made_up(name));
        }
        let among =
            self.wrong_among(&activities, &Changed::Workflow { id: &workflow.id, procedure: &procedure });
        let mut all: Vec<(Rule, Fault)> =
            among.into_iter().map(|problem| (Rule::Activity, problem.into())).collect();
        let mut definition = Definition::new(procedure, &activities, None);
        stand_in(&mut definition);
        match self.sessions.engine.plan(definition) {
            Err(message) => all.push((Rule::Activity, faults::wrong("steps", message))),
            Ok(plan) => {
                let wrong = plan.wrong_code(&self.kit_now()).await;
                all.extend(wrong.into_iter().map(|message| (Rule::Script, not_compiled(message))));
            }
        }
        all
    }

    /// What keeps a session workflow from another name, or from being forgotten: activities that run it, and schedules
    /// that will start it. A workflow with open sessions keeps its name and its type besides, since their tools are named
    /// after it: given is the name of which none may be open when that is done.
    pub(crate) async fn check_name_free(
        &self,
        before: &Workflow,
        after: Option<&Workflow>,
    ) -> Result<Option<String>, Fault> {
        let name = before.name.as_str();
        if before.workflow_type != WorkflowType::Session {
            return Ok(None);
        }
        let gets = match after {
            Some(after) if after.workflow_type != WorkflowType::Session => Some("type"),
            Some(after) if after.name != name => Some("name"),
            Some(_) => return Ok(None),
            None => None,
        };
        if let Some(another) = gets
            && self.has_open_sessions(name).await?
        {
            let message =
                format!("Workflow '{name}' has open sessions; end them before it gets another {another}");
            return Err(faults::conflict(message).with("workflowName", name));
        }
        // Whoever forgets one that the file has too leaves its sessions to that.
        let freed = (gets.is_some() || !self.is_in_file(name)).then(|| name.to_owned());
        if self.is_in_file(name) {
            return Ok(freed);
        }
        let book = self.sessions.book.load();
        let runs =
            |entry: &&Arc<Entry>| matches!(&entry.activity.run, Run::Workflow(run) if run.name == name);
        if let Some(user) = book.activities.values().find(runs) {
            let user = &user.activity.name;
            let message = format!("Workflow '{name}' is used by the activity '{user}'");
            return Err(faults::conflict(message).with("activityName", user.as_str()));
        }
        let schedules = self.store.schedules().list().await.map_err(|error| unstored(&error))?;
        match schedules.into_iter().find(|one| one.workflow == name && one.next.is_some()) {
            Some(schedule) => {
                let id = schedule.id;
                let message = format!(
                    "Workflow '{name}' is started by the schedule '{id}'; delete the schedule or let it start another workflow first"
                );
                Err(faults::conflict(message).with("scheduleId", id))
            }
            None => Ok(freed),
        }
    }

    /// Whether the config file has a session workflow of this name, whose sessions those of the name are then.
    pub(crate) fn is_in_file(&self, name: &str) -> bool {
        self.sessions.file.load().procedures.iter().any(|one| one.name == name)
    }

    /// Whether any session of a workflow is open.
    async fn has_open_sessions(&self, workflow: &str) -> Result<bool, Fault> {
        for status in SessionStatus::ALL.into_iter().filter(|status| status.is_open()) {
            let (workflow, status) = (Some(workflow), Some(status.name()));
            let filter = SessionFilter { workflow, status, ..SessionFilter::default() };
            if !self.sessions.engine.list(filter, 1, 0).await.map_err(faults::of)?.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Compiles the scripts, expressions and schemas of the config file; the first that is wrong is the error.
    pub(crate) async fn check_file(&self, file: &FileDefinitions, settings: &Settings) -> Result<(), Fault> {
        let (kit, workflows) = (self.kit_now(), self.sessions.engine.workflows());
        for (i, activity) in file.activities.iter().enumerate() {
            let checked = check_code(activity, &kit, &workflows).await;
            checked.map_err(|message| wrong_in_file("activities", i, &message))?;
        }
        if let Some((i, message)) = namesake(&file.activities, &file.procedures, &settings.tools.expose) {
            return Err(faults::wrong(&format!("activities[{i}].name"), message));
        }
        let named = file.activities.iter().map(|one| (one.name.clone(), one.clone())).collect();
        for (i, procedure) in file.procedures.iter().enumerate() {
            let definition = Definition::new(procedure.clone(), &named, None);
            let checked = match self.sessions.engine.plan(definition) {
                Ok(plan) => plan.check_code(&kit).await,
                Err(message) => Err(message),
            };
            checked.map_err(|message| wrong_in_file("workflows", i, &message))?;
        }
        Ok(())
    }

    /// Compiles the code of an activity.
    pub(super) async fn check_activity(&self, activity: &Activity) -> Result<(), Fault> {
        let checked = check_code(activity, &self.kit_now(), &self.sessions.engine.workflows()).await;
        checked.map_err(not_compiled)
    }
}

/// Lets activities that there are not stand in their places, and a step where there is none, so that the rest of a
/// workflow can be looked at.
fn stand_in(definition: &mut Definition) {
    if definition.procedure.steps.is_empty() {
        definition.procedure.steps.push(Step { activity: "stand-in".to_owned(), ..Step::default() });
    }
    for step in definition.procedure.steps.iter().flat_map(Step::members) {
        for name in [Some(&step.activity), step.compensate.as_ref()].into_iter().flatten() {
            definition.activities.entry(name.clone()).or_insert_with(|| made_up(name));
        }
    }
}

fn made_up(name: &str) -> Activity {
    let activity = json!({"name": name, "run": {"script": "return {}"}});
    serde_json::from_value(activity).expect("an activity")
}

/// Code that does not compile; the message begins with its place, or names a condition of the graph.
fn not_compiled(message: String) -> Fault {
    let place = message.split_whitespace().next().unwrap_or_default();
    let field = if place == "The" { "nodes".to_owned() } else { place.to_owned() };
    faults::wrong(&field, message)
}

/// An error at a place in the config file; the message begins with the place below that.
fn wrong_in_file(list: &str, index: usize, message: &str) -> Fault {
    let place = message.split_whitespace().next().unwrap_or_default();
    faults::wrong(&format!("{list}[{index}].{place}"), format!("{list}[{index}].{message}"))
}
