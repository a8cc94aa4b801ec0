//! The HTTP+SSE transport of 2024-11-05: one stream brings every message of the server, and its first
//! event tells where to post ours.

use super::agent::read;
use super::headers::{of_post, of_stream};
use super::link::{Link, Outgoing};
use super::stream::{Finish, Place, Stream};
use super::trouble::Trouble;
use crate::client::{Client, End};
use bytes::Bytes;
use hyper::{Method, StatusCode};
use std::sync::OnceLock;

/// The most bytes of an acknowledgement that are read.
const ACK_MAX: usize = 64 * 1024;

/// What is known of a server that speaks the old transport.
#[derive(Default)]
pub(super) struct Sse {
    /// Path and query to post to.
    endpoint: OnceLock<String>,
}

impl Sse {
    /// Opens the stream and waits for the address; from then on messages go to the client.
    pub(super) async fn open(&self, link: &Link, client: &Client) -> Result<(), Trouble> {
        let path = &link.agent.address.path;
        let response = link.agent.send(Method::GET, path, of_stream(), Bytes::new()).await?;
        if !response.status().is_success() {
            return Err(Trouble::Status(response.status(), None));
        }
        let mut stream = Stream::new(response)?;
        let endpoint = loop {
            let event = stream.next().await?.ok_or(Trouble::Ended)?;
            if event.kind == "endpoint" {
                break String::from_utf8_lossy(&event.data).trim().to_owned();
            }
        };
        let address = link.agent.address.join(&endpoint).ok_or(Trouble::Endpoint)?;
        let _ = self.endpoint.set(address.path);
        let listener = client.clone();
        link.spawn(async move {
            let end = match stream.follow(&listener, None, &mut Place::default()).await {
                Err(Trouble::Overrun) => End::Overrun,
                Ok(Finish::Ended { .. } | Finish::Replied) | Err(_) => End::Eof,
            };
            listener.over(end);
        });
        Ok(())
    }

    /// Posts one message. Its reply comes on the stream.
    pub(super) async fn post(&self, link: &Link, out: Outgoing) -> Result<(), Trouble> {
        let path = self.endpoint.get().ok_or(Trouble::Endpoint)?;
        let response = link.agent.send(Method::POST, path, of_post(), out.message).await?;
        match response.status() {
            status if status.is_success() => {
                // Read to its end, so that the connection can be used again.
                let _ = read(response.into_body(), ACK_MAX).await;
                Ok(())
            }
            StatusCode::NOT_FOUND | StatusCode::GONE => Err(Trouble::SessionLost),
            status => Err(Trouble::Status(status, None)),
        }
    }
}
