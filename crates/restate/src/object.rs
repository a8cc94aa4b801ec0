//! A session as a virtual object of Restate.

use crate::{HANDLER, OBJECT};
use restate_sdk::context::RequestTarget;
use restate_sdk::endpoint::ServiceOptions;
use restate_sdk::prelude::*;
use restate_sdk::service::{IntoServiceDefinition, ServiceDefinition};
use serde::{Deserialize, Serialize};
use std::time::Duration;
use workflow::session::{Answer, Duty, Engine, Order, Over, Refusal, Stride};

/// Every event of the session.
const JOURNAL: &str = "journal";

/// When the session is looked at next.
const TIMER: &str = "timer";

/// Answers to orders that were carried out while another one was.
const MEANWHILE: &str = "meanwhile";

/// A step may take long; Restate must not take it for stuck.
const STEP_MAX: Duration = Duration::from_hours(24);

/// For how long Restate remembers what was asked, so that a lost answer can be had again.
const REMEMBERED: Duration = Duration::from_mins(10);

/// How soon an order is tried again, and how far apart tries are in the end. Nothing is ever given up.
const AGAIN: Duration = Duration::from_millis(50);
const AGAIN_MAX: Duration = Duration::from_secs(1);
const TRIES: u64 = 1_000_000_000;

/// Timers are set a little later than the clock of the session says, and far enough apart.
const LATER: Duration = Duration::from_millis(5);
const APART: Duration = Duration::from_secs(1);

/// One call of a session.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Call {
    /// Names it.
    pub(crate) name: String,
    /// What is asked.
    pub(crate) order: Order,
    /// The time that it was set for, where it is a timer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) timer: Option<i64>,
}

/// All sessions.
pub(crate) struct Session {
    engine: Engine,
}

impl Session {
    pub(crate) fn new(engine: Engine) -> Self {
        Self { engine }
    }

    /// The object as Restate knows it.
    pub(crate) fn definition(self) -> ServiceDefinition {
        let options = ServiceOptions::new()
            .inactivity_timeout(STEP_MAX)
            .idempotency_retention(REMEMBERED)
            .journal_retention(Duration::ZERO)
            .retry_policy_initial_interval(AGAIN)
            .retry_policy_max_interval(AGAIN_MAX)
            .retry_policy_max_attempts(TRIES);
        self.into_service_definition().options(options)
    }
}

#[restate_sdk::object(name = "LockgateSession")]
impl Session {
    #[handler]
    async fn order(&self, ctx: ObjectContext<'_>, Json(call): Json<Call>) -> HandlerResult<Json<Answer>> {
        if let Some(answer) = answered(&ctx, &call).await? {
            return Ok(Json(answer));
        }
        let Some(journal) = self.journal(&ctx, &call.order).await? else {
            let unknown = Refusal::NotFound(ctx.key().to_owned());
            return Ok(Json(Answer::Refused(unknown)));
        };
        let over = self.carry_out(&ctx, &call, journal).await?;
        self.engine.close_turn(ctx.key(), ctx.invocation_id());
        Ok(Json(settle(&ctx, &call, over).await?))
    }
}

impl Session {
    /// The events of the session: those that are kept here, or, where it began elsewhere or is finished, those of
    /// the store. Nothing where there is no such session.
    async fn journal(&self, ctx: &ObjectContext<'_>, order: &Order) -> HandlerResult<Option<Vec<String>>> {
        if let Some(Json(journal)) = ctx.get::<Json<Vec<String>>>(JOURNAL).await? {
            return Ok(Some(journal));
        }
        if matches!(order, Order::Start { .. }) {
            return Ok(Some(Vec::new()));
        }
        let (engine, id) = (self.engine.clone(), ctx.key().to_owned());
        let read = ctx.run(|| async move { Ok(Json(engine.copied(&id).await?)) }).name("read");
        let Json(journal) = read.await?;
        Ok(journal)
    }

    /// Stride by stride: what one records is kept here before the next one begins.
    async fn carry_out(
        &self,
        ctx: &ObjectContext<'_>,
        call: &Call,
        journal: Vec<String>,
    ) -> HandlerResult<Over> {
        let mut duty = Duty {
            session: ctx.key().to_owned(),
            invocation: ctx.invocation_id().to_owned(),
            name: call.name.clone(),
            order: call.order.clone(),
            before: journal.len(),
            journal,
            stride: 0,
        };
        loop {
            let (engine, now) = (self.engine.clone(), duty.clone());
            let stride = ctx.run(|| async move { Ok(Json(engine.stride(&now).await?)) }).name("stride");
            let Json(stride) = stride.await?;
            match stride {
                Stride::Keep(events) => {
                    duty.journal.extend(events);
                    duty.stride += 1;
                    ctx.set(JOURNAL, Json(duty.journal.clone()));
                }
                Stride::Over(over) => return Ok(*over),
            }
        }
    }
}

/// The answer to an order that was carried out while another one was.
async fn answered(ctx: &ObjectContext<'_>, call: &Call) -> HandlerResult<Option<Answer>> {
    if !call.order.interrupts() {
        return Ok(None);
    }
    let Some(Json(mut all)) = ctx.get::<Json<Vec<(String, Answer)>>>(MEANWHILE).await? else {
        return Ok(None);
    };
    let Some(at) = all.iter().position(|(name, _)| *name == call.name) else { return Ok(None) };
    let (_, answer) = all.swap_remove(at);
    match all.is_empty() {
        true => ctx.clear(MEANWHILE),
        false => ctx.set(MEANWHILE, Json(all)),
    }
    Ok(Some(answer))
}

/// Keeps what is left to be known after an order, and sets the timer.
async fn settle(ctx: &ObjectContext<'_>, call: &Call, over: Over) -> HandlerResult<Answer> {
    if !over.meanwhile.is_empty() {
        let earlier = ctx.get::<Json<Vec<(String, Answer)>>>(MEANWHILE).await?.map(Json::into_inner);
        let all: Vec<_> = earlier.into_iter().flatten().chain(over.meanwhile).collect();
        ctx.set(MEANWHILE, Json(all));
    }
    if !over.open {
        // The store has it all, and a session that is finished changes no more.
        ctx.clear(JOURNAL);
        ctx.clear(TIMER);
        return Ok(over.answer);
    }
    let look = |timer| Json(Call { name: String::new(), order: Order::Look, timer });
    let own = || RequestTarget::object(OBJECT, ctx.key(), HANDLER);
    if over.follows {
        ctx.request::<_, Json<Answer>>(own(), look(None)).send();
    }
    if let Some((at, left)) = over.due {
        let (left, again) = (Duration::from_millis(left) + LATER, call.timer == Some(at));
        if again || ctx.get::<i64>(TIMER).await? != Some(at) {
            ctx.set(TIMER, at);
            let wait = if again { left.max(APART) } else { left };
            ctx.request::<_, Json<Answer>>(own(), look(Some(at))).send_after(wait);
        }
    }
    Ok(over.answer)
}
