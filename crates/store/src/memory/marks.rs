//! The marks and the shared secrets in memory.

use super::Memory;
use crate::{Counts, Error};

impl Memory {
    pub(crate) fn marks(&self) -> Result<Counts, Error> {
        self.with(|data| Ok(data.marks))
    }

    pub(crate) async fn marks_changed(&self, seen: &Counts) -> Result<Counts, Error> {
        loop {
            let mut raised = std::pin::pin!(self.raised.notified());
            // From here on nothing is missed.
            raised.as_mut().enable();
            let counts = self.marks()?;
            if counts != *seen {
                return Ok(counts);
            }
            raised.await;
        }
    }

    pub(crate) fn secret(&self, name: &str, fresh: &str) -> Result<String, Error> {
        self.with(|data| Ok(data.secrets.entry(name.to_owned()).or_insert_with(|| fresh.to_owned()).clone()))
    }

    pub(crate) fn get_secret(&self, name: &str) -> Result<Option<String>, Error> {
        self.with(|data| Ok(data.secrets.get(name).cloned()))
    }

    pub(crate) fn put_secret(&self, name: &str, value: &str) -> Result<(), Error> {
        self.with(|data| {
            data.secrets.insert(name.to_owned(), value.to_owned());
            Ok(())
        })
    }

    pub(crate) fn replace_secret(&self, name: &str, was: &str, value: &str) -> Result<bool, Error> {
        self.with(|data| {
            let kept = data.secrets.get_mut(name).filter(|kept| *kept == was);
            Ok(kept.map(|kept| *kept = value.to_owned()).is_some())
        })
    }

    pub(crate) fn take_secret(&self, name: &str) -> Result<Option<String>, Error> {
        self.with(|data| Ok(data.secrets.remove(name)))
    }
}
