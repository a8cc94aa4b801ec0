//! Makes an error for people out of whatever a script threw.

use super::compile::FILE;
use super::state::State;
use crate::{ErrorCode, Form, Limit, ScriptError};
use model::text::whole_pairs;
use rquickjs::convert::List;
use rquickjs::{Coerced, Ctx, FromJs, Function, Object, Value};

/// A name, a message and a stack.
type Said<'js> = List<(rquickjs::String<'js>, rquickjs::String<'js>, rquickjs::String<'js>)>;

/// The longest message.
const LONGEST: usize = 2048;

/// The error for the exception that is pending.
pub(crate) fn pending(ctx: &Ctx<'_>, state: &State, refused: bool, code: ErrorCode) -> ScriptError {
    let thrown = ctx.catch();
    if state.late() {
        return ScriptError::timeout();
    }
    thrown_value(ctx, state, &thrown, refused, code)
}

/// The error for a value that was thrown. Looking at it runs code of the script, which may throw again.
pub(crate) fn thrown_value<'js>(
    ctx: &Ctx<'js>,
    state: &State,
    thrown: &Value<'js>,
    refused: bool,
    code: ErrorCode,
) -> ScriptError {
    let mut error = with_place(ctx, state, thrown, describe(ctx, state, thrown, code));
    if state.late() {
        return ScriptError::timeout();
    }
    if error.message.contains("Maximum call stack size exceeded") {
        error.limit = Some(Limit::Stack);
    } else if refused {
        // The engine cannot always say so itself when it has no memory left.
        error.limit = Some(Limit::Memory);
        error.message = "Script ran out of memory".to_owned();
    } else {
        error.limit = state.limit.get();
    }
    error
}

/// The error for a value that was thrown, by what it holds itself: no code of the script runs. A whole number of any length
/// is not written out, which would take its time.
pub(crate) fn held_by<'js>(
    ctx: &Ctx<'js>,
    state: &State,
    held: &Function<'js>,
    thrown: &Value<'js>,
) -> ScriptError {
    let code = ErrorCode::ScriptError;
    let error = if thrown.is_object() {
        let said = (!thrown.is_proxy()).then(|| held.call::<_, Said<'js>>((thrown.clone(),)));
        said.and_then(|said| {
            let List((name, message, stack)) = said.map_err(|_| ctx.catch()).ok()?;
            let said = [name, message, stack].map(|text| plain(&text));
            (thrown.is_error() || !said[1].is_empty()).then(|| said_by(state, thrown, code, said))
        })
    } else {
        (!thrown.is_big_int()).then(|| named(code, text(ctx, thrown).unwrap_or_default()))
    };
    let error = error.unwrap_or_else(|| named(code, "a value that is no error".to_owned()));
    with_place(ctx, state, thrown, error)
}

/// The error with the place where the value was thrown, if it has none itself.
fn with_place<'js>(
    ctx: &Ctx<'js>,
    state: &State,
    thrown: &Value<'js>,
    mut error: ScriptError,
) -> ScriptError {
    if let (None, Some((line, column))) = (error.line, state.thrown_at(ctx, thrown)) {
        (error.line, error.column) = (Some(line), Some(column));
    }
    error
}

fn describe<'js>(ctx: &Ctx<'js>, state: &State, thrown: &Value<'js>, code: ErrorCode) -> ScriptError {
    let object = thrown.as_object().filter(|object| thrown.is_error() || has_message(ctx, object));
    match object {
        Some(object) => {
            let said = ["name", "message", "stack"].map(|it| member(ctx, object, it).unwrap_or_default());
            said_by(state, thrown, code, said)
        }
        None => named(code, text(ctx, thrown).unwrap_or_else(|| "a value that cannot be shown".to_owned())),
    }
}

/// The error for an object that says what happened, by its name, message and stack.
fn said_by(
    state: &State,
    thrown: &Value<'_>,
    code: ErrorCode,
    [name, message, stack]: [String; 3],
) -> ScriptError {
    let text = match (name.as_str(), message.as_str()) {
        ("Error" | "", message) => message.to_owned(),
        (name, "") => name.to_owned(),
        (_, message) if state.form.get() == Form::Function => message.to_owned(),
        (name, message) => format!("{name}: {message}"),
    };
    // Where a function of the engine met it, its call has a place.
    let own = thrown.is_error() && !stack.lines().next().is_some_and(|top| top.ends_with("(native)"));
    state.apart.set(if own { taken_apart(&message) } else { None });
    let (line, column) = place(&stack).unzip();
    ScriptError { line, column, ..named(code, text) }
}

/// An error with a message of good length.
fn named(code: ErrorCode, mut message: String) -> ScriptError {
    if message.is_empty() {
        "Script threw an error without a message".clone_into(&mut message);
    }
    shorten(&mut message, LONGEST);
    ScriptError::new(code, message)
}

/// Whether the engine says of a value that it cannot be taken apart, and then, whether as a list.
fn taken_apart(message: &str) -> Option<bool> {
    match message {
        "Cannot convert undefined or null to object" => Some(false),
        "value is not iterable" => Some(true),
        _ => message.starts_with("cannot read property 'Symbol.iterator' of ").then_some(true),
    }
}

