//! Jobs in few words.

use libtest_mimic::Trial;
use lockgate_sandbox::{
    End, Form, Host, Job, Left, Options, Phase, Ran, Rank, Sandbox, Script, ScriptError, Step, Verdict,
};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::runtime::Runtime;

/// The gateway that scripts of tests can ask.
pub(crate) struct FakeHost;

impl Host for FakeHost {
    fn is_key(&self, token: &str) -> bool {
        token == "right key"
    }

    fn server_info(&self, id: &str) -> Option<String> {
        let info = r#"{"id":"files","name":"files","type":"stdio","status":"running","enabled":true}"#;
        (id == "files").then(|| info.to_owned())
    }
}

/// The runtime of all tests.
pub(crate) fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| Runtime::new().unwrap())
}

/// A sandbox of its own.
pub(crate) fn new_sandbox(workers: usize) -> Sandbox {
    sandbox_of(workers, Arc::new(FakeHost))
}

/// One whose scripts ask this host.
pub(crate) fn sandbox_of(workers: usize, host: Arc<dyn Host>) -> Sandbox {
    let launcher = process::Launcher::this_binary().unwrap();
    Sandbox::new(Options { launcher, workers, host })
}

/// The sandbox that tests share.
pub(crate) fn sandbox() -> &'static Sandbox {
    static SANDBOX: OnceLock<Sandbox> = OnceLock::new();
    SANDBOX.get_or_init(|| new_sandbox(2))
}

pub(crate) fn step(source: &str) -> Step {
    Step::new(Script::new("test", source), false)
}

/// A job to be, with values that many tests do not care about.
#[derive(Clone)]
pub(crate) struct Call {
    pub(crate) phase: Phase,
    pub(crate) steps: Vec<Step>,
    pub(crate) show: bool,
    pub(crate) rank: Rank,
    pub(crate) limit: Duration,
    pub(crate) params: String,
    pub(crate) response: Option<String>,
    pub(crate) metadata: String,
    pub(crate) shared: Option<String>,
    pub(crate) variables: Option<String>,
    pub(crate) top: String,
    pub(crate) results: String,
}

/// A call of the pre phase with these scripts.
pub(crate) fn pre(scripts: &[&str]) -> Call {
    Call {
        phase: Phase::Pre,
        steps: scripts.iter().map(|source| step(source)).collect(),
        show: false,
        rank: Rank::Request,
        limit: Duration::from_secs(10),
        params: r#"{"name":"echo","arguments":{"q":1}}"#.to_owned(),
        response: None,
        metadata: r#"{"clientId":"c1","startTime":1763164800000}"#.to_owned(),
        shared: None,
        variables: None,
        top: r#"{"requestType":"CallTool","toolName":"echo","serverName":"s"}"#.to_owned(),
        results: String::new(),
    }
}

/// A call of the post phase with these scripts.
pub(crate) fn post(scripts: &[&str]) -> Call {
    let response = r#"{"content":[{"type":"text","text":"hi"}]}"#.to_owned();
    Call { phase: Phase::Post, response: Some(response), ..pre(scripts) }
}

impl Call {
    pub(crate) fn params(mut self, params: &str) -> Self {
        self.params = params.to_owned();
        self
    }

    pub(crate) fn response(mut self, response: Option<&str>) -> Self {
        self.response = response.map(str::to_owned);
        self
    }

    pub(crate) fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    pub(crate) fn stopping(mut self) -> Self {
        self.steps.iter_mut().for_each(|step| step.stop_on_error = true);
        self
    }

    pub(crate) async fn run_in(&self, sandbox: &Sandbox) -> Ran {
        sandbox.run(&self.job(None)).await
    }

    /// The same; whoever `left` names gets what is left of it when nobody waits for it.
    pub(crate) async fn run_left(&self, sandbox: &Sandbox, left: Left<'_>) -> Ran {
        sandbox.run(&self.job(Some(left))).await
    }

    fn job<'a>(&'a self, left: Option<Left<'a>>) -> Job<'a> {
        Job {
            phase: self.phase,
            steps: &self.steps,
            show: self.show,
            form: Form::Hook,
            rank: self.rank,
            limit: self.limit,
            method: "tools/call",
            params: &self.params,
            response: self.response.as_deref(),
            metadata: &self.metadata,
            shared: self.shared.as_deref(),
            variables: self.variables.as_deref(),
            top: &self.top,
            results: &self.results,
            follow: None,
            left,
        }
    }

    pub(crate) fn run(&self) -> Ran {
        runtime().block_on(self.run_in(sandbox()))
    }
}

/// What a script makes of its parameters: it returns a value, which comes back as JSON text.
pub(crate) fn value(script: &str) -> String {
    let script =
        format!("const f = async () => {{ {script}\n }}; context.request.params = {{ r: await f() }};");
    let ran = pre(&[&script]).run();
    let params = ran.params.unwrap_or_else(|| panic!("{script}: {:?}", ran.reports));
    params.strip_prefix("{\"r\":").and_then(|it| it.strip_suffix('}')).unwrap_or(&params).to_owned()
}

/// The error of the only step.
pub(crate) fn error(ran: &Ran) -> &ScriptError {
    match &ran.reports[0].verdict {
        Verdict::Failed(error) => error,
        other => panic!("{other:?}"),
    }
}

/// Whether nothing ended the job, and no script failed, which does not end one by itself.
pub(crate) fn is_through(ran: &Ran) -> bool {
    ran.end == End::Through && !ran.reports.iter().any(|report| matches!(report.verdict, Verdict::Failed(_)))
}

/// A test whose name is its function's.
pub(crate) fn test(name: &'static str, run: fn()) -> Trial {
    Trial::test(name, move || {
        run();
        Ok(())
    })
}

/// Lists functions as tests.
#[macro_export]
macro_rules! tests {
    ($($name:ident),* $(,)?) => {
        pub(crate) fn tests() -> Vec<libtest_mimic::Trial> {
            vec![$($crate::support::test(concat!(module_path!(), "::", stringify!($name)), $name)),*]
        }
    };
}
