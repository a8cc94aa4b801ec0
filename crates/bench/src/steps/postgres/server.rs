//! The server that is measured: one that was named, or one for this run alone.

use databases::Postgres;

/// The word for a throw-away server.
pub(in crate::steps) const THROW_AWAY: &str = "postgres";

/// Where the server is; one that was started here ends with this value.
pub(super) struct Server {
    /// The URL of the database.
    pub(super) url: String,
    /// Whose server it is, for the report.
    pub(super) origin: &'static str,
    _own: Option<Postgres>,
}

impl Server {
    /// The server at this URL. The word `postgres` starts one as the tests do, which keeps what it acknowledged.
    pub(super) fn find(store: &str) -> Self {
        if store != THROW_AWAY {
            return Self { url: store.into(), origin: "a server that was there", _own: None };
        }
        eprintln!("starting a PostgreSQL server");
        let own = Postgres::own();
        let url = own.database().url;
        Self { url, origin: "a server started for this run", _own: Some(own) }
    }
}
