//! What runs scripts, and where the scripts of modules come from.

use crate::kinds::{BUILT_IN, Kinds};
use crate::problem::{Problem, Rule};
use crate::session::as_list;
use model::{Node, Workflow};
use sandbox::{Job, Ran, Report, Sandbox, Script, ScriptError};
use std::borrow::Cow;
use std::future::Future;
use std::sync::Arc;

/// What runs the scripts of nodes: the sandbox, or something that tests put in its place.
pub trait Scripts: Clone + Send + Sync + 'static {
    /// Runs the steps of a job. It never fails as a whole: troubles belong to a step.
    fn run(&self, job: &Job<'_>) -> impl Future<Output = Ran> + Send;

    /// Compiles scripts without running them; what came of each, in their order.
    fn check(&self, sources: &[&str]) -> impl Future<Output = Vec<Result<(), ScriptError>>> + Send;
}

impl Scripts for Sandbox {
    async fn run(&self, job: &Job<'_>) -> Ran {
        Sandbox::run(self, job).await
    }

    async fn check(&self, sources: &[&str]) -> Vec<Result<(), ScriptError>> {
        self.check_all(sources).await
    }
}

/// The hooks that nodes may name as modules.
pub trait Modules: Send + Sync {
    /// Is another number after every change of a hook.
    fn edition(&self) -> u64;

    /// The hook with this id, as it stands now.
    fn module(&self, id: &str) -> Option<Arc<dyn Module>>;
}

/// A hook that a node runs.
pub trait Module: Send + Sync {
    /// Its id.
    fn id(&self) -> &str;

    /// Its script, under its name.
    fn script(&self) -> &Arc<Script>;

    /// Its version, which counts its changes.
    fn version(&self) -> u64;

    /// Is told how an execution ended.
    fn ran(&self, report: &Report);
}

/// No modules at all.
impl Modules for () {
    fn edition(&self) -> u64 {
        0
    }

    fn module(&self, _id: &str) -> Option<Arc<dyn Module>> {
        None
    }
}

/// The problems that only an engine finds: scripts that do not compile, and modules that do not exist.
pub async fn check_scripts<S: Scripts>(
    workflow: &Workflow,
    scripts: &S,
    modules: &dyn Modules,
) -> Vec<Problem> {
    check_with(workflow, scripts, modules, &BUILT_IN).await
}

/// The same with these kinds of nodes.
pub(crate) async fn check_with<S: Scripts>(
    workflow: &Workflow,
    scripts: &S,
    modules: &dyn Modules,
    kinds: &Kinds,
) -> Vec<Problem> {
    let mut problems = Vec::new();
    // What is to be compiled, by node; and how many lines of it the user wrote.
    let (mut sources, mut owners) = (Vec::<Cow<'_, str>>::new(), Vec::new());
    for node in workflow.nodes.iter() {
        if let Some(id) = node.module() {
            if modules.module(id).is_none() {
                let rest = format!("names the hook '{id}', which does not exist");
                problems.push(Problem::of(Rule::Script, node, &rest));
            }
            continue;
        }
        let Some(kind) = kinds.of(&node.kind) else { continue };
        // Alone first, since lines are then those of the expression.
        let alone = kind
            .expressions(node)
            .into_iter()
            .map(|text| (Cow::from(as_list(text)), text.split('\n').count()));
        let whole = kind.script(node).map(|source| (source, usize::MAX));
        for (source, lines) in alone.chain(whole) {
            sources.push(source);
            owners.push((node, lines));
        }
    }
    let sources: Vec<&str> = sources.iter().map(|source| &**source).collect();
    let mut told: Option<&Node> = None;
    for ((node, lines), result) in owners.into_iter().zip(scripts.check(&sources).await) {
        let Err(error) = result else { continue };
        if told.replace(node).is_some_and(|last| std::ptr::eq(last, node)) {
            continue;
        }
        let found = error.line.map(|line| usize::try_from(line).unwrap_or(usize::MAX));
        // What is only noticed behind the end lies on the last line, and the token there is none that somebody wrote.
        let line = found.map(|line| line.min(lines));
        let unended = found.is_some_and(|line| line > lines) && error.message.ends_with("']'");
        let message = if unended { "SyntaxError: unexpected end of the expression" } else { &error.message };
        let place = line.map(|line| format!(" (line {line})")).unwrap_or_default();
        let rest = format!("has a script that does not compile: {message}{place}");
        problems.push(Problem::of(Rule::Script, node, &rest));
    }
    Problem::sort(&mut problems);
    problems
}
