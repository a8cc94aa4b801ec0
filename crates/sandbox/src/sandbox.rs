//! The handle: runs jobs on workers, and carries on elsewhere when one is lost.

use crate::pool::{Error, Lease, Lost, Pool};
use crate::wire::{self, Ended, Outcome, Reply};
use crate::worker::LARGEST;
use crate::{End, ErrorCode, Job, Limit, Options, Phase, Ran, Report, ScriptError, Verdict};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// What a worker may take beyond its deadlines before it is killed from outside: its own watchdog is
/// much sooner.
const GRACE: Duration = Duration::from_millis(250);

/// How long a script may take to compile when it is checked.
const CHECK: Duration = Duration::from_secs(5);

/// Runs scripts in worker processes. Cheap to clone.
#[derive(Clone)]
pub struct Sandbox {
    pool: Arc<Pool>,
}

/// How the workers are, for the metrics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Workers {
    /// How many were started, ever.
    pub started: u64,
    /// How many were killed or lost, ever.
    pub killed: u64,
    /// How many run a job now.
    pub busy: usize,
    /// How many wait for a job.
    pub idle: usize,
}

impl Sandbox {
    /// A sandbox without workers: they start with [`warm`](Self::warm) or the first job.
    pub fn new(options: Options) -> Self {
        Self { pool: Pool::new(options) }
    }

    /// Starts the workers and the spare in the background. Must be called inside the runtime.
    pub fn warm(&self) {
        self.pool.fill();
    }

    /// Compiles a script in the form in which it runs, without running it.
    pub async fn check(&self, source: &str) -> Result<(), ScriptError> {
        let mut lease = self.pool.borrow(CHECK).await.map_err(no_worker)?;
        let message = wire::check(source, CHECK);
        lease.begin();
        let exchange = lease.exchange(message, 0, &*self.pool.options.host);
        match timeout(CHECK + GRACE, exchange).await.unwrap_or(Err(Lost::Late)) {
            Ok(Reply::Checked(result)) => {
                let late = result.as_ref().is_err_and(|error| error.limit == Some(Limit::Time));
                lease.end(late);
                result
            }
            Ok(_) => Err(crashed()),
            Err(Lost::Late) => Err(ScriptError::timeout()),
            Err(_) => Err(crashed()),
        }
    }

    /// Runs the steps of a job. It never fails as a whole: troubles belong to a step.
    pub async fn run(&self, job: &Job<'_>) -> Ran {
        let mut course = Course::new(job);
        while !course.is_done() {
            let mut lease = match self.pool.borrow(job.limit).await {
                Ok(lease) => lease,
                Err(error) => {
                    course.fail_rest(&no_worker(error));
                    break;
                }
            };
            let steps = course.next();
            match self.attempt(&mut lease, &course, steps.clone()).await {
                Ok(outcome) => {
                    lease.end(outcome.renew);
                    course.take(outcome);
                }
                Err(lost) => {
                    tracing::warn!(pid = lease.worker().pid(), reason = %lost, "a sandbox worker is lost");
                    drop(lease);
                    course.lose(&lost, &steps);
                }
            }
        }
        course.ran
    }

    /// Has one worker run some steps.
    async fn attempt(
        &self,
        lease: &mut Lease,
        course: &Course<'_>,
        steps: Range<usize>,
    ) -> Result<Outcome, Lost> {
        let job = course.job();
        let news = lease.learn(&job.steps[steps.clone()]);
        lease.begin();
        let count = u32::try_from(steps.len()).unwrap_or(u32::MAX);
        let known = |number: u64| !news.fresh.contains(&number);
        let results = course.results();
        let message = wire::job(&job, steps.clone(), &news.forget, results.as_deref(), known);
        if message.len() > LARGEST {
            return Err(Lost::TooLarge);
        }
        let most = most_output(&job);
        let exchange = lease.exchange(message, most, &*self.pool.options.host);
        let patience = job.limit.saturating_mul(count).saturating_add(GRACE);
        let reply = timeout(patience, exchange).await.unwrap_or(Err(Lost::Late))?;
        let Reply::Outcome(outcome) = reply else { return Err(wire::Malformed.into()) };
        verify(&outcome, steps.len(), &job)?;
        Ok(outcome)
    }

    /// Ends every worker.
    pub async fn stop(&self) {
        self.pool.stop().await;
    }

    /// How the workers are.
    pub fn workers(&self) -> Workers {
        self.pool.counts()
    }
}

/// The most bytes that a job may hand back: four texts, and what the console holds.
fn most_output(job: &Job<'_>) -> usize {
    let texts = [job.response, job.shared, job.variables];
    let input = job.params.len() + texts.into_iter().flatten().map(str::len).sum::<usize>();
    let text = input.saturating_mul(4).saturating_add(1 << 20).max(4 << 20).saturating_add(16 << 20);
    text.saturating_mul(4).saturating_add(job.steps.len().saturating_mul(128 << 10))
}

