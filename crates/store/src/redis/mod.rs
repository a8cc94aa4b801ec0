//! Redis: a store that several instances share where losing the last second is acceptable.
//!
//! Areas of definitions are kept whole, and changed by a compare-and-set on their version; sessions are kept each for
//! itself, and their steps are recorded by a script that compares the number of events. What Redis has acknowledged can
//! be lost by a crash or a failover, and the log says so at the start.

mod address;
mod areas;
mod audit;
mod news;
mod parts;
mod promise;
mod rates;
mod runs;
mod sessions;

pub(crate) use address::read as read_address;

use crate::news::News;
use crate::{Error, Remote};
use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::{Client, ErrorKind, FromRedisValue, Pipeline, RedisError, RedisResult, Script, ScriptInvocation};
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;
use tokio::sync::{Mutex, OnceCell, RwLock};

/// How long the server may take for one answer.
const ANSWER: Duration = Duration::from_secs(15);

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(10);

/// The name of a key. All of them are on one shard of a cluster, so that scripts can use several.
fn key(name: &str) -> String {
    format!("{{lockgate}}:{name}")
}

/// The name of a channel. Those who listen hear of every database of a server, so it names the database.
fn channel(name: &str, database: i64) -> String {
    match database {
        0 => key(name),
        other => format!("{}@{other}", key(name)),
    }
}

/// Refusals of the server that pass: it starts, is full or busy, takes no writes now, or lets nobody in.
const PASSING: [&str; 11] = [
    "LOADING",
    "READONLY",
    "OOM",
    "MISCONF",
    "BUSY",
    "MASTERDOWN",
    "CLUSTERDOWN",
    "TRYAGAIN",
    "NOREPLICAS",
    "NOAUTH",
    "WRONGPASS",
];

/// An open database.
pub(crate) struct Redis {
    /// Nothing once the store is closed. Whoever works holds the lock.
    connection: RwLock<Option<ConnectionManager>>,
    client: Box<Client>,
    place: String,
    /// Who changes something that is compared first. Inside one instance nobody is faster than another.
    changing: Mutex<()>,
    news: News,
    /// Tells this store apart from others that are open on the same database.
    instance: String,
    /// What the database was given when it was first used; one that lost its data has another, or none.
    identity: OnceCell<String>,
}

impl Redis {
    /// Connects, and says what the server does not promise.
    pub(crate) async fn open(remote: &Remote) -> Result<Self, Error> {
        let place = remote.to_string();
        let refused = |error| refused(&place, "connect", &error);
        let client = address::client(remote.url())?;
        let connection =
            ConnectionManager::new_with_config(client.clone(), settings()).await.map_err(refused)?;
        let news = news::listen(client.clone()).await;
        let instance = format!("{:016x}", RandomState::new().hash_one(std::process::id()));
        promise::tell(connection.clone()).await;
        let (connection, changing, client) =
            (RwLock::new(Some(connection)), Mutex::default(), Box::new(client));
        Ok(Self { connection, client, place, changing, news, instance, identity: OnceCell::new() })
    }

    /// Waits for the writes that were begun, and lets go of the connection.
    pub(crate) async fn close(&self) {
        *self.connection.write().await = None;
        self.news.close();
    }

    /// The time by the clock of the server, on which all instances agree.
    pub(crate) async fn now(&self) -> Result<i64, Error> {
        let mut pipe = redis::pipe();
        pipe.cmd("TIME");
        let ((seconds, micros),): ((i64, i64),) = self.ask("read the clock", &pipe).await?;
        Ok(seconds * 1000 + micros / 1000)
    }

    /// Runs commands, all of them without anybody else's in between where the pipeline is atomic.
    async fn ask<T: FromRedisValue>(&self, doing: &'static str, pipe: &Pipeline) -> Result<T, Error> {
        let lock = self.connection.read().await;
        let mut connection = lock.clone().ok_or(Error::Closed)?;
        let answer = pipe.query_async(&mut connection).await;
        drop(lock);
        self.told(doing, answer).await
    }

    /// Runs a script.
    async fn run<T: FromRedisValue>(
        &self,
        doing: &'static str,
        script: &ScriptInvocation<'_>,
    ) -> Result<T, Error> {
        let lock = self.connection.read().await;
        let mut connection = lock.clone().ok_or(Error::Closed)?;
        let answer = script.invoke_async(&mut connection).await;
        drop(lock);
        self.told(doing, answer).await
    }

    /// What the server said. One that takes no writes any more may have handed over to another, to which the address
    /// leads: the next to ask connects anew.
    async fn told<T>(&self, doing: &'static str, answer: RedisResult<T>) -> Result<T, Error> {
        if let Err(error) = &answer
            && error.code() == Some("READONLY")
            && let Some(connection) = &mut *self.connection.write().await
            && let Ok(fresh) =
                ConnectionManager::new_lazy_with_config(Client::clone(&self.client), settings())
        {
            *connection = fresh;
        }
        answer.map_err(|error| refused(&self.place, doing, &error))
    }

    /// The name of a channel of this database.
    fn channel(&self, name: &str) -> String {
        channel(name, database(&self.client))
    }

    /// Says that what is kept cannot be read.
    fn unreadable(&self, doing: &'static str, error: &serde_json::Error) -> Error {
        Error::Server {
            doing,
            place: self.place.clone(),
            reason: format!("what is kept there is odd: {error}"),
        }
    }
}

fn settings() -> ConnectionManagerConfig {
    ConnectionManagerConfig::new()
        .set_response_timeout(Some(ANSWER))
        .set_connection_timeout(Some(CONNECT))
        .set_number_of_retries(1)
}

/// The number of the database that an address names.
fn database(client: &Client) -> i64 {
    client.get_connection_info().redis_settings().db()
}

/// A script, with what all scripts may need.
fn script(code: &str) -> Script {
    Script::new(&format!("{CLAIMS}\n{code}"))
}

/// A claim is kept as its end and its holder. Both follow the clock of the server.
const CLAIMS: &str = r"
local function clock()
    local t = redis.call('TIME')
    return t[1] * 1000 + math.floor(t[2] / 1000)
end
local function claim_of(claims, id)
    local text = redis.call('HGET', claims, id)
    if not text then return nil, nil end
    local till, holder = string.match(text, '^(%d+) (.*)$')
    return tonumber(till), holder
end
local function is_free(claims, id)
    local till = claim_of(claims, id)
    return till == nil or till <= clock()
end
local function take(claims, id, holder, ms)
    redis.call('HSET', claims, id, string.format('%.0f', clock() + tonumber(ms)) .. ' ' .. holder)
end";

/// The meaning of a failure; the messages of the server hold no password.
fn refused(place: &str, doing: &'static str, error: &RedisError) -> Error {
    let (place, mut reason) = (place.to_owned(), error.to_string());
    let passing = error.is_io_error() || error.is_timeout() || error.is_connection_dropped();
    if error.kind() == ErrorKind::AuthenticationFailed {
        reason.push_str("; look at user and password in store.url");
    }
    let refuses = error.is_connection_refusal() || error.code().is_some_and(|code| PASSING.contains(&code));
    if passing || refuses {
        return Error::Unavailable { doing, place, reason, lost: !refuses };
    }
    Error::Server { doing, place, reason }
}
