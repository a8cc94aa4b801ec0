//! Makes the context of one execution. Its parts are parsed when they are first looked at.

use super::levels::{Door, plain};
use super::realm::Tools;
use super::state::{PARTS, Part};
use rquickjs::{Ctx, Object, Persistent, Result, Value};

/// The members of a context that need no parsing, by their names.
pub(crate) type Named = [(String, Persistent<Value<'static>>)];

/// What a context shows, besides what every one does.
pub(crate) struct Shows<'a> {
    /// `context.request.method`.
    pub(crate) method: &'a str,
    /// There is a reply.
    pub(crate) response: bool,
    /// There are variables.
    pub(crate) variables: bool,
}

/// The context, and `context.request`.
pub(crate) fn make<'js>(
    ctx: &Ctx<'js>,
    tools: &Tools<'js>,
    shows: &Shows<'_>,
) -> Result<(Object<'js>, Object<'js>)> {
    let method = rquickjs::String::from_str(ctx.clone(), shows.method)?;
    let request = request(ctx, &tools.parts, method.into_value(), 2)?;
    let context = members(ctx, &tools.parts, &tools.top.named, request.as_value(), usize::MAX)?;
    if shows.response {
        context.prop("response", door(&tools.parts, Part::Response)?)?;
    }
    if shows.variables {
        context.prop("variables", door(&tools.parts, Part::Variables)?)?;
    }
    for (at, (name, _)) in tools.top.lazy.iter().enumerate() {
        tools.later()?.call::<_, ()>((context.clone(), name.as_str(), PARTS + at))?;
    }
    Ok((context, request))
}

/// Objects that look like a context and its request on the way to be made. The engine forgets what objects look like
/// with the last one that does, so these are kept.
pub(crate) fn looks<'js>(
    ctx: &Ctx<'js>,
    parts: &[Door<'static>],
    named: &Named,
) -> Result<Vec<Persistent<Object<'static>>>> {
    let nothing = || Value::new_undefined(ctx.clone());
    let requests = (1..=2).map(|count| request(ctx, parts, nothing(), count));
    let contexts = (1..=named.len() + 2).map(|count| members(ctx, parts, named, &nothing(), count));
    requests.chain(contexts).map(|object| Ok(Persistent::save(ctx, object?))).collect()
}

/// `context.request`, with its first `count` members.
fn request<'js>(
    ctx: &Ctx<'js>,
    parts: &[Door<'static>],
    method: Value<'js>,
    count: usize,
) -> Result<Object<'js>> {
    let request = Object::new(ctx.clone())?;
    request.prop("method", plain(method))?;
    if count > 1 {
        request.prop("params", door(parts, Part::Params)?)?;
    }
    Ok(request)
}

/// A context, with its first `count` members.
fn members<'js>(
    ctx: &Ctx<'js>,
    parts: &[Door<'static>],
    named: &Named,
    request: &Value<'js>,
    count: usize,
) -> Result<Object<'js>> {
    let context = Object::new(ctx.clone())?;
    context.prop("request", plain(request.clone()))?;
    for (name, value) in named.iter().take(count - 1) {
        context.prop(name.as_str(), plain(value.clone().restore(ctx)?))?;
    }
    if count > named.len() + 1 {
        context.prop("metadata", door(parts, Part::Metadata)?)?;
    }
    Ok(context)
}

fn door(parts: &[Door<'static>], part: Part) -> Result<Door<'static>> {
    parts.get(part as usize).cloned().ok_or(rquickjs::Error::Unknown)
}
