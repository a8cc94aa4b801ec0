//! The functions that scripts can call.

use super::fault;
use super::redact::{self, Pattern};
use super::state::{State, parse};
use super::writer::{self, Bounds, Plain, Trouble, Wrote};
use crate::wire::{Answer, Ask};
use crate::{ConsoleLine, Level, Limit};
use rquickjs::{
    Array, Coerced, Ctx, Error, Exception, FromJs, Function, Object, Persistent, Promise, Result, Value,
};
use std::rc::Rc;
use std::time::Duration;

/// How many lines and bytes one execution may write to the console.
const MOST_LINES: usize = 200;
const MOST_BYTES: usize = 64 << 10;

/// How many questions one execution may put to the gateway, which only one that does nothing else reaches, and how
/// long each may be.
const MOST_ASKED: u32 = 10_000;
const LONGEST_ASK: usize = 16 << 10;

/// What the console shows of one value at most.
const LONGEST_SHOWN: usize = 16 << 10;

type Prototypes = Rc<std::cell::OnceCell<(Persistent<Object<'static>>, Persistent<Object<'static>>)>>;

/// The functions, as the prelude takes them.
pub(crate) fn natives<'js>(ctx: &Ctx<'js>, state: &Rc<State>, plain: &Prototypes) -> Result<Object<'js>> {
    let object = Object::new(ctx.clone())?;
    let its = Rc::clone(state);
    object
        .set("look", Function::new(ctx.clone(), move |ctx: Ctx<'js>, part: usize| its.look(&ctx, part))?)?;
    let its = Rc::clone(state);
    let put = move |ctx: Ctx<'js>, part: usize, _: Value<'js>, value: Value<'js>| its.put(&ctx, part, value);
    object.set("put", Function::new(ctx.clone(), put)?)?;
    let its = Rc::clone(state);
    let open = move |ctx: Ctx<'js>, at: usize, this: Value<'js>| its.levels.open(&ctx, at, &this);
    object.set("open", Function::new(ctx.clone(), open)?)?;
    let its = Rc::clone(state);
    let assign = move |at: usize, this: Value<'js>, value: Value<'js>| its.levels.assign(at, &this, value);
    object.set("assign", Function::new(ctx.clone(), assign)?)?;
    let (its, protos) = (Rc::clone(state), Rc::clone(plain));
    let line =
        move |ctx: Ctx<'js>, level: usize, values: Array<'js>| line(&ctx, &its, &protos, level, &values);
    object.set("line", Function::new(ctx.clone(), line)?)?;
    let its = Rc::clone(state);
    let note = move |ctx: Ctx<'js>, thrown: Value<'js>, stack: String| its.note(&ctx, thrown, &stack);
    object.set("note", Function::new(ctx.clone(), note)?)?;
    let its = Rc::clone(state);
    object.set("isOver", Function::new(ctx.clone(), move || its.tripped.get())?)?;
    let its = Rc::clone(state);
    object.set(
        "sleep",
        Function::new(ctx.clone(), move |ctx: Ctx<'js>, ms: Value<'js>| sleep(&ctx, &its, &ms))?,
    )?;
    let its = Rc::clone(state);
    let is_key = move |ctx: Ctx<'js>, token: Value<'js>| match whole(&token) {
        Some(token) => ask(&ctx, &its, &Ask::IsKey(token)).map(|answer| answer.yes),
        None => Ok(false),
    };
    object.set("isKey", Function::new(ctx.clone(), is_key)?)?;
    let its = Rc::clone(state);
    let info = move |ctx: Ctx<'js>, id: Value<'js>| server_info(&ctx, &its, &id);
    object.set("serverInfo", Function::new(ctx.clone(), info)?)?;
    let (its, protos) = (Rc::clone(state), Rc::clone(plain));
    let redact = move |ctx: Ctx<'js>, value: Value<'js>, patterns: Value<'js>, replacement: Value<'js>| {
        redacted(&ctx, &its, &protos, value, &patterns, &replacement)
    };
    object.set("redact", Function::new(ctx.clone(), redact)?)?;
    Ok(object)
}

/// The prototypes of plain values.
pub(crate) fn plain_of<'js>(ctx: &Ctx<'js>, plain: &Prototypes) -> Result<Plain<'js>> {
    let (object, array) = plain.get().ok_or(Error::Unknown)?;
    Ok(Plain { object: object.clone().restore(ctx)?, array: array.clone().restore(ctx)? })
}

