//! The sessions area in Redis.
//!
//! What never changes in a row and what does are kept apart, so that scripts need not read either. Lists and limits are
//! worked out here, over all rows; a session is created or removed by a compare-and-set on a number that every creation
//! and removal raises.

mod claims;
mod row;

use super::{Redis, key, script};
use crate::memory::Memory;
use crate::{Claim, Created, Error, SessionFilter, SessionLimits, SessionRow, StoredSession};
use claims::{HOLD, Hold};
use redis::{Script, ScriptInvocation};
use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

/// `KEYS`: bases, states, claims, events. `ARGV`: id, how many events there must be, the new state, the claim in three
/// parts, and the events. The whole is one step: Redis runs one script at a time.
static APPEND: LazyLock<Script> = LazyLock::new(|| {
    script(&format!(
        "{HOLD}
         if redis.call('HEXISTS', KEYS[2], ARGV[1]) == 0 then return -1 end
         if string.format('%.0f', redis.call('LLEN', KEYS[4])) ~= ARGV[2] then return 0 end
         for i = 7, #ARGV do redis.call('RPUSH', KEYS[4], ARGV[i]) end
         redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
         hold(KEYS[3], ARGV[1], ARGV[4], ARGV[5], ARGV[6])
         return 1"
    ))
});

/// `KEYS`: bases, states, claims, the number, the marks. `ARGV`: the number as it must be, the mark of the workflows
/// where that must be one, the beginning of the names of journals, how many sessions go, their ids; then, if one is made,
/// id, base, state, the claim in three parts, and events.
static SETTLE: LazyLock<Script> = LazyLock::new(|| {
    script(&format!(
        "{HOLD}
         if (redis.call('GET', KEYS[4]) or '0') ~= ARGV[1] then return 0 end
         if ARGV[2] ~= '' and (redis.call('HGET', KEYS[5], 'workflows') or '0') ~= ARGV[2] then return -1 end
         redis.call('INCR', KEYS[4])
         local last = 4 + tonumber(ARGV[4])
         for i = 5, last do
             for n = 1, 3 do redis.call('HDEL', KEYS[n], ARGV[i]) end
             redis.call('DEL', ARGV[3] .. ARGV[i])
         end
         local id = ARGV[last + 1]
         if id then
             redis.call('HSET', KEYS[1], id, ARGV[last + 2])
             redis.call('HSET', KEYS[2], id, ARGV[last + 3])
             hold(KEYS[3], id, ARGV[last + 4], ARGV[last + 5], ARGV[last + 6])
             for i = last + 7, #ARGV do redis.call('RPUSH', ARGV[3] .. id, ARGV[i]) end
         end
         return 1"
    ))
});

/// The name of the list of a session's events.
fn journal(id: &str) -> String {
    key(&format!("events:{id}"))
}

/// What a change of the set of sessions comes to.
struct Settled<T> {
    outcome: T,
    /// The ids of those that go.
    going: Vec<String>,
    /// Whether the session at hand is made.
    made: bool,
}

impl Redis {
    pub(crate) async fn create_session(
        &self,
        row: SessionRow,
        session_key: Option<String>,
        events: Vec<String>,
        limits: SessionLimits,
        claim: Claim,
    ) -> Result<Created, Error> {
        // The marks are not here; the script looks at them.
        let (limits, since) = (SessionLimits { since: None, ..limits }, limits.since);
        let plan = |memory: &Memory| {
            let before = memory.session_ids();
            let made =
                memory.create_session(row.clone(), session_key.clone(), Vec::new(), limits, Claim::Free)?;
            let after: BTreeSet<_> = memory.session_ids().into_iter().collect();
            let going = before.into_iter().filter(|id| !after.contains(id)).collect();
            Ok(Settled { made: made == Created::Made, outcome: made, going })
        };
        let (base, state) = row::texts(&row, session_key.as_deref());
        let hold = Hold::of(&claim);
        self.settle("create a session", since, plan, |settle| {
            settle.arg(&row.id).arg(&base).arg(&state);
            settle.arg(hold.what).arg(hold.holder).arg(hold.ms).arg(&events);
        })
        .await
    }

