//! Who holds which subscriptions to resources, counted, so that the last one that goes is known.

use super::catalog::Catalog;
use super::names::long;
use crate::server::Server;
use mcp::Kind;
use std::collections::{HashMap, HashSet};

/// Holders that may have subscriptions at once, and how many each: clients rarely say goodbye.
const HOLDERS_MAX: usize = 10_000;
const EACH_MAX: usize = 1000;

/// Who wants to hear of what, both ways round.
#[derive(Default)]
pub(super) struct Table {
    by_holder: HashMap<u64, Holder>,
    /// How many holders want each.
    counts: HashMap<String, Count>,
}

#[derive(Default)]
struct Holder {
    uris: HashSet<String>,
    has_session: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    with_session: usize,
    without: usize,
}

impl Count {
    fn of(&mut self, has_session: bool) -> &mut usize {
        if has_session { &mut self.with_session } else { &mut self.without }
    }
}

impl Table {
    /// Adds one; `None` when there is no room.
    pub(super) fn add(&mut self, holder: u64, has_session: bool, uri: &str) -> Option<()> {
        let full = match self.by_holder.get(&holder) {
            Some(mine) => mine.uris.len() >= EACH_MAX && !mine.uris.contains(uri),
            None => self.by_holder.len() >= HOLDERS_MAX,
        };
        if full {
            return None;
        }
        let mine = self.by_holder.entry(holder).or_default();
        mine.has_session = has_session;
        if mine.uris.insert(uri.to_owned()) {
            *self.counts.entry(uri.to_owned()).or_default().of(has_session) += 1;
        }
        Some(())
    }

    pub(super) fn remove(&mut self, holder: u64, uri: &str) {
        let Some(mine) = self.by_holder.get_mut(&holder) else { return };
        let (had, has_session) = (mine.uris.remove(uri), mine.has_session);
        if mine.uris.is_empty() {
            self.by_holder.remove(&holder);
        }
        if had && let Some(count) = self.counts.get_mut(uri) {
            *count.of(has_session) -= 1;
            if *count == Count::default() {
                self.counts.remove(uri);
            }
        }
    }

    /// Whether a shared process must tell of a resource, by an address of it. Clients with a process of
    /// their own hear of it from that one.
    pub(super) fn wants_by(&self, server: &Server, address: &str) -> bool {
        let alone = server.clients().is_some();
        self.counts.get(address).is_some_and(|count| count.without > 0 || !alone)
    }

    /// The same by either of its addresses.
    pub(super) fn wants(&self, catalog: &Catalog, server: &Server, own: &str) -> bool {
        self.wants_by(server, &long(Kind::Resources, server.name(), own))
            || (self.wants_by(server, own)
                && catalog.find_resource(own).iter().any(|target| target.server.name() == server.name()))
    }

    /// What a holder wants to hear of.
    pub(super) fn of(&self, holder: u64) -> Option<&HashSet<String>> {
        self.by_holder.get(&holder).map(|mine| &mine.uris)
    }

    /// Everything that anybody wants to hear of.
    pub(super) fn all(&self) -> impl Iterator<Item = &String> {
        self.counts.keys()
    }

    /// The holders with a session, which may be gone without a word.
    pub(super) fn with_session(&self) -> impl Iterator<Item = u64> {
        self.by_holder.iter().filter(|(_, mine)| mine.has_session).map(|(holder, _)| *holder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subscriptions_are_bounded_for_each_holder_and_in_all() {
        let mut table = Table::default();
        (0..EACH_MAX).for_each(|n| table.add(1, true, &n.to_string()).expect("there is room"));
        assert!(table.add(1, true, "one more").is_none());
        assert!(table.add(1, true, "0").is_some(), "it is there already");
        (2..=HOLDERS_MAX as u64).for_each(|holder| table.add(holder, true, "x").expect("there is room"));
        assert!(table.add(0, true, "x").is_none() && table.add(2, true, "y").is_some());
    }

    #[test]
    fn a_resource_is_counted_by_holder_and_forgotten_with_the_last() {
        let mut table = Table::default();
        for holder in [1, 2, 2] {
            table.add(holder, holder == 1, "u").expect("there is room");
        }
        assert_eq!(table.counts["u"], Count { with_session: 1, without: 1 });
        table.remove(1, "u");
        table.remove(1, "u");
        table.remove(3, "u");
        assert_eq!(table.counts["u"], Count { with_session: 0, without: 1 });
        table.remove(2, "u");
        assert!(table.counts.is_empty() && table.by_holder.is_empty());
    }
}