/// The content of a text. One with half a surrogate pair is the name of nothing: what would be shown of it could be
/// that of another.
fn whole(value: &Value<'_>) -> Option<String> {
    value.as_string()?.to_string().ok()
}

fn sleep<'js>(ctx: &Ctx<'js>, state: &State, ms: &Value<'js>) -> Result<Promise<'js>> {
    let ms = match ms.is_string() {
        true => Coerced::<f64>::from_js(ctx, ms.clone())?.0,
        false => ms.as_number().unwrap_or(0.0),
    };
    let ms = if ms > 0.0 { ms.min(5000.0) } else { 0.0 };
    let (promise, resolve, _) = ctx.promise()?;
    if !state.add_timer(ctx, Duration::from_micros((ms * 1000.0) as u64), resolve) {
        state.limit.set(Some(Limit::Requests));
        return Err(Exception::throw_range(ctx, "too many sleeps at once"));
    }
    Ok(promise)
}

fn ask(ctx: &Ctx<'_>, state: &State, ask: &Ask) -> Result<Answer> {
    let (Ask::IsKey(text) | Ask::ServerInfo(text)) = ask;
    if text.len() > LONGEST_ASK {
        return Ok(Answer { yes: false, text: None });
    }
    state.asked.set(state.asked.get() + 1);
    if state.asked.get() > MOST_ASKED {
        state.limit.set(Some(Limit::Requests));
        return Err(Exception::throw_range(ctx, "too many requests to the gateway"));
    }
    // Without the gateway nobody waits for what this script does.
    Ok(state.line.ask(&mut state.inbox.borrow_mut(), ask).unwrap_or_else(|_| std::process::exit(0)))
}

fn server_info<'js>(ctx: &Ctx<'js>, state: &State, id: &Value<'js>) -> Result<Value<'js>> {
    let Some(id) = whole(id) else { return Ok(Value::new_null(ctx.clone())) };
    match ask(ctx, state, &Ask::ServerInfo(id))?.text {
        Some(text) => parse(ctx, &text),
        None => Ok(Value::new_null(ctx.clone())),
    }
}

fn line<'js>(
    ctx: &Ctx<'js>,
    state: &State,
    plain: &Prototypes,
    level: usize,
    values: &Array<'js>,
) -> Result<()> {
    let levels = [Level::Log, Level::Debug, Level::Info, Level::Warn, Level::Error];
    let level = levels.get(level).copied().unwrap_or(Level::Log);
    if full(state, state.line.progress().lines()) {
        return Ok(());
    }
    let plain = plain_of(ctx, plain)?;
    let mut text = String::new();
    for index in 0..values.len() {
        if index > 0 {
            text.push(' ');
        }
        text.push_str(&show(ctx, state, &plain, &values.get(index)?)?);
        if text.len() > LONGEST_SHOWN {
            break;
        }
    }
    fault::shorten(&mut text, LONGEST_SHOWN);
    // Showing a value may itself have written lines, so it is looked once more whether there is room.
    write(state, level, text);
    Ok(())
}

fn full(state: &State, lines: &[ConsoleLine]) -> bool {
    lines.len() >= MOST_LINES || state.written.get() >= MOST_BYTES
}

/// Writes a line to the console, where it has room.
pub(super) fn write(state: &State, level: Level, text: String) {
    let mut progress = state.line.progress();
    let lines = progress.lines();
    if full(state, lines) {
        return;
    }
    state.written.set(state.written.get() + text.len());
    lines.push(ConsoleLine { level, text });
    if full(state, lines) {
        let text = "(the rest of the console is truncated)".to_owned();
        lines.push(ConsoleLine { level: Level::Warn, text });
    }
}

