//! Which version the tables of a store have, and which this build wants.

use crate::postgres::Postgres;
use crate::redis::Redis;
use crate::sqlite::Sqlite;
use crate::{Error, Location};

/// Where the tables of a store stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schema {
    /// The version of the tables; 0 before there are any.
    pub found: u32,
    /// The version that this build writes. Opening the store brings the tables there.
    pub known: u32,
}

impl Schema {
    /// Whether opening the store leaves the tables as they are. Those of a later version are left too.
    pub fn is_current(self) -> bool {
        self.found >= self.known
    }
}

/// Looks at the tables of a store, and changes nothing. A store that this build cannot work with is an error.
pub async fn schema(location: &Location) -> Result<Schema, Error> {
    match location {
        Location::Memory => Ok(Schema { found: 0, known: 0 }),
        // It has no tables, but it must be there and let us in.
        Location::Redis(remote) => {
            Redis::open(remote).await?.close().await;
            Ok(Schema { found: 0, known: 0 })
        }
        Location::Sqlite(path) => Sqlite::schema(path).await,
        Location::Postgres(remote) => Postgres::schema(remote).await,
    }
}
