//! All servers: by name, and in the order in which they are listed.

use crate::server::Server;
use std::collections::HashMap;
use std::sync::Arc;

/// An unchanging set of servers; a change makes a new one.
#[derive(Clone, Default)]
pub struct Registry {
    by_name: HashMap<String, Arc<Server>>,
    order: Vec<Arc<Server>>,
}

impl Registry {
    /// A registry of these servers, in this order.
    pub(crate) fn new(order: Vec<Arc<Server>>) -> Self {
        let by_name = order.iter().map(|server| (server.name().to_owned(), server.clone())).collect();
        Self { by_name, order }
    }

    /// The server of that name.
    pub fn get(&self, name: &str) -> Option<&Arc<Server>> {
        self.by_name.get(name)
    }

    /// All servers: those of the config file in its order, then those added over the API.
    pub fn servers(&self) -> &[Arc<Server>] {
        &self.order
    }

    /// The servers that have a tool of that name.
    pub(crate) fn with_tool(&self, tool: &str) -> Vec<&Arc<Server>> {
        let has = |server: &&Arc<Server>| server.tools().is_some_and(|tools| tools.get(tool).is_some());
        self.order.iter().filter(has).collect()
    }

    /// The same servers without one, which is given back.
    pub(crate) fn without(&self, name: &str) -> (Self, Option<Arc<Server>>) {
        let rest = self.order.iter().filter(|server| server.name() != name).cloned().collect();
        (Self::new(rest), self.by_name.get(name).cloned())
    }

    /// The same servers and one more.
    pub(crate) fn with(&self, server: Arc<Server>) -> Self {
        let mut order = self.order.clone();
        order.push(server);
        Self::new(order)
    }
}
