//! Clients that listen: list changes, updated resources and log messages, as each of them asked for it.

use super::{Asked, Guest, forward, message};
use crate::gateway::Gateway;
use crate::hub::News;
use crate::sent::Sent;
use mcp::{Era, Kind, Message, member_at};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::broadcast;

/// Clients that may have subscriptions at once, and how many each: clients rarely say goodbye.
const CLIENTS_MAX: usize = 10_000;
const EACH_MAX: usize = 1000;

/// Resources that clients want to hear about, by client.
#[derive(Default)]
pub(super) struct Subscriptions {
    by_guest: Mutex<HashMap<u64, HashSet<String>>>,
    streams: Streams,
}

/// The open streams of each legacy client, oldest first.
type Streams = Arc<Mutex<HashMap<u64, Vec<u64>>>>;

/// The place of one stream among those of its client.
struct Turn {
    guest: u64,
    number: u64,
    streams: Streams,
}

impl Turn {
    fn is_newest(&self) -> bool {
        let streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        streams.get(&self.guest).and_then(|all| all.last()) == Some(&self.number)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(all) = streams.get_mut(&self.guest) {
            all.retain(|number| *number != self.number);
            if all.is_empty() {
                streams.remove(&self.guest);
            }
        }
    }
}

impl Subscriptions {
    fn lock(&self) -> MutexGuard<'_, HashMap<u64, HashSet<String>>> {
        self.by_guest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn turn(&self, guest: u64) -> Turn {
        let number = Guest::fresh_number();
        self.streams.lock().unwrap_or_else(PoisonError::into_inner).entry(guest).or_default().push(number);
        Turn { guest, number, streams: self.streams.clone() }
    }

    fn has(&self, guest: u64, uri: &str) -> bool {
        self.lock().get(&guest).is_some_and(|uris| uris.contains(uri))
    }
}

/// A client that listens until it goes away.
pub struct Subscription {
    news: broadcast::Receiver<News>,
    wants: Wants,
    gateway: Arc<Gateway>,
}

enum Wants {
    /// A legacy stream: everything, and the resources the client subscribed to. Of several streams of one
    /// client only the newest hears.
    Legacy(u64, Turn),
    /// A modern `subscriptions/listen`: what its filter names, tagged with its id.
    Modern(Filter, String),
}

#[derive(Clone, Debug, Default, Deserialize, serde::Serialize)]
#[serde(rename_all = "camelCase", default)]
struct Filter {
    tools_list_changed: bool,
    prompts_list_changed: bool,
    resources_list_changed: bool,
    resource_subscriptions: Vec<String>,
}

impl Gateway {
    /// A legacy client's stream for what concerns no request.
    pub fn listen(self: &Arc<Self>, guest: &Guest) -> Subscription {
        Subscription {
            news: self.around.hub.listen(),
            wants: Wants::Legacy(guest.number, self.endpoint.subscriptions.turn(guest.number)),
            gateway: self.clone(),
        }
    }

    /// Forgets what a client subscribed to.
    pub fn leave(&self, guest: &Guest) {
        self.endpoint.subscriptions.lock().remove(&guest.number);
        self.endpoint.levels.forget(guest.number);
    }

    /// A modern client's `subscriptions/listen`: the acknowledgement, and what follows it.
    pub async fn listen_modern(self: &Arc<Self>, message: &Message<'_>) -> Option<(Vec<u8>, Subscription)> {
        let mcp::Body::Method(_, params) = &message.body else { return None };
        let params = params.map_or("{}", RawValue::get);
        let asked = member_at(params, "notifications").map(|at| &params[at]);
        let filter: Filter = asked.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
        let id = message.id?.get().to_owned();
        for uri in &filter.resource_subscriptions {
            self.subscribe_upstream(uri, true).await;
        }
        let acknowledged = format!(
            r#"{{"notifications":{},"_meta":{{"io.modelcontextprotocol/subscriptionId":{id}}}}}"#,
            serde_json::to_string(&filter).unwrap_or_default()
        );
        let first = message::notification("notifications/subscriptions/acknowledged", &acknowledged);
        let wants = Wants::Modern(filter, id);
        Some((first, Subscription { news: self.around.hub.listen(), wants, gateway: self.clone() }))
    }