/// Words of a message which say that the engine lacked something to read a text, or that what ran before is in its way,
/// whatever stands in it.
const LACKS: [&str; 5] = ["memory", "stack", "overflow", "too many", "redeclaration"];

/// Whether the engine threw this because a text is none that can be read.
pub(crate) fn is_syntax_error<'js>(ctx: &Ctx<'js>, thrown: &Value<'js>) -> bool {
    let Some(error) = thrown.as_object().filter(|_| thrown.is_error()) else { return false };
    let (name, message) = (member(ctx, error, "name"), member(ctx, error, "message"));
    let lacks = |message: String| LACKS.iter().any(|word| message.to_lowercase().contains(word));
    name.as_deref() == Some("SyntaxError") && !message.is_none_or(lacks)
}

/// Whether an object that is no error says what happened, as one of another library may.
fn has_message<'js>(ctx: &Ctx<'js>, object: &Object<'js>) -> bool {
    match object.get::<_, Value<'js>>("message") {
        Ok(message) => message.is_string(),
        Err(_) => {
            ctx.catch();
            false
        }
    }
}

fn member<'js>(ctx: &Ctx<'js>, object: &Object<'js>, name: &str) -> Option<String> {
    match object.get::<_, Value<'js>>(name) {
        Ok(value) if value.is_undefined() => None,
        Ok(value) => text(ctx, &value),
        Err(_) => {
            ctx.catch();
            None
        }
    }
}

/// A value as text, whatever it is.
pub(crate) fn text<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Option<String> {
    if let Some(symbol) = value.as_symbol() {
        let description = symbol.description().ok().and_then(|it| text(ctx, &it)).unwrap_or_default();
        return Some(format!("Symbol({description})"));
    }
    match Coerced::<rquickjs::String<'js>>::from_js(ctx, value.clone()) {
        Ok(string) => Some(plain(&string.0)),
        Err(_) => {
            ctx.catch();
            None
        }
    }
}

/// The content of a string, with U+FFFD in the place of each half of a surrogate pair.
pub(crate) fn plain(string: &rquickjs::String<'_>) -> String {
    string.to_string().unwrap_or_else(|_| {
        // As JSON a half is an escape, which is text.
        let written = string.ctx().json_stringify(string.as_value().clone());
        let written = written.ok().flatten().and_then(|text| text.to_string().ok()).unwrap_or_default();
        serde_json::from_str(&whole_pairs(&written)).unwrap_or_default()
    })
}

/// Counts the column of an error in characters. The engine counts bytes.
pub(crate) fn in_characters(error: &mut ScriptError, source: &str) {
    let (Some(line), Some(column)) = (error.line, error.column) else { return };
    let text = source.split('\n').nth(line as usize - 1).unwrap_or_default();
    let before = &text[..text.floor_char_boundary(column as usize - 1)];
    error.column = Some(column - (before.len() - before.chars().count()) as u32);
}

/// Whether a script may throw what is no error.
pub(crate) fn may_throw_values(source: &str) -> bool {
    let made = |(at, word): (usize, &str)| source[at + word.len()..].trim_start().starts_with("new");
    source.contains("reject") || !source.match_indices("throw").all(made)
}

/// The first place in the script's own source that a stack names, the column in bytes.
pub(crate) fn place(stack: &str) -> Option<(u32, u32)> {
    let at = stack.find(FILE)? + FILE.len();
    let mut numbers = stack[at..].strip_prefix(':')?.splitn(2, ':');
    let line: u32 = digits(numbers.next()?)?;
    let column: u32 = digits(numbers.next()?)?;
    // The script stands behind the first line of the wrapper.
    Some((line.checked_sub(1).filter(|line| *line > 0)?, column.max(1)))
}

fn digits(text: &str) -> Option<u32> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().ok()
}

/// Cuts a text to at most `longest` bytes.
pub(crate) fn shorten(text: &mut String, longest: usize) {
    if text.len() > longest {
        let mark = "…";
        text.truncate(text.floor_char_boundary(longest - mark.len()));
        text.push_str(mark);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_tells_the_place_in_the_script() {
        assert_eq!(place("    at <anonymous> (hook.js:2:7)\n"), Some((1, 7)));
        assert_eq!(place("    at f (native)\n    at g (hook.js:13:3)"), Some((12, 3)));
        assert_eq!(place("    at hook.js:3:9\n"), Some((2, 9)));
        assert_eq!(place("    at hook.js:1:9\n"), None);
        assert_eq!(place("at elsewhere:1:2"), None);
        assert_eq!(place("hook.js:99999999999:1"), None);
    }

    #[test]
    fn what_may_be_thrown_shows_in_the_text() {
        for script in
            ["throw 'a'", "throw  e", "throw Error()", "await Promise.reject(1)", "throw new A; throw 1"]
        {
            assert!(may_throw_values(script), "{script}");
        }
        for script in ["return 1", "throw new Error('a')", "throw\tnew A()"] {
            assert!(!may_throw_values(script), "{script}");
        }
    }

    #[test]
    fn a_long_message_is_cut_between_characters() {
        let mut text = "é".repeat(2000);
        shorten(&mut text, LONGEST);
        assert!(text.len() <= LONGEST && text.ends_with("é…"));
    }
}
