//! The lists of all servers as one, with the names under which clients know the entries.

use super::names::{apart, cut, long, splits, stable};
use super::tasks::EXTENSION as TASKS;
use crate::access::{OWN, Pass};
use crate::registry::Registry;
use crate::server::Server;
use crate::sessions::OwnTools;
use mcp::{Entry, Era, Kind, Splice, member_at};
use model::settings::ToolNames;
use model::{Settings, Status};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// Entries on one page.
const PAGE: usize = 1000;

/// What a name stands for.
#[derive(Clone)]
pub(crate) struct Target {
    pub(crate) server: Arc<Server>,
    /// The server's own name or address for it.
    pub(crate) own: Arc<str>,
}

/// All entries of all running servers, in config order.
pub(crate) struct Catalog {
    lists: [Listing; Kind::ALL.len()],
    registry: Arc<Registry>,
}

#[derive(Default)]
struct Listing {
    by_name: HashMap<String, Target>,
    /// What servers that do not run had, under the names by which clients may still know it.
    away: HashMap<String, Target>,
    /// Entries as text, ready to be sent, separated by commas; one element per page.
    pages: Vec<String>,
    /// What tells the entries of each server from what they were; the gateway's own are under its own name.
    parts: BTreeMap<String, u64>,
    /// The cursors of all pages but the first. They tell of the whole list, so that none is good for another.
    cursors: Vec<String>,
    /// For templates: the literal beginning of each and what it stands for.
    beginnings: Beginnings,
    /// The same for servers that do not run.
    away_beginnings: Beginnings,
}

/// The literal beginnings of templates, in config order.
#[derive(Default)]
struct Beginnings(Vec<(String, Target)>);

impl Beginnings {
    fn add(&mut self, template: &str, target: &Target) {
        let beginning = template.split('{').next().unwrap_or_default();
        if !beginning.is_empty() {
            self.0.push((beginning.to_owned(), target.clone()));
        }
    }

    /// The server whose template fits an address best.
    fn best(&self, uri: &str) -> Option<Target> {
        // Of several that fit as well the last is taken, which must be the first in config order.
        let fitting = self.0.iter().rev().filter(|(beginning, _)| uri.starts_with(beginning.as_str()));
        let (_, best) = fitting.max_by_key(|(beginning, _)| beginning.len())?;
        Some(Target { server: best.server.clone(), own: uri.into() })
    }
}

impl Catalog {
    /// The catalogue of the servers as they are now.
    /// The same as a key sees it, given only the servers that it reaches.
    pub(crate) fn new(
        registry: Arc<Registry>,
        own: &OwnTools,
        settings: &Settings,
        pass: Option<&Pass>,
    ) -> Self {
        Self { lists: Kind::ALL.map(|kind| Listing::new(kind, &registry, own, settings, pass)), registry }
    }

    /// The text of the page under a cursor, or of the first, and the cursor of the next one. `None` for a cursor of another
    /// list, or of what this one was before it changed.
    pub(super) fn page(&self, kind: Kind, cursor: Option<&str>) -> Option<(&str, Option<&str>)> {
        let Listing { pages, cursors, .. } = &self.lists[kind as usize];
        let number = match cursor {
            Some(cursor) => cursors.iter().position(|known| known == cursor)? + 1,
            None => 0,
        };
        Some((pages.get(number).map_or("", String::as_str), cursors.get(number).map(String::as_str)))
    }

    /// The whole text of a list, to see whether it changed.
    pub(crate) fn text(&self, kind: Kind) -> &[String] {
        &self.lists[kind as usize].pages
    }

    /// Whether a list has anything, resources and templates counted as one.
    pub(super) fn shows(&self, kind: Kind) -> bool {
        let has = |kind| !self.text(kind).is_empty();
        has(kind) || (kind == Kind::Resources && has(Kind::Templates))
    }

    /// The servers whose entries in a list are others than they were, the gateway itself among them.
    pub(crate) fn changed_since<'a>(&'a self, before: &'a Self, kind: Kind) -> BTreeSet<&'a str> {
        let [now, then] = [self, before].map(|catalog| &catalog.lists[kind as usize].parts);
        let changed = now.iter().filter(|(name, part)| then.get(*name) != Some(part));
        let gone = then.keys().filter(|name| !now.contains_key(*name));
        changed.map(|(name, _)| name).chain(gone).map(String::as_str).collect()
    }

