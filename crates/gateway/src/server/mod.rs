//! One server: its state, its connection, its tools, and the task that looks after it.

mod attempts;
mod audience;
mod clients;
mod connection;
mod control;
mod launch;
mod listening;
mod lists;
mod own;
mod remote;
mod state;
mod subscription;
mod supervisor;
mod watch;
mod wishes;

pub(crate) use audience::{AWAY_MAX, Audience, QUESTIONS_MAX, Voice};
pub(crate) use clients::Clients;
pub(crate) use connection::{Connection, Ending};
use launch::StartFailure;
pub(crate) use listening::Listen;
pub(crate) use lists::Lists;
pub(crate) use own::Link;
pub use remote::INSTANCE;
pub use state::ServerView;
use state::State;
pub(crate) use supervisor::Surroundings;
use supervisor::{Done, Order, Supervisor};
use wishes::Wishes;
pub(crate) use wishes::{Standing, Wanted};

use crate::access::ServerGates;
use crate::change::ToolChange;
use crate::endpoint::Guest;
use crate::hub::News;
use crate::metrics::{Histogram, ToolStats};
use crate::tools::ToolSet;
use crate::visa::Visa;
use arc_swap::{ArcSwap, ArcSwapOption};
use mcp::{Entry, Kind};
use model::{Scope, ServerEntry, Settings, Status};
use process::Tail;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// The fewest characters of a variable's value that is taken for a secret in texts that pass.
const SECRET_MIN: usize = 6;

/// What a definition holds and nobody is shown: the values of its variables and of its headers. Of
/// `Authorization: Bearer <token>` the token is one by itself.
fn secrets(entry: &ServerEntry) -> Vec<String> {
    let headers = entry.headers.values().map(String::as_str);
    let logins = entry.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("authorization"));
    let tokens = logins.filter_map(|(_, value)| Some(value.trim().split_once(' ')?.1.trim()));
    entry.variables().map(|(_, value)| value).chain(headers).chain(tokens).map(str::to_owned).collect()
}

/// Where a server's definition stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// In the config file.
    Config,
    /// In the store, added over the API.
    Api,
}

/// A server behind the gateway, known by its name. It lives until it is removed; its child comes and goes.
pub struct Server {
    entry: ServerEntry,
    origin: Origin,
    state: Mutex<State>,
    connection: ArcSwapOption<Connection>,
    tools: ArcSwapOption<ToolSet>,
    /// How the list of tools changed last.
    change: ArcSwapOption<ToolChange>,
    lists: ArcSwap<Lists>,
    stats: Mutex<BTreeMap<String, Arc<ToolStats>>>,
    times: Histogram,
    tail: Tail,
    orders: mpsc::Sender<Order>,
    wishes: Wishes,
    /// The client whose process this is; `None` for the one that all share.
    client: Option<Guest>,
    /// Processes of single clients, where the server has such.
    clients: Option<Arc<Clients>>,
    /// How many calls may pass, where that is limited.
    gates: Option<Box<ServerGates>>,
    /// The leave to enter it, where it is remote.
    visa: Option<Arc<Visa>>,
}

impl Server {
    /// A server that is not started yet; its supervisor runs on the current runtime.
    pub(crate) fn new(entry: ServerEntry, origin: Origin, around: Surroundings) -> Arc<Self> {
        let secrets = secrets(&entry);
        let per_client = entry.scope == Scope::Client;
        let clients = per_client.then(|| Clients::new(entry.idle_timeout(), around.clone()));
        let visa = Visa::of((&entry, origin), &around.settings, &around.drawer);
        let (hub, changed) = (around.hub.clone(), around.changed.clone());
        let server = Self::build((entry, origin), Tail::new(secrets), (None, clients, visa), around);
        if let Some(visa) = &server.visa {
            let of = Arc::downgrade(&server);
            visa.when_wanted(move || {
                let Some(server) = of.upgrade() else { return };
                changed();
                hub.tell(News::Status(server.name().into(), server.status()));
            });
        }
        server
    }

    /// The same server once more, for one client alone. No registry and no catalogue knows it; what it writes
    /// to its standard error is kept with the rest.
    fn for_client(&self, client: Guest, around: Surroundings) -> Arc<Self> {
        let around = Surroundings { hub: Arc::new(around.hub.of_session(client.number)), ..around };
        Self::build(
            (self.entry.clone(), self.origin),
            self.tail.clone(),
            (Some(client), None, self.visa.clone()),
            around,
        )
    }

