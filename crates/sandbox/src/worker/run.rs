//! Runs the steps of one job, each in an execution of its own.

use super::execution::execute;
use super::line::micros;
use super::realm::Realm;
use super::state::Text;
use super::tape::says;
use super::unheard;
use super::verdict::{Decision, Texts};
use super::watchdog::Watchdog;
use super::writer::Bounds;
use crate::wire::{Ended, Source, Task};
use crate::{Form, Phase, Report, ScriptError, Verdict};
use rquickjs::Ctx;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// What a script may hold, besides room for the context it is given.
pub(super) const HEAP: usize = 32 << 20;

/// How much larger a parsed context is than its text, at most in common cases.
const PARSED: usize = 8;

/// How long, and how many, jobs that a script left behind may run.
const DRAIN: Duration = Duration::from_millis(2);
const LEFT_OVER: usize = 100;

/// How many bytes the heap may grow before garbage is collected.
const GARBAGE: usize = 512 << 10;

/// The worker's own thread of work.
pub(crate) struct Runner {
    pub(super) realm: Realm,
    pub(super) watchdog: Watchdog,
    /// What the heap held after the last time it was looked at: the realm and the compiled scripts.
    baseline: usize,
    /// The worker must be replaced.
    renew: bool,
}

/// What all steps of a job share.
pub(super) struct Shared {
    pub(super) phase: Phase,
    pub(super) form: Form,
    pub(super) method: Text,
    pub(super) metadata: Text,
    pub(super) top: Text,
    /// Of a step that is a node of a graph: the further members of its context, without braces, and
    /// `previousResults`.
    pub(super) place: Option<(Text, Text)>,
}

impl Shared {
    /// The same for a step that is a node of a graph.
    fn placed(&self, metadata: &str, top: Text, results: &str) -> Self {
        Self {
            phase: self.phase,
            form: self.form,
            method: self.method.clone(),
            metadata: crate::place::with(self.metadata.as_str(), metadata).as_str().into(),
            top: self.top.clone(),
            place: Some((top, ["{", results, "}"].concat().as_str().into())),
        }
    }

    /// How much the further members of the context are.
    fn size(&self) -> usize {
        let placed = |(top, results): &(Text, Text)| top.as_str().len() + results.as_str().len();
        self.top.as_str().len() + self.place.as_ref().map_or(0, placed)
    }
}

impl Runner {
    pub(crate) fn new(realm: Realm, watchdog: Watchdog) -> Self {
        let baseline = realm.heap.used();
        Self { realm, watchdog, baseline, renew: false }
    }

    /// Whether the worker must be replaced.
    pub(crate) const fn renew(&self) -> bool {
        self.renew
    }

    /// Runs all steps, and leaves what came of them in the line's progress.
    pub(crate) fn job(&mut self, body: &Rc<str>, task: &Task) {
        let text = |range| Text::part(body, range);
        let mut texts = Texts {
            params: text(&task.params),
            response: task.response.as_ref().map(text),
            shared: task.shared.as_ref().map(text),
            variables: task.variables.as_ref().map(text),
        };
        let shared = Shared {
            phase: task.phase,
            form: task.form,
            method: text(&task.method),
            metadata: text(&task.metadata),
            top: text(&task.top),
            place: None,
        };
        let method = shared.method.clone();
        let method = method.as_str();
        let mut results = task.results.as_ref().map(|range| text(range).as_str().to_owned());
        self.realm.forget(&task.forget);
        let mut now = Instant::now();
        for (index, step) in task.steps.iter().enumerate() {
            let source = step.text.as_ref().map(text);
            let placed = step.place.as_ref().map(|place| {
                let (metadata, top) = (text(&place.metadata), text(&place.top));
                shared.placed(metadata.as_str(), top, results.as_deref().unwrap_or_default())
            });
            let (began, deadline) = (now, now + task.limit);
            self.realm.state.line.begin_step(began);
            self.realm.state.tells.set(step.tell);
            self.watchdog.arm(deadline);
            let ran =
                self.step(step.number, source.as_ref(), placed.as_ref().unwrap_or(&shared), &texts, deadline);
            self.watchdog.disarm();
            // Whoever has decided was in time a moment ago, so the clock need not be asked once more.
            now = if ran.is_ok() { self.realm.state.looked.get() } else { Instant::now() };
            let compiled = source.is_some();
            let memory = self.realm.heap.peak().saturating_sub(self.realm.heap.start()) as u64;
            self.tell(step.number);
            self.tidy(compiled);
            let last = index + 1 == task.steps.len();
            let before = texts.params.clone();
            if self.record(ran, now - began, memory, step, last, &mut texts) {
                return self.learn(body, task, index + 1);
            }
            let others = task.follow && !last && !texts.params.is(&before);
            if others && named(method, &texts.params) != named(method, &before) {
                self.realm.state.line.progress().outcome().end = Ended::Left;
                return self.learn(body, task, index + 1);
            }
            if let (Some(place), Some(results)) = (&step.place, &mut results) {
                let mut progress = self.realm.state.line.progress();
                if let Some(report) = progress.outcome().reports.last() {
                    crate::place::add(results, text(&place.key).as_str(), &report.verdict);
                }
            }
        }
    }

    /// Compiles the scripts of steps that do not run now: they were told now, and will not be again.
    fn learn(&mut self, body: &Rc<str>, task: &Task, from: usize) {
        for step in &task.steps[from..] {
            if self.renew {
                return;
            }
            let Some(source) = step.text.as_ref().map(|range| Text::part(body, range)) else { continue };
            let deadline = Instant::now() + task.limit;
            self.realm.state.begin(deadline, []);
            self.realm.heap.begin(HEAP);
            self.watchdog.arm(deadline);
            // What is wrong with it is told when it runs.
            let _ = self
                .realm
                .with(|realm, ctx| realm.factory(ctx, step.number, Some(source.as_str())).map(drop));
            self.watchdog.disarm();
            self.tidy(true);
        }
    }