    /// What a name stands for: one that is listed, or was while its server ran, or the long form of any. Who
    /// asks for what is away hears of its server.
    pub(super) fn find(&self, kind: Kind, name: &str) -> Option<Target> {
        let listing = &self.lists[kind as usize];
        if let Some(target) = listing.by_name.get(name).or_else(|| listing.away.get(name)) {
            return Some(target.clone());
        }
        let mut meant =
            splits(kind, name).filter_map(|(server, own)| Some((self.registry.get(server)?, own)));
        let first = meant.next()?;
        // A server's name may begin like another's: who has it is meant, else the longest name.
        let has = |(server, own): &(&Arc<Server>, &str)| lists(server, kind, own);
        let (server, own) = if has(&first) { first } else { meant.find(has).unwrap_or(first) };
        Some(Target { server: server.clone(), own: own.into() })
    }

    /// The first that a name may stand for.
    pub(crate) fn target(&self, kind: Kind, name: &str) -> Option<Target> {
        match kind {
            Kind::Resources => self.find_resource(name).into_iter().next(),
            kind => self.find(kind, name),
        }
    }

    /// Who may have a resource: by address, by long form, by template, else every server with resources. What a
    /// server that does not run has is asked of nobody else.
    pub(super) fn find_resource(&self, uri: &str) -> Vec<Target> {
        if let Some(target) = self.find(Kind::Resources, uri).or_else(|| self.find(Kind::Templates, uri)) {
            return vec![target];
        }
        let templates = &self.lists[Kind::Templates as usize];
        let best = templates.beginnings.best(uri).or_else(|| templates.away_beginnings.best(uri));
        if let Some(target) = best {
            return vec![target];
        }
        let able = self.registry.servers().iter().filter(|server| can(server, "resources"));
        able.map(|server| Target { server: server.clone(), own: uri.into() }).collect()
    }

    /// Whether any running server announced a capability.
    pub(super) fn can(&self, capability: &str) -> bool {
        self.registry.servers().iter().any(|server| can(server, capability))
    }

    /// The running servers that announced a capability.
    pub(super) fn able(&self, capability: &str) -> impl Iterator<Item = &Arc<Server>> {
        self.registry.servers().iter().filter(move |server| can(server, capability))
    }

    /// What the running servers announced under a capability, put together. Where they say different things of one name,
    /// the first in config order is heard.
    pub(super) fn announced(&self, capability: &str) -> Option<Map<String, Value>> {
        let each = self.registry.servers().iter().filter_map(|server| {
            let connection = server.connection()?;
            connection.peer.capabilities.get(capability)?.as_object().cloned()
        });
        each.reduce(joined)
    }

    /// The one running server that has tasks as that era knows them; `None` when several have.
    pub(super) fn only_with_tasks(&self, era: Era) -> Option<&Arc<Server>> {
        let has = |server: &&Arc<Server>| {
            server.connection().is_some_and(|connection| {
                let peer = &connection.peer;
                let extensions = peer.capabilities.get("extensions");
                peer.era == era
                    && match era {
                        Era::Legacy => peer.can("tasks"),
                        Era::Modern => extensions.is_some_and(|all| all.get(TASKS).is_some()),
                    }
            })
        };
        let mut found = self.registry.servers().iter().filter(has);
        found.next().filter(|_| found.next().is_none())
    }

    /// What the servers want a client to know.
    pub(super) fn instructions(&self) -> Option<String> {
        let each = self.registry.servers().iter().filter_map(|server| {
            let text = server.connection()?.peer.instructions.clone()?;
            Some(format!("{}: {text}", server.name()))
        });
        let all: Vec<_> = each.collect();
        (!all.is_empty()).then(|| all.join("\n\n"))
    }
}

/// Two objects as one, and so what both have under one name where that is an object in both.
fn joined(mut all: Map<String, Value>, more: Map<String, Value>) -> Map<String, Value> {
    for (name, value) in more {
        match (all.get_mut(&name), value) {
            (Some(Value::Object(known)), Value::Object(more)) => *known = joined(std::mem::take(known), more),
            (Some(_), _) => {}
            (None, value) => {
                all.insert(name, value);
            }
        }
    }
    all
}

