//! One connection to the server.

use super::address::Address;
use super::refusal::Place;
use super::tls::Tls;
use crate::{Error, Remote};
use std::future::poll_fn;
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio_postgres::config::SslMode;
use tokio_postgres::{AsyncMessage, Client, Config, Notification};

/// How long a connection may take to be made, unless the URL says otherwise.
const CONNECT: Duration = Duration::from_secs(10);

/// How long what was sent may stay without an echo before the connection counts as lost.
const ECHO: Duration = Duration::from_secs(10);

/// Makes connections.
pub(super) struct Dialer {
    config: Config,
    tls: Tls,
}

impl Dialer {
    pub(super) fn new(remote: &Remote) -> Result<Self, Error> {
        let Address { mut config, authorities } = Address::parse(remote.url())?;
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT);
        }
        if config.get_application_name().is_none() {
            config.application_name("lockgate");
        }
        config
            .tcp_user_timeout(ECHO)
            .keepalives_idle(ECHO)
            .keepalives_interval(ECHO / 2)
            .keepalives_retries(3);
        let tls = match config.get_ssl_mode() {
            SslMode::Disable => Tls::none(),
            _ => Tls::trusting(authorities.as_deref())?,
        };
        Ok(Self { config, tls })
    }

    /// How long all of the servers that the URL names may take together.
    fn limit(&self) -> Duration {
        let hosts = u32::try_from(self.config.get_hosts().len()).unwrap_or(1).max(1);
        self.config.get_connect_timeout().copied().unwrap_or(CONNECT).saturating_mul(hosts)
    }

    /// Connects, and leaves a task behind that carries the messages until the client is dropped.
    pub(super) async fn dial(&self, place: &Place) -> Result<Client, Error> {
        self.dial_with(place, |_| ()).await.map(|(client, _)| client)
    }

    /// The same, and gives every notification of the server to `hear`. The task ends with the connection.
    pub(super) async fn dial_with(
        &self,
        place: &Place,
        hear: impl Fn(Notification) + Send + 'static,
    ) -> Result<(Client, JoinHandle<()>), Error> {
        let limit = self.limit();
        // The library's own limit ends with the TCP connection; a server may take that and then stay silent.
        let dialed = tokio::time::timeout(limit, self.config.connect(self.tls.clone())).await;
        let dialed = dialed.map_err(|_| place.silent("connect", limit))?;
        let (client, mut connection) = dialed.map_err(|error| place.refused("connect", &error))?;
        let task = tokio::spawn(async move {
            loop {
                match poll_fn(|cx| connection.poll_message(cx)).await {
                    Some(Ok(AsyncMessage::Notification(said))) => hear(said),
                    Some(Ok(_)) => {}
                    Some(Err(error)) => {
                        tracing::debug!(reason = %error, "a connection of the store ended");
                        return;
                    }
                    None => return,
                }
            }
        });
        Ok((client, task))
    }
}
