//! Clients that listen: list changes, updated resources and log messages, as each of them asked for it.

mod told;

use super::batch::Traced;
use super::moves::{MOVED, Moves};
use super::streams::{Place, Turn};
use super::{Guest, Visitor, message};
use crate::access::Pass;
use crate::caller::Caller;
use crate::gateway::Gateway;
use crate::hub::{News, Numbered};
use crate::sight::Visit;
use mcp::{Kind, Message, member_at};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::sync::broadcast;
use told::Told;

const UPDATED: &str = "notifications/resources/updated";
const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// A client that listens until it goes away.
pub struct Subscription {
    /// What was missed and is to be made up for.
    missed: VecDeque<Numbered>,
    news: broadcast::Receiver<Numbered>,
    /// Messages that are ready.
    ready: VecDeque<Vec<u8>>,
    /// The number of the news that came last.
    last: u64,
    wants: Wants,
    /// What is heard of tasks.
    moves: Option<Moves>,
    /// Whether its client was told that it is over.
    over: bool,
    /// The key that the client gave.
    pass: Option<Arc<Pass>>,
    gateway: Arc<Gateway>,
}

enum Wants {
    /// A legacy stream: everything, and the resources the client subscribed to. Of several streams of one
    /// client only the newest hears.
    Legacy(u64, Turn),
    /// A modern `subscriptions/listen`: what its filter names, tagged with its id. It holds subscriptions
    /// under a number of its own.
    Modern(u64, Filter, String),
}

impl Wants {
    /// The next message for a legacy client alone, `None` when it has left; a modern one just hangs up.
    async fn put(&mut self) -> Option<Vec<u8>> {
        match self {
            Wants::Legacy(_, turn) => turn.heard().await,
            Wants::Modern(..) => std::future::pending().await,
        }
    }
}

/// What comes for a client.
enum Came {
    News(Numbered),
    /// What is said of a task; `None` when its server tells no more.
    Moved(Option<Box<RawValue>>),
    /// What is for this client alone.
    Put(Vec<u8>),
}

#[derive(Clone, Debug, Default, Deserialize, serde::Serialize)]
#[serde(rename_all = "camelCase", default)]
struct Filter {
    tools_list_changed: bool,
    prompts_list_changed: bool,
    resources_list_changed: bool,
    resource_subscriptions: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    task_ids: Vec<String>,
}

impl Gateway {
    /// A legacy client's stream for what concerns no request.
    pub fn listen(self: &Arc<Self>, guest: &Guest, pass: Option<Arc<Pass>>) -> Subscription {
        let (last, news) = self.around.hub.listen();
        self.legacy(guest, pass, (VecDeque::new(), news), last, None)
    }

    /// The same for a client whose stream broke after the event of that id: what it missed comes first, as
    /// far as that is still known.
    pub fn listen_after(self: &Arc<Self>, guest: &Guest, pass: Option<Arc<Pass>>, id: &str) -> Subscription {
        let Some(place) = self.endpoint.streams.place(id) else { return self.listen(guest, pass) };
        let (mut missed, news) = self.around.hub.listen_since(place.news);
        if let Some(until) = self.endpoint.streams.heard_elsewhere(guest.number, place.stream) {
            missed.retain(|(number, _)| *number <= until);
        }
        self.legacy(guest, pass, (missed, news), place.news, Some(place))
    }

    fn legacy(
        self: &Arc<Self>,
        guest: &Guest,
        pass: Option<Arc<Pass>>,
        (missed, news): (VecDeque<Numbered>, broadcast::Receiver<Numbered>),
        last: u64,
        after: Option<Place>,
    ) -> Subscription {
        let turn = self.endpoint.streams.open(guest, pass.as_ref(), last, after);
        self.endpoint.questions.abandon(&turn.lost);
        let (ready, wants, gateway) = (VecDeque::new(), Wants::Legacy(guest.number, turn), self.clone());
        Subscription { missed, news, ready, last, wants, moves: None, over: false, pass, gateway }
    }

    /// Notes what its handshake says of a client, whose stream may be open already. It is asked nothing before it says
    /// that it is ready.
    pub fn greeted(&self, guest: &Guest) {
        self.endpoint.streams.greeted(guest);
    }

