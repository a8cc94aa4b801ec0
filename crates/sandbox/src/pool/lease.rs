//! A worker that is lent to one job.

use super::{Connection, Pool, is_used_up};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// A worker that is lent to one job. Dropped in the middle of one, it is killed; dropped unused, it goes
/// back. Nobody waits for either.
pub(crate) struct Lease {
    connection: Option<Connection>,
    pool: Arc<Pool>,
    /// A job is under way: what the worker says next belongs to it.
    busy: bool,
}

impl Lease {
    pub(crate) fn new(connection: Connection, pool: Arc<Pool>) -> Self {
        Self { connection: Some(connection), pool, busy: false }
    }

    /// From here on the worker is lost when the lease is dropped.
    pub(crate) fn begin(&mut self) {
        self.busy = true;
    }

    /// The job is done and all that the worker had to say was heard.
    pub(crate) fn end(mut self, renew: bool) {
        let Some(connection) = self.connection.take() else { return };
        if renew || is_used_up(connection.jobs(), connection.since()) {
            self.pool.discard(&connection, renew);
        } else {
            self.pool.put(connection);
        }
    }

    pub(super) fn into_connection(mut self) -> Connection {
        self.connection.take().expect("a lease holds its worker until it is dropped")
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        match self.connection.take() {
            Some(connection) if self.busy => self.pool.discard(&connection, true),
            Some(connection) => self.pool.put(connection),
            None => {}
        }
    }
}

impl Deref for Lease {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection.as_ref().expect("a lease holds its worker until it is dropped")
    }
}

impl DerefMut for Lease {
    fn deref_mut(&mut self) -> &mut Connection {
        self.connection.as_mut().expect("a lease holds its worker until it is dropped")
    }
}
