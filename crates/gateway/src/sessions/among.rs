//! Definitions held against each other: activities and workflows that lead nowhere, or contain themselves.

use super::faults;
use crate::gateway::Gateway;
use model::session::{Activity, Face, Procedure, check};
use model::{Fault, WorkflowError, WorkflowType};
use std::collections::{BTreeMap, HashMap};

/// A definition that is to be stored.
pub(super) enum Changed<'a> {
    /// The activity of this name.
    Activity(&'a str),
    /// The workflow with this id.
    Workflow { id: &'a str, procedure: &'a Procedure },
}

impl Gateway {
    /// Checks one definition against all the others, active or not. What is wrong with another one keeps nobody from
    /// changing this one.
    pub(super) fn check_among(
        &self,
        activities: &BTreeMap<String, Activity>,
        changed: &Changed<'_>,
    ) -> Result<(), Fault> {
        match self.wrong_among(activities, changed).into_iter().next() {
            Some(problem) => Err(problem.into()),
            None => Ok(()),
        }
    }

    /// All that is wrong with one definition among the others.
    pub(super) fn wrong_among(
        &self,
        activities: &BTreeMap<String, Activity>,
        changed: &Changed<'_>,
    ) -> Vec<WorkflowError> {
        let mut procedures = self.procedures_but(match changed {
            Changed::Workflow { id, .. } => Some(id),
            Changed::Activity(_) => None,
        });
        let path = match changed {
            Changed::Activity(name) => {
                let place = activities.keys().position(|key| key == name).unwrap_or_default();
                format!("activities[{place}]")
            }
            Changed::Workflow { procedure, .. } => {
                procedures.push((*procedure).clone());
                format!("workflows[{}]", procedures.len() - 1)
            }
        };
        let activities: Vec<Activity> = activities.values().cloned().collect();
        let found = check(&activities, &procedures);
        found.iter().filter_map(|problem| own_problem(problem, &path, changed)).collect()
    }

    /// The session workflows that there are, active or not, without the one of this id.
    fn procedures_but(&self, id: Option<&str>) -> Vec<Procedure> {
        let mut procedures = self.sessions.file.load().procedures.clone();
        let stored = self.graphs.of_type(WorkflowType::Session).into_iter();
        let others = stored.filter(|one| id != Some(one.id.as_str()));
        procedures.extend(others.filter_map(|one| one.procedure().ok()));
        procedures
    }

    /// Whether an activity that is to be stored has the name of a workflow's tool.
    pub(super) fn check_tool_name(&self, activity: &Activity) -> Result<(), Fault> {
        let exposed = &self.settings().tools.expose;
        match namesake([activity], &self.procedures_but(None), exposed) {
            Some((_, message)) => Err(faults::conflict(message)),
            None => Ok(()),
        }
    }

    /// Why workflows of the API cannot be active among the definitions that there are, by their ids.
    pub(super) fn unfit_workflows(
        &self,
        activities: &BTreeMap<String, Activity>,
    ) -> BTreeMap<String, String> {
        let mut procedures = self.sessions.file.load().procedures.clone();
        let first = procedures.len();
        let stored = self.graphs.of_type(WorkflowType::Session).into_iter();
        let (ids, own): (Vec<_>, Vec<_>) =
            stored.filter_map(|one| Some((one.id.clone(), one.procedure().ok()?))).unzip();
        procedures.extend(own);
        let activities: Vec<Activity> = activities.values().cloned().collect();
        let found = check(&activities, &procedures);
        let reason = |(place, id): (usize, String)| {
            let (path, name) = (format!("workflows[{place}]"), format!("workflows[{place}].name"));
            let changed = Changed::Workflow { id: &id, procedure: &procedures[place] };
            let message = |problem: &WorkflowError| match problem.field == name {
                true => Some(problem.message.clone()),
                false => Some(own_problem(problem, &path, &changed)?.message),
            };
            let reason = found.iter().find_map(message)?;
            Some((id, reason))
        };
        (first..).zip(ids).filter_map(reason).collect()
    }
}

/// A problem of the definition that is changed, with its path told as its own. One that an activity brings about lies
/// in the workflow that would contain itself.
fn own_problem(problem: &WorkflowError, path: &str, changed: &Changed<'_>) -> Option<WorkflowError> {
    if let Some((place, round)) = problem.message.split_once(" contains itself: ") {
        let field = match changed {
            Changed::Activity(_) => "run.workflow.name",
            Changed::Workflow { .. } if place == path => "steps",
            Changed::Workflow { .. } => return None,
        };
        let message = format!("Workflow contains itself: {round}");
        return Some(WorkflowError { field: field.to_owned(), message });
    }
    let own = |text: &str| Some(text.strip_prefix(path)?.strip_prefix('.')?.to_owned());
    Some(WorkflowError { field: own(&problem.field)?, message: own(&problem.message)? })
}

/// The first published activity that would be a tool of the same name as one of these workflows, of which these
/// faces are shown: its place, and what is said of it.
pub(super) fn namesake<'a>(
    activities: impl IntoIterator<Item = &'a Activity>,
    procedures: &[Procedure],
    exposed: &[Face],
) -> Option<(usize, String)> {
    let shown = |one: &Procedure| -> Vec<(String, String)> {
        let faces: Vec<Face> = one.faces(exposed);
        faces.into_iter().map(|face| (one.tool(face), one.name.clone())).collect()
    };
    let tools: HashMap<String, String> = procedures.iter().flat_map(shown).collect();
    let mut published = activities.into_iter().enumerate().filter(|(_, one)| one.publish);
    published.find_map(|(place, activity)| {
        let (name, workflow) = (&activity.name, tools.get(&activity.name)?);
        let words = "has the name of a tool of the workflow";
        Some((place, format!("The published activity '{name}' {words} '{workflow}'")))
    })
}