    /// Forgets what a client wanted and was asked, and ends its streams and the processes that are its own.
    pub fn leave(&self, guest: &Guest) {
        self.endpoint.streams.end(guest.number);
        self.endpoint.questions.left(guest.number);
        self.endpoint.tasks.left(guest.number);
        self.release_all(guest.number);
        self.forget_level(guest.number);
        self.endpoint.roots.forget(guest.number);
        for clients in self.registry().servers().iter().filter_map(|server| server.clients()) {
            clients.leave(guest.number);
        }
    }

    /// A modern client's `subscriptions/listen`: the acknowledgement, and what follows it; or its refusal. As a request
    /// it is over with that.
    pub async fn listen_modern(
        self: &Arc<Self>,
        visitor: Visitor<'_>,
        traced: Traced<'_>,
        message: &Message<'_>,
    ) -> Result<(Vec<u8>, Subscription), Vec<u8>> {
        let Visitor { guest, name, pass, note, .. } = visitor;
        let caller = Caller::guest(guest, name).with(pass.map(Arc::as_ref)).leaving(&note.footprint);
        let visit = self.visit_of(note.way, message, traced, note.began).map(|visit| visit.by(caller));
        let work = Box::pin(self.begin_to_listen(visitor, &caller, message));
        let listening = Visit::within(visit.as_ref(), work).await;
        let reply = listening.as_ref().map_or_else(|refusal| refusal, |(first, _)| first);
        if let Some(visit) = visit {
            visit.close_with(&note.seen(caller), Some(reply));
        }
        listening
    }

    /// Lets a client listen. Resources whose only server does not tell of updates are not acknowledged, nor are those
    /// that a server must be asked for beyond its rate.
    async fn begin_to_listen(
        self: &Arc<Self>,
        visitor: Visitor<'_>,
        caller: &Caller<'_>,
        message: &Message<'_>,
    ) -> Result<(Vec<u8>, Subscription), Vec<u8>> {
        let Visitor { guest, name, pass, .. } = visitor;
        let (mcp::Body::Method(_, params), Some(id)) = (&message.body, message.id) else {
            return Err(message::protocol_error(message.id, -32600, "Invalid request"));
        };
        if let Some(refusal) = super::malformed(message) {
            return Err(refusal);
        }
        let params = params.map_or("{}", RawValue::get);
        let [asked, meta] =
            mcp::members_at(params, ["notifications", "_meta"]).map(|at| at.map(|at| &params[at]));
        let filter = Filter::read(asked);
        // Only what a server must agree to waits for servers.
        if filter.as_ref().is_ok_and(Filter::names_something) {
            self.ready.wait().await;
        }
        let _entered = self.enter(caller).await.map_err(|fault| message::refusal(id, &fault))?;
        let mut filter = filter.map_err(|text| message::error(id, -32602, &text, None))?;
        let (id, holder) = (id.get().to_owned(), Guest::fresh_number());
        let (last, news) = self.around.hub.listen();
        let mut uris = std::mem::take(&mut filter.resource_subscriptions);
        uris.retain(|uri| self.sees_resource(caller, uri));
        let wants = Wants::Modern(holder, Filter::default(), id.clone());
        // From here on its end is the end of what it holds.
        let (missed, ready, gateway) = (VecDeque::new(), VecDeque::new(), self.clone());
        let pass = pass.cloned();
        let mut subscription =
            Subscription { missed, news, ready, last, wants, moves: None, over: false, pass, gateway };
        let (mut held, mut told) = (Vec::new(), Vec::new());
        for uri in uris {
            if self.count_wish(None, &uri, &mut told).await.is_ok() && self.hold(holder, None, &uri) {
                held.push(uri);
            }
        }
        for uri in held {
            match self.refusal(None, &uri).await {
                Some(_) => self.release(holder, &uri),
                None => filter.resource_subscriptions.push(uri),
            }
        }
        let (pass, meta) = (subscription.pass.as_ref(), meta.unwrap_or("{}"));
        subscription.moves = self.listen_to_tasks(guest, name, pass, meta, &mut filter.task_ids).await;
        let acknowledged = format!(
            r#"{{"notifications":{},"_meta":{{"{SUBSCRIPTION}":{id}}}}}"#,
            serde_json::to_string(&filter).unwrap_or_default()
        );
        let first = message::notification("notifications/subscriptions/acknowledged", Some(&acknowledged));
        subscription.wants = Wants::Modern(holder, filter, id);
        Ok((first, subscription))
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        // What a legacy client subscribed to stays when its stream breaks.
        match &self.wants {
            Wants::Modern(holder, ..) => self.gateway.release_all(*holder),
            Wants::Legacy(_, turn) => self.gateway.endpoint.broken(turn),
        }
    }
}

