//! The engine: one runtime with one hardened realm, in which every execution of this worker runs.

use super::allocator::{Counted, Heap};
use super::compile::{self, all_compile, may_go_out, may_see, may_wait, source};
use super::context::Members;
use super::levels::Door;
use super::names::{KeptNames, Label, Names};
use super::state::{MORE, PARTS, State, Text, parse};
use super::writer::Plain;
use super::{context, fault, helpers, levels, pattern, unheard};
use crate::{Form, ScriptError};
use rquickjs::atom::PredefinedAtom;
use rquickjs::context::intrinsic;
use rquickjs::{Context, Ctx, Function, Object, Persistent, Promise, Runtime, Value};
use std::cell::OnceCell;
use std::collections::HashMap;
use std::rc::Rc;

/// The depth of a script's calls, in bytes of stack.
const STACK: usize = 256 << 10;

/// For how many tools and servers the members of a context are kept that tell which it is, and of how many contexts that
/// are good for one execution it is known what they look like.
const MOST_TOPS: usize = 16;

/// What the realm knows of JavaScript. Nothing that waits, measures or outlives an execution.
type Known = (
    intrinsic::Date,
    intrinsic::Eval,
    intrinsic::RegExpCompiler,
    intrinsic::RegExp,
    intrinsic::Json,
    intrinsic::Proxy,
    intrinsic::MapSet,
    intrinsic::TypedArrays,
    intrinsic::Promise,
);

type Kept<T> = Persistent<T>;

/// The engine of this worker.
pub(crate) struct Realm {
    // Declared before the runtime, which must be the last to go.
    scripts: HashMap<u64, Result<Compiled, ScriptError>>,
    tops: Vec<Rc<Top>>,
    looks: Vec<Look>,
    functions: Rc<Functions>,
    plain: Rc<OnceCell<(Kept<Object<'static>>, Kept<Object<'static>>)>>,
    context: Context,
    pub(crate) heap: Rc<Heap>,
    pub(crate) state: Rc<State>,
    runtime: Runtime,
}

#[derive(Clone)]
struct Compiled {
    factory: Kept<Function<'static>>,
    /// Its function, where every execution may have the same.
    body: Option<Kept<Function<'static>>>,
    /// It may throw what is no error.
    throws: bool,
    /// It may wait, and so gives a promise.
    waits: bool,
    /// It may look at its context.
    sees: bool,
}

/// A script that is ready to run.
pub(crate) struct Made<'js> {
    pub(crate) factory: Function<'js>,
    pub(crate) body: Option<Function<'js>>,
    pub(crate) throws: bool,
    pub(crate) waits: bool,
    pub(crate) sees: bool,
}

struct Functions {
    start: Kept<Function<'static>>,
    settle: Kept<Function<'static>>,
    follow: Kept<Function<'static>>,
    held: Kept<Function<'static>>,
    source_of: Kept<Function<'static>>,
    parts: Rc<[Door<'static>]>,
    names: KeptNames,
    _looks: Kept<Object<'static>>,
}

/// The further members of a context.
#[derive(Default)]
pub(crate) struct Top {
    /// What it was made from.
    text: String,
    place: Option<String>,
    /// Those that need no parsing.
    pub(crate) named: Vec<(Label, Kept<Value<'static>>)>,
    /// The names and texts of those that are parsed when they are first looked at. One without a text of its own is
    /// what the nodes before did.
    pub(crate) lazy: Vec<(Label, Option<Text>)>,
    /// It is good for one execution alone.
    once: bool,
    _looks: Vec<Kept<Object<'static>>>,
}

/// What contexts with these members look like, whatever they hold.
struct Look {
    /// They are those of scripts which are no hooks.
    alone: bool,
    top: Top,
    _looks: Vec<Kept<Object<'static>>>,
}

/// What an execution needs of the realm.
pub(crate) struct Tools<'js> {
    pub(crate) start: Function<'js>,
    pub(crate) plain: Plain<'js>,
    /// The accessors of the parts of the context.
    pub(crate) parts: Rc<[Door<'static>]>,
    pub(crate) names: Names<'js>,
    pub(crate) top: Rc<Top>,
}

impl<'js> Tools<'js> {
    pub(crate) fn members(&self) -> Members<'_, 'js> {
        Members { names: &self.names, parts: &self.parts, top: &self.top }
    }
}

impl Realm {
    pub(crate) fn new(state: Rc<State>) -> rquickjs::Result<Self> {
        let heap = Heap::new();
        let runtime = Runtime::new_with_alloc(Counted(Rc::clone(&heap)))?;
        runtime.set_max_stack_size(STACK);
        let context = Context::custom::<Known>(&runtime)?;
        let plain = Rc::new(OnceCell::new());
        let functions = Rc::new(context.with(|ctx| harden(&ctx, &state, &plain))?);
        let its = Rc::clone(&state);
        runtime.set_interrupt_handler(Some(Box::new(move || its.late())));
        runtime.set_host_promise_rejection_tracker(Some(unheard::tracker(Rc::clone(&state))));
        runtime.run_gc();
        let scripts = HashMap::new();
        let (tops, looks) = (Vec::new(), Vec::new());
        Ok(Self { scripts, tops, looks, functions, plain, context, heap, state, runtime })
    }

