//! Makes functions of scripts.
//!
//! A script is the body of an async function inside a factory. The factory is called for every execution,
//! so that nothing the script declares outlives one, and gives it a `globalThis` of its own.

use super::fault;
use super::state::State;
use crate::{ErrorCode, ScriptError};
use rquickjs::context::EvalOptions;
use rquickjs::function::This;
use rquickjs::{Ctx, Function, Object, Value};

/// The name that scripts have in their own stacks.
pub(crate) const FILE: &str = "hook.js";

/// What stands before a script, on a line of its own: the engine counts the columns of a first line in two ways.
const PREFIX: &str = "(function(globalThis){'use strict';return async function(context){\n";
const SUFFIX: &str = "\n}})";

/// Where the factory and the function of the script begin and end in the whole.
const FACTORY: (usize, usize) = (1, 1);
const BODY: (usize, usize) = ("(function(globalThis){'use strict';return ".len(), "})".len());

/// The largest script.
const LARGEST: usize = 1 << 20;

/// Compiles a script to its factory.
///
/// A script must not close the braces around it and go on outside. That would still run inside the
/// sandbox, but not as the function it seems to be. So the source text that the engine keeps of both
/// functions is held against what was put there: a function that ends early has another one.
pub(crate) fn compile<'js>(
    ctx: &Ctx<'js>,
    state: &State,
    source_of: &Function<'js>,
    source: &str,
) -> Result<Function<'js>, ScriptError> {
    let code = ErrorCode::ExecutionError;
    if source.len() > LARGEST {
        return Err(ScriptError::new(code, "the script is larger than 1 MiB"));
    }
    if source.contains('\0') {
        return Err(ScriptError::new(code, "the script holds a NUL character"));
    }
    let whole = [PREFIX, source, SUFFIX].concat();
    let attempt = evaluate(ctx, &whole).and_then(|factory| {
        let same = |function: &Function<'js>, (start, end): (usize, usize)| {
            let kept: rquickjs::String<'js> = source_of.call((This(function.clone()),))?;
            Ok::<_, rquickjs::Error>(kept.to_string()? == whole[start..whole.len() - end])
        };
        let Some(factory) = factory.into_function() else { return Ok(None) };
        if !same(&factory, FACTORY)? {
            return Ok(None);
        }
        let body: Value<'js> = factory.call((Object::new(ctx.clone())?,))?;
        let Some(body) = body.into_function() else { return Ok(None) };
        Ok(same(&body, BODY)?.then_some(factory))
    });
    match attempt {
        Ok(Some(factory)) => Ok(factory),
        Ok(None) => {
            Err(ScriptError::new(code, "SyntaxError: the script closes a brace that it did not open"))
        }
        Err(_) => {
            let mut error = fault::pending(ctx, state, false, code);
            let lines = u32::try_from(source.split('\n').count()).unwrap_or(u32::MAX);
            if error.line.is_some_and(|line| line > lines) {
                // The engine only noticed behind the end of the script.
                let last = source.rsplit('\n').next().unwrap_or_default().len();
                (error.line, error.column) = (Some(lines), u32::try_from(last + 1).ok());
            }
            fault::in_characters(&mut error, source);
            Err(error)
        }
    }
}

/// The source of a script, out of what the engine keeps of its factory.
pub(crate) fn source<'js>(source_of: &Function<'js>, factory: &Function<'js>) -> rquickjs::Result<String> {
    let kept: rquickjs::String<'js> = source_of.call((This(factory.clone()),))?;
    let (before, after) = (PREFIX.len() - FACTORY.0, SUFFIX.len() - FACTORY.1);
    let kept = kept.to_string()?;
    Ok(kept.get(before..kept.len() - after).unwrap_or_default().to_owned())
}

fn evaluate<'js>(ctx: &Ctx<'js>, source: &str) -> rquickjs::Result<Value<'js>> {
    let mut options = EvalOptions::default();
    options.filename = Some(FILE.to_owned());
    ctx.eval_with_options(source, options)
}