    /// `resources/subscribe` and its opposite, for a legacy client.
    pub(super) async fn subscribe(&self, asked: &Asked<'_>, on: bool) -> Vec<u8> {
        let Some(uri) = Sent::new(asked.params, &["uri"]).key() else {
            return forward::missing(asked, "uri");
        };
        {
            let mut all = self.endpoint.subscriptions.lock();
            if on && is_full(&all, asked.guest.number) {
                return message::error(asked.id, -32603, "Too many subscriptions", None);
            }
            let mine = all.entry(asked.guest.number).or_default();
            if on {
                mine.insert(uri.clone())
            } else {
                mine.remove(&uri)
            };
        }
        self.subscribe_upstream(&uri, on).await;
        message::own(asked.id, "", asked.guest.era())
    }

    /// Tells the server that has a resource whether it is of interest. A modern server is told what to
    /// say by listening, which the gateway does anyway.
    async fn subscribe_upstream(&self, uri: &str, on: bool) {
        let wanted = |all: &HashMap<u64, HashSet<String>>| all.values().any(|uris| uris.contains(uri));
        if !on && wanted(&self.endpoint.subscriptions.lock()) {
            return;
        }
        let method = if on { "resources/subscribe" } else { "resources/unsubscribe" };
        for target in self.catalog().find_resource(uri).into_iter().take(1) {
            let Some(connection) = target.server.connection() else { continue };
            if connection.peer.era == Era::Legacy {
                let mut params = br#"{"uri":"#.to_vec();
                mcp::quote(&target.own, &mut params);
                params.push(b'}');
                if let Ok(request) =
                    connection.client.request(method, |_, out| out.extend_from_slice(&params))
                {
                    let _ = tokio::time::timeout(std::time::Duration::from_secs(5), request).await;
                }
            }
        }
    }
}

/// Whether this client may have no further subscription.
fn is_full(all: &HashMap<u64, HashSet<String>>, guest: u64) -> bool {
    match all.get(&guest) {
        Some(mine) => mine.len() >= EACH_MAX,
        None => all.len() >= CLIENTS_MAX,
    }
}

impl Subscription {
    /// The next message for this client; `None` when the gateway stops.
    pub async fn next(&mut self) -> Option<Vec<u8>> {
        loop {
            match self.news.recv().await {
                Ok(news) => {
                    if let Some(message) = self.message(&news) {
                        return Some(message);
                    }
                }
                Err(broadcast::error::RecvError::Lagged(_)) => {}
                Err(broadcast::error::RecvError::Closed) => return None,
            }
        }
    }

    fn message(&self, news: &News) -> Option<Vec<u8>> {
        let (method, params) = match news {
            News::Changed(kind) => (changed(*kind), "{}"),
            News::Said { method, params, .. } => (&**method, &**params),
            News::Status(..) => return None,
        };
        match &self.wants {
            Wants::Legacy(guest, turn) => {
                if !turn.is_newest() {
                    return None;
                }
                let updated = method == "notifications/resources/updated";
                let heard = !updated
                    || uri(params).is_some_and(|uri| self.gateway.endpoint.subscriptions.has(*guest, &uri));
                heard.then(|| message::notification(method, params))
            }
            Wants::Modern(filter, id) => filter.admits(method, params).then(|| {
                let tag = format!(r#""io.modelcontextprotocol/subscriptionId":{id}"#);
                message::notification(method, &tagged(params, &tag))
            }),
        }
    }
}

impl Filter {
    fn admits(&self, method: &str, params: &str) -> bool {
        match method {
            "notifications/tools/list_changed" => self.tools_list_changed,
            "notifications/prompts/list_changed" => self.prompts_list_changed,
            "notifications/resources/list_changed" => self.resources_list_changed,
            "notifications/resources/updated" => {
                uri(params).is_some_and(|uri| self.resource_subscriptions.contains(&uri))
            }
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

/// The parameters with one more member in their `_meta`.
fn tagged(params: &str, member: &str) -> String {
    let mut splice = mcp::Splice::new(params);
    match member_at(params, "_meta").filter(|at| params[at.clone()].starts_with('{')) {
        Some(at) => splice.insert_members(at.start, member),
        None => {
            splice.insert_members(params.find('{').unwrap_or_default(), &format!(r#""_meta":{{{member}}}"#))
        }
    }
    let mut out = Vec::new();
    splice.write(&mut out);
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subscriptions_are_bounded_for_each_client_and_in_all() {
        let few: HashSet<String> = (1..EACH_MAX).map(|n| n.to_string()).collect();
        let mut all = HashMap::from([(1, few)]);
        assert!(!is_full(&all, 1) && !is_full(&all, 2));
        all.entry(1).or_default().insert("one more".into());
        assert!(is_full(&all, 1) && !is_full(&all, 2));
        all.extend((2..=CLIENTS_MAX as u64).map(|guest| (guest, HashSet::new())));
        assert!(is_full(&all, 0) && !is_full(&all, 2));
    }
}