    pub(crate) fn with<R>(&mut self, work: impl for<'js> FnOnce(&mut Self, &Ctx<'js>) -> R) -> R {
        let context = self.context.clone();
        context.with(|ctx| work(self, &ctx))
    }

    /// Whether an execution has left something to be run.
    pub(crate) fn is_job_pending(&self) -> bool {
        self.runtime.is_job_pending()
    }

    pub(crate) fn forget(&mut self, numbers: &[u64]) {
        for number in numbers {
            self.scripts.remove(number);
        }
    }

    /// A script, which is compiled when it is new.
    pub(crate) fn factory<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        number: u64,
        source: Option<&str>,
    ) -> Result<Made<'js>, ScriptError> {
        if let Some(source) = source {
            let kept = |compile::Functions { factory, body }| Compiled {
                factory: Persistent::save(ctx, factory),
                body: (!may_go_out(source)).then(|| Persistent::save(ctx, body)),
                throws: fault::may_throw_values(source),
                waits: may_wait(source),
                sees: may_see(source),
            };
            self.scripts.insert(number, self.compile(ctx, source).map(kept));
        }
        let unknown = || {
            // Both sides should agree on what it knows; another worker begins with nothing.
            self.state.spoiled.set(true);
            ScriptError::new(crate::ErrorCode::ExecutionError, "the worker does not know the script")
        };
        let kept = self.scripts.get(&number).ok_or_else(unknown)?.clone()?;
        let Compiled { factory, body, throws, waits, sees } = kept;
        let restored = |function: Kept<Function<'static>>| function.restore(ctx).map_err(|_| unknown());
        Ok(Made { factory: restored(factory)?, body: body.map(restored).transpose()?, throws, waits, sees })
    }

    /// What a script has returned, as a promise where it is one, or acts like one.
    pub(crate) fn promised<'js>(
        &self,
        ctx: &Ctx<'js>,
        returned: &Value<'js>,
        waits: bool,
    ) -> rquickjs::Result<Option<Promise<'js>>> {
        if let Some(promise) = returned.as_promise().filter(|_| waits) {
            return Ok(Some(promise.clone()));
        }
        let Some(object) = returned.as_object() else { return Ok(None) };
        match object.get::<_, Value<'js>>(PredefinedAtom::Then)?.is_function() {
            true => self.functions.settle.clone().restore(ctx)?.call((returned.clone(),)).map(Some),
            false => Ok(None),
        }
    }

    /// Follows the way of what is thrown from now on, or does not.
    pub(crate) fn follow(&self, ctx: &Ctx<'_>, throws: bool) -> rquickjs::Result<()> {
        if self.state.follows.replace(throws) || throws {
            self.functions.follow.clone().restore(ctx)?.call::<_, ()>((throws,))?;
        }
        Ok(())
    }

    pub(crate) fn compile<'js>(
        &self,
        ctx: &Ctx<'js>,
        source: &str,
    ) -> Result<compile::Functions<'js>, ScriptError> {
        let source_of = self.functions.source_of.clone().restore(ctx);
        let source_of = source_of.expect("the runtime of this realm");
        compile::compile(ctx, &self.state, &source_of, source)
    }

    /// Whether all of these scripts compile.
    pub(crate) fn all_compile(&self, ctx: &Ctx<'_>, sources: &[&str]) -> bool {
        let source_of = self.functions.source_of.clone().restore(ctx);
        all_compile(ctx, &self.state, &source_of.expect("the runtime of this realm"), sources)
    }

    /// The error for a value that was thrown, without running code of the script.
    pub(crate) fn held_by<'js>(&self, ctx: &Ctx<'js>, thrown: &Value<'js>) -> ScriptError {
        let held = self.functions.held.clone().restore(ctx).expect("the runtime of this realm");
        fault::held_by(ctx, &self.state, &held, thrown)
    }

    /// The error of a script with its place as people see it: in characters, and that of the pattern which failed.
    pub(crate) fn placed<'js>(
        &self,
        ctx: &Ctx<'js>,
        factory: &Function<'js>,
        mut error: ScriptError,
    ) -> ScriptError {
        let apart = self.state.apart.take();
        if error.column.is_some() || apart.is_some() {
            let source_of = self.functions.source_of.clone().restore(ctx);
            match source_of.and_then(|source_of| source(&source_of, factory)) {
                Ok(source) => {
                    let told = error.line.zip(error.column);
                    let found = apart.and_then(|iterated| pattern::place(&source, told, iterated));
                    (error.line, error.column) = found.or(told).unzip();
                    fault::in_characters(&mut error, &source);
                }
                // Without the memory to look, the bytes must do.
                Err(_) => drop(ctx.catch()),
            }
        }
        error
    }

    /// The further members of the context; those that came last are known.
    fn top(&mut self, ctx: &Ctx<'_>, text: &Text, place: Option<&Text>) -> rquickjs::Result<Rc<Top>> {
        let (text_of, place_of) = (text.as_str(), place.map(Text::as_str));
        let is_it = |known: &Rc<Top>| known.text == text_of && known.place.as_deref() == place_of;
        match self.tops.iter().rposition(is_it) {
            Some(at) if at + 1 == self.tops.len() => {}
            Some(at) => self.tops[at..].rotate_left(1),
            None => {
                // Those of a session differ from one to the next.
                let once = self.state.form.get() != Form::Hook;
                let top = Rc::new(Top::new(ctx, text, place_of, &self.functions, once)?);
                if top.once {
                    self.look_like(ctx, &top)?;
                    return Ok(top);
                }
                if self.tops.len() >= MOST_TOPS {
                    self.tops.remove(0);
                }
                self.tops.push(top);
            }
        }
        self.tops.last().cloned().ok_or(rquickjs::Error::Unknown)
    }

    /// Keeps what a context looks like that is good for one execution: the next one with other values looks the same.
    fn look_like(&mut self, ctx: &Ctx<'_>, top: &Top) -> rquickjs::Result<()> {
        let alone = self.state.form.get() != Form::Hook;
        let is_it = |look: &Look| look.alone == alone && look.top.looks_like(top);
        if self.looks.iter().any(is_it) || self.looks.len() >= MOST_TOPS {
            return Ok(());
        }
        let top = top.bare(ctx);
        let _looks = self.functions.looks(ctx, &top, alone)?;
        self.looks.push(Look { alone, top, _looks });
        Ok(())
    }

    /// What an execution with these further members of the context needs.
    pub(crate) fn tools<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        top: &Text,
        place: Option<&Text>,
    ) -> rquickjs::Result<Tools<'js>> {
        let top = self.top(ctx, top, place)?;
        Ok(Tools {
            start: self.functions.start.clone().restore(ctx)?,
            plain: helpers::plain_of(ctx, &self.plain)?,
            parts: Rc::clone(&self.functions.parts),
            names: self.functions.names.restore(ctx)?,
            top,
        })
    }
}

