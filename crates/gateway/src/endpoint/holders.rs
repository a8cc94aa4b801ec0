//! Who holds which subscriptions to resources, counted, so that the last one that goes is known.

use super::catalog::Catalog;
use super::names::long;
use crate::server::Server;
use mcp::Kind;
use std::collections::HashMap;

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
    /// The addresses that it wants to hear of, each with the names by which it is told.
    uris: HashMap<String, Vec<String>>,
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
    /// Adds an address, by a name for it; `None` when there is no room.
    pub(super) fn add(&mut self, holder: u64, has_session: bool, uri: &str, name: &str) -> Option<()> {
        let full = match self.by_holder.get(&holder) {
            Some(mine) => mine.uris.len() >= EACH_MAX && !mine.uris.contains_key(uri),
            None => self.by_holder.len() >= HOLDERS_MAX,
        };
        if full {
            return None;
        }
        let mine = self.by_holder.entry(holder).or_default();
        mine.has_session = has_session;
        let names = mine.uris.entry(uri.to_owned()).or_default();
        if names.is_empty() {
            *self.counts.entry(uri.to_owned()).or_default().of(has_session) += 1;
        }
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
        Some(())
    }

    /// Takes away what a holder wants by a name; the addresses that it stood for.
    pub(super) fn remove(&mut self, holder: u64, name: &str) -> Vec<String> {
        let held = self.under(holder, name);
        let Some(mine) = self.by_holder.get_mut(&holder) else { return held };
        let (mut gone, has_session) = (Vec::new(), mine.has_session);
        for uri in &held {
            let Some(names) = mine.uris.get_mut(uri) else { continue };
            names.retain(|known| known != name);
            if names.is_empty() {
                mine.uris.remove(uri);
                gone.push(uri);
            }
        }
        if mine.uris.is_empty() {
            self.by_holder.remove(&holder);
        }
        gone.into_iter().for_each(|uri| self.uncount(uri, has_session));
        held
    }

    /// Takes away a holder; the addresses that it wanted.
    pub(super) fn remove_all(&mut self, holder: u64) -> Vec<String> {
        let Holder { uris, has_session } = self.by_holder.remove(&holder).unwrap_or_default();
        let gone: Vec<String> = uris.into_keys().collect();
        gone.iter().for_each(|uri| self.uncount(uri, has_session));
        gone
    }

    fn uncount(&mut self, uri: &str, has_session: bool) {
        let Some(count) = self.counts.get_mut(uri) else { return };
        *count.of(has_session) -= 1;
        if *count == Count::default() {
            self.counts.remove(uri);
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

    /// The addresses that a holder wants to hear of.
    pub(super) fn of(&self, holder: u64) -> impl Iterator<Item = &String> {
        self.by_holder.get(&holder).into_iter().flat_map(|mine| mine.uris.keys())
    }

    /// Those of them that a name of the holder stands for.
    pub(super) fn under(&self, holder: u64, name: &str) -> Vec<String> {
        let named = |uri: &&String| self.names(holder, uri).iter().any(|known| known == name);
        self.of(holder).filter(named).cloned().collect()
    }

    /// The names by which a holder is told of an address; none when it does not want to hear of it.
    pub(super) fn names(&self, holder: u64, uri: &str) -> &[String] {
        self.by_holder.get(&holder).and_then(|mine| mine.uris.get(uri)).map_or(&[], Vec::as_slice)
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
        let mut add = |holder: u64, uri: &str| table.add(holder, true, uri, uri);
        (0..EACH_MAX).for_each(|n| add(1, &n.to_string()).expect("there is room"));
        assert!(add(1, "one more").is_none());
        assert!(add(1, "0").is_some(), "it is there already");
        (2..=HOLDERS_MAX as u64).for_each(|holder| add(holder, "x").expect("there is room"));
        assert!(add(0, "x").is_none() && add(2, "y").is_some());
    }

    #[test]
    fn an_address_is_held_until_its_last_name_is_gone() {
        let mut table = Table::default();
        for (uri, name) in [("s+u", "u"), ("s+u", "s+u"), ("s+u", "u"), ("t+u", "u"), ("v", "v")] {
            table.add(1, true, uri, name).expect("there is room");
        }
        assert_eq!(table.names(1, "s+u"), ["u", "s+u"]);
        assert_eq!(table.counts["s+u"], Count { with_session: 1, without: 0 });
        let mut gone = table.remove(1, "u");
        gone.sort();
        assert_eq!(gone, ["s+u", "t+u"]);
        assert_eq!(
            (table.names(1, "s+u"), table.counts.contains_key("t+u")),
            (&["s+u".to_owned()][..], false)
        );
        assert!(table.remove(1, "t+u").is_empty() && table.remove(2, "v").is_empty());
        let mut gone = table.remove_all(1);
        gone.sort();
        assert_eq!(gone, ["s+u", "v"]);
        assert!(table.counts.is_empty() && table.by_holder.is_empty());
    }

    #[test]
    fn a_resource_is_counted_by_holder_and_forgotten_with_the_last() {
        let mut table = Table::default();
        for holder in [1, 2, 2] {
            table.add(holder, holder == 1, "u", "u").expect("there is room");
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