    /// Plans a change of the set of sessions, and carries it out unless the set has become another, or workflows were
    /// changed since they had been so often.
    async fn settle<T>(
        &self,
        doing: &'static str,
        since: Option<u64>,
        plan: impl Fn(&Memory) -> Result<Settled<T>, Error>,
        add: impl Fn(&mut ScriptInvocation<'_>),
    ) -> Result<T, Error> {
        let _turn = self.changing.lock().await;
        loop {
            let (number, rows) = self.numbered_rows().await?;
            let Settled { outcome, going, made } = plan(&Memory::of_sessions(rows))?;
            if going.is_empty() && !made {
                return Ok(outcome);
            }
            let mut settle = SETTLE.key(key("sessions:bases"));
            settle.key(key("sessions:states")).key(key("sessions:claims")).key(key("sessions:number"));
            settle.key(key("marks")).arg(number).arg(since.map_or(String::new(), |since| since.to_string()));
            settle.arg(journal("")).arg(going.len()).arg(going);
            if made {
                add(&mut settle);
            }
            match self.run(doing, &settle).await? {
                1 => return Ok(outcome),
                0 => {}
                _ => return Err(Error::Moved),
            }
        }
    }

    pub(crate) async fn append_to_session(
        &self,
        row: SessionRow,
        at: u64,
        events: Vec<String>,
        claim: Claim,
    ) -> Result<bool, Error> {
        let hold = Hold::of(&claim);
        let mut append = APPEND.key(key("sessions:bases"));
        append.key(key("sessions:states")).key(key("sessions:claims")).key(journal(&row.id));
        append.arg(&row.id).arg(at).arg(row::texts(&row, None).1);
        append.arg(hold.what).arg(hold.holder).arg(hold.ms).arg(events);
        match self.run("record what a session did", &append).await? {
            1 => Ok(true),
            0 => Ok(false),
            _ => Err(Error::Gone(row.id)),
        }
    }

    pub(crate) async fn get_session(&self, id: &str) -> Result<Option<StoredSession>, Error> {
        let mut pipe = redis::pipe();
        pipe.atomic();
        pipe.cmd("HGET").arg(key("sessions:bases")).arg(id);
        pipe.cmd("HGET").arg(key("sessions:states")).arg(id);
        pipe.cmd("LRANGE").arg(journal(id)).arg(0).arg(-1);
        let (base, state, events): (Option<String>, Option<String>, Vec<String>) =
            self.ask("read a session", &pipe).await?;
        let (Some(base), Some(state)) = (base, state) else { return Ok(None) };
        let (row, _) = self.session(id.to_owned(), &base, &state)?;
        Ok(Some(StoredSession { row, events }))
    }

    pub(crate) async fn session_row(&self, id: &str) -> Result<Option<SessionRow>, Error> {
        Ok(self.get_session(id).await?.map(|session| session.row))
    }

    pub(crate) async fn session_events(&self, id: &str, at: u64) -> Result<Option<Vec<String>>, Error> {
        let at = i64::try_from(at).unwrap_or(i64::MAX);
        let mut pipe = redis::pipe();
        pipe.atomic();
        pipe.cmd("HEXISTS").arg(key("sessions:states")).arg(id);
        pipe.cmd("LRANGE").arg(journal(id)).arg(at).arg(-1);
        let (known, events): (bool, Vec<String>) = self.ask("read the events of a session", &pipe).await?;
        Ok(known.then_some(events))
    }

    pub(crate) async fn list_sessions(
        &self,
        filter: SessionFilter<'_>,
        limit: usize,
        offset: usize,
    ) -> Result<Vec<StoredSession>, Error> {
        let mut found = self.sessions().await?.list_sessions(filter, limit, offset)?;
        let mut pipe = redis::pipe();
        pipe.atomic();
        for session in &found {
            pipe.cmd("LRANGE").arg(journal(&session.row.id)).arg(0).arg(-1);
        }
        if found.is_empty() {
            return Ok(found);
        }
        let events: Vec<Vec<String>> = self.ask("read sessions", &pipe).await?;
        found.iter_mut().zip(events).for_each(|(session, events)| session.events = events);
        Ok(found)
    }

    pub(crate) async fn count_sessions(&self, filter: SessionFilter<'_>) -> Result<u64, Error> {
        self.sessions().await?.count_sessions(filter)
    }

    pub(crate) async fn session_stats(&self) -> Result<Vec<(String, String, u64)>, Error> {
        self.sessions().await?.session_stats()
    }

    pub(crate) async fn open_sessions(
        &self,
        workflow: &str,
        caller: &str,
        limit: usize,
    ) -> Result<Vec<String>, Error> {
        self.sessions().await?.open_sessions(workflow, caller, limit)
    }

    pub(crate) async fn keyed_session(
        &self,
        workflow: &str,
        caller: &str,
        key: &str,
    ) -> Result<Option<String>, Error> {
        self.sessions().await?.keyed_session(workflow, caller, key)
    }

    pub(crate) async fn due_sessions(&self, now: i64, limit: usize) -> Result<Vec<String>, Error> {
        self.sessions().await?.due_sessions(now, limit)
    }

    pub(crate) async fn next_due_session(&self) -> Result<Option<i64>, Error> {
        self.sessions().await?.next_due_session()
    }

    pub(crate) async fn waiting_sessions(&self, word: &str, limit: usize) -> Result<Vec<String>, Error> {
        self.sessions().await?.waiting_sessions(word, limit)
    }

    pub(crate) async fn orphan_sessions(&self, limit: usize) -> Result<Vec<String>, Error> {
        self.sessions().await?.orphan_sessions(limit)
    }

    pub(crate) async fn answered_sessions(&self, limit: usize) -> Result<Vec<String>, Error> {
        self.sessions().await?.answered_sessions(limit)
    }

    pub(crate) async fn unfinished_sessions(
        &self,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<String>, Error> {
        self.sessions().await?.unfinished_sessions(after, limit)
    }

    pub(crate) async fn delete_session(&self, id: &str) -> Result<bool, Error> {
        let plan = |memory: &Memory| {
            let outcome = memory.delete_session(id)?;
            let going = if outcome { vec![id.to_owned()] } else { Vec::new() };
            Ok(Settled { outcome, going, made: false })
        };
        self.settle("remove a session", None, plan, |_| ()).await
    }

    pub(crate) async fn cleanup_sessions(
        &self,
        finished_before: i64,
        most: Option<u64>,
        statuses: &[&str],
    ) -> Result<u64, Error> {
        let plan = |memory: &Memory| {
            let before = memory.session_ids();
            let outcome = memory.cleanup_sessions(finished_before, most, statuses)?;
            let after: BTreeSet<_> = memory.session_ids().into_iter().collect();
            let going = before.into_iter().filter(|id| !after.contains(id)).collect();
            Ok(Settled { outcome, going, made: false })
        };
        self.settle("remove sessions", None, plan, |_| ()).await
    }

    pub(crate) async fn sessions_using(&self, definition: &str) -> Result<u64, Error> {
        self.sessions().await?.sessions_using(definition)
    }

    pub(crate) async fn session_keys(&self) -> Result<Vec<(String, String)>, Error> {
        self.sessions().await?.session_keys()
    }

    /// All sessions without their events.
    async fn sessions(&self) -> Result<Memory, Error> {
        Ok(Memory::of_sessions(self.rows().await?))
    }

    /// All rows, with the keys of their sessions.
    pub(super) async fn rows(&self) -> Result<Vec<(SessionRow, Option<String>)>, Error> {
        Ok(self.numbered_rows().await?.1)
    }

    /// The number of the sessions, where none of that workflow is open.
    pub(super) async fn number_without(&self, workflow: &str) -> Result<u64, Error> {
        let (number, rows) = self.numbered_rows().await?;
        Memory::of_sessions(rows).refuse_open(Some(workflow))?;
        Ok(number)
    }

    /// The same with the number that every creation and removal raises.
    async fn numbered_rows(&self) -> Result<(u64, Vec<(SessionRow, Option<String>)>), Error> {
        let mut pipe = redis::pipe();
        pipe.atomic();
        pipe.cmd("GET").arg(key("sessions:number"));
        pipe.cmd("HGETALL").arg(key("sessions:bases"));
        pipe.cmd("HGETALL").arg(key("sessions:states"));
        let (number, bases, mut states): (Option<u64>, HashMap<String, String>, HashMap<String, String>) =
            self.ask("read sessions", &pipe).await?;
        let both = bases.into_iter().filter_map(|(id, base)| Some((states.remove(&id)?, id, base)));
        let rows = both.map(|(state, id, base)| self.session(id, &base, &state)).collect::<Result<_, _>>()?;
        Ok((number.unwrap_or_default(), rows))
    }

    fn session(&self, id: String, base: &str, state: &str) -> Result<(SessionRow, Option<String>), Error> {
        row::read(id, base, state).map_err(|error| self.unreadable("read a session", &error))
    }
}