impl Functions {
    /// What contexts with these members look like on the way to be made.
    fn looks(&self, ctx: &Ctx<'_>, top: &Top, alone: bool) -> rquickjs::Result<Vec<Kept<Object<'static>>>> {
        let names = self.names.restore(ctx)?;
        context::looks(ctx, &Members { names: &names, parts: &self.parts, top }, alone)
    }
}

impl Top {
    /// Whether both have the same members, whatever they hold.
    fn looks_like(&self, other: &Self) -> bool {
        self.named.iter().map(|(name, _)| name).eq(other.named.iter().map(|(name, _)| name))
            && self.lazy.iter().map(|(name, _)| name).eq(other.lazy.iter().map(|(name, _)| name))
    }

    /// The same members, without what they hold.
    fn bare(&self, ctx: &Ctx<'_>) -> Self {
        let nothing = || Persistent::save(ctx, Value::new_undefined(ctx.clone()));
        Self {
            named: self.named.iter().map(|(name, _)| (name.clone(), nothing())).collect(),
            lazy: self.lazy.iter().map(|(name, _)| (name.clone(), None)).collect(),
            ..Self::default()
        }
    }

    fn new(
        ctx: &Ctx<'_>,
        text: &Text,
        place: Option<&str>,
        functions: &Functions,
        once: bool,
    ) -> rquickjs::Result<Self> {
        let mut top = Self { once, ..Self::default() };
        top.add(ctx, text)?;
        // They differ from call to call; those of a place do not.
        top.once |= !top.lazy.is_empty();
        if let Some(place) = place {
            top.add(ctx, &["{", place, "}"].concat().as_str().into())?;
            top.lazy.push((Label::new(ctx, "previousResults".to_owned())?, None));
        }
        if !top.once {
            top.text = text.as_str().to_owned();
            top.place = place.map(str::to_owned);
            top._looks = functions.looks(ctx, &top, false)?;
        }
        Ok(top)
    }

