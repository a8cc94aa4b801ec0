//! Makes functions of scripts.
//!
//! A script is the body of an async function inside a factory, which gives it a `globalThis` of its own. What it declares
//! ends with the call, and no script can get hold of its own function, so one that does not name `globalThis` keeps the
//! same function; for others the factory is called each time. The function of a script that never waits is a plain one:
//! a promise costs more than most such scripts do.

use super::fault;
use super::state::State;
use super::typescript::{self, Reading, Wrong};
use crate::{ErrorCode, ScriptError};
use rquickjs::context::EvalOptions;
use rquickjs::function::This;
use rquickjs::{Ctx, Function, Object, Value};
use std::hash::{BuildHasher as _, RandomState};

/// The name that scripts have in their own stacks.
pub(crate) const FILE: &str = "hook.js";

/// A function of many scripts gives a list of their functions.
const MANY: &str = "0,function(globalThis){'use strict';return[";
const EACH: [&str; 2] = ["async function(context){\n", "\n}"];

/// What stands before a script, on a line of its own: the engine counts the columns of a first line in two ways. It does
/// not begin with a parenthesis, because the engine would read to its end first, to see whether an arrow follows.
const PREFIX: &str = "0,function(globalThis){'use strict';return async function(context){\n";
const PREFIX_PLAIN: &str = "0,function(globalThis){'use strict';return function(context){\n";
const SUFFIX: &str = "\n}}";

/// Where the factory begins in the whole, and where the function of the script begins and how far from the end it ends.
const FACTORY: usize = "0,".len();
const BODY: (usize, usize) = ("0,function(globalThis){'use strict';return ".len(), "}".len());

/// What is said of a script that closes a brace around it.
const TOO_MANY: &str = "SyntaxError: the script closes a brace that it did not open";

/// How a message begins that says a script cannot be read.
const SYNTAX: &str = "SyntaxError: ";

/// The largest script.
const LARGEST: usize = 1 << 20;

/// A script as functions.
pub(crate) struct Functions<'js> {
    pub(crate) factory: Function<'js>,
    /// What the factory gave.
    pub(crate) body: Function<'js>,
}

/// Compiles a script. One that the engine cannot read may be TypeScript: then it is compiled without its
/// types, which leaves everything else in its place.
pub(crate) fn compile<'js>(
    ctx: &Ctx<'js>,
    state: &State,
    source_of: &Function<'js>,
    source: &str,
) -> Result<Functions<'js>, ScriptError> {
    let compiled = compile_plain(ctx, state, source_of, source);
    let Some(error) = compiled.as_ref().err().filter(|error| is_unread(error) && !state.spoiled.get()) else {
        return compiled;
    };
    match typescript::read(source) {
        Reading::Erased(erased) => compile_plain(ctx, state, source_of, &erased),
        Reading::Refused(wrong) => Err(unread(&wrong)),
        // It is neither. Whoever came further with it is heard.
        Reading::Unread(wrong) if Some(wrong.place) > place_of(error) => Err(unread(&wrong)),
        Reading::Unread(_) | Reading::Plain => compiled,
    }
}

/// The error of a script that is no TypeScript either.
fn unread(wrong: &Wrong) -> ScriptError {
    let (line, column) = wrong.place;
    let error = ScriptError::new(ErrorCode::ExecutionError, format!("{SYNTAX}{}", wrong.message));
    ScriptError { line: Some(line), column: Some(column), ..error }
}

/// Whether the engine met something that it could not read.
fn is_unread(error: &ScriptError) -> bool {
    error.limit.is_none() && error.line.is_some() && error.message.starts_with(SYNTAX)
}

fn place_of(error: &ScriptError) -> Option<(u32, u32)> {
    error.line.zip(error.column)
}

