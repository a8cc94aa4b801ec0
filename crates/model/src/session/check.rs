//! What no single definition can tell: whether the names in a whole set of them lead anywhere, and whether
//! any workflow would contain itself (spec 4.9 and 5.2).

use super::{Activity, Procedure, Run, Step};
use crate::WorkflowError;
use crate::text::shown;
use std::collections::{HashMap, HashSet, VecDeque};

/// Everything that is wrong with a set of definitions. Paths begin with `activities[i]` or `workflows[i]`.
pub fn check(activities: &[Activity], procedures: &[Procedure]) -> Vec<WorkflowError> {
    let known = Known::new(activities, procedures);
    let mut all = Vec::new();
    twins(&mut all, "activities", activities.iter().map(|one| one.name.as_str()), |name| {
        format!("Activity name '{name}' is taken")
    });
    twins(&mut all, "workflows", procedures.iter().map(|one| one.name.as_str()), |name| {
        format!("Workflow \"{name}\" is already registered with a server")
    });
    for (i, activity) in activities.iter().enumerate() {
        if let Some(name) = runs(activity).filter(|name| !known.procedures.contains_key(name)) {
            let rule = format!("names the workflow '{}', which does not exist", shown(name));
            all.push(WorkflowError::at(&format!("activities[{i}].run.workflow"), "name", &rule));
        }
    }
    for (i, procedure) in procedures.iter().enumerate() {
        let path = format!("workflows[{i}]");
        known.unknown(procedure, &path, &mut all);
        if let Some(round) = known.round(&procedure.name) {
            let message = format!("{path} contains itself: {}", round.join(" > "));
            all.push(WorkflowError::new(&path, message));
        }
    }
    all
}

/// Names that are taken, in the words in which the API refuses them.
fn twins<'a>(
    all: &mut Vec<WorkflowError>,
    list: &str,
    names: impl Iterator<Item = &'a str>,
    words: fn(&str) -> String,
) {
    let mut seen = HashSet::new();
    for (i, name) in names.enumerate() {
        if !seen.insert(name) {
            all.push(WorkflowError::new(&format!("{list}[{i}].name"), words(&shown(name))));
        }
    }
}

/// A set of definitions by name. Of two with one name the first counts.
struct Known<'a> {
    activities: HashMap<&'a str, &'a Activity>,
    procedures: HashMap<&'a str, &'a Procedure>,
}

impl<'a> Known<'a> {
    fn new(activities: &'a [Activity], procedures: &'a [Procedure]) -> Self {
        // The last of the pairs stays, so they come in reverse.
        Self {
            activities: activities.iter().rev().map(|one| (one.name.as_str(), one)).collect(),
            procedures: procedures.iter().rev().map(|one| (one.name.as_str(), one)).collect(),
        }
    }

    /// The names of activities that lead nowhere, or to a workflow that is not there.
    fn unknown(&self, procedure: &Procedure, path: &str, all: &mut Vec<WorkflowError>) {
        for (path, step) in procedure.walk(path) {
            for (key, name) in names(step) {
                let Some(activity) = self.activities.get(name) else {
                    let rule = format!("names the activity '{}', which does not exist", shown(name));
                    all.push(WorkflowError::at(&path, key, &rule));
                    continue;
                };
                if let Some(gone) = runs(activity).filter(|name| !self.procedures.contains_key(name)) {
                    let (name, gone) = (shown(name), shown(gone));
                    let rule = format!("names the activity '{name}', whose workflow '{gone}' does not exist");
                    all.push(WorkflowError::at(&path, key, &rule));
                }
            }
        }
    }

