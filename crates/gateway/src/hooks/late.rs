//! Hooks that were under way when nobody waited for their request any more. All hooks of a phase are one job, and what
//! they did is known only when their worker tells, a little later.

use super::Mark;
use std::mem::replace;
use std::sync::{Mutex, PoisonError};

/// Whoever keeps a record of such a request waits here for the last of its hooks.
#[derive(Debug, Default)]
pub(crate) struct Late(Mutex<Stage>);

type Then = Box<dyn FnOnce(&[Mark]) + Send>;

enum Stage {
    Waiting(Vec<Then>),
    Told(Vec<Mark>),
}

impl Default for Stage {
    fn default() -> Self {
        Self::Waiting(Vec::new())
    }
}

impl std::fmt::Debug for Stage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Stage")
    }
}

impl Late {
    /// Has this done with what the hooks did, as soon as that is known.
    pub(crate) fn then(&self, then: impl FnOnce(&[Mark]) + Send + 'static) {
        let mut stage = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let told = match &mut *stage {
            Stage::Waiting(all) => return all.push(Box::new(then)),
            Stage::Told(marks) => marks.clone(),
        };
        drop(stage);
        then(&told);
    }

    /// This is what they did.
    pub(super) fn tell(&self, marks: &[Mark]) {
        let stage = Stage::Told(marks.to_owned());
        let before = replace(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner), stage);
        if let Stage::Waiting(all) = before {
            all.into_iter().for_each(|then| then(marks));
        }
    }
}
