//! Scripts and expressions of session workflows, in the sandbox (spec 4.9).

use super::activity::Position;
use super::input::LEVELS;
use super::memory::Memory;
use crate::scripts::Scripts;
use futures_util::future::BoxFuture;
use sandbox::{
    ConsoleLine, ErrorCode, Estate, Form, Heir, Job, Left, Level, Phase, Ran, Rank, Script, ScriptError,
    Step, Verdict,
};
use serde::Serializer as _;
use serde::de::DeserializeOwned;
use serde::ser::SerializeMap as _;
use serde_json::{Serializer, Value};
use std::sync::Arc;
use std::time::Duration;

/// What runs scripts, whichever it is.
pub trait RunScripts: Send + Sync {
    /// Runs the steps of a job.
    fn run<'a>(&'a self, job: &'a Job<'a>) -> BoxFuture<'a, Ran>;

    /// Compiles scripts without running them; what came of each, in their order.
    fn check<'a>(&'a self, sources: &'a [&'a str]) -> BoxFuture<'a, Vec<Result<(), ScriptError>>>;
}

impl<S: Scripts> RunScripts for S {
    fn run<'a>(&'a self, job: &'a Job<'a>) -> BoxFuture<'a, Ran> {
        Box::pin(Scripts::run(self, job))
    }

    fn check<'a>(&'a self, sources: &'a [&'a str]) -> BoxFuture<'a, Vec<Result<(), ScriptError>>> {
        Box::pin(Scripts::check(self, sources))
    }
}

/// A script or an expression, ready to be run.
#[derive(Clone)]
pub struct Code {
    script: Arc<Script>,
    scripts: Arc<dyn RunScripts>,
    limit: Duration,
    own: Own,
    /// What the user wrote in a form of its own. It must compile in both: no text can close what stands around it in
    /// one form and in the other too.
    alone: Arc<str>,
    form: Form,
    /// What lies before the text of the user in that form, in bytes.
    alone_lead: u32,
    /// What is said when its time is over, where not the words of the sandbox.
    overdue: Option<Arc<str>>,
}

/// Where the text of the user stands in the script that is made of it.
#[derive(Clone, Copy)]
struct Own {
    /// What goes before it on its first line, in bytes.
    lead: u32,
    lines: u32,
}

impl Own {
    /// An error where it lies in the text of the user, which begins on the first line behind `lead` bytes.
    fn place(self, mut error: ScriptError, lead: u32) -> ScriptError {
        match error.line {
            Some(1) => error.column = error.column.map(|column| column.saturating_sub(lead).max(1)),
            // It was only noticed behind the end.
            Some(line) if line > self.lines => (error.line, error.column) = (Some(self.lines), None),
            _ => {}
        }
        error
    }
}

impl Code {
    /// The body of an async function of `context`, whose members are `input`, `sessionId`, `memory` and
    /// `metadata`, and of further names.
    pub fn body(name: &str, source: &str, names: &[&str], kit: &(Arc<dyn RunScripts>, Duration)) -> Self {
        Self::new(name, source, |source| as_body(source, names), Form::Function, kit)
    }

    /// An expression over names, among which `memory` is known.
    pub fn expression(
        name: &str,
        source: &str,
        names: &[&str],
        kit: &(Arc<dyn RunScripts>, Duration),
    ) -> Self {
        Self::new(name, source, |source| as_expression(source, names), Form::Expression, kit)
    }

    fn new(
        name: &str,
        source: &str,
        whole: impl Fn(&str) -> String,
        form: Form,
        (scripts, limit): &(Arc<dyn RunScripts>, Duration),
    ) -> Self {
        let size = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let own = Own {
            lead: size(whole("\0").find('\0').unwrap_or_default()),
            lines: size(source.split('\n').count()),
        };
        Self {
            script: Script::new(name, whole(source)),
            scripts: Arc::clone(scripts),
            limit: *limit,
            own,
            alone: if form == Form::Function { source.into() } else { as_list(source).into() },
            alone_lead: if form == Form::Function { 0 } else { size(LIST.len()) },
            form,
            overdue: None,
        }
    }

    /// The same, which says this when its time is over.
    #[must_use]
    pub(crate) fn overdue(self, words: &str) -> Self {
        Self { overdue: Some(words.into()), ..self }
    }

    /// The same with another limit.
    #[must_use]
    pub(crate) fn within(self, limit: Duration) -> Self {
        Self { limit, ..self }
    }

    /// Compiles pieces of code without running them, and tells what is wrong with each, in their order. Line and
    /// column of an error are those of the text that the user wrote.
    pub(crate) async fn check(codes: &[&Self], scripts: &dyn RunScripts) -> Vec<Result<(), ScriptError>> {
        let sources: Vec<&str> = codes.iter().flat_map(|code| [&*code.script.source, &*code.alone]).collect();
        let results = scripts.check(&sources).await;
        let judge = |(code, forms): (&&Self, &[Result<(), ScriptError>])| {
            let leads = [code.own.lead, code.alone_lead];
            let wrong = forms.iter().zip(leads).find_map(|(form, lead)| Some((form.as_ref().err()?, lead)));
            wrong.map_or(Ok(()), |(error, lead)| Err(code.own.place(error.clone(), lead)))
        };
        codes.iter().zip(results.chunks(2)).map(judge).collect()
    }

