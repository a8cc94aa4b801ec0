//! The one speaker to Restate: sessions that run on it (`workflow.engine: restate`).
//!
//! A session is a virtual object of Restate, known by its id. Whatever is asked of the session is one call of the
//! object's exclusive handler, so Restate has it carried out once, one at a time, and again elsewhere when the
//! instance that does it dies. What happens to the session is kept in the object's state; each stretch of work
//! between two records is a journaled run, and timers are delayed calls of the object itself. The engine of
//! [`workflow::session`] decides what happens, here as anywhere.

mod client;
mod object;
mod register;
mod serve;

use client::Client;
use model::{Address, settings};
use object::Session;
use restate_sdk::prelude::Endpoint;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpListener;
use workflow::session::{Engine, Host};

/// The name of the virtual objects.
const OBJECT: &str = "LockgateSession";

/// The handler that takes every order.
const HANDLER: &str = "order";

/// Why sessions cannot run on Restate.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A setting is not what it must be.
    #[error("restate.{field} {rule}")]
    Setting {
        /// The setting.
        field: &'static str,
        /// What it must be.
        rule: String,
    },
    /// The address for calls of Restate cannot be used.
    #[error("restate.listen: {address} cannot be used: {source}; choose another one")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The answer of the operating system.
        source: std::io::Error,
    },
}

/// Restate, as this instance uses it.
pub struct Restate {
    client: Arc<Client>,
    listen: SocketAddr,
    endpoint: Option<String>,
    identity: Option<String>,
}

impl Restate {
    /// Takes the settings over.
    pub fn new(settings: &settings::Restate) -> Result<Self, Error> {
        let address = |field, url: Option<&String>| {
            let url = url.ok_or_else(|| setting(field, "must be set"))?;
            Address::parse(url).map_err(|rule| setting(field, rule))
        };
        let ingress = address("ingress", settings.ingress.as_ref())?;
        let admin = address("admin", settings.admin.as_ref())?;
        let listen =
            settings.listen.parse().map_err(|_| setting("listen", "must be an address and a port"))?;
        if let Some(endpoint) = &settings.endpoint {
            address("endpoint", Some(endpoint))?;
        }
        Ok(Self {
            client: Arc::new(Client::new(&ingress, &admin)),
            listen,
            endpoint: settings.endpoint.clone(),
            identity: settings.identity_key.clone(),
        })
    }

    /// Keeps the journals of sessions.
    pub fn host(&self) -> Arc<dyn Host> {
        Arc::clone(&self.client) as Arc<dyn Host>
    }

    /// Takes the address on which Restate calls this instance.
    pub async fn bind(&self) -> Result<TcpListener, Error> {
        let bound = TcpListener::bind(self.listen).await;
        bound.map_err(|source| Error::Listen { address: self.listen, source })
    }

    /// Carries orders out that Restate hands to this instance, until the future is dropped.
    pub async fn run(&self, listener: TcpListener, engine: Engine) -> Result<(), Error> {
        let mut endpoint = Endpoint::builder().bind(Session::new(engine.clone()).definition());
        if let Some(key) = &self.identity {
            endpoint =
                endpoint.identity_key(key).map_err(|error| setting("identityKey", error.to_string()))?;
        }
        let own = listener.local_addr().map(|address| format!("http://{address}"));
        let uri = self.endpoint.clone().or(own.ok()).unwrap_or_default();
        let serving = serve::serve(listener, endpoint.build());
        let begin = async {
            self.client.register(&uri).await;
            engine.take_over().await;
        };
        tokio::join!(serving, begin);
        Ok(())
    }
}

fn setting(field: &'static str, rule: impl Into<String>) -> Error {
    Error::Setting { field, rule: rule.into() }
}
