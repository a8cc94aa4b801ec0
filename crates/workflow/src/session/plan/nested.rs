//! The workflows that a workflow made in Rust runs as steps (spec 5.2).

use super::Plan;
use crate::session::activity::Activity;
use model::session::{Activity as Written, Procedure, Run, Step, WorkflowRun, check};

impl Plan {
    /// Refuses steps that run this workflow itself, or one that is not there, in the words of definitions. A workflow
    /// that is there was registered before this one, so it cannot lead back here.
    pub(crate) fn check_nested(&self) -> Result<(), String> {
        let loose: Vec<(&str, &str)> = self.activities().filter_map(missing).collect();
        let written = |(at, (_, workflow)): (usize, &(&str, &str))| {
            Written::of(at.to_string(), Run::Workflow(WorkflowRun { name: (*workflow).to_owned() }))
        };
        let activities: Vec<Written> = loose.iter().enumerate().map(written).collect();
        let step = |one: &Written| Step { activity: one.name.clone(), ..Step::default() };
        let steps = activities.iter().map(step).collect();
        let outer = Procedure { steps, ..Procedure::named(self.name()) };
        let problems = check(&activities, &[outer]);
        let round = problems.iter().find_map(|problem| problem.message.split_once(" contains itself: "));
        if let Some((_, round)) = round {
            return Err(format!("Workflow contains itself: {round}"));
        }
        // What is wrong with an activity comes before the steps that name it.
        let Some(problem) = problems.into_iter().next() else { return Ok(()) };
        let place = |at: usize| format!("activities[{at}].run.workflow.name");
        let said = loose.iter().enumerate().find_map(|(at, (name, _))| {
            let rule = problem.message.strip_prefix(&place(at))?;
            Some(format!("Activity '{name}'{rule}"))
        });
        Err(said.unwrap_or(problem.message))
    }

    /// Every activity that its steps run or are undone by.
    fn activities(&self) -> impl Iterator<Item = &dyn Activity> {
        let members = self.steps.iter().flat_map(|step| &step.members);
        members.flat_map(|member| {
            let undo = member.compensate.as_ref().map(|(undo, _)| &**undo);
            std::iter::once(&*member.activity).chain(undo)
        })
    }
}

/// The name of an activity that runs a workflow which is not there, and that of the workflow.
fn missing(activity: &dyn Activity) -> Option<(&str, &str)> {
    let (workflow, workflows) = activity.nested()?;
    (!workflows.knows(workflow)).then(|| (activity.name(), workflow))
}