    /// The workflows that one runs as steps.
    fn inner(&self, procedure: &'a Procedure) -> impl Iterator<Item = &'a str> {
        let steps = procedure.steps.iter().flat_map(Step::members);
        let activities = steps.flat_map(names).filter_map(|(_, name)| self.activities.get(name).copied());
        activities.filter_map(runs)
    }

    /// A shortest way from a workflow through others back to itself.
    fn round(&self, name: &'a str) -> Option<Vec<&'a str>> {
        let mut before: HashMap<&str, &str> = HashMap::new();
        let mut open = VecDeque::from([name]);
        while let Some(at) = open.pop_front() {
            let Some(procedure) = self.procedures.get(at) else { continue };
            for next in self.inner(procedure) {
                if next == name {
                    let mut round = vec![name, at];
                    while let Some(&from) = before.get(round[round.len() - 1]) {
                        round.push(from);
                    }
                    round.reverse();
                    return Some(round);
                }
                if !before.contains_key(next) {
                    before.insert(next, at);
                    open.push_back(next);
                }
            }
        }
        None
    }
}

/// The workflow that an activity runs.
fn runs(activity: &Activity) -> Option<&str> {
    match &activity.run {
        Run::Workflow(run) => Some(&run.name),
        _ => None,
    }
}

/// The activities that one step names, with the fields that name them.
fn names(step: &Step) -> impl Iterator<Item = (&'static str, &str)> {
    let own = Some(step.activity.as_str()).filter(|name| !name.is_empty());
    let undo = step.compensate.as_deref();
    own.map(|name| ("activity", name)).into_iter().chain(undo.map(|name| ("compensate", name)))
}

impl Procedure {
    /// Every step and every member of a group, with its path below `path`.
    pub(super) fn walk(&self, path: &str) -> Vec<(String, &Step)> {
        let prefix = if path.is_empty() { String::new() } else { format!("{path}.") };
        let mut all = Vec::new();
        for (i, step) in self.steps.iter().enumerate() {
            let path = format!("{prefix}steps[{i}]");
            let inner = step.parallel.iter().enumerate();
            let inner: Vec<_> = inner.map(|(k, step)| (format!("{path}.parallel[{k}]"), step)).collect();
            all.push((path, step));
            all.extend(inner);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn script(name: &str) -> Value {
        json!({"name": name, "run": {"script": "return {}"}})
    }

    fn nest(name: &str, workflow: &str) -> Value {
        json!({"name": name, "run": {"workflow": {"name": workflow}}})
    }

    fn found(activities: &[Value], procedures: &[(&str, Value)]) -> Vec<String> {
        let activities: Vec<Activity> =
            activities.iter().map(|one| Activity::parse(one, "").expect("sound")).collect();
        let read =
            |(name, steps): &(&str, Value)| Procedure::parse(&json!({"name": name, "steps": steps}), "");
        let procedures: Vec<Procedure> = procedures.iter().map(|one| read(one).expect("sound")).collect();
        check(&activities, &procedures).into_iter().map(|error| error.message).collect()
    }

    #[test]
    fn names_that_lead_nowhere_are_found_at_every_depth() {
        let steps = json!([
            {"activity": "a", "compensate": "undo"},
            {"parallel": [{"activity": "a"}, {"activity": "b", "compensate": "a"}]},
        ]);
        assert_eq!(
            found(&[script("a"), nest("c", "w2")], &[("w", steps.clone())]),
            [
                "activities[1].run.workflow.name names the workflow 'w2', which does not exist",
                "workflows[0].steps[0].compensate names the activity 'undo', which does not exist",
                "workflows[0].steps[1].parallel[1].activity names the activity 'b', which does not exist",
            ]
        );
        assert!(found(&[script("a"), script("b"), script("undo")], &[("w", steps.clone())]).is_empty());
        assert_eq!(
            found(
                &[script("a"), nest("b", "gone"), nest("undo", "w2")],
                &[("w", steps), ("w2", json!([{"activity": "a"}]))]
            ),
            [
                "activities[1].run.workflow.name names the workflow 'gone', which does not exist",
                "workflows[0].steps[1].parallel[1].activity names the activity 'b', whose workflow 'gone' does not exist",
            ]
        );
    }

    #[test]
    fn a_name_is_given_once() {
        let step = || json!([{"activity": "a"}]);
        assert_eq!(
            found(&[script("a"), script("b"), script("a")], &[("w", step()), ("w", step())]),
            ["Activity name 'a' is taken", "Workflow \"w\" is already registered with a server",]
        );
        assert!(found(&[script("w")], &[("w", json!([{"activity": "w"}]))]).is_empty());
    }

    #[test]
    fn a_workflow_that_contains_itself_is_found() {
        let step = |name: &str| json!([{"activity": name}]);
        assert_eq!(found(&[nest("a", "w")], &[("w", step("a"))]), ["workflows[0] contains itself: w > w"]);
        let three = [nest("to-x", "x"), nest("to-y", "y"), nest("to-z", "z"), script("s")];
        assert_eq!(
            found(
                &three,
                &[("x", step("to-y")), ("y", step("to-z")), ("z", step("to-x")), ("o", step("to-x"))]
            ),
            [
                "workflows[0] contains itself: x > y > z > x",
                "workflows[1] contains itself: y > z > x > y",
                "workflows[2] contains itself: z > x > y > z",
            ]
        );
        let undo = json!([{"parallel": [{"activity": "s"}, {"activity": "to-y", "compensate": "to-x"}]}]);
        assert_eq!(
            found(&three, &[("x", undo), ("y", step("s")), ("z", step("s"))]),
            ["workflows[0] contains itself: x > x"]
        );
        assert!(found(&three, &[("x", step("to-y")), ("y", step("to-z")), ("z", step("s"))]).is_empty());
    }
}