    fn build(
        (entry, origin): (ServerEntry, Origin),
        tail: Tail,
        (client, clients, visa): (Option<Guest>, Option<Arc<Clients>>, Option<Arc<Visa>>),
        around: Surroundings,
    ) -> Arc<Self> {
        let (orders, inbox) = mpsc::channel(16);
        let server = Arc::new(Self {
            gates: ServerGates::new(entry.limits.as_ref()),
            entry,
            origin,
            state: Mutex::new(State::default()),
            connection: ArcSwapOption::empty(),
            tools: ArcSwapOption::empty(),
            change: ArcSwapOption::empty(),
            lists: ArcSwap::from_pointee(Lists::default()),
            stats: Mutex::default(),
            times: Histogram::default(),
            tail,
            orders,
            wishes: Wishes::default(),
            client,
            clients,
            visa,
        });
        tokio::spawn(Supervisor::new(server.clone(), around, inbox).run());
        server
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.entry.name
    }

    /// Its definition.
    pub fn entry(&self) -> &ServerEntry {
        &self.entry
    }

    /// Where its definition stands.
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// Its state in one word.
    pub fn status(&self) -> Status {
        self.state().status
    }

    /// Everything the admin API shows of it.
    pub fn view(&self) -> ServerView {
        let tools = self.tools.load().as_ref().map_or(0, |tools| tools.len());
        let clients = self.clients.as_ref().map(|clients| clients.count());
        let needs_sign_in = self.needs_sign_in();
        ServerView { clients, needs_sign_in, ..self.state().view(&self.entry, self.origin, tools) }
    }

    /// Why it is not running, for whoever runs the gateway: it may name the command, which no reply does.
    pub fn reason(&self) -> String {
        let state = self.state();
        state.reason.as_ref().or(state.last_error.as_ref()).cloned().unwrap_or_default()
    }

    /// Whether somebody must sign in to it.
    pub fn needs_sign_in(&self) -> bool {
        self.visa.as_ref().is_some_and(|visa| visa.is_wanted())
    }

    /// The leave to enter it, where it is remote.
    pub(crate) fn visa(&self) -> Option<&Arc<Visa>> {
        self.visa.as_ref()
    }

    /// The last lines of the child's standard error, values of its environment masked.
    pub fn logs(&self) -> Vec<String> {
        self.tail.lines()
    }

    /// Masks the values of the server's own variables and headers in the texts and keys of a JSON value. Unlike in its
    /// log, those stay that are too short to be a secret, such as `1` or `false`: they stand in any text.
    pub(crate) fn mask_secrets(&self, value: &mut serde_json::Value) {
        use serde_json::Value;
        match value {
            _ if self.tail.masks_nothing() => {}
            Value::String(text) => *text = self.mask_text(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.mask_secrets(item)),
            Value::Object(members) => {
                for (key, mut member) in std::mem::take(members) {
                    self.mask_secrets(&mut member);
                    let mut key = self.mask_text(&key);
                    // Two that are masked are still two.
                    while members.contains_key(&key) {
                        key.push('*');
                    }
                    members.insert(key, member);
                }
            }
            _ => {}
        }
    }

    /// Whether there is anything to mask.
    pub(crate) fn has_secrets(&self) -> bool {
        !self.tail.masks_nothing()
    }

    /// The same in a text.
    pub(crate) fn mask_text(&self, text: &str) -> String {
        self.tail.mask_from(SECRET_MIN, text)
    }

    /// The last `n` of those lines.
    pub(crate) fn tail_lines(&self, n: usize) -> Vec<String> {
        self.tail.last(n)
    }

    /// Milliseconds for one call, unless the call says otherwise.
    pub(crate) fn timeout(&self, settings: &Settings) -> u64 {
        self.entry.timeout.unwrap_or(settings.default_timeout).min(settings.max_timeout)
    }

    /// Starts it for the first time; returns when it is running or has failed.
    pub(crate) async fn start(&self) {
        self.order(Order::Start).await;
    }

    /// Ends the child, if there is one, and starts anew; returns when it is running or has failed. Those of
    /// single clients are ended with it.
    pub async fn restart(&self) {
        if let Some(clients) = &self.clients {
            clients.dismiss_all();
        }
        self.order(Order::Restart).await;
    }

    /// Ends the child and its supervisor, and those of single clients beside it.
    pub(crate) async fn stop(&self) {
        let order = self.order(Order::Stop);
        match &self.clients {
            Some(clients) => _ = tokio::join!(order, Box::pin(clients.close())),
            None => order.await,
        }
    }

    async fn order(&self, make: impl FnOnce(Done) -> Order) {
        let (done, outcome) = oneshot::channel();
        if self.orders.send(make(done)).await.is_ok() {
            // An error means that the supervisor has ended, which is an outcome too.
            let _ = outcome.await;
        }
    }

    /// The connection, while the server is running.
    pub(crate) fn connection(&self) -> Option<Arc<Connection>> {
        self.connection.load_full()
    }