impl Subscription {
    /// The next message for this client; `None` when the gateway stops, the client has left, or it was told the end.
    pub async fn next(&mut self) -> Option<Vec<u8>> {
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Some(message);
            }
            if self.over {
                return None;
            }
            let came = match self.missed.pop_front() {
                Some(missed) => Came::News(missed),
                None => tokio::select! {
                    news = self.news.recv() => match news {
                        Ok(news) => Came::News(news),
                        Err(broadcast::error::RecvError::Lagged(_)) => continue,
                        Err(broadcast::error::RecvError::Closed) => return None,
                    },
                    moved = Moves::next(&mut self.moves) => Came::Moved(moved),
                    put = self.wants.put() => Came::Put(put?),
                },
            };
            self.is_permitted().then_some(())?;
            match came {
                Came::Put(message) => return Some(message),
                Came::News((number, news)) => {
                    self.ready = self.messages(&news).into();
                    self.last = number;
                }
                Came::Moved(Some(params)) => self.ready.extend(self.moved(&params)),
                // A server tells no more of its tasks; whoever still wants to hear of them listens anew.
                Came::Moved(None) => {
                    self.over = true;
                    self.ready.extend(self.farewell());
                }
            }
        }
    }

    /// Whether a stream on which nothing is said stays: not with a key that is gone. Whoever has a token gets another one
    /// from time to time, and the stream is still theirs.
    pub fn may_stay(&self) -> bool {
        self.pass.as_ref().is_some_and(|pass| pass.is_token()) || self.is_permitted()
    }

    /// Whether the key or token of the client is still good: else it hears nothing more.
    fn is_permitted(&self) -> bool {
        self.pass.as_deref().is_none_or(|pass| self.gateway.access.holds(pass))
    }

    /// The last message for a modern client, when the gateway ends what it listens to: the result of its
    /// request.
    pub fn farewell(&self) -> Option<Vec<u8>> {
        let Wants::Modern(_, _, id) = &self.wants else { return None };
        Some(message::farewell(id, SUBSCRIPTION))
    }

    /// The id of the event that the last message is, for a client that may come back after it.
    pub fn event_id(&self) -> Option<String> {
        let Wants::Legacy(_, turn) = &self.wants else { return None };
        // Whoever has heard only some of what came at once must hear all of it again.
        self.ready.is_empty().then(|| turn.place(self.last).id())
    }

    /// What a server says of a task, for a client that listens to it.
    fn moved(&self, params: &RawValue) -> Option<Vec<u8>> {
        let Wants::Modern(_, _, id) = &self.wants else { return None };
        let told = Told { server: "", session: None, method: MOVED, params: Some(params.get()) };
        Some(message::notification(MOVED, Some(&told.params_as(None, Some(id)))))
    }

    fn messages(&self, news: &News) -> Vec<Vec<u8>> {
        if !self.is_concerned(news) {
            return Vec::new();
        }
        let said = match news {
            News::Changed(kind, _) | News::Rerouted(kind) => {
                Told { server: "", session: None, method: changed(*kind), params: Some("{}") }
            }
            News::Said { server, session, method, params } => {
                Told { server, session: *session, method, params: params.as_deref() }
            }
            News::Status(..) | News::Tools(_) | News::Hooks | News::Workflows => return Vec::new(),
        };
        match &self.wants {
            Wants::Legacy(guest, turn) if turn.is_newest() => self.for_legacy(*guest, &said),
            Wants::Legacy(..) => Vec::new(),
            // What a client's own process says is for that client alone.
            Wants::Modern(..) if said.session.is_some() => Vec::new(),
            Wants::Modern(holder, filter, id) if filter.admits(said.method) => {
                self.each(*holder, &said, Some(id))
            }
            Wants::Modern(..) => Vec::new(),
        }
    }

    /// Whether news are of what the key of the client reaches.
    fn is_concerned(&self, news: &News) -> bool {
        let caller = Caller::new(None).with(self.pass.as_deref());
        match news {
            News::Changed(_, servers) => {
                servers.is_empty() || servers.iter().any(|server| caller.sees(server))
            }
            // Scripts may add tools to a list without any, and see no other list that is empty.
            News::Rerouted(kind) if *kind != Kind::Tools && caller.limits().is_some() => {
                self.gateway.catalog_of(&caller).shows(*kind)
            }
            News::Said { server, .. } => caller.sees(server),
            _ => true,
        }
    }

    fn for_legacy(&self, guest: u64, said: &Told<'_>) -> Vec<Vec<u8>> {
        let elsewhere = match said.session {
            Some(session) => session != guest,
            None => {
                let concerned = self.gateway.endpoint.concerns(said.server, said.method, said.params());
                concerned.is_some_and(|client| client != Some(guest))
            }
        };
        let loud = said.method == "notifications/message";
        // A client with a process of its own does not hear what the shared one says of its own state.
        let shared_only = said.session.is_none()
            && (loud || said.method == UPDATED)
            && self.gateway.registry().get(said.server).is_some_and(|server| server.clients().is_some());
        if elsewhere || shared_only || (loud && !self.gateway.endpoint.levels.admits(guest, said.params())) {
            return Vec::new();
        }
        self.each(guest, said, None)
    }

    /// The messages that one thing becomes: of an updated resource one for each address by which the
    /// holder subscribed to it.
    fn each(&self, holder: u64, said: &Told<'_>, id: Option<&str>) -> Vec<Vec<u8>> {
        let write = |address: Option<&str>| {
            let params = (said.params.is_some() || id.is_some()).then(|| said.params_as(address, id));
            message::notification(said.method, params.as_deref())
        };
        match said.method {
            UPDATED => {
                let own = uri(said.params()).unwrap_or_default();
                let addresses = self.gateway.addresses(holder, said.server, &own);
                let written = addresses.iter().map(|address| write((*address != own).then_some(address)));
                written.collect()
            }
            _ => vec![write(None)],
        }
    }
}

