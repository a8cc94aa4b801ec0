//! Who wants to hear of which resources, and that their servers know of it. What a server is told follows
//! from the subscriptions and the catalogue alone, so a server that comes back is told again.

use super::catalog::{Catalog, Target};
use super::holders::Table;
use super::names::long;
use super::{Asked, Guest, forward, message};
use crate::caller::Caller;
use crate::gateway::Gateway;
use crate::sent::Sent;
use crate::server::{Server, Standing, Wanted};
use mcp::{Era, Kind};
use model::Fault;
use serde_json::json;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Resources that clients want to hear about, by addresses that mean the same to everybody, with the names that
/// the clients use. A holder is a legacy client, or one `subscriptions/listen` of a modern one.
#[derive(Default)]
pub(super) struct Subscriptions {
    table: Mutex<Table>,
}

impl Subscriptions {
    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The names by which a holder is told of an address.
    fn names(&self, holder: u64, uri: &str) -> Vec<String> {
        self.lock().names(holder, uri).to_vec()
    }

    /// The addresses that a holder wants to hear about.
    pub(super) fn of(&self, holder: u64) -> Vec<String> {
        self.lock().of(holder).cloned().collect()
    }
}

impl Gateway {
    /// `resources/subscribe` and its opposite, for a legacy client. The reply waits until the server knows,
    /// and says so when the only one that could have the resource refuses.
    pub(super) async fn subscribe(&self, asked: &Asked<'_>, on: bool) -> Vec<u8> {
        let Some(uri) = Sent::new(asked.params, &["uri"]).key() else {
            return forward::missing(asked, "uri");
        };
        let (holder, session) = (asked.guest.number, asked.guest.session());
        if !on {
            self.unsubscribe(holder, session, &uri);
            return message::own(asked.id, "", asked.guest.era());
        }
        let mut refused = None;
        for address in self.addresses_of(&asked.caller(), &uri) {
            if let Err(fault) = self.count_wish(session, &address, &mut Vec::new()).await {
                return message::refusal(asked.id, &fault);
            }
            if !self.hold_as(holder, session, &address, &uri) {
                return message::error(asked.id, -32603, "Too many subscriptions", None);
            }
            let refusal = match self.tell_own(asked.guest, &address).await {
                None => self.refusal(session, &address).await,
                refusal => refusal,
            };
            if refusal.is_none() {
                return message::own(asked.id, "", asked.guest.era());
            }
            self.unsubscribe(holder, session, &uri);
            refused = refused.or(refusal);
        }
        match refused {
            None => message::error(asked.id, -32002, "Resource not found", Some(&json!({ "uri": uri }))),
            Some((_, Some(error))) if mcp::RpcError::is_valid(&error) => {
                message::failure_as_written(asked.id, &error)
            }
            Some((server, _)) => {
                let text = format!("Server '{server}' does not tell of updates of this resource");
                message::error(asked.id, -32603, &text, None)
            }
        }
    }

    fn unsubscribe(&self, holder: u64, session: Option<u64>, uri: &str) {
        for address in self.let_go_of(holder, uri) {
            self.untell_own(session, &address);
        }
    }

    /// The addresses, good for everybody, that a caller's name for a resource may stand for, the likeliest first. To
    /// whoever reaches only some servers, it is what these have.
    fn addresses_of(&self, caller: &Caller<'_>, uri: &str) -> Vec<String> {
        if caller.limits().is_none() {
            return vec![uri.to_owned()];
        }
        let found = self.catalog_of(caller).find_resource(uri);
        found.iter().map(|target| long(Kind::Resources, target.server.name(), &target.own)).collect()
    }

    /// Whether only servers that a caller's key reaches may have a resource.
    pub(super) fn sees_resource(&self, caller: &Caller<'_>, uri: &str) -> bool {
        let reached = |target: &Target| caller.sees(target.server.name());
        caller.limits().is_none() || self.catalog().find_resource(uri).iter().all(reached)
    }

    /// Counts what servers will be sent because a client wants to hear of a resource, or says whose rate is in the way. A
    /// modern server is sent all that one request of the client names at once: those that were counted for it are `told`.
    pub(super) async fn count_wish(
        &self,
        session: Option<u64>,
        uri: &str,
        told: &mut Vec<Arc<Server>>,
    ) -> Result<(), Fault> {
        for Target { server, own } in self.catalog().find_resource(uri) {
            let (Some(gates), Some(connection)) = (server.gates(), server.connection()) else { continue };
            let is_own = session.is_some() && server.clients().is_some();
            let known = !is_own && server.wishes().names(&own);
            if known || told.iter().any(|one| Arc::ptr_eq(one, &server)) {
                continue;
            }
            gates.count(&self.store, server.name()).await?;
            if connection.peer.era == Era::Modern {
                told.push(Arc::clone(&server));
            }
        }
        Ok(())
    }

    /// Notes that a holder wants to hear of a resource; whether there was room for that.
    pub(super) fn hold(&self, holder: u64, session: Option<u64>, uri: &str) -> bool {
        self.hold_as(holder, session, uri, uri)
    }