/// Compiles JavaScript.
///
/// A script must not close the braces around it and go on outside. That would still run inside the
/// sandbox, but not as the function it seems to be. So the source text that the engine keeps of the function
/// is held against what was put there: a function that ends early, or begins late, has another one. Where something
/// may have run, the worker is spoiled.
fn compile_plain<'js>(
    ctx: &Ctx<'js>,
    state: &State,
    source_of: &Function<'js>,
    source: &str,
) -> Result<Functions<'js>, ScriptError> {
    let code = ErrorCode::ExecutionError;
    if source.len() > LARGEST {
        return Err(ScriptError::new(code, "the script is larger than 1 MiB"));
    }
    if source.contains('\0') {
        return Err(ScriptError::new(code, "the script holds a NUL character"));
    }
    let prefix = if may_wait(source) { PREFIX } else { PREFIX_PLAIN };
    let whole = [prefix, source, SUFFIX].concat();
    let mut early = None;
    let attempt = evaluate(ctx, &whole).and_then(|factory| {
        let Some(factory) = factory.into_function() else { return Ok(None) };
        let body: Value<'js> = factory.call((Object::new(ctx.clone())?,))?;
        let Some(body) = body.into_function() else { return Ok(None) };
        let kept: rquickjs::String<'js> = source_of.call((This(body.clone()),))?;
        let kept = kept.to_string()?;
        let same = kept == whole[BODY.0..whole.len() - BODY.1];
        // The last that a function which ends early has is the brace that ended it.
        let end = (BODY.0 + kept.len()).checked_sub(prefix.len() + 1);
        early = end.filter(|end| !same && whole[BODY.0..].starts_with(&kept) && *end < source.len());
        Ok(same.then_some(Functions { factory, body }))
    });
    match attempt {
        Ok(Some(functions)) => Ok(functions),
        Ok(None) => {
            state.spoiled.set(true);
            let (line, column) = early.map(|at| place_in(source, at)).unzip();
            Err(ScriptError { line, column, ..ScriptError::new(code, TOO_MANY) })
        }
        Err(_) => {
            let mut error = fault::pending(ctx, state, false, code);
            note_failure(ctx, state, &whole, &[source]);
            let lines = u32::try_from(source.split('\n').count()).unwrap_or(u32::MAX);
            if error.line.is_some_and(|line| line > lines) {
                // The engine only noticed behind the end of the script.
                at_the_end(&error).into_iter().for_each(|words| words.clone_into(&mut error.message));
                let last = source.rsplit('\n').next().unwrap_or_default().len();
                (error.line, error.column) = (Some(lines), u32::try_from(last + 1).ok());
            }
            fault::in_characters(&mut error, source);
            Err(error)
        }
    }
}

/// The line and the column of the character at that place, both from 1.
fn place_in(source: &str, at: usize) -> (u32, u32) {
    let before = &source.as_bytes()[..at];
    let line = before.split(|byte| *byte == b'\n');
    let column = String::from_utf8_lossy(line.clone().next_back().unwrap_or_default()).chars().count() + 1;
    let number = |count| u32::try_from(count).unwrap_or(u32::MAX);
    (number(line.count()), number(column))
}

/// What is to be said where the engine met a brace behind the script, or the end of all: nobody wrote that brace. The
/// first one ends the function of the script. The second one is in the way where something before it took the first: a
/// brace too many, or one that is open inside of brackets.
fn at_the_end(error: &ScriptError) -> Option<&'static str> {
    let brace = error.message.ends_with("'}'");
    match error.column {
        Some(2..) if brace => Some("SyntaxError: the brackets of the script do not match"),
        _ if brace || error.message.ends_with("''") => Some("SyntaxError: unexpected end of script"),
        _ => None,
    }
}

/// Whether all of these scripts compile. They are made functions side by side, which is quicker than one by one; which
/// of them does not, if any, is to be found out alone.
pub(crate) fn all_compile<'js>(
    ctx: &Ctx<'js>,
    state: &State,
    source_of: &Function<'js>,
    sources: &[&str],
) -> bool {
    if sources.iter().any(|source| source.len() > LARGEST || source.contains('\0')) {
        return false;
    }
    let mut whole = MANY.to_owned();
    let mut places = Vec::with_capacity(sources.len());
    for source in sources {
        let start = whole.len();
        [EACH[0], source, EACH[1]].into_iter().for_each(|part| whole.push_str(part));
        places.push(start..whole.len());
        whole.push(',');
    }
    whole.push_str("]}");
    let same = || {
        let Some(factory) = evaluate(ctx, &whole)?.into_function() else { return Ok(false) };
        let made: Object<'js> = factory.call((Object::new(ctx.clone())?,))?;
        for (at, place) in (0_u32..).zip(places) {
            let function: Function<'js> = made.get(at)?;
            let kept: rquickjs::String<'js> = source_of.call((This(function),))?;
            if kept.to_string()? != whole[place] {
                return Ok(false);
            }
        }
        Ok::<_, rquickjs::Error>(true)
    };
    match same() {
        Ok(true) => return true,
        Ok(false) => state.spoiled.set(true),
        Err(_) => {
            drop(ctx.catch());
            note_failure(ctx, state, &whole, sources);
        }
    }
    false
}

/// A text that failed may have run if a script closed the function around it, and what it declared would be there for
/// others. One without a closing brace did not.
fn note_failure(ctx: &Ctx<'_>, state: &State, whole: &str, sources: &[&str]) {
    if sources.iter().any(|source| source.contains('}')) && !is_no_script(ctx, state, whole) {
        state.spoiled.set(true);
    }
}

