//! The schedules area in memory.

use super::Memory;
use crate::marks::Since;
use crate::{Area, Error, StoredSchedule};

impl Memory {
    pub(crate) fn list_schedules(&self) -> Result<Vec<StoredSchedule>, Error> {
        self.with(|data| Ok(data.schedules.clone()))
    }

    pub(crate) fn get_schedule(&self, id: &str) -> Result<Option<StoredSchedule>, Error> {
        self.with(|data| Ok(data.schedules.iter().find(|known| known.id == id).cloned()))
    }

    pub(crate) fn put_schedule(&self, schedule: StoredSchedule, since: Since) -> Result<(), Error> {
        self.change_since(since, Area::Schedules, |data| {
            match data.schedules.iter_mut().find(|known| known.id == schedule.id) {
                Some(known) => *known = schedule,
                None => data.schedules.push(schedule),
            }
            Ok(())
        })
    }

    pub(crate) fn delete_schedule(&self, id: &str, since: Since) -> Result<bool, Error> {
        self.change_since(since, Area::Schedules, |data| {
            let before = data.schedules.len();
            data.schedules.retain(|known| known.id != id);
            Ok(data.schedules.len() < before)
        })
    }

    pub(crate) fn due_schedules(&self, now: i64, limit: usize) -> Result<Vec<StoredSchedule>, Error> {
        self.with(|data| {
            let fires = |one: &&StoredSchedule| !one.paused && one.next.is_some_and(|at| at <= now);
            let mut found: Vec<_> = data.schedules.iter().filter(fires).collect();
            found.sort_by_key(|one| (one.next, &one.id));
            Ok(found.into_iter().take(limit).cloned().collect())
        })
    }

    pub(crate) fn advance_schedule(
        &self,
        id: &str,
        expected: i64,
        next: Option<i64>,
        refused: Option<&str>,
    ) -> Result<bool, Error> {
        self.with(|data| {
            let meant = |one: &&mut StoredSchedule| one.id == id && !one.paused && one.next == Some(expected);
            let found = data.schedules.iter_mut().find(meant);
            Ok(found.map(|one| (one.next, one.refused) = (next, refused.map(str::to_owned))).is_some())
        })
    }
}
