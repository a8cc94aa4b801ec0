//! The engine: one runtime with one hardened realm, in which every execution of this worker runs.

use super::allocator::{Counted, Heap};
use super::compile::compile;
use super::state::{State, parse};
use super::writer::Plain;
use super::{helpers, levels};
use crate::ScriptError;
use rquickjs::context::intrinsic;
use rquickjs::{Array, Context, Ctx, Function, Object, Persistent, Runtime, Value};
use std::cell::OnceCell;
use std::collections::HashMap;
use std::rc::Rc;

/// The depth of a script's calls, in bytes of stack.
const STACK: usize = 256 << 10;

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
    scripts: HashMap<u64, Result<Kept<Function<'static>>, ScriptError>>,
    top: Option<Top>,
    functions: Functions,
    plain: Rc<OnceCell<(Kept<Object<'static>>, Kept<Object<'static>>)>>,
    context: Context,
    pub(crate) heap: Rc<Heap>,
    pub(crate) state: Rc<State>,
    _runtime: Runtime,
}

struct Functions {
    make: Kept<Function<'static>>,
    start: Kept<Function<'static>>,
    source_of: Kept<Function<'static>>,
}

/// The further members of the context, as they were last.
struct Top {
    text: String,
    /// Those that need no parsing.
    named: Kept<Object<'static>>,
    /// The names and texts of the others.
    lazy: Vec<(String, String)>,
}

/// What an execution needs of the realm.
pub(crate) struct Tools<'js> {
    pub(crate) make: Function<'js>,
    pub(crate) start: Function<'js>,
    pub(crate) plain: Plain<'js>,
    pub(crate) named: Object<'js>,
    pub(crate) lazy: Vec<(String, String)>,
}

impl Realm {
    pub(crate) fn new(state: Rc<State>) -> rquickjs::Result<Self> {
        let heap = Heap::new();
        let runtime = Runtime::new_with_alloc(Counted(Rc::clone(&heap)))?;
        runtime.set_max_stack_size(STACK);
        let context = Context::custom::<Known>(&runtime)?;
        let plain = Rc::new(OnceCell::new());
        let functions = context.with(|ctx| harden(&ctx, &state, &plain))?;
        let its = Rc::clone(&state);
        runtime.set_interrupt_handler(Some(Box::new(move || its.late())));
        runtime.run_gc();
        let scripts = HashMap::new();
        Ok(Self { scripts, top: None, functions, plain, context, heap, state, _runtime: runtime })
    }

    pub(crate) fn with<R>(&mut self, work: impl for<'js> FnOnce(&mut Self, &Ctx<'js>) -> R) -> R {
        let context = self.context.clone();
        context.with(|ctx| work(self, &ctx))
    }

    pub(crate) fn forget(&mut self, numbers: &[u64]) {
        for number in numbers {
            self.scripts.remove(number);
        }
    }

    /// The factory of a script, which is compiled when it is new.
    pub(crate) fn factory<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        number: u64,
        source: Option<&str>,
    ) -> Result<Function<'js>, ScriptError> {
        if let Some(source) = source {
            let compiled = self.compile(ctx, source).map(|factory| Persistent::save(ctx, factory));
            self.scripts.insert(number, compiled);
        }
        let unknown =
            || ScriptError::new(crate::ErrorCode::ExecutionError, "the worker does not know the script");
        let kept = self.scripts.get(&number).ok_or_else(unknown)?.clone()?;
        kept.restore(ctx).map_err(|_| unknown())
    }

    pub(crate) fn compile<'js>(&self, ctx: &Ctx<'js>, source: &str) -> Result<Function<'js>, ScriptError> {
        let source_of = self.functions.source_of.clone().restore(ctx);
        let source_of = source_of.expect("the runtime of this realm");
        compile(ctx, &self.state, &source_of, source)
    }

    /// What an execution with these further members of the context needs.
    pub(crate) fn tools<'js>(&mut self, ctx: &Ctx<'js>, top: &str) -> rquickjs::Result<Tools<'js>> {
        if self.top.as_ref().is_none_or(|known| known.text != top) {
            self.top = Some(Top::new(ctx, top)?);
        }
        let top = self.top.as_ref().expect("set above");
        Ok(Tools {
            make: self.functions.make.clone().restore(ctx)?,
            start: self.functions.start.clone().restore(ctx)?,
            plain: helpers::plain_of(ctx, &self.plain)?,
            named: top.named.clone().restore(ctx)?,
            lazy: top.lazy.clone(),
        })
    }
}

impl Top {
    fn new(ctx: &Ctx<'_>, text: &str) -> rquickjs::Result<Self> {
        let members: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(text).unwrap_or_default();
        let named = Object::new(ctx.clone())?;
        let mut lazy = Vec::new();
        for (name, value) in members {
            let value = value.to_string();
            if value.starts_with(['{', '[']) {
                lazy.push((name, value));
            } else {
                named.prop(name, rquickjs::object::Property::from(parse(ctx, &value)?).enumerable())?;
            }
        }
        Ok(Self { text: text.to_owned(), named: Persistent::save(ctx, named), lazy })
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
    let made: Array<'js> = prelude.call((natives, ctx.globals(), levels::MOST))?;
    let object = Persistent::save(ctx, made.get::<Object<'js>>(2)?);
    let array = Persistent::save(ctx, made.get::<Object<'js>>(3)?);
    state.levels.furnish(ctx, &made.get(5)?, made.get(6)?)?;
    // It is new, so this does not fail.
    let _ = plain.set((object, array));
    // The time zone is read once, while files can still be opened.
    let _: Value<'js> = ctx.eval("new Date(0).getTimezoneOffset() + new Date(2020, 6, 1).getTime()")?;
    Ok(Functions {
        make: Persistent::save(ctx, made.get::<Function<'js>>(0)?),
        start: Persistent::save(ctx, made.get::<Function<'js>>(1)?),
        source_of: Persistent::save(ctx, made.get::<Function<'js>>(4)?),
    })
}
