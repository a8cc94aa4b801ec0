//! The activities area in memory.

use super::Memory;
use crate::marks::Since;
use crate::{Area, Error, StoredActivity};

impl Memory {
    pub(crate) fn list_activities(&self) -> Result<Vec<StoredActivity>, Error> {
        self.with(|data| Ok(data.activities.clone()))
    }

    pub(crate) fn get_activity(&self, name: &str) -> Result<Option<StoredActivity>, Error> {
        self.with(|data| Ok(data.activities.iter().find(|known| known.name == name).cloned()))
    }

    pub(crate) fn put_activity(
        &self,
        activity: StoredActivity,
        before: Option<u64>,
        since: Since,
    ) -> Result<bool, Error> {
        self.change_since(since, Area::Activities, |data| {
            let known = data.activities.iter_mut().find(|known| known.name == activity.name);
            match (known, before) {
                (None, None) => data.activities.push(activity),
                (None, Some(_)) => return Err(Error::Gone(activity.name)),
                (Some(_), None) => return Err(Error::Taken(activity.name)),
                (Some(known), Some(revision)) if known.revision == revision => *known = activity,
                (Some(_), Some(_)) => return Ok(false),
            }
            Ok(true)
        })
    }

    pub(crate) fn delete_activity(&self, name: &str, since: Since) -> Result<bool, Error> {
        self.change_since(since, Area::Activities, |data| {
            let before = data.activities.len();
            data.activities.retain(|known| known.name != name);
            Ok(data.activities.len() < before)
        })
    }
}