    /// Adds the members of an object.
    fn add(&mut self, ctx: &Ctx<'_>, text: &Text) -> rquickjs::Result<()> {
        let Some(tape) = text.tape() else { return Ok(()) };
        for member in tape.inside(0) {
            let (name, value) = (tape.key(member), tape.text(member));
            let name = match name.contains('\\') {
                true => serde_json::from_str(&format!("\"{name}\"")).unwrap_or_default(),
                false => name.to_owned(),
            };
            let label = Label::new(ctx, name)?;
            let holds = value.starts_with(['{', '[']);
            // One is left for what the nodes before did.
            if holds && self.lazy.len() + 1 < MORE {
                self.lazy.push((label, Some(text.within(tape.place(member)))));
            } else {
                // An object that two executions had would be a way from one to the other.
                self.once |= holds;
                self.named.push((label, Persistent::save(ctx, parse(ctx, value)?)));
            }
        }
        Ok(())
    }
}

/// Runs the prelude: removes, installs, freezes.
fn harden<'js>(
    ctx: &Ctx<'js>,
    state: &Rc<State>,
    plain: &Rc<OnceCell<(Kept<Object<'static>>, Kept<Object<'static>>)>>,
) -> rquickjs::Result<Functions> {
    let prelude: Function<'js> = ctx.eval(include_str!("prelude.js"))?;
    let natives = helpers::natives(ctx, state, plain)?;
    let made: Object<'js> = prelude.call((natives, ctx.globals(), PARTS + MORE, levels::MOST))?;
    let object = Persistent::save(ctx, made.get::<_, Object<'js>>("object")?);
    let array = Persistent::save(ctx, made.get::<_, Object<'js>>("array")?);
    state.levels.furnish(ctx, &made.get("doors")?, made.get("closed")?)?;
    // It is new, so this does not fail.
    let _ = plain.set((object, array));
    // The time zone is read once, while files can still be opened.
    let _: Value<'js> = ctx.eval("new Date(0).getTimezoneOffset() + new Date(2020, 6, 1).getTime()")?;
    let kept =
        |name: &str| Ok::<_, rquickjs::Error>(Persistent::save(ctx, made.get::<_, Function<'js>>(name)?));
    Ok(Functions {
        start: kept("start")?,
        settle: kept("settle")?,
        follow: kept("follow")?,
        held: kept("held")?,
        source_of: kept("sourceOf")?,
        parts: Door::all(ctx, &made.get("parts")?)?.into(),
        names: Names::new(ctx)?.keep(ctx),
        _looks: Persistent::save(ctx, made.get::<_, Object<'js>>("looks")?),
    })
}

#[cfg(test)]
mod tests {
    use super::Realm;
    use crate::worker::line::Line;
    use crate::worker::state::State;
    use rquickjs::Value;
    use std::mem::ManuallyDrop;
    use std::os::unix::net::UnixStream;
    use std::rc::Rc;
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    #[test]
    fn a_loop_that_throws_is_ended_by_the_engine() {
        for throws in ["throw 1", "if (0) throw 1; null.x", "[1].forEach(() => { throw 1 })"] {
            let (socket, _other) = UnixStream::pair().expect("a socket");
            let state = State::new(Arc::new(Line::new(socket)));
            // Never taken apart, as in a worker; and nothing else would end the loop.
            let mut realm = ManuallyDrop::new(Realm::new(Rc::clone(&state)).expect("a realm"));
            state.begin(Instant::now() + Duration::from_millis(50), []);
            let ended = realm.with(|realm, ctx| {
                realm.follow(ctx, true).expect("it is followed");
                ctx.eval::<Value<'_>, _>(format!("for (;;) try {{ {throws} }} catch {{}}")).is_err()
            });
            assert!(ended && state.tripped.get(), "{throws}");
        }
    }
}