/// Whether the engine cannot read a text at all, so that nothing of it ran.
///
/// It is evaluated again behind a declaration under a name that nobody knows. That is the first thing which a text does
/// that can be read, before all that the text declares itself: where it was not done, the engine could not read the
/// text, and could not do so before either, for it is the same. Only where it ran out of something, or met what the
/// text declared before, may it have been able to then.
fn is_no_script(ctx: &Ctx<'_>, state: &State, whole: &str) -> bool {
    // Two numbers of 64 bits that the system's own chance decides.
    let secret = || RandomState::new().hash_one(whole);
    let name = format!("_{:016x}{:016x}", secret(), secret());
    if evaluate(ctx, &format!("let {name}=0;{whole}")).is_ok() {
        return false;
    }
    let thrown = ctx.catch();
    // It is a number then, or has no value yet and cannot even be looked at.
    let declared = evaluate(ctx, &format!("typeof {name}")).map_or(true, |kind| {
        kind.into_string().and_then(|kind| kind.to_string().ok()).is_none_or(|kind| kind != "undefined")
    });
    drop(ctx.catch());
    // Nothing ran, so this is the engine's own word and not the script's.
    !declared && !state.late() && fault::is_syntax_error(ctx, &thrown)
}

/// The source of a script, out of what the engine keeps of its factory.
pub(crate) fn source<'js>(source_of: &Function<'js>, factory: &Function<'js>) -> rquickjs::Result<String> {
    let kept: rquickjs::String<'js> = source_of.call((This(factory.clone()),))?;
    let kept = kept.to_string()?;
    let prefixes = [PREFIX, PREFIX_PLAIN].map(|prefix| &prefix[FACTORY..]);
    let source = prefixes.into_iter().find_map(|prefix| kept.strip_prefix(prefix));
    Ok(source.and_then(|source| source.strip_suffix(SUFFIX)).unwrap_or_default().to_owned())
}

/// Whether a script may wait for something, and so is compiled as one that does.
pub(crate) fn may_wait(source: &str) -> bool {
    may_name(source, "await")
}

/// Whether a script may look at what it is called with.
pub(crate) fn may_see(source: &str) -> bool {
    may_name(source, "context") || may_name(source, "arguments")
}

/// Whether a script may ask for its `globalThis`.
pub(crate) fn may_go_out(source: &str) -> bool {
    may_name(source, "globalThis")
}

/// Whether a word may be in a script. It is not read, so that the word in a text counts; and where letters are escaped
/// the word may be there unseen, which the engine is to judge.
fn may_name(source: &str, word: &str) -> bool {
    source.contains(word) || source.contains("\\u")
}

fn evaluate<'js>(ctx: &Ctx<'js>, source: &str) -> rquickjs::Result<Value<'js>> {
    let mut options = EvalOptions::default();
    options.filename = Some(FILE.to_owned());
    ctx.eval_with_options(source, options)
}

#[cfg(test)]
mod tests {
    use crate::worker::line::Line;
    use crate::worker::realm::Realm;
    use crate::worker::state::State;
    use std::mem::ManuallyDrop;
    use std::os::unix::net::UnixStream;
    use std::rc::Rc;
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    /// Whether they compile together, and whether the worker is spoiled then.
    fn together(sources: &[&str]) -> (bool, bool) {
        let (socket, _other) = UnixStream::pair().expect("a socket");
        let state = State::new(Arc::new(Line::new(socket)));
        // Never taken apart, as in a worker.
        let mut realm = ManuallyDrop::new(Realm::new(Rc::clone(&state)).expect("a realm"));
        state.begin(Instant::now() + Duration::from_secs(60), []);
        let fine = realm.with(|realm, ctx| realm.all_compile(ctx, sources));
        (fine, state.spoiled.get())
    }

    #[test]
    fn good_scripts_compile_together() {
        assert_eq!(
            together(&["return 1", "", "// end", "await sleep(1)\nreturn `}`", "return 1"]),
            (true, false)
        );
        assert_eq!(together(&["return 1", "return ("]), (false, false));
        assert_eq!(
            together(&["return 1", "if (1) { return ( }"]),
            (false, false),
            "nothing of it can be read"
        );
        assert_eq!(together(&["return 1", "return 1 /*", "*/ return 2"]), (false, true));
        for thrown in ["1", "new SyntaxError('x')"] {
            let outside = format!("}}]}}; throw {thrown}; 0,function(){{return[function(){{");
            assert_eq!(together(&[&outside]), (false, true), "{thrown}");
        }
    }
}
