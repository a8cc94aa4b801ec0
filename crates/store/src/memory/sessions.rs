//! The sessions area in memory.

use super::{Data, Memory};
use crate::{Area, Claim, Created, Error, SessionFilter, SessionLimits, SessionRow, StoredSession};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

/// A session, and the key that its creation was made unique with.
pub(super) struct Kept {
    pub(super) session: StoredSession,
    pub(super) key: Option<String>,
    /// Who holds it, and until when.
    pub(super) held: Option<(Arc<str>, i64)>,
}

impl Data {
    /// Refuses what cannot be while a session of the workflow of this name is open.
    pub(super) fn refuse_open(&self, workflow: Option<&str>) -> Result<(), Error> {
        let open =
            |kept: &Kept| kept.session.row.open && Some(kept.session.row.workflow.as_str()) == workflow;
        if self.sessions.values().any(open) { Err(Error::Moved) } else { Ok(()) }
    }
}

impl Memory {
    /// Refuses what cannot be while a session of the workflow of this name is open.
    pub(crate) fn refuse_open(&self, workflow: Option<&str>) -> Result<(), Error> {
        self.with(|data| data.refuse_open(workflow))
    }

    pub(crate) fn create_session(
        &self,
        row: SessionRow,
        key: Option<String>,
        events: Vec<String>,
        limits: SessionLimits,
        claim: Claim,
    ) -> Result<Created, Error> {
        self.with(|data| {
            if limits.since.is_some_and(|since| since != data.marks.of(Area::Workflows)) {
                return Err(Error::Moved);
            }
            let known = key.as_deref().and_then(|key| keyed(data, &row.workflow, &row.caller, key));
            if let Some(id) = known {
                return Ok(Created::Exists(id));
            }
            remove_old(&mut data.sessions, |row| ended_before(row, limits.finished_before));
            if !make_room(&mut data.sessions, limits, row.parent.as_ref()) {
                return Ok(Created::Full);
            }
            if data.sessions.contains_key(&row.id) {
                return Err(Error::Taken(row.id));
            }
            let id = row.id.clone();
            let mut kept = Kept { session: StoredSession { row, events }, key, held: None };
            kept.settle(claim);
            data.sessions.insert(id, kept);
            Ok(Created::Made)
        })
    }

    pub(crate) fn append_to_session(
        &self,
        row: SessionRow,
        at: u64,
        events: Vec<String>,
        claim: Claim,
    ) -> Result<bool, Error> {
        self.with(|data| {
            let Some(kept) = data.sessions.get_mut(&row.id) else {
                return Err(Error::Gone(row.id));
            };
            if kept.session.events.len() as u64 != at {
                return Ok(false);
            }
            kept.settle(claim);
            let session = &mut kept.session;
            session.events.extend(events);
            let first = &mut session.row;
            let (workflow, caller) = (first.workflow.split_off(0), first.caller.split_off(0));
            *first = SessionRow {
                workflow,
                caller,
                started_at: first.started_at,
                parent: first.parent.take(),
                ..row
            };
            Ok(true)
        })
    }

    pub(crate) fn get_session(&self, id: &str) -> Result<Option<StoredSession>, Error> {
        self.with(|data| Ok(data.sessions.get(id).map(|kept| kept.session.clone())))
    }

    pub(crate) fn session_row(&self, id: &str) -> Result<Option<SessionRow>, Error> {
        self.with(|data| Ok(data.sessions.get(id).map(|kept| kept.session.row.clone())))
    }

    pub(crate) fn session_events(&self, id: &str, at: u64) -> Result<Option<Vec<String>>, Error> {
        let at = usize::try_from(at).unwrap_or(usize::MAX);
        let later = |kept: &Kept| kept.session.events.get(at..).unwrap_or_default().to_vec();
        self.with(|data| Ok(data.sessions.get(id).map(later)))
    }

    pub(crate) fn list_sessions(
        &self,
        filter: SessionFilter<'_>,
        limit: usize,
        offset: usize,
    ) -> Result<Vec<StoredSession>, Error> {
        self.with(|data| {
            let mut found: Vec<_> = data.stored().filter(|one| passes(&filter, &one.row)).collect();
            found.sort_by_key(|one| (Reverse(one.row.started_at), &one.row.id));
            Ok(found.into_iter().skip(offset).take(limit).cloned().collect())
        })
    }

