//! Carrying everything from one store to another.

use crate::{
    Backend, Before, Claim, Created, Error, SessionFilter, SessionLimits, Store, StoredSession,
    VariableChange,
};
use std::collections::{BTreeMap, BTreeSet};

/// Things that are read at once.
const PAGE: usize = 200;

/// A limit that none of the sessions to be copied meets.
const FREE: SessionLimits =
    SessionLimits { most: u64::MAX, finished_before: i64::MIN, evict_open: false, since: None };

/// How many of each kind were copied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Copied {
    pub servers: usize,
    pub hooks: usize,
    pub workflows: usize,
    pub versions: usize,
    pub variables: usize,
    pub runs: usize,
    pub activities: usize,
    pub schedules: usize,
    pub templates: usize,
    pub definitions: usize,
    pub sessions: usize,
    pub events: usize,
    pub keys: usize,
    pub audit: usize,
    pub secrets: usize,
}

/// Copies all areas of `from` into `to`, which must be empty: otherwise it is [`Error::Occupied`], and nothing is
/// copied. Nobody should write to `from` meanwhile. Claims on sessions stay behind, because whoever held them works
/// on the other store. A copy that was cut short leaves a part; it is begun again with an empty store.
pub async fn copy(from: &Store, to: &Store) -> Result<Copied, Error> {
    check_empty(to).await?;
    let mut copied = Copied::default();
    copy_definitions(from, to, &mut copied).await?;
    copy_workflows(from, to, &mut copied).await?;
    copy_runs(from, to, &mut copied).await?;
    copy_sessions(from, to, &mut copied).await?;
    copy_access(from, to, &mut copied).await?;
    // The secrets go last: a store that has them is whole.
    for (name, value) in secrets(from).await? {
        to.secrets().get_or_keep(&name, &value).await?;
        copied.secrets += 1;
    }
    Ok(copied)
}

async fn check_empty(store: &Store) -> Result<(), Error> {
    let kinds = [
        ("servers", !store.servers().list().await?.is_empty()),
        ("hooks", !store.hooks().list().await?.is_empty()),
        ("workflows", !store.workflows().list().await?.is_empty()),
        ("activities", !store.activities().list().await?.is_empty()),
        ("schedules", !store.schedules().list().await?.is_empty()),
        ("templates", !store.templates().list().await?.is_empty()),
        ("keys", !store.keys().list().await?.is_empty()),
        ("audit entries", store.audit().end().await?.0 > 0),
        ("runs", store.runs().count(None).await? > 0),
        ("sessions", store.sessions().count(SessionFilter::default()).await? > 0),
        ("versions of workflows", !versioned(store).await?.is_empty()),
        // An instance ran on it once, and what its clients hold would not open with the secrets that are copied.
        ("secrets", !secrets(store).await?.is_empty()),
    ];
    match kinds.into_iter().find(|(_, used)| *used) {
        Some((kind, _)) => Err(Error::Occupied(kind)),
        None => Ok(()),
    }
}

/// Servers, hooks, activities, schedules and templates, each in the order in which they were added.
async fn copy_definitions(from: &Store, to: &Store, copied: &mut Copied) -> Result<(), Error> {
    for server in from.servers().list().await? {
        to.servers().keep(server).await?;
        copied.servers += 1;
    }
    let hooks = from.hooks().list().await?;
    copied.hooks = hooks.len();
    to.hooks().add(hooks).await?;
    for activity in from.activities().list().await? {
        to.activities().put(activity, None).await?;
        copied.activities += 1;
    }
    for schedule in from.schedules().list().await? {
        to.schedules().put(schedule).await?;
        copied.schedules += 1;
    }
    for template in from.templates().list().await? {
        to.templates().add(template).await?;
        copied.templates += 1;
    }
    Ok(())
}

