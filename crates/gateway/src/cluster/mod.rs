//! Several instances on one store: each follows what the others change, and all hear what happens anywhere.
//!
//! What counts is in the store. What is said on its bus only makes it known sooner, and may be lost.

mod feed;
mod follow;
mod settle;
mod share;

pub(crate) use feed::Feed;
pub use feed::{FeedEvent, Feeding};
pub(crate) use settle::Setback;

use crate::gateway::Gateway;
use std::sync::Arc;

impl Gateway {
    /// Follows the other instances on the same store, until the future is dropped.
    pub async fn run_cluster(self: &Arc<Self>) {
        tokio::join!(self.follow_store(), self.hear_others());
    }

    /// Names this instance among those on the same store.
    pub fn instance(&self) -> &str {
        &self.around.instance
    }
}