/// Whether a server has an entry of that name.
fn lists(server: &Server, kind: Kind, own: &str) -> bool {
    match kind {
        Kind::Tools => server.tools().is_some_and(|tools| tools.get(own).is_some()),
        _ => server.lists().get(kind).iter().any(|entry| entry.key == own),
    }
}

fn can(server: &Server, capability: &str) -> bool {
    server.connection().is_some_and(|connection| connection.peer.can(capability))
}

impl Listing {
    fn new(
        kind: Kind,
        registry: &Registry,
        own: &OwnTools,
        settings: &Settings,
        pass: Option<&Pass>,
    ) -> Self {
        let own: Vec<_> = if kind == Kind::Tools { own.seen_by(pass).collect() } else { Vec::new() };
        let running = registry.servers().iter().filter(|server| server.status() == Status::Running);
        let all: Vec<(Arc<Server>, Vec<Entry>)> =
            running.map(|server| (server.clone(), entries(server, kind, pass))).collect();
        let used = Used::new(own.iter().map(|(name, _)| &**name), &all);
        let names = Names { kind, registry, settings };
        let mut listing = Self::default();
        let mut on_page = 0;
        for (server, entries) in &all {
            for entry in entries {
                let taken = |name: &str| {
                    listing.by_name.contains_key(name) || own.iter().any(|(own, _)| **own == *name)
                };
                let name = names.shown(server, &entry.key, &used, taken);
                let target = Target { server: server.clone(), own: entry.key.as_str().into() };
                if kind == Kind::Templates {
                    listing.beginnings.add(&entry.key, &target);
                }
                listing.show(&mut on_page, server.name(), &renamed(kind, entry, &name));
                listing.by_name.insert(name, target);
            }
        }
        own.iter().for_each(|(_, entry)| listing.show(&mut on_page, OWN, entry));
        listing.remember(&names, pass);
        listing.cursors = cursors(&listing.pages);
        listing
    }

    /// Keeps the names of what servers that do not run had. The first in config order keeps its own name.
    fn remember(&mut self, names: &Names<'_>, pass: Option<&Pass>) {
        for server in names.registry.servers().iter().filter(|server| server.status() != Status::Running) {
            for entry in entries(server, names.kind, pass) {
                let target = Target { server: server.clone(), own: entry.key.as_str().into() };
                if matches!(names.kind, Kind::Resources | Kind::Templates) {
                    // Their long form needs no list to be understood.
                    if names.kind == Kind::Templates {
                        self.away_beginnings.add(&entry.key, &target);
                    }
                    self.away.entry(entry.key).or_insert(target);
                    continue;
                }
                let long = names.long(server, &entry.key);
                self.away.entry(long).or_insert_with(|| target.clone());
                if names.settings.mcp.tool_names == ToolNames::Auto {
                    self.away.entry(cut(entry.key, names.max())).or_insert(target);
                }
            }
        }
    }

    /// Puts an entry of a server on the last page, or on a new one when that is full.
    fn show(&mut self, on_page: &mut usize, server: &str, entry: &str) {
        if self.pages.is_empty() || *on_page == PAGE {
            self.pages.push(String::new());
            *on_page = 0;
        }
        *on_page += 1;
        if let Some(page) = self.pages.last_mut() {
            if !page.is_empty() {
                page.push(',');
            }
            page.push_str(entry);
        }
        let part = self.parts.entry(server.to_owned()).or_default();
        let mut hasher = DefaultHasher::new();
        (*part, entry).hash(&mut hasher);
        *part = hasher.finish();
    }
}

/// The cursors of all pages but the first: the same for the same list, on every instance and after a restart.
fn cursors(pages: &[String]) -> Vec<String> {
    if pages.len() < 2 {
        return Vec::new();
    }
    let hash = stable(pages.iter().flat_map(|page| page.bytes()));
    (1..pages.len()).map(|number| format!("page-{number}-{hash:016x}")).collect()
}

/// Whether a text is written as our cursors are.
pub(super) fn is_cursor(text: &str) -> bool {
    text.strip_prefix("page-").and_then(|rest| rest.split_once('-')).is_some_and(|(number, hash)| {
        number.parse::<usize>().is_ok() && u64::from_str_radix(hash, 16).is_ok() && hash.len() == 16
    })
}

