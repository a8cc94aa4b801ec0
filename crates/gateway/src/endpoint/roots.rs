//! Which servers asked which legacy client for its roots, so that they hear when these change.

use mcp::{Client, WeakClient};
use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many clients are remembered; the oldest are forgotten first.
const CLIENTS_MAX: usize = 10_000;

/// The connections that know the roots of each client.
#[derive(Default)]
pub(super) struct Roots {
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    by_client: HashMap<u64, Vec<WeakClient>>,
    order: VecDeque<u64>,
}

impl Roots {
    /// A server asks a client for its roots.
    pub(super) fn asked(&self, client: u64, server: &Client) {
        let mut known = self.lock();
        if !known.by_client.contains_key(&client) {
            known.order.push_back(client);
        }
        let servers = known.by_client.entry(client).or_default();
        servers.retain(|other| other.upgrade().is_some());
        if !servers.iter().any(|other| other.is(server)) {
            servers.push(server.downgrade());
        }
        if known.order.len() > CLIENTS_MAX
            && let Some(oldest) = known.order.pop_front()
        {
            known.by_client.remove(&oldest);
        }
    }

    /// Those who know the roots of a client.
    pub(super) fn knowing(&self, client: u64) -> Vec<Client> {
        let known = self.lock();
        known.by_client.get(&client).into_iter().flatten().filter_map(WeakClient::upgrade).collect()
    }

    /// A client has left.
    pub(super) fn forget(&self, client: u64) {
        let mut known = self.lock();
        if known.by_client.remove(&client).is_some() {
            known.order.retain(|other| *other != client);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
