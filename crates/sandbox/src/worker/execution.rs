//! One execution of a script: from its context to what it decided.

use super::context::{self, Given, Shows};
use super::fault;
use super::realm::{Made, Realm, Tools};
use super::run::Shared;
use super::state::PARTS;
use super::verdict::{Decision, Judge, Refusal, Texts};
use super::writer::{Bounds, Trouble};
use crate::{ErrorCode, Form, Limit, Phase, ScriptError};
use rquickjs::promise::PromiseState;
use rquickjs::{Ctx, Promise, Value};
use std::rc::Rc;
use std::time::Instant;

/// What reading an error may hold when there is no memory left.
const LAST_ROOM: usize = 1 << 20;

/// Runs a script and reads what it says.
pub(super) fn execute<'js>(
    realm: &mut Realm,
    ctx: &Ctx<'js>,
    made: &Made<'js>,
    shared: &Shared,
    texts: &Texts,
    bounds: Bounds,
) -> Result<Decision, ScriptError> {
    let failed = |realm: &Realm| {
        let refused = realm.heap.refused();
        realm.heap.extend(LAST_ROOM);
        fault::pending(ctx, &realm.state, refused, ErrorCode::ScriptError)
    };
    let begun = begin(realm, ctx, made, shared, texts, bounds.deadline);
    let (tools, given, returned) = begun.map_err(|_| failed(realm))?;
    let returned = match realm.promised(ctx, &returned, made.waits).map_err(|_| failed(realm))? {
        Some(promise) => wait(ctx, realm, &promise)?.map_err(|_| failed(realm))?,
        None => returned,
    };
    let state = Rc::clone(&realm.state);
    let judge = Judge {
        phase: shared.phase,
        form: shared.form,
        state: &state,
        tools: &tools,
        given: given.as_ref(),
        texts,
        bounds,
    };
    let mut decided = judge.judge(&returned);
    if let Ok(decision) = &mut decided
        && state.tells.get()
    {
        decision.returned = judge.told(&returned);
    }
    if state.late() {
        ctx.catch();
        return Err(ScriptError::timeout());
    }
    decided.map_err(|refusal| match refusal {
        Refusal::Wrong(message) => ScriptError::new(ErrorCode::ScriptError, message),
        Refusal::Trouble(Trouble::Thrown) => failed(realm),
        Refusal::Trouble(Trouble::NotJson(why)) => ScriptError::new(ErrorCode::ScriptError, why),
        Refusal::Trouble(Trouble::TooMuch(why)) => {
            let message = format!("what the script hands back is refused: {why}");
            ScriptError::limited(ErrorCode::ScriptError, Limit::Output, message)
        }
        Refusal::Trouble(Trouble::Late) => ScriptError::timeout(),
    })
}

/// Makes the context, for a script that may look at it, and calls the script. What comes last is what it returned.
fn begin<'js>(
    realm: &mut Realm,
    ctx: &Ctx<'js>,
    made: &Made<'js>,
    shared: &Shared,
    texts: &Texts,
    deadline: Instant,
) -> rquickjs::Result<(Tools<'js>, Option<Given<'js>>, Value<'js>)> {
    let place = shared.place.as_ref();
    realm.state.form.set(shared.form);
    let tools = realm.tools(ctx, &shared.top, place.map(|(top, _)| top))?;
    let own = [
        Some(texts.params.clone()),
        texts.response.clone(),
        Some(shared.metadata.clone()),
        Some(texts.shared.as_ref().unwrap_or(&realm.state.nothing).clone()),
        texts.variables.clone(),
    ];
    debug_assert_eq!(own.len(), PARTS);
    let results = place.map(|(_, results)| results);
    let further = tools.top.lazy.iter().map(|(_, text)| text.as_ref().or(results).cloned());
    realm.state.begin(deadline, own.into_iter().chain(further));
    let response = shared.phase == Phase::Post && texts.response.is_some();
    let (alone, method) = (shared.form != Form::Hook, shared.method.as_str());
    let shows = Shows { alone, method, response, variables: texts.variables.is_some() };
    let given = made.sees.then(|| context::make(ctx, &tools, &shows)).transpose()?;
    let context = given.as_ref().map(|given| given.context.clone());
    let returned = match &made.body {
        Some(body) => body.call((context,))?,
        None => tools.start.call((made.factory.clone(), context))?,
    };
    Ok((tools, given, returned))
}

/// Runs jobs and sleeps until the script has ended or its time is up.
fn wait<'js>(
    ctx: &Ctx<'js>,
    realm: &Realm,
    promise: &Promise<'js>,
) -> Result<rquickjs::Result<Value<'js>>, ScriptError> {
    let state = &realm.state;
    loop {
        if promise.state() != PromiseState::Pending {
            // A script may catch its own interruption in a promise, so the exception alone says nothing. Whether it
            // was in time is looked at when it has been read what it says.
            if state.tripped.get() {
                return Err(ScriptError::timeout());
            }
            if promise.state() == PromiseState::Rejected {
                state.unheard.hear(ctx, promise.as_value());
            }
            return Ok(promise.result().unwrap_or(Err(rquickjs::Error::WouldBlock)));
        }
        if state.late() {
            return Err(ScriptError::timeout());
        }
        if ctx.execute_pending_job() {
            continue;
        }
        if let Some(resolve) = state.due_timer(ctx) {
            if resolve.call::<_, ()>(()).is_err() {
                ctx.catch();
            }
            continue;
        }
        match state.next_timer() {
            Some(due) => {
                // Without the gateway nobody waits for what this script does.
                state.line.flush().unwrap_or_else(|_| std::process::exit(0));
                let until = due.min(state.deadline.get());
                std::thread::sleep(until.saturating_duration_since(Instant::now()));
            }
            // Nothing can ever resolve it: the wait would last until the deadline, and so does not.
            None => return Err(ScriptError::timeout()),
        }
    }
}