/// What a server lists. Of entries with one name it can only be asked for one, so the first is shown.
fn entries(server: &Server, kind: Kind, pass: Option<&Pass>) -> Vec<Entry> {
    let seen = |entry: &&Entry| pass.is_none_or(|pass| pass.permits(server, &entry.key));
    let mut all: Vec<Entry> = match kind {
        Kind::Tools => server
            .tools()
            .map(|tools| tools.entries().iter().filter(seen).cloned().collect())
            .unwrap_or_default(),
        _ => server.lists().get(kind).to_vec(),
    };
    let mut met = HashSet::new();
    all.retain(|entry| met.insert(entry.key.clone()));
    all
}

/// The names that are in use: by how many, and as the long form of what.
struct Used<'a> {
    owners: HashMap<&'a str, usize>,
    long: HashSet<(&'a str, &'a str)>,
}

impl<'a> Used<'a> {
    fn new(own: impl Iterator<Item = &'a str>, all: &'a [(Arc<Server>, Vec<Entry>)]) -> Self {
        let each =
            || all.iter().flat_map(|(server, all)| all.iter().map(|entry| (server.name(), &*entry.key)));
        let mut owners = HashMap::new();
        own.chain(each().map(|(_, key)| key)).for_each(|name| *owners.entry(name).or_default() += 1);
        Self { owners, long: each().collect() }
    }

    /// Whether a name means one thing only. A long form means what it stands for, whoever else is called that.
    fn once(&self, kind: Kind, name: &str) -> bool {
        self.owners.get(name) == Some(&1) && !splits(kind, name).any(|pair| self.long.contains(&pair))
    }
}

/// How entries of one kind are called.
struct Names<'a> {
    kind: Kind,
    registry: &'a Registry,
    settings: &'a Settings,
}

impl Names<'_> {
    /// The name a client sees. Tools and prompts of one name all get the long form, so that none of them
    /// changes its meaning when a server comes or goes; of resources the first keeps its address.
    fn shown(&self, server: &Server, key: &str, used: &Used<'_>, taken: impl Fn(&str) -> bool) -> String {
        if matches!(self.kind, Kind::Resources | Kind::Templates) {
            return if taken(key) { long(self.kind, server.name(), key) } else { key.to_owned() };
        }
        let own = self.settings.mcp.tool_names == ToolNames::Auto && used.once(self.kind, key);
        let mut name = if own { cut(key.to_owned(), self.max()) } else { self.long(server, key) };
        // Hashes may be the same, and so may a tool of the gateway's own.
        for n in 1.. {
            if !taken(&name) {
                break;
            }
            name = self.apart(server, key, n);
        }
        name
    }

    /// The long form. Where it reads as that of a server with a longer name too, it means that one, and this
    /// one is told from it, whether or not that server runs.
    fn long(&self, server: &Server, key: &str) -> String {
        let plain = long(self.kind, server.name(), key);
        let longer = splits(self.kind, &plain).take_while(|(other, _)| other.len() > server.name().len());
        let means = |(other, own)| self.registry.get(other).is_some_and(|other| lists(other, self.kind, own));
        if longer.into_iter().any(means) { self.apart(server, key, 0) } else { cut(plain, self.max()) }
    }

    fn apart(&self, server: &Server, key: &str, n: usize) -> String {
        let of = format!("{} {key} {n}", server.name());
        apart(&long(self.kind, server.name(), key), &of, self.max())
    }

    fn max(&self) -> usize {
        usize::try_from(self.settings.mcp.max_name_length).unwrap_or(0)
    }
}

/// The entry with its new name, and nothing else changed.
fn renamed(kind: Kind, entry: &Entry, name: &str) -> String {
    let text = entry.raw.get();
    let mut out = Vec::with_capacity(text.len() + name.len());
    let mut splice = Splice::new(text);
    if name != entry.key
        && let Some(at) = member_at(text, kind.key())
    {
        let mut quoted = Vec::new();
        mcp::quote(name, &mut quoted);
        splice.replace(at, quoted);
    }
    splice.write(&mut out);
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}