    pub(crate) fn count_sessions(&self, filter: SessionFilter<'_>) -> Result<u64, Error> {
        self.with(|data| Ok(data.rows().filter(|row| passes(&filter, row)).count() as u64))
    }

    pub(crate) fn session_stats(&self) -> Result<Vec<(String, String, u64)>, Error> {
        self.with(|data| {
            let mut counts = BTreeMap::<(&str, &str), u64>::new();
            data.rows().for_each(|row| *counts.entry((&row.workflow, &row.status)).or_default() += 1);
            Ok(counts
                .into_iter()
                .map(|((workflow, status), n)| (workflow.into(), status.into(), n))
                .collect())
        })
    }

    pub(crate) fn open_sessions(
        &self,
        workflow: &str,
        caller: &str,
        limit: usize,
    ) -> Result<Vec<String>, Error> {
        let meant = |row: &SessionRow| row.open && row.workflow == workflow && row.caller == caller;
        self.with(|data| Ok(ids(data, meant, |row| Reverse(row.started_at), limit)))
    }

    pub(crate) fn keyed_session(
        &self,
        workflow: &str,
        caller: &str,
        key: &str,
    ) -> Result<Option<String>, Error> {
        self.with(|data| Ok(keyed(data, workflow, caller, key)))
    }

    pub(crate) fn due_sessions(&self, now: i64, limit: usize) -> Result<Vec<String>, Error> {
        let meant = |row: &SessionRow| row.due.is_some_and(|at| at <= now);
        self.with(|data| Ok(ids(data, meant, |row| row.due, limit)))
    }

    pub(crate) fn next_due_session(&self) -> Result<Option<i64>, Error> {
        self.with(|data| Ok(data.rows().filter_map(|row| row.due).min()))
    }

    pub(crate) fn waiting_sessions(&self, word: &str, limit: usize) -> Result<Vec<String>, Error> {
        let meant = |row: &SessionRow| row.waiting.as_deref() == Some(word);
        self.with(|data| Ok(ids(data, meant, |row| row.started_at, limit)))
    }

    pub(crate) fn orphan_sessions(&self, limit: usize) -> Result<Vec<String>, Error> {
        self.with(|data| {
            let is_over = |id: &String| data.sessions.get(id).is_none_or(|kept| !kept.session.row.open);
            let orphan = |row: &SessionRow| row.open && row.parent.as_ref().is_some_and(is_over);
            let found = data.sessions.iter().filter(|(_, kept)| orphan(&kept.session.row));
            Ok(found.take(limit).map(|(id, _)| id.clone()).collect())
        })
    }

    pub(crate) fn answered_sessions(&self, limit: usize) -> Result<Vec<String>, Error> {
        self.with(|data| {
            let is_over = |id: &str| data.sessions.get(id).is_none_or(|kept| !kept.session.row.open);
            let child = |row: &SessionRow| row.waiting.as_deref()?.strip_prefix("session:").map(is_over);
            Ok(ids(data, |row| child(row) == Some(true), |_| (), limit))
        })
    }

    pub(crate) fn unfinished_sessions(
        &self,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<String>, Error> {
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        self.with(|data| {
            let later = data.sessions.range::<str, _>((from, Bound::Unbounded));
            let open = later.filter(|(_, kept)| kept.session.row.open);
            Ok(open.take(limit).map(|(id, _)| id.clone()).collect())
        })
    }

    pub(crate) fn delete_session(&self, id: &str) -> Result<bool, Error> {
        self.with(|data| Ok(data.sessions.remove(id).is_some()))
    }

    pub(crate) fn cleanup_sessions(
        &self,
        finished_before: i64,
        most: Option<u64>,
        statuses: &[&str],
    ) -> Result<u64, Error> {
        let meant =
            |row: &SessionRow| !row.open && (statuses.is_empty() || statuses.contains(&row.status.as_str()));
        self.with(|data| {
            let before = data.sessions.len();
            remove_old(&mut data.sessions, |row| meant(row) && ended_before(row, finished_before));
            let over = (data.sessions.len() as u64).saturating_sub(most.unwrap_or(u64::MAX));
            let over = usize::try_from(over).unwrap_or(usize::MAX);
            let loose = |row: &SessionRow| meant(row) && !is_step(&data.sessions, row);
            for id in ids(data, loose, |row| row.completed_at, over) {
                data.sessions.remove(&id);
            }
            Ok((before - data.sessions.len()) as u64)
        })
    }

    pub(crate) fn sessions_using(&self, definition: &str) -> Result<u64, Error> {
        self.with(
            |data| Ok(data.rows().filter(|row| row.open && row.definition == definition).count() as u64),
        )
    }
}

impl Data {
    fn stored(&self) -> impl Iterator<Item = &StoredSession> {
        self.sessions.values().map(|kept| &kept.session)
    }

