//! What one execution may see and has done, shared by the functions that scripts can call.

use super::fault;
use super::levels::Levels;
use super::line::{Inbox, Line};
use super::redact::Patterns;
use super::tape::{Outline, Tape, outline};
use super::unheard::Unheard;
use crate::{Form, Limit};
use rquickjs::{Ctx, Function, Persistent, Value};
use std::cell::{Cell, OnceCell, RefCell};
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The longest that one `sleep` takes.
const LONGEST_SLEEP: Duration = Duration::from_millis(5000);

/// How many sleeps may be under way at once.
const MOST_SLEEPS: usize = 256;

/// A text that is part of a message, or stands alone.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    body: Rc<str>,
    range: Range<usize>,
    /// Made when it is first asked for, and shared by all copies.
    outline: Rc<OnceCell<Option<Outline>>>,
}

impl Text {
    pub(crate) fn part(body: &Rc<str>, range: &Range<usize>) -> Self {
        Self { body: Rc::clone(body), range: range.clone(), outline: Rc::default() }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.body[self.range.clone()]
    }

    /// The text with its outline, where it has one.
    pub(crate) fn tape(&self) -> Option<Tape<'_>> {
        let outline = self.outline.get_or_init(|| outline(self.as_str())).clone();
        outline.map(|outline| Tape::new(self.as_str(), outline))
    }

    /// A part of it.
    pub(crate) fn within(&self, range: Range<usize>) -> Self {
        let start = self.range.start;
        Self::part(&self.body, &(start + range.start..start + range.end))
    }

    /// Whether one is a copy of the other.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.outline, &other.outline)
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self { body: text.into(), range: 0..text.len(), outline: Rc::default() }
    }
}

/// The parts of the context that are parsed when they are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Params = 0,
    Response = 1,
    Metadata = 2,
    Shared = 3,
    Variables = 4,
}

/// How many parts have a number of their own; further members of the context come after them.
pub(crate) const PARTS: usize = 5;

/// How many of those are parsed when they are looked at.
pub(crate) const MORE: usize = 11;

/// A value of the script that outlives a call of a function.
type Kept = Persistent<Value<'static>>;

struct Timer {
    due: Instant,
    resolve: Persistent<Function<'static>>,
}

/// What the execution that runs now may see and has done.
pub(crate) struct State {
    pub(crate) line: Arc<Line>,
    pub(crate) inbox: RefCell<Inbox>,
    /// The text of an object without members.
    pub(crate) nothing: Text,
    pub(crate) patterns: RefCell<Patterns>,
    pub(crate) levels: Levels,
    pub(crate) deadline: Cell<Instant>,
    /// When it was last looked whether the time is up.
    pub(crate) looked: Cell<Instant>,
    /// The deadline has passed, whatever the script made of it.
    pub(crate) tripped: Cell<bool>,
    /// A text may have run that was to be nothing but a function. What it declared at the top, others would see.
    pub(crate) spoiled: Cell<bool>,
    /// A limit that a helper has met, for the case that the script fails of it.
    pub(crate) limit: Cell<Option<Limit>>,
    pub(crate) asked: Cell<u32>,
    /// Somebody wants to know what the script returns.
    pub(crate) tells: Cell<bool>,
    pub(crate) written: Cell<usize>,
    texts: RefCell<Vec<Option<Text>>>,
    /// What the parts are that were looked at or put in their place.
    values: RefCell<[Option<Kept>; PARTS + MORE]>,
    touched: Cell<u8>,
    /// The way of what is thrown is followed, also where it is no error.
    pub(crate) follows: Cell<bool>,
    /// What was thrown last of that kind, and where first.
    thrown: RefCell<Option<(Kept, (u32, u32))>>,
    /// The error is that a value could not be taken apart, and then, whether as a list: its place is another.
    pub(crate) apart: Cell<Option<bool>>,
    /// An execution is under way.
    pub(crate) live: Cell<bool>,
    /// What its script is.
    pub(crate) form: Cell<Form>,
    timers: RefCell<Vec<Timer>>,
    pub(crate) unheard: Unheard,
}

impl State {
    pub(crate) fn new(line: Arc<Line>) -> Rc<Self> {
        Rc::new(Self {
            line,
            inbox: RefCell::default(),
            nothing: "{}".into(),
            patterns: RefCell::default(),
            levels: Levels::default(),
            deadline: Cell::new(Instant::now()),
            looked: Cell::new(Instant::now()),
            tripped: Cell::new(false),
            spoiled: Cell::new(false),
            limit: Cell::new(None),
            asked: Cell::new(0),
            tells: Cell::new(false),
            written: Cell::new(0),
            texts: RefCell::default(),
            values: RefCell::default(),
            touched: Cell::new(0),
            follows: Cell::new(false),
            thrown: RefCell::default(),
            apart: Cell::new(None),
            live: Cell::new(false),
            form: Cell::default(),
            timers: RefCell::default(),
            unheard: Unheard::default(),
        })
    }

    /// Begins an execution.
    pub(crate) fn begin(&self, deadline: Instant, texts: impl IntoIterator<Item = Option<Text>>) {
        self.deadline.set(deadline);
        self.tripped.set(false);
        self.limit.set(None);
        self.asked.set(0);
        self.written.set(0);
        self.touched.set(0);
        self.apart.set(None);
        self.live.set(true);
        let mut all = self.texts.borrow_mut();
        all.clear();
        all.extend(texts);
    }