    /// Notes what a step did, and says whether it was the last.
    fn record(
        &self,
        ran: Result<Decision, ScriptError>,
        took: Duration,
        memory: u64,
        step: &Source,
        last: bool,
        texts: &mut Texts,
    ) -> bool {
        let line = &self.realm.state.line;
        let console = line.console();
        let micros = micros(took);
        let mut progress = line.progress();
        let outcome = progress.outcome();
        let (mut returned, mut changes) = (None, None);
        let verdict = match ran {
            Ok(mut decision) => {
                returned = decision.returned.take();
                changes = step.show.then(|| decision.changes()).filter(|_| decision.verdict.has_changed());
                let keep = |text: &mut Option<String>, new: Option<String>| {
                    if new.is_some() {
                        *text = new;
                    }
                };
                if !last {
                    decision.apply(texts);
                }
                keep(&mut outcome.params, decision.params);
                keep(&mut outcome.response, decision.response);
                keep(&mut outcome.shared, decision.shared);
                keep(&mut outcome.variables, decision.variables);
                outcome.end = decision.end;
                decision.verdict
            }
            Err(error) => {
                outcome.end = if step.stop_on_error { Ended::Failed } else { Ended::Through };
                Verdict::Failed(error)
            }
        };
        outcome.reports.push(Report { verdict, micros, memory, console, returned, changes });
        if outcome.end == Ended::Through && self.renew && !last {
            outcome.end = Ended::Left;
        }
        outcome.end != Ended::Through
    }

    fn step(
        &mut self,
        number: u64,
        source: Option<&Text>,
        shared: &Shared,
        texts: &Texts,
        deadline: Instant,
    ) -> Result<Decision, ScriptError> {
        let further = [&texts.response, &texts.variables].into_iter().flatten();
        let input = texts.params.as_str().len() + further.map(|text| text.as_str().len()).sum::<usize>();
        self.realm.heap.begin(HEAP + PARSED * (input + shared.size()));
        let bytes = (4 * input + (1 << 20)).max(4 << 20);
        let bounds = Bounds { bytes, deadline };
        self.realm.with(|realm, ctx| {
            // A script is compiled with nothing to see.
            realm.state.begin(deadline, []);
            let made = realm.factory(ctx, number, source.map(Text::as_str))?;
            if realm.follow(ctx, made.throws).is_err() {
                // It only tells less then.
                ctx.catch();
            }
            let result = execute(realm, ctx, &made, shared, texts, bounds);
            result.map_err(|error| realm.placed(ctx, &made.factory, error))
        })
    }

    /// Tells which promises nobody waited for.
    fn tell(&mut self, number: u64) {
        if self.realm.state.unheard.is_empty() {
            return;
        }
        self.realm.with(|realm, ctx| {
            if let Ok(made) = realm.factory(ctx, number, None) {
                unheard::tell(realm, ctx, &made.factory);
            }
        });
    }

    /// Leaves nothing of an execution behind for the next one, or has the worker replaced.
    pub(super) fn tidy(&mut self, compiled: bool) {
        let state = Rc::clone(&self.realm.state);
        self.realm.heap.release();
        state.end();
        self.renew |= state.spoiled.get() || state.tripped.get() || self.realm.heap.refused();
        if self.renew {
            return;
        }
        let drained = !self.realm.is_job_pending() || self.realm.with(|_, ctx| drain(ctx, &state));
        if !drained {
            self.renew = true;
            return;
        }
        let used = self.realm.heap.used();
        if compiled || used > self.baseline + GARBAGE {
            self.realm.with(|_, ctx| ctx.run_gc());
            let used = self.realm.heap.used();
            if compiled {
                self.baseline = used;
            }
            self.renew = used > 2 * self.baseline;
        }
    }
}

impl Decision {
    /// The texts that are others now: a JSON object.
    fn changes(&self) -> String {
        crate::changes::shown([
            ("params", self.params.as_deref()),
            ("response", self.response.as_deref()),
            ("shared", self.shared.as_deref()),
            ("variables", self.variables.as_deref()),
        ])
    }

    /// The texts as the next step sees them.
    fn apply(&self, texts: &mut Texts) {
        if let Some(params) = &self.params {
            texts.params = params.as_str().into();
        }
        // In the pre phase a response is for the client: the hooks that follow do not see it.
        if let (Some(response), Some(text)) = (&self.response, &mut texts.response) {
            *text = response.as_str().into();
        }
        if let Some(shared) = &self.shared {
            texts.shared = Some(shared.as_str().into());
        }
        if let Some(variables) = &self.variables {
            texts.variables = Some(variables.as_str().into());
        }
    }
}

/// What a request asks for, as its parameters say it.
fn named(method: &str, params: &Text) -> Option<String> {
    let key = if method == "resources/read" { "uri" } else { "name" };
    let tape = params.tape()?;
    // Of two with one name the last one counts.
    let member = tape.inside(0).rev().find(|at| says(tape.key(*at), key))?;
    Some(tape.text(member).to_owned())
}

/// Runs what a script left behind, within limits. Says whether nothing is left.
fn drain(ctx: &Ctx<'_>, state: &super::state::State) -> bool {
    if !ctx.execute_pending_job() {
        return true;
    }
    state.deadline.set(Instant::now() + DRAIN);
    for _ in 0..LEFT_OVER {
        if state.late() {
            return false;
        }
        if !ctx.execute_pending_job() {
            return true;
        }
    }
    false
}