    /// The rows of all sessions, in the order of their ids.
    pub(super) fn rows(&self) -> impl Iterator<Item = &SessionRow> {
        self.stored().map(|one| &one.row)
    }
}

/// The first `limit` ids of those that are meant, sorted by `order` and then by id.
fn ids<K: Ord>(
    data: &Data,
    meant: impl Fn(&SessionRow) -> bool,
    order: impl Fn(&SessionRow) -> K,
    limit: usize,
) -> Vec<String> {
    let mut found: Vec<_> = data.rows().filter(|row| meant(row)).collect();
    found.sort_by_key(|row| order(row));
    found.into_iter().take(limit).map(|row| row.id.clone()).collect()
}

/// Whether it runs as a step of a session that is open, which may ask again what it gave.
fn is_step(sessions: &BTreeMap<String, Kept>, row: &SessionRow) -> bool {
    let above = row.parent.as_ref().and_then(|id| sessions.get(id));
    above.is_some_and(|above| above.session.row.open)
}

/// Removes those of the sessions that are meant which do not run as steps of open ones.
fn remove_old(sessions: &mut BTreeMap<String, Kept>, meant: impl Fn(&SessionRow) -> bool) {
    let rows = sessions.values().map(|kept| &kept.session.row);
    let old = rows.filter(|row| meant(row) && !is_step(sessions, row)).map(|row| row.id.clone());
    let old: Vec<String> = old.collect();
    old.iter().for_each(|id| drop(sessions.remove(id)));
}

fn ended_before(row: &SessionRow, time: i64) -> bool {
    !row.open && row.completed_at.is_some_and(|at| at < time)
}

fn passes(filter: &SessionFilter<'_>, row: &SessionRow) -> bool {
    let waits = |prefix| row.waiting.as_deref().is_some_and(|word| word.starts_with(prefix));
    filter.workflow.is_none_or(|name| row.workflow == name)
        && filter.status.is_none_or(|word| row.status == word)
        && filter.caller.is_none_or(|name| row.caller == name)
        && filter.parent.is_none_or(|id| row.parent.as_deref() == Some(id))
        && filter.waiting.is_none_or(waits)
}

/// The session that was created with a key.
fn keyed(data: &Data, workflow: &str, caller: &str, key: &str) -> Option<String> {
    let same = |kept: &&Kept| {
        let row = &kept.session.row;
        kept.key.as_deref() == Some(key) && row.workflow == workflow && row.caller == caller
    };
    data.sessions.values().find(same).map(|kept| kept.session.row.id.clone())
}

/// Removes sessions until one more is allowed; removes none and says `false` when that cannot be.
fn make_room(sessions: &mut BTreeMap<String, Kept>, limits: SessionLimits, parent: Option<&String>) -> bool {
    let over = (sessions.len() as u64 + 1).saturating_sub(limits.most) as usize;
    let above = |id: &&String| sessions.get(*id)?.session.row.parent.as_ref();
    let above: Vec<_> = std::iter::successors(parent, above).take(sessions.len() + 1).collect();
    let mut going: Vec<_> = sessions
        .values()
        .map(|kept| &kept.session.row)
        .filter(|row| match row.open {
            true => limits.evict_open && !above.contains(&&row.id),
            false => !is_step(sessions, row),
        })
        .collect();
    if over > going.len() {
        return false;
    }
    let age = |row: &SessionRow| if row.open { Some(row.started_at) } else { row.completed_at };
    going.sort_by_key(|row| (row.open, age(row)));
    let going: Vec<_> = going.into_iter().take(over).map(|row| row.id.clone()).collect();
    going.iter().for_each(|id| drop(sessions.remove(id)));
    true
}
