//! The handle: runs jobs on workers, and carries on elsewhere when one is lost.

use crate::check::Compiled;
use crate::pool::{self, Errand, Error, Known, Lost, Pool, Trouble};
use crate::wire::{self, Ended, Outcome, Reply, Writer};
use crate::worker::LARGEST;
use crate::{
    About, Broken, End, ErrorCode, Estate, Job, Json, Left, Limit, Options, Phase, Place, Ran, Report,
    ScriptError, Step, Verdict,
};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What a worker may take beyond its deadlines before it is killed from outside: its own watchdog is
/// much sooner.
pub(crate) const GRACE: Duration = Duration::from_millis(250);

/// Runs scripts in worker processes. Cheap to clone.
#[derive(Clone)]
pub struct Sandbox {
    pub(crate) pool: Arc<Pool>,
    pub(crate) compiled: Arc<Mutex<Compiled>>,
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
        Self { pool: Pool::new(options), compiled: Arc::default() }
    }

    /// Starts the workers and the spare in the background. Must be called inside the runtime.
    pub fn warm(&self) {
        self.pool.fill();
    }

    /// Runs the steps of a job. It never fails as a whole: troubles belong to a step.
    pub async fn run(&self, job: &Job<'_>) -> Ran {
        let mut course = Course::new(job);
        while !course.is_done() {
            let steps = course.next();
            match self.attempt(&course, steps.clone()).await {
                Ok(outcome) => course.take(outcome),
                Err(Trouble::Nobody(error)) => course.fail_rest(&no_worker(error)),
                Err(Trouble::Lost(lost)) => course.lose(&lost, &steps),
            }
        }
        course.ran
    }

    /// Has one worker run some steps.
    async fn attempt(&self, course: &Course<'_>, steps: Range<usize>) -> Result<Verified, Trouble> {
        let job = course.job();
        if largest_input(&job) > LARGEST {
            return Err(Trouble::Lost(Lost::TooLarge));
        }
        let run = &job.steps[steps.clone()];
        let results = course.results();
        let message = |number, known: &mut Known, writer: &mut Writer| {
            let news = known.learn(run);
            let known = |number: u64| !news.fresh.contains(&number);
            wire::job(writer, number, &job, steps.clone(), &news.forget, results.as_deref(), known)
        };
        let count = u32::try_from(run.len()).unwrap_or(u32::MAX);
        let errand = Errand {
            message: &message,
            most: most_output(&job),
            cost: run.iter().fold(0, |sum, step| sum.saturating_add(step.script.usual())),
            patience: job.limit.saturating_mul(count).saturating_add(GRACE),
            limit: job.limit,
            rank: job.rank,
        };
        let heir = || inherit(&course.ran.reports, job.left);
        let (reply, line) = self.pool.exchange_for(&errand, &heir).await?;
        let verified = match reply {
            Reply::Outcome(outcome) => verify(outcome, run.len(), &job),
            _ => Err(wire::Malformed.into()),
        };
        verified.map_err(|lost| {
            self.pool.expel(&line, &lost);
            Trouble::Lost(lost)
        })
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

/// The most bytes that a job may be, with all its scripts.
fn largest_input(job: &Job<'_>) -> usize {
    let texts =
        [job.response, job.shared, job.variables, Some(job.metadata), Some(job.top), Some(job.results)];
    let place = |place: &Arc<Place>| place.key.len() + place.metadata.len() + place.top.len() + 256;
    let placed = |step: &Step| step.place.as_ref().map_or(0, place);
    let sources = job.steps.iter().map(|step| step.script.source.len() + 64 + placed(step));
    let texts = texts.into_iter().flatten().map(str::len);
    job.params.len() + job.method.len() + texts.chain(sources).sum::<usize>() + (64 << 10)
}

/// The most bytes that a job may hand back: four texts, and of each step what the console holds and what it changed.
fn most_output(job: &Job<'_>) -> usize {
    let texts = [job.response, job.shared, job.variables];
    let input = job.params.len() + texts.into_iter().flatten().map(str::len).sum::<usize>();
    let text = input.saturating_mul(4).saturating_add(1 << 20).max(4 << 20).saturating_add(16 << 20);
    text.saturating_mul(4).saturating_add(job.steps.len().saturating_mul(512 << 10))
}

/// Who takes what comes of a job when nobody waits for it any more, with what came of it before.
fn inherit(before: &[Report], left: Option<Left<'_>>) -> Option<pool::Heir> {
    let (mut reports, heir) = (before.to_vec(), (left?.0)());
    Some(Box::new(move |outcome| {
        let Outcome { reports: last, end, .. } = outcome.unwrap_or_default();
        reports.extend(last);
        let broken = if end == Ended::BrokenOff { reports.pop() } else { None };
        let broken = broken.map(|Report { micros, console, .. }| Broken { micros, console });
        heir(Estate { reports, broken });
    }))
}

/// What a worker can say.
struct Verified {
    /// Without the two texts that follow.
    outcome: Outcome,
    params: Option<Json>,
    response: Option<Json>,
}

/// Holds what a worker says against what it can say.
fn verify(mut outcome: Outcome, steps: usize, job: &Job<'_>) -> Result<Verified, Lost> {
    let ran = outcome.reports.len();
    let complete = ran == steps || outcome.end != Ended::Through;
    let params = outcome.params.is_none() || job.phase == Phase::Pre;
    let variables = outcome.variables.is_none() || job.variables.is_some();
    let fits = ran >= 1 && ran <= steps && complete && params && variables;
    let texts = [&outcome.shared, &outcome.variables].into_iter().flatten();
    let code = match &outcome.end {
        Ended::Blocked { code, .. } => code.as_ref(),
        _ => None,
    };
    let shown = outcome.reports.iter().filter_map(|report| report.changes.as_ref());
    let is_json = |text: &String| serde_json::from_str::<&serde_json::value::RawValue>(text).is_ok();
    if !fits || !texts.chain(code).chain(shown).all(is_json) {
        return Err(wire::Malformed.into());
    }
    let json = |text: String| Json::try_from(text).map_err(|_| Lost::from(wire::Malformed));
    let params = outcome.params.take().map(json).transpose()?;
    let response = outcome.response.take().map(json).transpose()?;
    Ok(Verified { outcome, params, response })
}

pub(crate) fn no_worker(error: Error) -> ScriptError {
    let limit = matches!(error, Error::Busy).then_some(Limit::Workers);
    ScriptError { limit, ..ScriptError::new(ErrorCode::ExecutionError, error.to_string()) }
}

pub(crate) fn crashed() -> ScriptError {
    ScriptError::new(ErrorCode::ExecutionError, "the sandbox worker ended while the script ran")
}

/// How far a job is.
struct Course<'a> {
    job: &'a Job<'a>,
    ran: Ran,
    /// A worker was lost and did not say at which step: the rest is run one by one.
    careful: bool,
    stopped: bool,
    /// What the request is about, since a hook gave it another name.
    about: Option<About>,
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
        Self { job, ran, careful: false, stopped: false, about: None }
    }

    /// The job with what the steps so far have left.
    fn job(&self) -> Job<'_> {
        let response = match (self.job.phase, &self.ran.response) {
            (Phase::Post, Some(response)) if self.job.response.is_some() => Some(&**response),
            _ => self.job.response,
        };
        Job {
            params: self.ran.params.as_deref().unwrap_or(self.job.params),
            response,
            shared: self.ran.shared.as_deref().or(self.job.shared),
            variables: self.ran.variables.as_deref().or(self.job.variables),
            metadata: self.about.as_ref().map_or(self.job.metadata, |about| &about.metadata),
            top: self.about.as_ref().map_or(self.job.top, |about| &about.top),
            ..*self.job
        }
    }

    /// What the next step sees of the nodes before it.
    fn results(&self) -> Option<Cow<'_, str>> {
        let verdicts = self.ran.reports.iter().map(|report| &report.verdict);
        crate::place::results(self.job.steps, self.job.results, verdicts)
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
    fn take(&mut self, Verified { outcome, params, response }: Verified) {
        fn keep<T>(text: &mut Option<T>, new: Option<T>) {
            if new.is_some() {
                *text = new;
            }
        }
        let renamed = params.is_some();
        keep(&mut self.ran.params, params);
        keep(&mut self.ran.response, response);
        keep(&mut self.ran.shared, outcome.shared);
        keep(&mut self.ran.variables, outcome.variables);
        let begun = &self.job.steps[self.ran.reports.len()..];
        begun.iter().zip(&outcome.reports).for_each(|(step, report)| step.script.took(report.micros));
        match self.ran.reports.is_empty() {
            true => self.ran.reports = outcome.reports,
            false => self.ran.reports.extend(outcome.reports),
        }
        let step = self.ran.reports.len() - 1;
        match outcome.end {
            Ended::Through => {}
            Ended::Answered => self.stop(End::Answered),
            Ended::Blocked { code, message } => self.stop(End::Blocked { step, code, message }),
            Ended::Failed => self.stop(End::Failed { step }),
            Ended::Left | Ended::BrokenOff => self.judge_last(),
        }
        if renamed && !self.is_done() {
            self.follow();
        }
    }

    /// The parameters are others: what the steps that are left see is told anew.
    fn follow(&mut self) {
        if let (Some(follow), Some(params)) = (self.job.follow, &self.ran.params) {
            self.about = (follow.0)(params.raw()).or(self.about.take());
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
        let console = Vec::new();
        self.ran.reports.push(Report {
            verdict,
            micros: 0,
            memory: 0,
            console,
            returned: None,
            changes: None,
        });
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
