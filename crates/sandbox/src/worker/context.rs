//! Makes the context of one execution. Its parts are parsed when they are first looked at.

use super::levels::{Door, plain};
use super::names::{Name, Names};
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

/// What the members of a context are made of.
pub(crate) struct Members<'a, 'js> {
    pub(crate) names: &'a Names<'js>,
    /// The accessors of the parts.
    pub(crate) parts: &'a [Door<'static>],
    pub(crate) top: &'a Top,
}

/// What a script is called with.
pub(crate) struct Given<'js> {
    pub(crate) context: Object<'js>,
    /// `context.request`, which a script that is no hook has none of.
    pub(crate) request: Value<'js>,
}

/// Makes what a script is called with.
pub(crate) fn make<'js>(ctx: &Ctx<'js>, tools: &Tools<'js>, shows: &Shows<'_>) -> Result<Given<'js>> {
    if shows.alone {
        let context = members(ctx, &tools.members(), None, usize::MAX)?;
        return Ok(Given { context, request: Value::new_undefined(ctx.clone()) });
    }
    let method = rquickjs::String::from_str(ctx.clone(), shows.method)?;
    let of = tools.members();
    let request = request(ctx, &of, method.into_value(), 2)?.into_value();
    let context = members(ctx, &of, Some(&request), usize::MAX)?;
    if shows.response {
        context.prop(of.names.get(Name::Response), door(of.parts, Part::Response as usize)?)?;
    }
    if shows.variables {
        context.prop(of.names.get(Name::Variables), door(of.parts, Part::Variables as usize)?)?;
    }
    Ok(Given { context, request })
}

/// Objects that look like a context and its request on the way to be made. The engine forgets what objects look like
/// with the last one that does, so these are kept.
pub(crate) fn looks<'js>(
    ctx: &Ctx<'js>,
    of: &Members<'_, 'js>,
    alone: bool,
) -> Result<Vec<Persistent<Object<'static>>>> {
    let nothing = Value::new_undefined(ctx.clone());
    let requests = (1..=2).map(|count| request(ctx, of, nothing.clone(), count));
    let given = Some(&nothing).filter(|_| !alone);
    let all = of.top.named.len() + of.top.lazy.len() + 2;
    let contexts = (1..=all).map(|count| members(ctx, of, given, count));
    requests.chain(contexts).map(|object| Ok(Persistent::save(ctx, object?))).collect()
}

/// `context.request`, with its first `count` members.
fn request<'js>(
    ctx: &Ctx<'js>,
    of: &Members<'_, 'js>,
    method: Value<'js>,
    count: usize,
) -> Result<Object<'js>> {
    let request = Object::new(ctx.clone())?;
    request.prop(of.names.get(Name::Method), plain(method))?;
    if count > 1 {
        request.prop(of.names.get(Name::Params), door(of.parts, Part::Params as usize)?)?;
    }
    Ok(request)
}

/// A context, with its first `count` members. That of a script which is no hook has no request, but a memory.
fn members<'js>(
    ctx: &Ctx<'js>,
    of: &Members<'_, 'js>,
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
        context.prop(of.names.get(Name::Request), plain(request.clone()))?;
    }
    for (label, value) in of.top.named.iter().take_while(|_| room()) {
        context.prop(label.atom(ctx)?, plain(value.clone().restore(ctx)?))?;
    }
    if room() {
        context.prop(of.names.get(Name::Metadata), door(of.parts, Part::Metadata as usize)?)?;
    }
    for (at, (label, _)) in of.top.lazy.iter().enumerate().take_while(|_| room()) {
        context.prop(label.atom(ctx)?, door(of.parts, PARTS + at)?)?;
    }
    if request.is_none() && room() {
        context.prop(of.names.get(Name::Memory), door(of.parts, Part::Variables as usize)?)?;
    }
    Ok(context)
}

fn door(parts: &[Door<'static>], part: usize) -> Result<Door<'static>> {
    parts.get(part).cloned().ok_or(rquickjs::Error::Unknown)
}
