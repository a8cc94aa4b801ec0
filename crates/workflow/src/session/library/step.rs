//! Steps and branches, with closures where definitions have expressions.

use super::LibraryError;
use super::activity::check;
use crate::session::activity::Activity;
use crate::session::plan::{Judge, Member, PlanStep, View};
use crate::session::schema::Schemas;
use model::session::{Approvers, Branches, OnUnknown, PatternBranch, PredicateBranch, WaitFor};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

/// One step of a workflow: an activity, or several at the same time.
pub struct Step {
    members: Vec<Part>,
    group: bool,
    condition: Option<Judge>,
    branches: Vec<Branch>,
    approve: Option<Approvers>,
    wait: Option<WaitFor>,
    filter: Option<Judge>,
    input: Option<Value>,
    optional: bool,
    /// What was asked of it that it cannot do.
    misused: Option<&'static str>,
}

/// One activity of a step, with what belongs to it alone.
struct Part {
    activity: Arc<dyn Activity>,
    input: Option<Value>,
    mapper: Option<Judge>,
    optional: bool,
    on_unknown: Option<OnUnknown>,
    compensate: Option<Arc<dyn Activity>>,
}

impl Step {
    /// A step that runs an activity.
    pub fn new(activity: impl Activity) -> Self {
        Self::shared(Arc::new(activity))
    }

    /// A step that runs an activity which others use too.
    pub fn shared(activity: Arc<dyn Activity>) -> Self {
        let part =
            Part { activity, input: None, mapper: None, optional: false, on_unknown: None, compensate: None };
        Self::of(vec![part], false)
    }

    /// A step whose members run at the same time. A member has an activity, input, mapper, `optional`,
    /// `on_unknown` and `compensate` of its own; the rest belongs to the whole step.
    pub fn parallel(members: impl IntoIterator<Item = Step>) -> Self {
        let mut misused = None;
        let parts: Vec<Part> = Vec::from_iter(members.into_iter().flat_map(|step| {
            if step.stands_alone() {
                misused = Some("Conditions, branches, approval, events and groups belong to a parallel step, not to its members");
            }
            let Step { members, input, optional, .. } = step;
            members.into_iter().map(move |part| Part { input: input.clone(), optional, ..part })
        }));
        Self { misused, ..Self::of(parts, true) }
    }

    fn of(members: Vec<Part>, group: bool) -> Self {
        Self {
            members,
            group,
            condition: None,
            branches: Vec::new(),
            approve: None,
            wait: None,
            filter: None,
            input: None,
            optional: false,
            misused: None,
        }
    }

    /// Whether it has what only a step of its own may have.
    fn stands_alone(&self) -> bool {
        let waits = self.condition.is_some() || self.approve.is_some() || self.wait.is_some();
        self.group || waits || !self.branches.is_empty()
    }

    /// Constant input.
    #[must_use]
    pub fn input(mut self, input: Value) -> Self {
        self.input = Some(input);
        self
    }

    /// Its failure is passed over.
    #[must_use]
    pub fn optional(mut self) -> Self {
        self.optional = true;
        self
    }

