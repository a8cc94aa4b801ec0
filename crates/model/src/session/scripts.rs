//! Every script and expression of a definition, so that whoever has an engine can compile them all.

use super::{Activity, Branches, Procedure, Run, Step};
use std::borrow::Cow;

/// One script of a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script<'a> {
    /// Where it stands in the definition, such as `steps[1].condition`.
    pub path: String,
    /// Its text.
    pub source: &'a str,
    /// What the text is.
    pub form: Form,
}

/// What the text of a script is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The body of an async function.
    Body,
    /// An expression whose value is taken.
    Expression,
}

impl Form {
    /// The body of a function that does what a text of this form says: an expression becomes its value.
    pub fn body(self, source: &str) -> Cow<'_, str> {
        match self {
            Form::Body => Cow::Borrowed(source),
            // The line breaks keep a comment at its end from hiding what follows.
            Form::Expression => Cow::Owned(format!("return (\n{source}\n)")),
        }
    }

    /// How many lines stand before the first line of the text in [`body`](Self::body).
    pub const fn lines_before(self) -> u32 {
        match self {
            Form::Body => 0,
            Form::Expression => 1,
        }
    }
}

impl Script<'_> {
    /// The body of a function that does what it says.
    pub fn body(&self) -> Cow<'_, str> {
        self.form.body(self.source)
    }
}

fn add<'a>(all: &mut Vec<Script<'a>>, path: String, form: Form, source: Option<&'a String>) {
    all.extend(source.map(|source| Script { path, source, form }));
}

impl Activity {
    /// Its scripts.
    pub fn scripts(&self) -> Vec<Script<'_>> {
        let mut all = Vec::new();
        let own = match &self.run {
            Run::Script(source) => Some(source),
            _ => None,
        };
        add(&mut all, "run.script".into(), Form::Body, own);
        add(&mut all, "onSuccess".into(), Form::Body, self.on_success.as_ref());
        add(&mut all, "onFailure".into(), Form::Body, self.on_failure.as_ref());
        add(&mut all, "onComplete".into(), Form::Body, self.on_complete.as_ref());
        all
    }
}

impl Procedure {
    /// Its scripts and expressions, those of the steps in their order first.
    pub fn scripts(&self) -> Vec<Script<'_>> {
        let mut all = Vec::new();
        for (path, step) in self.walk("") {
            step.add_scripts(&path, &mut all);
        }
        add(&mut all, "onSuccess".into(), Form::Body, self.on_success.as_ref());
        add(&mut all, "onFailure".into(), Form::Body, self.on_failure.as_ref());
        add(&mut all, "onComplete".into(), Form::Body, self.on_complete.as_ref());
        all
    }
}

impl Step {
    fn add_scripts<'a>(&'a self, path: &str, all: &mut Vec<Script<'a>>) {
        let mut expression = |key: &str, source| add(all, format!("{path}.{key}"), Form::Expression, source);
        expression("condition", self.condition.as_ref());
        expression("inputMapper", self.input_mapper.as_ref());
        if let Some(Branches::Predicates(list)) = &self.branches {
            for (i, branch) in list.iter().enumerate() {
                expression(&format!("branches[{i}].when"), Some(&branch.when));
            }
        }
        expression("waitFor.filter", self.wait_for.as_ref().and_then(|wait| wait.filter.as_ref()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn listed(scripts: &[Script<'_>]) -> Vec<String> {
        let form = |form| if form == Form::Body { "body" } else { "expression" };
        scripts.iter().map(|one| format!("{} {} {}", form(one.form), one.path, one.source)).collect()
    }

    #[test]
    fn every_script_is_listed_with_its_place() {
        let activity = json!({
            "name": "a", "run": {"script": "s"}, "onSuccess": "os", "onFailure": "of", "onComplete": "oc",
        });
        assert_eq!(
            listed(&Activity::parse(&activity, "").expect("sound").scripts()),
            ["body run.script s", "body onSuccess os", "body onFailure of", "body onComplete oc"]
        );
        let procedure = json!({
            "name": "w", "onComplete": "oc",
            "steps": [
                {"activity": "a", "condition": "c", "branches": [{"when": "w0", "call": "t"}, {"when": "w1", "call": "t"}]},
                {"parallel": [{"activity": "a"}, {"activity": "b", "inputMapper": "m"}],
                 "waitFor": {"event": "e", "filter": "f"}},
            ],
        });
        assert_eq!(
            listed(&Procedure::parse(&procedure, "").expect("sound").scripts()),
            [
                "expression steps[0].condition c",
                "expression steps[0].branches[0].when w0",
                "expression steps[0].branches[1].when w1",
                "expression steps[1].waitFor.filter f",
                "expression steps[1].parallel[1].inputMapper m",
                "body onComplete oc",
            ]
        );
        assert_eq!(Form::Expression.body("a // b"), "return (\na // b\n)");
        assert_eq!(Form::Body.body("a"), "a");
    }
}
