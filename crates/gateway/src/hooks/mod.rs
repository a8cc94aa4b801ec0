//! The user's scripts around every request: the ordered list, kept in the store and run in the sandbox.

mod book;
mod captures;
mod host;
mod late;
mod lineup;
mod mask;
mod members;
mod modules;
mod ops;
mod passage;
mod subject;
mod trace;
mod trial;
mod verdict;

pub(crate) use book::now;
pub use book::{HookStats, LastError, Tally};
pub use captures::Capture;
pub(crate) use late::Late;
pub(crate) use mask::{changed_below, hidden};
pub(crate) use ops::fresh_id;
pub use ops::{HookView, Validity};
pub(crate) use passage::{Answer, Before, Passage, unambiguous, unambiguous_reply};
pub(crate) use subject::Subject;
pub(crate) use trace::Left;
pub use trace::{Mark, Trace};
pub use trial::{ConsoleLine, Draft, Trial, TrialError};
pub(crate) use verdict::{blocked, error_of, failed, failed_node};

use book::Book;
use captures::Captures;

use crate::access::Access;
use crate::registry::Registry;
use arc_swap::ArcSwap;
use host::Host;
use process::Launcher;
use sandbox::Sandbox;
use std::sync::Arc;
use store::Store;

/// The hooks of a gateway and what runs them.
pub(crate) struct Hooks {
    /// The definitions, ready to run.
    pub(crate) book: Book,
    /// Where scripts run.
    pub(crate) sandbox: Sandbox,
    /// The last requests that passed.
    pub(crate) captures: Captures,
}

impl Hooks {
    /// The hooks that the store keeps.
    pub(crate) async fn load(
        store: &Store,
        launcher: Launcher,
        registry: Arc<ArcSwap<Registry>>,
        access: Arc<Access>,
    ) -> Result<Self, store::Error> {
        let book = Book::load(store).await?;
        let workers = std::thread::available_parallelism().map_or(1, usize::from);
        let sandbox =
            Sandbox::new(sandbox::Options { launcher, workers, host: Arc::new(Host::new(registry, access)) });
        if !book.is_empty() {
            sandbox.warm();
        }
        Ok(Self { book, sandbox, captures: Captures::default() })
    }
}
