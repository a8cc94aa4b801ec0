//! Changes of definitions, which several instances may make at once. Each is decided upon what the store keeps, and kept
//! only if that is still so; otherwise it is decided anew.

use crate::gateway::{Gateway, unstored};
use model::{Code, Fault};
use store::Counts;

/// How often a change is decided anew. Each time somebody else's came through, so the end means a storm of changes.
const ATTEMPTS: usize = 32;

/// Why a change did not come about.
#[derive(Debug)]
pub(crate) enum Setback {
    /// What it was decided upon was changed meanwhile.
    Moved,
    /// It is refused.
    Refused(Fault),
}

impl Setback {
    /// What a refusal of the store means, with the words for those that concern the user.
    pub(crate) fn of(error: store::Error, words: impl FnOnce(store::Error) -> Fault) -> Self {
        match error {
            store::Error::Moved => Self::Moved,
            error => Self::Refused(words(error)),
        }
    }
}

impl From<Fault> for Setback {
    fn from(fault: Fault) -> Self {
        Self::Refused(fault)
    }
}

impl Gateway {
    /// Makes a change of definitions: `attempt` decides upon what is known here, which is what the store keeps, and
    /// writes with the counts that it is given. One at a time; all others wait.
    pub(crate) async fn settle<T, F>(&self, attempt: impl Fn(Counts) -> F) -> Result<T, Fault>
    where
        F: Future<Output = Result<T, Setback>>,
    {
        let mut followed = self.followed.lock().await;
        for _ in 0..ATTEMPTS {
            let now = self.store.marks().read().await.map_err(|error| unstored(&error))?;
            self.take_over(&mut followed, now, false).await.map_err(|error| unstored(&error))?;
            match attempt(now).await {
                Ok(done) => return Ok(done),
                Err(Setback::Moved) => {}
                Err(Setback::Refused(fault)) => return Err(fault),
            }
        }
        let message =
            "Other instances change definitions all the time, and nothing was changed here; try again";
        Err(Fault::new(Code::Conflict, message))
    }
}
