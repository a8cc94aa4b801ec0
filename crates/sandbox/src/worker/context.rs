//! Makes the context of one execution. Its parts are parsed when they are first looked at.

use super::levels::{Door, plain};
use super::realm::{Tools, Top};
use super::state::{PARTS, Part};
use rquickjs::{Ctx, Object, Persistent, Result, Value};

/// What a context shows, besides what every one does.
pub(crate) struct Shows<'a> {
    /// It is that of a script which is no hook.
    pub(crate) alone: bool,
    /// `context.request.method`.
    pub(crate) method: &'a str,
    /// There is a reply.
    pub(crate) response: bool,
    /// There are variables.
    pub(crate) variables: bool,
}

/// The context, and `context.request`, which a script that is no hook has none of.
pub(crate) fn make<'js>(
    ctx: &Ctx<'js>,
    tools: &Tools<'js>,
    shows: &Shows<'_>,
) -> Result<(Object<'js>, Value<'js>)> {
    if shows.alone {
        let context = members(ctx, &tools.parts, &tools.top, None, usize::MAX)?;
        return Ok((context, Value::new_undefined(ctx.clone())));
    }
    let method = rquickjs::String::from_str(ctx.clone(), shows.method)?;
    let request = request(ctx, &tools.parts, method.into_value(), 2)?;
    let request = request.into_value();
    let context = members(ctx, &tools.parts, &tools.top, Some(&request), usize::MAX)?;
    if shows.response {
        context.prop("response", door(&tools.parts, Part::Response as usize)?)?;
    }
    if shows.variables {
        context.prop("variables", door(&tools.parts, Part::Variables as usize)?)?;
    }
    Ok((context, request))
}

/// Objects that look like a context and its request on the way to be made. The engine forgets what objects look like
/// with the last one that does, so these are kept.
pub(crate) fn looks<'js>(
    ctx: &Ctx<'js>,
    parts: &[Door<'static>],
    top: &Top,
    alone: bool,
) -> Result<Vec<Persistent<Object<'static>>>> {
    let nothing = Value::new_undefined(ctx.clone());
    let requests = (1..=2).map(|count| request(ctx, parts, nothing.clone(), count));
    let request = Some(&nothing).filter(|_| !alone);
    let all = top.named.len() + top.lazy.len() + 2;
    let contexts = (1..=all).map(|count| members(ctx, parts, top, request, count));
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
        request.prop("params", door(parts, Part::Params as usize)?)?;
    }
    Ok(request)
}

/// A context, with its first `count` members. That of a script which is no hook has no request, but a memory.
fn members<'js>(
    ctx: &Ctx<'js>,
    parts: &[Door<'static>],
    top: &Top,
    request: Option<&Value<'js>>,
    mut count: usize,
) -> Result<Object<'js>> {
    let context = Object::new(ctx.clone())?;
    let mut room = || {
        let has = count > 0;
        count = count.saturating_sub(1);
        has
    };
    if let Some(request) = request.filter(|_| room()) {
        context.prop("request", plain(request.clone()))?;
    }
    for (name, value) in top.named.iter().take_while(|_| room()) {
        context.prop(name.as_str(), plain(value.clone().restore(ctx)?))?;
    }
    if room() {
        context.prop("metadata", door(parts, Part::Metadata as usize)?)?;
    }
    for (at, (name, _)) in top.lazy.iter().enumerate().take_while(|_| room()) {
        context.prop(name.as_str(), door(parts, PARTS + at)?)?;
    }
    if request.is_none() && room() {
        context.prop("memory", door(parts, Part::Variables as usize)?)?;
    }
    Ok(context)
}

fn door(parts: &[Door<'static>], part: usize) -> Result<Door<'static>> {
    parts.get(part).cloned().ok_or(rquickjs::Error::Unknown)
}