/// Holds what a worker says against what it can say.
fn verify(outcome: &Outcome, steps: usize, job: &Job<'_>) -> Result<(), Lost> {
    let ran = outcome.reports.len();
    let complete = ran == steps || outcome.end != Ended::Through;
    let params = outcome.params.is_none() || job.phase == Phase::Pre;
    let variables = outcome.variables.is_none() || job.variables.is_some();
    let fits = ran >= 1 && ran <= steps && complete && params && variables;
    let texts =
        [&outcome.params, &outcome.response, &outcome.shared, &outcome.variables].into_iter().flatten();
    let code = match &outcome.end {
        Ended::Blocked { code, .. } => code.as_ref(),
        _ => None,
    };
    let is_json = |text: &String| serde_json::from_str::<&serde_json::value::RawValue>(text).is_ok();
    if fits && texts.chain(code).all(is_json) { Ok(()) } else { Err(wire::Malformed.into()) }
}

fn no_worker(error: Error) -> ScriptError {
    let limit = matches!(error, Error::Busy).then_some(Limit::Workers);
    ScriptError { limit, ..ScriptError::new(ErrorCode::ExecutionError, error.to_string()) }
}

fn crashed() -> ScriptError {
    ScriptError::new(ErrorCode::ExecutionError, "the sandbox worker ended while the script ran")
}

/// How far a job is.
struct Course<'a> {
    job: &'a Job<'a>,
    ran: Ran,
    /// A worker was lost and did not say at which step: the rest is run one by one.
    careful: bool,
    stopped: bool,
}

impl<'a> Course<'a> {
    fn new(job: &'a Job<'a>) -> Self {
        let ran = Ran {
            end: End::Through,
            params: None,
            response: None,
            shared: None,
            variables: None,
            reports: Vec::new(),
        };
        Self { job, ran, careful: false, stopped: false }
    }

    /// The job with what the steps so far have left.
    fn job(&self) -> Job<'_> {
        let response = match (self.job.phase, &self.ran.response) {
            (Phase::Post, Some(response)) if self.job.response.is_some() => Some(response.as_str()),
            _ => self.job.response,
        };
        Job {
            params: self.ran.params.as_deref().unwrap_or(self.job.params),
            response,
            shared: self.ran.shared.as_deref().or(self.job.shared),
            variables: self.ran.variables.as_deref().or(self.job.variables),
            ..*self.job
        }
    }

    /// What the next step sees of the nodes before it.
    fn results(&self) -> Option<String> {
        crate::place::results(self.job.steps, self.ran.reports.iter().map(|report| &report.verdict))
    }

    fn is_done(&self) -> bool {
        self.stopped || self.ran.reports.len() >= self.job.steps.len()
    }

    fn next(&self) -> Range<usize> {
        let from = self.ran.reports.len();
        let to = if self.careful { from + 1 } else { self.job.steps.len() };
        from..to
    }

    /// Adds what a worker did.
    fn take(&mut self, outcome: Outcome) {
        let keep = |text: &mut Option<String>, new: Option<String>| {
            if new.is_some() {
                *text = new;
            }
        };
        keep(&mut self.ran.params, outcome.params);
        keep(&mut self.ran.response, outcome.response);
        keep(&mut self.ran.shared, outcome.shared);
        keep(&mut self.ran.variables, outcome.variables);
        self.ran.reports.extend(outcome.reports);
        let step = self.ran.reports.len() - 1;
        match outcome.end {
            Ended::Through => {}
            Ended::Answered => self.stop(End::Answered),
            Ended::Blocked { code, message } => self.stop(End::Blocked { step, code, message }),
            Ended::Failed => self.stop(End::Failed { step }),
            Ended::Left => self.judge_last(),
        }
    }

    /// A worker was lost with these steps.
    fn lose(&mut self, lost: &Lost, steps: &Range<usize>) {
        if steps.len() > 1 && !matches!(lost, Lost::TooLarge) {
            self.careful = true;
            return;
        }
        let error = match lost {
            Lost::Late => ScriptError::timeout(),
            Lost::TooLarge => {
                let message = "the message is too large for hooks";
                let error = ScriptError::limited(ErrorCode::ExecutionError, Limit::Memory, message);
                return self.fail_rest(&error);
            }
            Lost::Ended(_) | Lost::Broken(_) => crashed(),
        };
        self.fail(error);
    }

    /// The next step failed without a report of its own.
    fn fail(&mut self, error: ScriptError) {
        let verdict = Verdict::Failed(error);
        self.ran.reports.push(Report { verdict, micros: 0, memory: 0, console: Vec::new() });
        self.judge_last();
    }

    /// No step that is left can be run.
    fn fail_rest(&mut self, error: &ScriptError) {
        while !self.is_done() {
            self.fail(error.clone());
        }
    }

    /// Stops when the last step failed and its failure is to stop the job.
    fn judge_last(&mut self) {
        let step = self.ran.reports.len() - 1;
        let failed = matches!(self.ran.reports[step].verdict, Verdict::Failed(_));
        if failed && self.job.steps[step].stop_on_error {
            self.stop(End::Failed { step });
        }
    }

    fn stop(&mut self, end: End) {
        self.ran.end = end;
        self.stopped = true;
    }
}