/// Keys, and the audit log with its numbers and hashes.
async fn copy_access(from: &Store, to: &Store, copied: &mut Copied) -> Result<(), Error> {
    for key in from.keys().list().await? {
        to.keys().add(key).await?;
        copied.keys += 1;
    }
    let mut page = from.audit().after(0, PAGE).await?;
    let (number, hash) = match page.first() {
        Some(first) => (first.number - 1, first.previous.clone()),
        None => from.audit().end().await?,
    };
    to.audit().begin(number, &hash).await?;
    while let Some(last) = page.last().map(|entry| entry.number) {
        copied.audit += page.len();
        to.audit().append(page.into_iter().map(|entry| entry.draft).collect()).await?;
        page = from.audit().after(last, PAGE).await?;
    }
    Ok(())
}

/// Workflows with what they were and what they remember.
async fn copy_workflows(from: &Store, to: &Store, copied: &mut Copied) -> Result<(), Error> {
    for workflow in from.workflows().list().await? {
        let id = workflow.id.clone();
        to.workflows().add(workflow).await?;
        copied.workflows += 1;
        let kept = from.variables().all(&id).await?.into_iter();
        let changes: Vec<_> =
            kept.map(|(name, after)| VariableChange { name, before: Before::Any, after }).collect();
        copied.variables += changes.len();
        to.variables().change(&id, changes).await?;
    }
    for id in versioned(from).await? {
        for version in from.versions().list(&id, usize::MAX, 0).await? {
            to.versions().add(version).await?;
            copied.versions += 1;
        }
    }
    Ok(())
}

async fn copy_runs(from: &Store, to: &Store, copied: &mut Copied) -> Result<(), Error> {
    loop {
        let page = from.runs().list(None, PAGE, copied.runs).await?;
        if page.is_empty() {
            return Ok(());
        }
        copied.runs += page.len();
        to.runs().keep(page).await?;
    }
}

/// Sessions with their journals, their keys and the definitions that they are pinned to.
async fn copy_sessions(from: &Store, to: &Store, copied: &mut Copied) -> Result<(), Error> {
    let mut keys: BTreeMap<_, _> = session_keys(from).await?.into_iter().collect();
    let mut pinned = BTreeSet::new();
    loop {
        let page = from.sessions().list(SessionFilter::default(), PAGE, copied.sessions).await?;
        if page.is_empty() {
            return Ok(());
        }
        for StoredSession { row, events } in page {
            if pinned.insert(row.definition.clone())
                && let Some(body) = from.definitions().get(&row.definition).await?
            {
                to.definitions().put(&row.definition, &body).await?;
                copied.definitions += 1;
            }
            let (id, count) = (row.id.clone(), events.len());
            match to.sessions().create(row, keys.remove(&id), events, FREE, Claim::Free).await? {
                Created::Made => {}
                Created::Exists(_) | Created::Full => return Err(Error::Occupied("sessions")),
            }
            copied.sessions += 1;
            copied.events += count;
        }
    }
}

/// The ids of sessions whose creation was made unique, with their keys.
async fn session_keys(store: &Store) -> Result<Vec<(String, String)>, Error> {
    match &*store.backend {
        Backend::Memory(memory) => memory.session_keys(),
        Backend::Sqlite(sqlite) => sqlite.session_keys().await,
        Backend::Postgres(postgres) => Box::pin(postgres.session_keys()).await,
        Backend::Redis(redis) => Box::pin(redis.session_keys()).await,
    }
}

/// The ids of workflows that have versions; some of them may be gone.
async fn versioned(store: &Store) -> Result<Vec<String>, Error> {
    match &*store.backend {
        Backend::Memory(memory) => memory.versioned_workflows(),
        Backend::Sqlite(sqlite) => sqlite.versioned_workflows().await,
        Backend::Postgres(postgres) => Box::pin(postgres.versioned_workflows()).await,
        Backend::Redis(redis) => Box::pin(redis.versioned_workflows()).await,
    }
}

/// The secrets that instances share, by their names.
async fn secrets(store: &Store) -> Result<Vec<(String, String)>, Error> {
    match &*store.backend {
        Backend::Memory(memory) => memory.secrets(),
        Backend::Sqlite(sqlite) => sqlite.secrets().await,
        Backend::Postgres(postgres) => Box::pin(postgres.secrets()).await,
        Backend::Redis(redis) => Box::pin(redis.secrets()).await,
    }
}