    /// Ends an execution: what is left of it can see nothing and wait for nothing.
    pub(crate) fn end(&self) {
        self.live.set(false);
        self.form.set(Form::Hook);
        self.texts.borrow_mut().clear();
        *self.values.borrow_mut() = Default::default();
        self.levels.end();
        self.timers.borrow_mut().clear();
        self.thrown.take();
        self.unheard.take();
    }

    /// Notes where something was thrown that is no error. What is thrown again keeps its place.
    pub(crate) fn note<'js>(&self, ctx: &Ctx<'js>, thrown: Value<'js>, stack: &str) {
        if self.thrown_at(ctx, &thrown).is_some() {
            return;
        }
        let place = fault::place(stack).filter(|_| self.live.get());
        let noted = place.map(|place| (Persistent::save(ctx, thrown), place));
        drop(self.thrown.replace(noted));
    }

    /// Where this was thrown, if that was noted.
    pub(crate) fn thrown_at<'js>(&self, ctx: &Ctx<'js>, thrown: &Value<'js>) -> Option<(u32, u32)> {
        let (noted, place) = self.thrown.borrow().clone()?;
        noted.restore(ctx).is_ok_and(|noted| noted == *thrown).then_some(place)
    }

    /// Whether the time is up. The engine asks this now and then, the worker between jobs.
    pub(crate) fn late(&self) -> bool {
        self.looked.set(Instant::now());
        if self.looked.get() >= self.deadline.get() {
            self.tripped.set(true);
        }
        self.tripped.get()
    }

    pub(crate) fn touch(&self, part: usize) {
        self.touched.set(self.touched.get() | 1 << part.min(7));
    }

    pub(crate) fn touched(&self, part: Part) -> bool {
        self.touched.get() & 1 << part as u8 != 0
    }

    /// Parses a part of the context.
    fn parse<'js>(&self, ctx: &Ctx<'js>, part: usize) -> rquickjs::Result<Value<'js>> {
        self.touch(part);
        let text = self.texts.borrow().get(part).cloned().flatten();
        match text {
            Some(text) => self.levels.parse(ctx, &text),
            None => Ok(Value::new_undefined(ctx.clone())),
        }
    }

    /// A part of the context, which is parsed when it is first looked at.
    pub(crate) fn look<'js>(&self, ctx: &Ctx<'js>, part: usize) -> rquickjs::Result<Value<'js>> {
        if let Some(Some(value)) = self.values.borrow().get(part) {
            return value.clone().restore(ctx);
        }
        let value = self.parse(ctx, part)?;
        if part == Part::Metadata as usize
            && self.form.get() == Form::Hook
            && let Some(metadata) = value.as_object()
        {
            metadata.set("shared", self.parse(ctx, Part::Shared as usize)?)?;
        }
        self.keep(ctx, part, value.clone());
        Ok(value)
    }

    /// The text and the place in it that a value was parsed from.
    pub(crate) fn origin<'js>(&self, ctx: &Ctx<'js>, value: &Value<'js>) -> Option<(Text, usize)> {
        let is_it = |part: &Option<Kept>| {
            part.as_ref().and_then(|its| its.clone().restore(ctx).ok()).is_some_and(|its| its == *value)
        };
        let part = if value.is_object() { self.values.borrow().iter().position(is_it) } else { None };
        let text = part.and_then(|part| self.texts.borrow().get(part).cloned().flatten());
        text.map(|text| (text, 0)).or_else(|| self.levels.origin(ctx, value))
    }

    /// What a script puts in the place of a part.
    pub(crate) fn put<'js>(&self, ctx: &Ctx<'js>, part: usize, value: Value<'js>) {
        self.touch(part);
        self.keep(ctx, part, value);
    }

    fn keep<'js>(&self, ctx: &Ctx<'js>, part: usize, value: Value<'js>) {
        // What an execution left behind must not put anything before the next one.
        if !self.live.get() {
            return;
        }
        let old =
            self.values.borrow_mut().get_mut(part).map(|kept| kept.replace(Persistent::save(ctx, value)));
        // Freed here, when nothing is borrowed any more.
        drop(old);
    }

    /// Keeps a promise to be resolved after `wait`. Says whether there is room for it.
    pub(crate) fn add_timer<'js>(&self, ctx: &Ctx<'js>, wait: Duration, resolve: Function<'js>) -> bool {
        let mut timers = self.timers.borrow_mut();
        if timers.len() >= MOST_SLEEPS {
            return false;
        }
        let due = Instant::now() + wait.min(LONGEST_SLEEP);
        timers.push(Timer { due, resolve: Persistent::save(ctx, resolve) });
        true
    }

    /// When the next sleep ends.
    pub(crate) fn next_timer(&self) -> Option<Instant> {
        self.timers.borrow().iter().map(|timer| timer.due).min()
    }

    /// Takes the sleep that ended first, of those that have.
    pub(crate) fn due_timer<'js>(&self, ctx: &Ctx<'js>) -> Option<Function<'js>> {
        let mut timers = self.timers.borrow_mut();
        let now = Instant::now();
        let ended = timers.iter().enumerate().filter(|(_, timer)| timer.due <= now);
        let (at, _) = ended.min_by_key(|(_, timer)| timer.due)?;
        timers.remove(at).resolve.restore(ctx).ok()
    }
}

/// Parses a JSON text into a value of the script.
pub(crate) fn parse<'js>(ctx: &Ctx<'js>, text: &str) -> rquickjs::Result<Value<'js>> {
    // The engine wants a zero at the end; with room for it the text is copied once.
    let mut bytes = Vec::with_capacity(text.len() + 1);
    bytes.extend_from_slice(text.as_bytes());
    ctx.json_parse(bytes)
}
