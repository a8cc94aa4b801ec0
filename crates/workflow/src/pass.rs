//! One request on its way through a graph (spec 3.5).

mod drive;
mod journey;
mod marks;
mod sides;
#[cfg(test)]
mod tests;
mod tools;

pub use journey::{Bare, Beginning};
pub use marks::NodeMark;
pub use sides::Sides;
pub use tools::{Named, Tool, Tools};

use crate::plan::Graph;
use crate::record::Run;
use crate::recorder;
use crate::scripts::{Modules, Scripts};
use drive::Drive;
use journey::Open;
use sandbox::{Follow, Phase, ScriptError};
use serde_json::Value;
use serde_json::value::RawValue;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use store::Store;

/// What a graph is given: a request, and what it may use.
pub struct Pass<'a, S> {
    /// The method of the request.
    pub method: &'a str,
    /// Its parameters: JSON text, `{}` where the client sent none.
    pub params: &'a str,
    /// `context.metadata`: the text of a JSON object, without `shared`.
    pub metadata: &'a str,
    /// Further members of the context: the text of a JSON object.
    pub top: &'a str,
    /// Tells both anew for parameters that name something else.
    pub follow: Option<Follow<'a>>,
    /// `metadata.shared` as earlier hooks left it: JSON text.
    pub shared: Option<String>,
    /// The wall clock of one script.
    pub limit: Duration,
    /// Whether the plain request is made when the graph fails before the call.
    pub bypass: bool,
    /// The reply that a hook before the graph gave; then the call is passed over.
    pub answer: Option<Answer>,
    /// What runs scripts.
    pub scripts: &'a S,
    /// The hooks that nodes name.
    pub modules: &'a dyn Modules,
    /// What is known of the tool that is called.
    pub tools: &'a dyn Tools,
    /// The fire-and-forget hooks that are under way.
    pub sides: &'a Sides,
    /// Who keeps the record.
    pub recorder: Option<&'a recorder::Handle>,
    /// Whether somebody will look at what the nodes did though no record is kept.
    pub watched: bool,
    /// Is told of the end of the run, also when nobody waits for it any more.
    pub ended: &'a (dyn Fn(&Run) + Sync),
    /// Is told which nodes ran when nobody waits for the reply any more.
    pub left: &'a (dyn Fn(Vec<NodeMark>) + Sync),
    /// Where variables of the scope `workflow` are kept.
    pub store: Option<&'a Store>,
}

/// A reply that was given before the graph began.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The reply.
    pub reply: Box<RawValue>,
    /// Whether the nodes before the call are passed over too.
    pub skip: bool,
    /// Whether the call was made earlier, so that what hangs off the start has run already.
    pub late: bool,
}

/// What came of a pass.
#[derive(Debug)]
pub struct Passed<T> {
    /// The reply, or why there is none.
    pub outcome: Result<Box<RawValue>, Stop<T>>,
    /// The nodes whose scripts ran, in order.
    pub marks: Vec<NodeMark>,
    /// The record.
    pub run: Run,
    /// `metadata.shared` as the hooks left it: JSON text.
    pub shared: Option<String>,
    /// Whether the plain request was made in the place of the graph, which then leaves nothing behind but its record.
    pub bypassed: bool,
}

/// Why there is no reply.
#[derive(Debug)]
pub enum Stop<T> {
    /// A hook blocks the request or the reply.
    Blocked {
        /// On which side of the call.
        phase: Phase,
        /// The name of the hook, which is that of the node where the script is its own.
        hook: Arc<str>,
        /// `error.code`, as JSON text.
        code: Option<String>,
        /// `error.message`.
        message: Option<String>,
    },
    /// A script that must not fail did.
    Failed {
        /// On which side of the call.
        phase: Phase,
        /// The name of the node.
        node: Arc<str>,
        /// The name of the hook, which is that of the node where the script is its own; `None` where the node is no
        /// hook, such as a condition.
        hook: Option<Arc<str>>,
        /// What went wrong.
        error: ScriptError,
    },
    /// The call failed; this is its own failure.
    Call(T),
}

/// A failure of the call, as the record and the scripts after it see it.
pub trait Trouble: Send {
    /// One sentence.
    fn message(&self) -> String;

    /// `metadata.error`.
    fn error(&self) -> Value;

    /// Whether the call failed on its way, so that it could succeed if it were made again.
    fn is_passing(&self) -> bool;
}

impl<T: Trouble> Stop<T> {
    /// What the record says.
    pub fn message(&self) -> String {
        match self {
            Stop::Blocked { message: Some(message), .. } if !message.is_empty() => message.clone(),
            Stop::Blocked { phase: Phase::Pre, .. } => "Request blocked by hook".into(),
            Stop::Blocked { phase: Phase::Post, .. } => "Response blocked by hook".into(),
            Stop::Failed { node, error, .. } => format!("Node '{node}' failed: {}", error.message),
            Stop::Call(trouble) => trouble.message(),
        }
    }
}

impl Graph {
    /// Carries one request through the graph. `call` makes the original request, with other parameters when
    /// hooks changed them. It is taken away once used, so the call is made at most once, whatever fails; only
    /// a call node that allows further attempts makes it again.
    pub async fn run<S, T, C, F>(self: &Arc<Self>, pass: Pass<'_, S>, call: C) -> Passed<T>
    where
        S: Scripts,
        T: Trouble,
        C: Fn(Option<Box<RawValue>>) -> F + Send + Sync,
        F: Future<Output = Result<Box<RawValue>, T>> + Send,
    {
        let open = Open::begin(self, &pass);
        let (bypass, mut bypassed) = (pass.bypass, false);
        // Without the graph, the reply that was given before it would stand.
        let given = pass.answer.as_ref().filter(|_| bypass).map(|answer| answer.reply.clone());
        let before = pass.shared.clone().filter(|_| bypass);
        let mut call = Some(call);
        let mut drive = Drive::new(self, pass, open.run());
        let span = otlp::child(|| format!("graph {}", self.name), otlp::Kind::Internal);
        let mut outcome = otlp::Within::of(span.as_ref(), drive.go(&mut call)).await;
        if let Some(span) = span {
            span.scope(|| open.run().trace());
        }
        let mut error = outcome.as_ref().err().map(Stop::message);
        if let (true, Err(Stop::Failed { phase: Phase::Pre, .. }), Some(call)) = (bypass, &outcome, call) {
            outcome = match given {
                Some(reply) => Ok(reply),
                None => Box::pin(call(None)).await.map_err(Stop::Call),
            };
            bypassed = true;
            open.run().bypassed(outcome.as_ref().ok().map(|reply| reply.get()));
            if let Err(stop) = &outcome {
                error = Some(stop.message());
            }
        }
        let (marks, shared) = drive.finish();
        let shared = if bypassed { before } else { shared };
        Passed { outcome, marks, run: open.end(error), shared, bypassed }
    }
}