    /// It is passed over unless this holds.
    #[must_use]
    pub fn when(self, holds: impl Fn(&View<'_>) -> bool + Send + Sync + 'static) -> Self {
        self.try_when(move |view| Ok(holds(view)))
    }

    /// The same with a closure that may fail, which fails the session.
    #[must_use]
    pub fn try_when(self, holds: impl Fn(&View<'_>) -> Result<bool, String> + Send + Sync + 'static) -> Self {
        self.when_judged(Judge::Native(Arc::new(move |view| Ok(Some(holds(view)?.into())))))
    }

    /// The same with an expression in the sandbox.
    #[must_use]
    pub fn when_judged(mut self, judge: Judge) -> Self {
        self.condition = Some(judge);
        self
    }

    /// Its input is what this gives.
    #[must_use]
    pub fn map_input(self, map: impl Fn(&View<'_>) -> Value + Send + Sync + 'static) -> Self {
        self.try_map_input(move |view| Ok(Some(map(view))))
    }

    /// The same with a closure that may fail, which is a failure of the step, or give nothing.
    #[must_use]
    pub fn try_map_input(
        self,
        map: impl Fn(&View<'_>) -> Result<Option<Value>, String> + Send + Sync + 'static,
    ) -> Self {
        self.map_judged(Judge::Native(Arc::new(map)))
    }

    /// The same with an expression in the sandbox.
    #[must_use]
    pub fn map_judged(mut self, judge: Judge) -> Self {
        match (&mut self.members[..], self.group) {
            ([part], false) => part.mapper = Some(judge),
            _ => self.misused = Some("A parallel step has no mapper; give its members their own"),
        }
        self
    }

    /// What else may be called after it.
    #[must_use]
    pub fn branch(mut self, branch: Branch) -> Self {
        self.branches.push(branch);
        self
    }

    /// Somebody must allow it first.
    #[must_use]
    pub fn approve(mut self, rules: Approvers) -> Self {
        self.approve = Some(rules);
        self
    }

    /// It waits for an event. A filter as text is for definitions; see [`Step::filter`].
    #[must_use]
    pub fn wait_for(mut self, wait: WaitFor) -> Self {
        self.wait = Some(wait);
        self
    }

    /// Only an event that this holds for lets it run.
    #[must_use]
    pub fn filter(mut self, holds: impl Fn(&View<'_>) -> bool + Send + Sync + 'static) -> Self {
        self.filter = Some(Judge::Native(Arc::new(move |view| Ok(Some(holds(view).into())))));
        self
    }

    /// What undoes it: run with `{input, output}` of the step when the workflow fails later.
    #[must_use]
    pub fn compensate(mut self, activity: impl Activity) -> Self {
        let activity: Arc<dyn Activity> = Arc::new(activity);
        self.members.iter_mut().for_each(|part| part.compensate = Some(Arc::clone(&activity)));
        self
    }

    /// What happens when it was under way as the process died.
    #[must_use]
    pub fn on_unknown(mut self, rule: OnUnknown) -> Self {
        self.members.iter_mut().for_each(|part| part.on_unknown = Some(rule));
        self
    }

    /// The form in which it runs.
    pub(super) fn plan(self) -> Result<PlanStep, LibraryError> {
        self.check()?;
        let name = match self.group {
            true => "parallel".to_owned(),
            false => self.members.first().map(|part| part.activity.name().to_owned()).unwrap_or_default(),
        };
        let (branches, predicates) = forms(self.branches)?;
        let group = self.group;
        let members = self.members.into_iter().map(|part| Member {
            schemas: Schemas::of(&*part.activity),
            activity: part.activity,
            input: part.input.filter(|_| group),
            mapper: part.mapper,
            optional: part.optional,
            on_unknown: part.on_unknown,
            compensate: part.compensate.map(|undo| (Arc::clone(&undo), Schemas::of(&*undo))),
        });
        Ok(PlanStep {
            name,
            group,
            members: members.collect(),
            optional: self.optional,
            input: self.input,
            condition: self.condition,
            branches,
            predicates,
            approve: self.approve,
            wait: self.wait.map(|wait| (wait, self.filter)),
        })
    }

    fn check(&self) -> Result<(), LibraryError> {
        if let Some(message) = self.misused {
            return Err(LibraryError::refused(message));
        }
        if self.members.is_empty() {
            return Err(LibraryError::refused("A parallel step needs at least one member"));
        }
        let mut names = BTreeSet::new();
        for part in &self.members {
            check(&*part.activity)?;
            part.compensate.iter().try_for_each(|undo| check(&**undo))?;
            let name = part.activity.name();
            if !names.insert(name) {
                let message = format!("Two members of a parallel step run the activity '{name}'; rename one");
                return Err(LibraryError::Refused(message));
            }
        }
        match &self.wait {
            Some(wait) if wait.filter.is_some() => Err(LibraryError::refused(
                "A filter as text needs a definition; give a closure with Step::filter",
            )),
            None if self.filter.is_some() => {
                Err(LibraryError::refused("A filter needs an event; name it with Step::wait_for"))
            }
            _ => Ok(()),
        }
    }
}

/// What may be called after a step when its data says so, in one of two forms.
pub struct Branch {
    tool: String,
    parameters: Map<String, Value>,
    description: Option<String>,
    form: Form,
}

enum Form {
    Pattern(String),
    Predicate(Judge),
}

impl Branch {
    /// Offers a tool when the value at the path of `key.nested:value` in the step's data is that value.
    pub fn pattern(pattern: impl Into<String>, tool: impl Into<String>) -> Self {
        Self::of(Form::Pattern(pattern.into()), tool)
    }

    /// Offers a tool when this holds for the step's data (`result`), the memory and the input.
    pub fn when(holds: impl Fn(&View<'_>) -> bool + Send + Sync + 'static, tool: impl Into<String>) -> Self {
        Self::judged(Judge::Native(Arc::new(move |view| Ok(Some(holds(view).into())))), tool)
    }

    /// The same with an expression in the sandbox.
    pub fn judged(judge: Judge, tool: impl Into<String>) -> Self {
        Self::of(Form::Predicate(judge), tool)
    }

    fn of(form: Form, tool: impl Into<String>) -> Self {
        Self { tool: tool.into(), parameters: Map::new(), description: None, form }
    }

    /// A parameter that the tool is offered with.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.parameters.insert(name.into(), value.into());
        self
    }

    /// What it is for; of the predicate form only.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }
}

/// The branches of a step, which are all of one form.
fn forms(branches: Vec<Branch>) -> Result<(Option<Branches>, Vec<Judge>), LibraryError> {
    let (mut patterns, mut listed, mut judges) = (Map::new(), Vec::new(), Vec::new());
    for branch in branches {
        match branch.form {
            Form::Pattern(pattern) => {
                let target = PatternBranch { tool_name: branch.tool, parameters: branch.parameters };
                patterns.insert(pattern, json!(target));
            }
            Form::Predicate(judge) => {
                judges.push(judge);
                let (call, with) = (branch.tool, branch.parameters);
                let when = "native".to_owned();
                listed.push(PredicateBranch { when, call, with, description: branch.description });
            }
        }
    }
    match (patterns.is_empty(), listed.is_empty()) {
        (true, true) => Ok((None, judges)),
        (false, true) => Ok((Some(Branches::Patterns(patterns)), judges)),
        (true, false) => Ok((Some(Branches::Predicates(listed)), judges)),
        (false, false) => {
            Err(LibraryError::refused("The branches of one step are either all patterns or all predicates"))
        }
    }
}

impl<'a> View<'a> {
    /// What is remembered under a key.
    pub fn remembered(&self, key: &str) -> Option<&'a Value> {
        self.memory.and_then(|memory| memory.get(key))
    }
}
