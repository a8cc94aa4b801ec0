//! One `subscriptions/listen` of the gateway's own, from its request to its end.

use crate::hub::Hub;
use mcp::{Client, Era, Listener, Outcome, Pending, Receiver, RpcError, Said, Splice, member_at};
use serde_json::value::RawValue;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

/// How long a server may take to acknowledge before it is taken to listen.
const ACKNOWLEDGE_MAX: Duration = Duration::from_secs(5);

/// How much a server may say besides before it is taken.
const HEARD_MAX: usize = 256;

/// The number under which the gateway itself listens; no client has it.
const NOBODY: u64 = 0;

/// How a server that does not tell any more, or never did, says so.
#[derive(Clone, Debug)]
pub(crate) enum Refused {
    /// With an error.
    Error(Arc<RawValue>),
    /// In good order: it does not want to tell more for now.
    Orderly,
    /// Not at all: the stream broke.
    Broken,
}

impl Refused {
    /// Whether asking again is of no use.
    pub(super) fn is_final(&self) -> bool {
        matches!(self, Refused::Error(error) if matches!(RpcError::read(error).code, -32601 | -32602))
    }

    /// The error, where there is one.
    pub(super) fn error(&self) -> Option<Arc<RawValue>> {
        match self {
            Refused::Error(error) => Some(error.clone()),
            Refused::Orderly | Refused::Broken => None,
        }
    }
}

/// A request that stays open; dropping it ends it, and the server is told.
pub(crate) struct Listen {
    client: Client,
    pending: Pending,
    heard: Receiver<Box<Said>>,
}

impl Drop for Listen {
    fn drop(&mut self) {
        if !self.pending.is_done() {
            self.client.cancel(self.pending.id(), "nobody listens any more");
        }
    }
}

impl Listen {
    /// Asks to listen for what `filter`, a member without braces, names; `None` when the connection is gone.
    pub(super) fn send(client: &Client, filter: &str) -> Option<Self> {
        Self::send_as(client, &Era::Modern.params(filter))
    }

    /// The same with all the parameters.
    pub(crate) fn send_as(client: &Client, params: &str) -> Option<Self> {
        let (listener, heard) = Listener::new(NOBODY, HEARD_MAX);
        // A question that names no request is never meant for the gateway.
        listener.ear.set_waiting(true);
        // What a client wrote into them may stand on several lines, which would be as many messages.
        let write = |_: u64, out: &mut Vec<u8>| Splice::new(params).write(out);
        let pending = client.request_heard("subscriptions/listen", listener, write).ok()?;
        Some(Self { client: client.clone(), pending, heard })
    }

    /// Waits for the acknowledgement: what it names in that member, `None` when it does not come in time.
    /// `Err(None)` when the connection is gone. It comes first, so what is said before it is nobody's.
    pub(crate) async fn accepted(
        &mut self,
        member: &str,
    ) -> Result<Option<HashSet<String>>, Option<Refused>> {
        let late = tokio::time::sleep(ACKNOWLEDGE_MAX);
        tokio::pin!(late);
        loop {
            tokio::select! {
                biased;
                Some(said) = self.heard.recv() => match accepted_in(&said, member) {
                    Some(accepted) => return Ok(Some(accepted)),
                    None if said.method == "notifications/cancelled" => return Err(Some(Refused::Orderly)),
                    None => {}
                },
                reply = &mut self.pending => return Err(refusal(reply)),
                () = &mut late => return Ok(None),
            }
        }
    }

    /// The next that the server says; `None` at the end.
    pub(crate) async fn next(&mut self) -> Option<Box<Said>> {
        tokio::select! {
            biased;
            said = self.heard.recv() => said.filter(|said| said.method != "notifications/cancelled"),
            _ = &mut self.pending => None,
        }
    }

    /// Waits for the end, while everything that the server says goes to all who listen; `None` when the
    /// connection is gone.
    pub(super) async fn end(&mut self, server: &str, hub: &Hub) -> Option<Refused> {
        loop {
            tokio::select! {
                biased;
                // Over pipes a server may end it this way.
                Some(said) = self.heard.recv() => match &*said.method {
                    "notifications/cancelled" => return Some(Refused::Orderly),
                    _ => hub.heard(server, *said),
                },
                reply = &mut self.pending => return refusal(reply),
            }
        }
    }
}

fn refusal(reply: Result<Outcome, mcp::Gone>) -> Option<Refused> {
    match reply {
        Err(_) => None,
        Ok(Outcome::Error(error, _)) => Some(Refused::Error(error.into())),
        Ok(Outcome::Result(_)) => Some(Refused::Orderly),
        Ok(_) => Some(Refused::Broken),
    }
}

/// What an acknowledgement names in that member; `None` when it is something else.
fn accepted_in(said: &Said, member: &str) -> Option<HashSet<String>> {
    if said.method != "notifications/subscriptions/acknowledged" {
        return None;
    }
    let params = said.params.as_deref().map_or("{}", RawValue::get);
    let filter = member_at(params, "notifications").map_or("{}", |at| &params[at]);
    let named = member_at(filter, member).map(|at| &filter[at]);
    Some(named.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

    /// How a listening ends when the server says that under its id.
    async fn ended(says: &str) -> Option<Refused> {
        let ((output, mut to_us), (from_us, input)) = (tokio::io::duplex(4096), tokio::io::duplex(4096));
        let (client, driver) = Client::new(output, input, tokio::sync::mpsc::channel(1).0);
        let (reader, writer) = driver.split();
        let (_reads, _writes) = (tokio::spawn(reader), tokio::spawn(writer));
        let mut listen = Listen::send(&client, "").expect("the connection is open");
        let mut asked = String::new();
        BufReader::new(from_us).read_line(&mut asked).await.expect("the request");
        let id = &asked[member_at(&asked, "id").expect("an id")];
        let says = format!("{{\"jsonrpc\":\"2.0\",{}}}\n", says.replace("ID", id));
        to_us.write_all(says.as_bytes()).await.expect("the end");
        listen.end("s", &Hub::default()).await
    }

    #[tokio::test]
    async fn an_end_in_good_order_is_told_from_a_refusal() {
        for says in [
            r#""id":ID,"result":{"resultType":"complete"}"#,
            r#""method":"notifications/cancelled","params":{"requestId":ID}"#,
        ] {
            assert!(matches!(ended(says).await, Some(Refused::Orderly)), "{says}");
        }
        let refused = ended(r#""id":ID,"error":{"code":-32601,"message":"no"}"#).await;
        assert!(refused.is_some_and(|refused| refused.is_final()));
        let busy = ended(r#""id":ID,"error":{"code":-32603,"message":"busy"}"#).await;
        assert!(matches!(busy, Some(Refused::Error(_))));
    }
}
