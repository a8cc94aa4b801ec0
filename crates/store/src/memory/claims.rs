//! Who works on sessions, in memory.

use super::sessions::Kept;
use super::{Data, Memory};
use crate::clock;
use crate::{AT_WORK, Claim, Error, Lease};

impl Kept {
    /// Follows a claim.
    pub(super) fn settle(&mut self, claim: Claim) {
        match claim {
            Claim::Keep => {}
            Claim::Take(lease) => self.take(&lease),
            Claim::Free => self.held = None,
        }
    }

    fn take(&mut self, lease: &Lease) {
        self.held = Some((lease.holder.clone(), clock::end(clock::now(), lease.ms)));
    }

    fn is_free(&self) -> bool {
        self.held.as_ref().is_none_or(|(_, until)| *until <= clock::now())
    }

    fn is_of(&self, holder: &str) -> bool {
        self.held.as_ref().is_some_and(|(one, _)| **one == *holder)
    }
}

impl Memory {
    pub(crate) fn take_up_sessions(
        &self,
        now: i64,
        lease: &Lease,
        limit: usize,
    ) -> Result<Vec<String>, Error> {
        self.with(|data| {
            let is_due = |kept: &Kept| {
                let row = &kept.session.row;
                row.waiting.as_deref() == Some(AT_WORK) || row.due.is_some_and(|at| at <= now)
            };
            let meant = data.sessions.iter_mut().filter(|(_, kept)| kept.is_free() && is_due(kept));
            let taken = meant.take(limit).map(|(id, kept)| {
                kept.take(lease);
                id.clone()
            });
            Ok(taken.collect())
        })
    }

    pub(crate) fn claim_session(&self, id: &str, lease: &Lease) -> Result<bool, Error> {
        self.with(|data| {
            let kept = data.sessions.get_mut(id).filter(|kept| kept.is_free() || kept.is_of(&lease.holder));
            Ok(kept.map(|kept| kept.take(lease)).is_some())
        })
    }

    pub(crate) fn renew_sessions(&self, ids: &[String], lease: &Lease) -> Result<Vec<String>, Error> {
        self.with(|data| {
            let mut held = Vec::new();
            for id in ids {
                if let Some(kept) = data.sessions.get_mut(id).filter(|kept| kept.is_of(&lease.holder)) {
                    kept.take(lease);
                    held.push(id.clone());
                }
            }
            Ok(held)
        })
    }

    pub(crate) fn release_session(&self, id: &str, holder: &str) -> Result<(), Error> {
        self.with(|data| {
            let kept = data.sessions.get_mut(id).filter(|kept| kept.is_of(holder));
            kept.into_iter().for_each(|kept| kept.held = None);
            Ok(())
        })
    }

    pub(crate) fn release_sessions(&self, holder: Option<&str>) -> Result<u64, Error> {
        self.with(|data: &mut Data| {
            let of = |kept: &&mut Kept| match holder {
                Some(holder) => kept.is_of(holder),
                None => kept.held.is_some(),
            };
            let freed = data.sessions.values_mut().filter(of).map(|kept| kept.held = None);
            Ok(freed.count() as u64)
        })
    }
}