impl Filter {
    /// Reads what a client wants to hear; why it cannot be read.
    fn read(asked: Option<&str>) -> Result<Self, String> {
        let asked = asked.and_then(|text| serde_json::from_str::<Map<String, Value>>(text).ok());
        let mut asked = asked.ok_or("Missing parameter: notifications")?;
        // What is null is not asked for.
        asked.retain(|_, value| !value.is_null());
        Self::deserialize(Value::Object(asked))
            .map_err(|error| format!("Invalid parameter: notifications: {error}"))
    }

    /// Whether it names resources or tasks, which are with a server.
    fn names_something(&self) -> bool {
        !self.resource_subscriptions.is_empty() || !self.task_ids.is_empty()
    }

    fn admits(&self, method: &str) -> bool {
        match method {
            "notifications/tools/list_changed" => self.tools_list_changed,
            "notifications/prompts/list_changed" => self.prompts_list_changed,
            "notifications/resources/list_changed" => self.resources_list_changed,
            UPDATED => !self.resource_subscriptions.is_empty(),
            _ => false,
        }
    }
}

fn changed(kind: Kind) -> &'static str {
    match kind {
        Kind::Tools => "notifications/tools/list_changed",
        Kind::Prompts => "notifications/prompts/list_changed",
        Kind::Resources | Kind::Templates => "notifications/resources/list_changed",
    }
}

fn uri(params: &str) -> Option<String> {
    serde_json::from_str(&params[member_at(params, "uri")?]).ok()
}

#[cfg(test)]
mod tests;