    /// What clients want of it outside of any request.
    pub(crate) fn wishes(&self) -> &Wishes {
        &self.wishes
    }

    /// The session whose process this is; `None` for the one that all share.
    fn session(&self) -> Option<u64> {
        self.client.as_ref().map(|client| client.number)
    }

    /// What the log says of the process besides the server's name: only one of a single client is special.
    fn process(&self) -> Option<&'static str> {
        self.client.as_ref().map(|_| "client")
    }

    /// The processes of single clients, where the server has such.
    pub(crate) fn clients(&self) -> Option<&Arc<Clients>> {
        self.clients.as_ref()
    }

    /// How many calls may pass, where that is limited.
    pub(crate) fn gates(&self) -> Option<&ServerGates> {
        self.gates.as_deref()
    }

    /// The cached tools; `None` when they were never listed.
    pub(crate) fn tools(&self) -> Option<Arc<ToolSet>> {
        self.tools.load_full()
    }

    /// The exit code of the child that crashed last.
    pub(crate) fn exit_code(&self) -> Option<i32> {
        self.state().exit_code
    }

    /// How long its calls took.
    pub fn times(&self) -> &Histogram {
        &self.times
    }

    /// Requests in flight, and bytes that its child has not read yet; nothing of clients' own processes.
    pub fn load(&self) -> (usize, usize) {
        self.connection().map_or((0, 0), |now| (now.client.in_flight(), now.client.waiting_bytes()))
    }

    /// The tools that were called, each with how long its calls took.
    pub fn tool_times(&self) -> Vec<(String, u64, Duration)> {
        let called = self.called_tools().into_iter();
        called.map(|(tool, stats)| (tool, stats.times().count(), stats.times().sum())).collect()
    }

    /// Outcomes of calls as `(tool, outcome, count)`.
    pub fn outcomes(&self) -> Vec<(String, &'static str, u64)> {
        let stats = self.stats.lock().unwrap_or_else(PoisonError::into_inner);
        let each =
            stats.iter().flat_map(|(tool, stats)| stats.outcomes().map(move |(word, n)| (tool, word, n)));
        each.map(|(tool, word, n)| (tool.clone(), word, n)).collect()
    }

    /// The tools that were called, with their counters.
    pub(crate) fn called_tools(&self) -> Vec<(String, Arc<ToolStats>)> {
        let stats = self.stats.lock().unwrap_or_else(PoisonError::into_inner);
        let called = stats.iter().filter(|(_, stats)| stats.outcomes().next().is_some());
        called.map(|(tool, stats)| (tool.clone(), stats.clone())).collect()
    }

    /// How its list of tools changed last, while the gateway was up.
    pub(crate) fn tool_change(&self) -> Option<ToolChange> {
        self.change.load().as_deref().cloned()
    }

    /// Prompts, resources and templates as they were listed last; tools are in [`Server::tools`].
    pub(crate) fn lists(&self) -> Arc<Lists> {
        self.lists.load_full()
    }

    fn set_lists(&self, lists: &Lists) {
        for kind in Kind::ALL {
            self.set_list(kind, lists.get(kind).to_vec());
        }
    }

    fn set_list(&self, kind: Kind, entries: Vec<Entry>) {
        if kind == Kind::Tools {
            let mut stats = self.stats.lock().unwrap_or_else(PoisonError::into_inner);
            let tools = ToolSet::new(entries, |name| counters(&mut stats, name));
            let tools = Arc::new(tools);
            let change =
                self.tools.swap(Some(tools.clone())).and_then(|old| ToolChange::between(&old, &tools));
            if let Some(change) = change {
                self.change.store(Some(Arc::new(change)));
            }
        } else {
            self.lists.rcu(|lists| lists.with(kind, entries.clone()));
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How many tools of one server are counted apart, so that one which renames its tools for ever fills no memory.
const TOOLS_COUNTED: usize = 2000;

/// Where the rest is counted. No tool has this name: it has a character that names must not have.
const REST: &str = "(other)";

/// The counters of a tool.
fn counters(stats: &mut BTreeMap<String, Arc<ToolStats>>, name: &str) -> Arc<ToolStats> {
    let name = if stats.len() < TOOLS_COUNTED || stats.contains_key(name) { name } else { REST };
    stats.entry(name.to_owned()).or_default().clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_counted_apart_up_to_a_bound() {
        let mut stats = BTreeMap::new();
        for i in 0..TOOLS_COUNTED + 50 {
            counters(&mut stats, &format!("tool-{i}"));
        }
        assert_eq!(stats.len(), TOOLS_COUNTED + 1);
        assert!(Arc::ptr_eq(&counters(&mut stats, "tool-2049"), &stats[REST]));
        assert!(Arc::ptr_eq(&counters(&mut stats, "tool-7"), &stats["tool-7"]));
    }
}
