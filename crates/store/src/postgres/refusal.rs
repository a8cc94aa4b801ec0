//! What the server's refusals mean, in words that say what to do and never hold a password.

use super::line::ANSWER;
use super::text::plain;
use crate::{Error, Remote};
use std::error::Error as _;
use std::time::Duration;
use tokio_postgres::error::{DbError, SqlState};

/// The server, as errors name it.
pub(super) struct Place(String);

impl Place {
    pub(super) fn of(remote: &Remote) -> Self {
        Self(remote.to_string())
    }

    /// The server cannot be used now.
    pub(super) fn unavailable(&self, doing: &'static str, reason: impl Into<String>) -> Error {
        Error::Unavailable { doing, place: self.0.clone(), reason: reason.into(), lost: false }
    }

    /// The server takes what is sent and says nothing.
    pub(super) fn silent(&self, doing: &'static str, limit: Duration) -> Error {
        self.unavailable(doing, format!("no answer within {} seconds", limit.as_secs()))
    }

    /// What the server answers to something of the start, unless it stays silent.
    pub(super) async fn answer<T>(
        &self,
        doing: &'static str,
        asked: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T, Error> {
        let answer = tokio::time::timeout(ANSWER, asked).await.map_err(|_| self.silent(doing, ANSWER))?;
        answer.map_err(|error| self.refused(doing, &error))
    }

    /// The server answered something that makes no sense here.
    pub(super) fn odd(&self, doing: &'static str, reason: impl Into<String>) -> Error {
        Error::Server { doing, place: self.0.clone(), reason: reason.into() }
    }

    /// The meaning of a failure of a store that was in use: its tables were there.
    pub(super) fn refused_at_work(&self, doing: &'static str, error: &tokio_postgres::Error) -> Error {
        let gone =
            [&SqlState::UNDEFINED_TABLE, &SqlState::UNDEFINED_FUNCTION, &SqlState::INVALID_SCHEMA_NAME];
        match error.code() {
            Some(code) if gone.contains(&code) => Error::Lost,
            _ => self.refused(doing, error),
        }
    }

    /// The meaning of a failure.
    pub(super) fn refused(&self, doing: &'static str, error: &tokio_postgres::Error) -> Error {
        let Some(refusal) = error.as_db_error() else {
            return self.unavailable(doing, chain(error));
        };
        let code = refusal.code();
        match code.code() {
            "LG409" => Error::Taken(plain(refusal.message())),
            "LG404" => Error::Gone(plain(refusal.message())),
            "LG412" => Error::Moved,
            _ if is_passing(code) => self.unavailable(doing, words(refusal)),
            _ => self.odd(doing, words(refusal)),
        }
    }
}

/// Whether the server undid a transaction because of another one, and the same succeeds when it is sent again.
pub(super) fn is_clash(error: &tokio_postgres::Error) -> bool {
    let clashes = [&SqlState::T_R_DEADLOCK_DETECTED, &SqlState::T_R_SERIALIZATION_FAILURE];
    error.code().is_some_and(|code| clashes.contains(&code))
}

/// Whether the same may succeed later: the server is ending, starting, full, too slow, or not the one that takes writes.
fn is_passing(code: &SqlState) -> bool {
    let passing = [
        &SqlState::READ_ONLY_SQL_TRANSACTION,
        &SqlState::T_R_DEADLOCK_DETECTED,
        &SqlState::T_R_SERIALIZATION_FAILURE,
        &SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE,
        &SqlState::LOCK_NOT_AVAILABLE,
        &SqlState::IO_ERROR,
    ];
    // Connections; what the server has not enough of; what whoever runs it does to it.
    let classes = ["08", "53", "57"];
    passing.contains(&code) || classes.iter().any(|class| code.code().starts_with(class))
}

fn words(refusal: &DbError) -> String {
    format!("{}{}", refusal.message(), advice(refusal.code()))
}

fn advice(code: &SqlState) -> &'static str {
    match code.code() {
        "28P01" | "28000" => "; look at user and password in store.url, and at the server's pg_hba.conf",
        "3D000" => "; create the database first, for example with: createdb <name>",
        "42501" => {
            "; let this user create and use the schema lockgate, or run `lockgate migrate` as one who may"
        }
        "53300" => "; raise max_connections, or run fewer instances (each takes at most 18)",
        "25006" => "; this server takes no writes: name the primary, or add target_session_attrs=read-write",
        "26000" | "42P05" => {
            "; a pooler between loses prepared statements: let it pool by session, or use PgBouncer 1.21 or later with \
             max_prepared_statements above 0"
        }
        "53100" => "; the server's disk is full: make room",
        _ => "",
    }
}

/// An error with all of its causes.
fn chain(error: &tokio_postgres::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    if text.contains("does not support TLS") {
        text.push_str(
            "; turn TLS on there, or add sslmode=disable to store.url where the network can be trusted",
        );
    }
    text
}