/// A value as the console shows it: text as it is, what knows how to show itself by that, the rest as JSON.
fn show<'js>(ctx: &Ctx<'js>, state: &State, plain: &Plain<'js>, value: &Value<'js>) -> Result<String> {
    let shown = match value.as_object() {
        Some(object) if value.is_array() || shown_by_default(ctx, plain, object)? => {
            let bounds = Bounds { bytes: LONGEST_SHOWN, deadline: state.deadline.get() };
            match writer::write(value, None, plain, &state.levels, bounds) {
                Ok((Wrote::Nothing, _)) => Some("undefined".to_owned()),
                Ok((_, text)) => Some(text),
                Err(Trouble::Thrown) => {
                    ctx.catch();
                    None
                }
                Err(Trouble::NotJson(why) | Trouble::TooMuch(why)) => Some(format!("[{why}]")),
                Err(Trouble::Late) => None,
            }
        }
        _ => fault::text(ctx, value),
    };
    if state.late() {
        // An interruption that was caught on the way goes on from here.
        return Err(Exception::throw_message(ctx, "interrupted"));
    }
    Ok(shown.unwrap_or_else(|| "[a value that cannot be shown]".to_owned()))
}

fn shown_by_default<'js>(ctx: &Ctx<'js>, plain: &Plain<'js>, object: &Object<'js>) -> Result<bool> {
    let usual: Value<'js> = plain.object.get("toString")?;
    match object.get::<_, Value<'js>>("toString") {
        Ok(own) => Ok(own == usual || !own.is_function()),
        Err(_) => {
            ctx.catch();
            Ok(true)
        }
    }
}

fn redacted<'js>(
    ctx: &Ctx<'js>,
    state: &State,
    plain: &Prototypes,
    value: Value<'js>,
    patterns: &Value<'js>,
    replacement: &Value<'js>,
) -> Result<Value<'js>> {
    let patterns = read_patterns(ctx, patterns)?;
    let found = state.patterns.borrow_mut().find(&patterns);
    let matcher = found.map_err(|message| Exception::throw_type(ctx, &message))?;
    let replacement = match replacement.as_string() {
        Some(text) => fault::plain(text),
        None if replacement.is_undefined() => redact::REPLACEMENT.to_owned(),
        None => return Err(Exception::throw_type(ctx, "the replacement of redact must be text")),
    };
    if let Some(string) = value.as_string()
        && let Ok(text) = string.to_string()
    {
        return match matcher.replace(&text, &replacement) {
            Some(text) => Ok(rquickjs::String::from_str(ctx.clone(), &text)?.into_value()),
            None => Ok(value),
        };
    }
    let number = value.as_number().is_some_and(f64::is_finite);
    if !value.is_object() && !value.is_string() && !number {
        return Ok(value);
    }
    let bounds = Bounds { bytes: 16 << 20, deadline: state.deadline.get() };
    let origin = state.origin(ctx, &value);
    let original = origin.as_ref().map(|(text, node)| (text, *node));
    let prototypes = plain_of(ctx, plain)?;
    let write = |original| writer::write(&value, original, &prototypes, &state.levels, bounds);
    let written = match write(original) {
        // What cannot be held against its text can be looked at all the same.
        Err(Trouble::TooMuch(_)) if original.is_some() => write(None),
        written => written,
    };
    match written {
        Ok((Wrote::Nothing, _)) => Ok(Value::new_undefined(ctx.clone())),
        Ok((_, json)) => parse(ctx, &redact::json(&matcher, &json, &replacement)),
        Err(Trouble::Thrown) => Err(Error::Exception),
        Err(Trouble::NotJson(why) | Trouble::TooMuch(why)) => Err(Exception::throw_type(ctx, why)),
        Err(Trouble::Late) => Err(Exception::throw_message(ctx, "interrupted")),
    }
}

fn read_patterns<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Result<Vec<Pattern>> {
    if value.is_undefined() || value.is_null() {
        return Ok(redact::all());
    }
    let Some(array) = value.as_array() else { return Ok(vec![read_pattern(ctx, value)?]) };
    // What is too long to be written is too long here too.
    let count = writer::length(array).unwrap_or(usize::MAX).min(redact::MOST_PATTERNS + 1);
    (0..count).map(|index| read_pattern(ctx, &array.get(index)?)).collect()
}

fn read_pattern<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Result<Pattern> {
    let wrong = || Exception::throw_type(ctx, "a pattern of redact is text or a regular expression");
    if value.is_string() {
        return whole(value).map(Pattern::Text).ok_or_else(wrong);
    }
    let object = value.as_object().ok_or_else(wrong)?;
    let source: Value<'js> = object.get("source")?;
    let flags: Value<'js> = object.get("flags")?;
    match (whole(&source), whole(&flags)) {
        (Some(source), Some(flags)) => Ok(Pattern::Expression(source, flags)),
        _ => Err(wrong()),
    }
}