    /// Runs it. What it writes to the memory is taken over.
    pub(crate) async fn run(&self, memory: &mut Memory, seen: &Seen<'_>) -> Result<Option<Value>, String> {
        let (text, top) = (memory.text(), seen.text());
        let position = seen.position.map(|position| serde_json::to_string(position).expect("plain data"));
        let steps = [Step::new(Arc::clone(&self.script), true)];
        // What it wrote is logged also where nobody waits any more for what it gives.
        let name = &self.script.name;
        let left = || -> Heir {
            let name = name.clone();
            Box::new(move |Estate { reports, broken }| {
                let broken = broken.iter().flat_map(|broken| &broken.console);
                log_all(&name, reports.iter().flat_map(|report| &report.console).chain(broken));
            })
        };
        let job = Job {
            phase: Phase::Pre,
            steps: &steps,
            show: false,
            form: self.form,
            rank: Rank::Work,
            limit: self.limit,
            method: "session",
            params: "{}",
            response: None,
            metadata: position.as_deref().unwrap_or("{}"),
            shared: None,
            variables: Some(&text),
            top: &top,
            results: "",
            follow: None,
            left: Some(Left(&left)),
        };
        let ran = self.scripts.run(&job).await;
        log_all(name, ran.reports.iter().flat_map(|report| &report.console));
        match ran.reports.first().map(|report| &report.verdict) {
            Some(Verdict::Failed(error)) => {
                let overdue = self.overdue.as_ref().filter(|_| error.code == ErrorCode::Timeout);
                return Err(overdue.map_or_else(|| error.message.clone(), |words| words.to_string()));
            }
            Some(_) => {}
            None => return Err("The script could not be run".into()),
        }
        if let Some(changed) = ran.variables {
            memory.replace(read(&changed)?);
        }
        ran.response.map(|given| read(&given)).transpose()
    }
}

/// What a piece of code sees, besides the memory.
#[derive(Clone, Copy, Default)]
pub(crate) struct Seen<'a> {
    /// `sessionId`.
    pub(crate) session: Option<&'a str>,
    /// `context.metadata`.
    pub(crate) position: Option<&'a Position>,
    /// Further values, by name; what is absent is `undefined`.
    pub(crate) values: &'a [(&'a str, Option<&'a Value>)],
}

impl Seen<'_> {
    /// All but the position, as the text of a JSON object.
    fn text(&self) -> String {
        let mut text = Serializer::new(Vec::with_capacity(128));
        let mut all = text.serialize_map(None).expect("into memory");
        if let Some(session) = self.session {
            all.serialize_entry("sessionId", session).expect("into memory");
        }
        for (name, value) in self.values.iter().filter_map(|(name, value)| Some((name, (*value)?))) {
            all.serialize_entry(name, value).expect("JSON values, into memory");
        }
        all.end().expect("into memory");
        String::from_utf8(text.into_inner()).expect("JSON is text")
    }
}

/// What a script left behind: JSON, always. A text of JavaScript may have half of a pair of code units, such as one that
/// was cut in the middle of an emoji; U+FFFD stands for it then, as it does wherever such a text is written out.
fn read<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let read = serde_json::from_str(text).or_else(|error| match error.is_syntax() {
        true => serde_json::from_str(&model::text::whole_pairs(text)),
        false => Err(error),
    });
    read.map_err(|error| match error.is_syntax() {
        true => format!("What the script hands back is nested too deeply; {LEVELS} levels are the most"),
        // The worker was asked for an object.
        false => "'context.memory' must be an object".to_owned(),
    })
}

fn log_all<'a>(script: &str, lines: impl Iterator<Item = &'a ConsoleLine>) {
    for ConsoleLine { level, text } in lines {
        match level {
            Level::Error => tracing::error!(script, "{text}"),
            Level::Warn => tracing::warn!(script, "{text}"),
            Level::Log | Level::Info => tracing::info!(script, "{text}"),
            Level::Debug => tracing::debug!(script, "{text}"),
        }
    }
}

/// Whether a body compiles is asked of this text; lines are those of the body.
pub fn as_body(source: &str, names: &[&str]) -> String {
    if names.is_empty() {
        return source.to_owned();
    }
    let given: Vec<String> = names.iter().map(|name| place(name)).collect();
    format!("return (async(context,{})=>{{{source}\n}})(context,{})", names.join(","), given.join(","))
}

/// Where the value of a name is found.
fn place(name: &str) -> String {
    format!("context.{name}")
}

/// What stands before an expression that is the member of a list.
const LIST: &str = "return [";

/// An expression, or several with commas, in brackets instead of parentheses.
pub(crate) fn as_list(source: &str) -> String {
    format!("{LIST}{source}\n]")
}

/// Whether an expression compiles is asked of this text.
pub fn as_expression(source: &str, names: &[&str]) -> String {
    let given: Vec<String> = names.iter().map(|name| place(name)).collect();
    format!("return (async({})=>await({source}\n))({})", names.join(","), given.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Map, json};

    #[test]
    fn half_of_a_pair_does_not_keep_the_rest_from_being_read() {
        for (text, expected) in [
            (r#"{"r": "a\ud83d"}"#, json!({"r": "a\u{FFFD}"})),
            (r#"{"r": "\udc00\ud83d\ude00\ud83d\ud83d\ude00"}"#, json!({"r": "\u{FFFD}😀\u{FFFD}😀"})),
            (
                r#"{"\uD800\n\u0041": ["\\ud800", "é\\\ud800"]}"#,
                json!({"\u{FFFD}\nA": ["\\ud800", "é\\\u{FFFD}"]}),
            ),
        ] {
            assert_eq!(read(text), Ok(expected), "{text}");
        }
        assert_eq!(read::<Map<String, Value>>("[]"), Err("'context.memory' must be an object".into()));
    }
}