    /// The same, where the holder has another name for its address.
    fn hold_as(&self, holder: u64, session: Option<u64>, uri: &str, name: &str) -> bool {
        let mut table = self.endpoint.subscriptions.lock();
        if table.add(holder, session.is_some(), uri, name).is_none() {
            // Clients that are gone without a word make room for those that are here.
            let is_gone = |other: &u64| *other != holder && !self.endpoint.streams.has(*other);
            let gone: Vec<u64> = table.with_session().filter(is_gone).collect();
            gone.into_iter().for_each(|gone| self.let_go(&mut table, gone));
            if table.add(holder, session.is_some(), uri, name).is_none() {
                return false;
            }
        }
        for Target { server, own } in self.catalog().find_resource(uri) {
            if table.wants_by(&server, uri) {
                server.wishes().add(&own);
            }
        }
        true
    }

    /// Tells the processes that are a client's own, which are started for it; the refusal of the only one.
    async fn tell_own(&self, client: &Guest, uri: &str) -> Option<Refusal> {
        let targets = self.catalog().find_resource(uri);
        let alone = targets.len() == 1;
        for Target { server, own } in targets.into_iter().filter(|target| target.server.clients().is_some()) {
            // One that cannot start is told when it does.
            let Ok(link) = self.link(&server, Some(client)).await else { continue };
            if let (Some(Standing::Refused(error)), true) = (link.watch(&own).await, alone) {
                return Some((server.name().to_owned(), error));
            }
        }
        None
    }

    /// Tells those of them that there are now that the client does not want it any more.
    fn untell_own(&self, session: Option<u64>, uri: &str) {
        for Target { server, own } in self.catalog().find_resource(uri) {
            if let (Some(clients), Some(session)) = (server.clients(), session) {
                clients.unwatch(session, &own);
            }
        }
    }

    /// Notes that a holder does not want to hear of a resource any more.
    pub(super) fn release(&self, holder: u64, uri: &str) {
        self.let_go_of(holder, uri);
    }

    /// The same; the addresses that its name for the resource stood for.
    fn let_go_of(&self, holder: u64, name: &str) -> Vec<String> {
        let mut table = self.endpoint.subscriptions.lock();
        let held = table.remove(holder, name);
        held.iter().for_each(|uri| self.unwish(&table, uri));
        held
    }

    /// Notes that a holder wants nothing any more.
    pub(super) fn release_all(&self, holder: u64) {
        self.let_go(&mut self.endpoint.subscriptions.lock(), holder);
    }

    fn let_go(&self, table: &mut Table, holder: u64) {
        for uri in table.remove_all(holder) {
            self.unwish(table, &uri);
        }
    }

    /// Servers whose resource nobody wants to hear of any more are told so.
    fn unwish(&self, table: &Table, uri: &str) {
        let catalog = self.catalog();
        for Target { server, own } in catalog.find_resource(uri) {
            if !table.wants(&catalog, &server, &own) {
                server.wishes().remove(&own);
            }
        }
    }

    /// Waits until the servers that may have a resource have heard of the wish; the name of the only one
    /// when it refuses, with its error.
    pub(super) async fn refusal(&self, session: Option<u64>, uri: &str) -> Option<Refusal> {
        let targets = self.catalog().find_resource(uri);
        let alone = targets.len() == 1;
        for Target { server, own } in targets {
            // One that does not run is told when it does; a client's own process is told by itself.
            if server.connection().is_none() || (session.is_some() && server.clients().is_some()) {
                continue;
            }
            if let (Some(Standing::Refused(error)), true) = (server.wishes().heard_of(&own).await, alone) {
                return Some((server.name().to_owned(), error));
            }
        }
        None
    }

    /// Tells every server what is wanted of it, after the catalogue changed.
    pub(crate) fn renew_wishes(&self, catalog: &Catalog) {
        let table = self.endpoint.subscriptions.lock();
        let mut wanted: HashMap<String, BTreeSet<String>> = HashMap::new();
        for uri in table.all() {
            let targets = catalog.find_resource(uri).into_iter();
            for Target { server, own } in targets.filter(|target| table.wants_by(&target.server, uri)) {
                wanted.entry(server.name().to_owned()).or_default().insert(own.to_string());
            }
        }
        let level = self.endpoint.levels.loudest();
        for server in self.registry().servers() {
            let uris = wanted.remove(server.name()).unwrap_or_default();
            server.wishes().set(Wanted { uris, level });
        }
    }

    /// The names under which a holder hears of an update that a server tells of.
    pub(super) fn addresses(&self, holder: u64, server: &str, own: &str) -> Vec<String> {
        let subscriptions = &self.endpoint.subscriptions;
        let mut found = subscriptions.names(holder, own);
        if !found.is_empty() && !self.is_first(server, own) {
            found.clear();
        }
        found.extend(subscriptions.names(holder, &long(Kind::Resources, server, own)));
        found
    }

    /// Whether a server is the one that an address without a server's name stands for: of several that may
    /// have a resource that nobody lists, the first that does not refuse it.
    fn is_first(&self, server: &str, uri: &str) -> bool {
        let targets = self.catalog().find_resource(uri);
        let refuses =
            |target: &Target| matches!(target.server.wishes().standing(uri), Some(Standing::Refused(_)));
        let first = targets.iter().find(|target| targets.len() == 1 || !refuses(target));
        first.is_some_and(|target| target.server.name() == server)
    }
}

/// The name of a server, and the error as it wrote it, where it gave one.
type Refusal = (String, Option<Arc<serde_json::value::RawValue>>);
