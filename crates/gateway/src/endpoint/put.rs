//! Questions of servers, put to the client that they are for: on the stream of its request, or, where only one client
//! can be meant and nothing is asked of the server, on the client's standing stream.

use super::guest::is_question;
use super::questions::Answer;
use super::reached::{Reached, Watch};
use super::streams::Turn;
use super::{Endpoint, Guest};
use crate::server::{Audience, Voice};
use mcp::{Era, GONE, NOBODY, Said, WeakClient};
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::runtime::Handle;
use tokio::time::Instant;

impl Endpoint {
    /// A server's question as a request to the client, with its id; the server is told where it cannot be asked.
    pub(super) fn put(&self, guest: &Guest, mut said: Said) -> Option<(u64, Vec<u8>)> {
        if let Some((code, text)) = unaskable(guest, &said) {
            let error = serde_json::json!({"code": code, "message": text});
            said.answer(&format!(r#""error":{error}"#));
            return None;
        }
        let params = said.params.as_deref().map_or("{}", RawValue::get);
        match &*said.method {
            "roots/list" => self.roots.asked(guest.number, &said.from),
            "elicitation/create" => self.elicited.asked(guest.number, params),
            _ => {}
        }
        self.questions.ask(guest.number, said)
    }
}

/// Why a client cannot be asked that.
fn unaskable(guest: &Guest, said: &Said) -> Option<(i64, String)> {
    let params = said.params.as_deref().map_or("{}", RawValue::get);
    if let Err(capability) = guest.can_answer(&said.method, params) {
        return Some((-32603, format!("The client does not offer '{capability}'")));
    }
    let text = "The client speaks 2026-07-28 and cannot be asked while a request is under way";
    match guest.era() {
        Era::Legacy => None,
        Era::Modern if !is_question(&said.method) => {
            Some((-32601, format!("Method not found: {}", said.method)))
        }
        Era::Modern => Some((-32603, text.to_owned())),
    }
}

impl Endpoint {
    /// The session of the one client that a server can mean: that of its own process, or the only one there is.
    fn meant(&self, session: Option<u64>, clients: &HashMap<u64, Reached>) -> Option<u64> {
        // One that has left may still be known for a while.
        let only = || clients.iter().max_by_key(|(_, reached)| reached.streams.len());
        session.or_else(|| only().filter(|_| self.alone).map(|(client, _)| *client))
    }

    /// Takes back from a client what is withdrawn of that which it was asked.
    fn take_back(&self, session: u64, withdraw: impl FnOnce(&[u64]) -> Vec<(u64, Vec<u8>)>) {
        let mut known = self.streams.lock();
        if let Some(reached) = known.clients.get_mut(&session) {
            withdraw(&reached.asked()).into_iter().for_each(|(id, word)| reached.take_back(id, word));
        }
    }

    /// Gives a client's answer to whoever asked; whether it is one to a question of this instance.
    pub(super) fn answer(&self, guest: u64, id: u64, answer: Answer) -> bool {
        let known = self.questions.answer(guest, id, answer);
        self.streams.answered(guest, id);
        known
    }

    /// A client has ended its handshake and may be asked.
    pub(super) fn ready(&self, guest: u64) {
        self.questions.abandon(&self.streams.ready(guest));
    }

    /// A stream of a client has ended. What it was asked there waits a while for its next.
    pub(super) fn broken(self: &Arc<Self>, turn: &Turn) {
        let closed = turn.close();
        self.questions.abandon(&closed.lost);
        closed.watch.into_iter().for_each(|watch| self.look_after(turn.guest(), watch));
    }

    /// Gives up what waits for a client that does not come back, each thing when its time is over.
    fn look_after(self: &Arc<Self>, guest: u64, watch: Watch) {
        let endpoint = self.clone();
        let give_up = async move {
            let mut next = Some(watch.next);
            while let Some(at) = next {
                tokio::time::sleep_until(at).await;
                let (lost, later) = endpoint.streams.look(guest, watch.number);
                endpoint.questions.abandon(&lost);
                next = later;
            }
        };
        // Where nothing runs any more nobody waits.
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(give_up);
        }
    }

    /// Puts a question to the client of that session, or lets it wait for the client's next stream; who must look after
    /// it then.
    fn ask_reached(&self, session: u64, voice: &Voice<'_>, said: Said) -> Option<Watch> {
        let mut known = self.streams.lock();
        let ready = known.is_ready(session);
        let mut stranger = Reached::default();
        let reached = known.clients.get_mut(&session).unwrap_or(&mut stranger);
        let guest = match reached.newest() {
            Some(stream) => stream.sees(voice.server).then(|| stream.guest.clone()),
            None => voice.client.cloned(),
        };
        let refuse = |mut said: Said, why| _ = said.answer(why);
        let Some(guest) = guest else {
            refuse(said, NOBODY);
            return None;
        };
        if !reached.has_room() {
            refuse(said, GONE);
            return None;
        }
        let (number, message) = self.put(&guest, said)?;
        let reached = known.clients.entry(session).or_default();
        reached.add(number, voice.server, message, Instant::now() + voice.patience);
        if ready {
            self.questions.abandon(&reached.deliver());
        }
        reached.watch()
    }
}

impl Audience for Endpoint {
    fn listens(&self, session: u64) -> bool {
        self.streams.has(session)
    }

    fn has_one(&self, session: Option<u64>) -> bool {
        self.alone || session.is_some()
    }

    fn ask(self: Arc<Self>, voice: &Voice<'_>, mut said: Said) {
        let own = voice.client.map(|client| client.number);
        let session = self.meant(own, &self.streams.lock().clients);
        match (session, &said.id) {
            (None, None) => {}
            (None, Some(_)) => _ = said.answer(NOBODY),
            (Some(session), None) => {
                let params = said.params.as_deref().map_or("{}", RawValue::get);
                self.take_back(session, |asked| {
                    Vec::from_iter(self.questions.withdraw(asked, &said.from, params))
                });
            }
            (Some(session), Some(_)) => {
                let watch = self.ask_reached(session, voice, said);
                watch.into_iter().for_each(|watch| self.look_after(session, watch));
            }
        }
    }

    fn ended(&self, session: Option<u64>, from: &WeakClient) {
        let session = self.meant(session, &self.streams.lock().clients);
        if let Some(session) = session {
            self.take_back(session, |asked| self.questions.withdraw_all(asked, from));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::AWAY_MAX;
    use mcp::{Claim, Client};
    use std::time::Duration;
    use tokio::io::{AsyncBufReadExt, BufReader, duplex};
    use tokio::sync::mpsc;

    #[tokio::test(start_paused = true)]
    async fn a_client_without_a_stream_is_waited_for_and_not_for_ever() {
        let ((output, _silent), (input, server)) = (duplex(1), duplex(1024));
        let (from, driver) = Client::new(output, input, mpsc::channel(1).0);
        tokio::spawn(driver.split().1);
        let mut answers = BufReader::new(server).lines();
        let endpoint = Arc::new(Endpoint::default());
        let guest = Guest::from_initialize(r#"{"capabilities":{"roots":{}}}"#);
        let open = || endpoint.streams.open(&guest, None, 0, None);
        let ask_as = |client: Option<&Guest>, id: &str, patience: Duration| {
            let id = RawValue::from_string(id.to_owned()).ok();
            let said = Said {
                from: from.clone(),
                id,
                method: "roots/list".into(),
                params: None,
                apart: false,
                claim: Claim::default(),
                again: None,
            };
            endpoint.clone().ask(&Voice { server: "s", client, patience }, said);
        };
        let ask = |id: &str| ask_as(Some(&guest), id, AWAY_MAX);
        let turn = open();
        ask("5");
        endpoint.broken(&turn);
        tokio::time::sleep(AWAY_MAX - Duration::from_secs(1)).await;
        let turn = open();
        tokio::time::sleep(AWAY_MAX).await;
        assert!(endpoint.listens(guest.number), "the first wait is over");
        let began = Instant::now();
        endpoint.broken(&turn);
        let mut gone = async |id: u8, after: Duration| {
            let answer = answers.next_line().await.expect("a pipe");
            assert_eq!(answer, Some(format!(r#"{{"jsonrpc":"2.0","id":{id},{GONE}}}"#)));
            assert_eq!(began.elapsed().as_secs(), after.as_secs(), "{id}");
        };
        tokio::time::sleep(Duration::from_secs(10)).await;
        ask("6");
        ask_as(Some(&guest), "7", Duration::from_secs(5));
        gone(7, Duration::from_secs(15)).await;
        gone(5, AWAY_MAX).await;
        gone(6, AWAY_MAX + Duration::from_secs(10)).await;
        assert!(endpoint.streams.lock().clients.is_empty(), "nothing is kept of it");
        ask_as(None, "8", AWAY_MAX);
        let answer = answers.next_line().await.expect("a pipe");
        assert_eq!(answer, Some(format!(r#"{{"jsonrpc":"2.0","id":8,{NOBODY}}}"#)));
    }

    #[tokio::test]
    async fn questions_that_were_taken_back_leave_room_for_others() {
        let ((output, _silent), (input, _server)) = (duplex(1), duplex(1024));
        let (from, _driver) = Client::new(output, input, mpsc::channel(1).0);
        let endpoint = Arc::new(Endpoint::default());
        let guest = Guest::from_initialize(r#"{"capabilities":{"roots":{}}}"#);
        let mut turn = endpoint.streams.open(&guest, None, 0, None);
        let say = |id: Option<u64>, method: &str, params: Option<String>| {
            let raw = |text: String| RawValue::from_string(text).expect("JSON");
            let (id, params) = (id.map(|id| raw(id.to_string())), params.map(raw));
            let said = Said {
                from: from.clone(),
                id,
                method: method.into(),
                params,
                apart: false,
                claim: Claim::default(),
                again: None,
            };
            endpoint.clone().ask(&Voice { server: "s", client: Some(&guest), patience: AWAY_MAX }, said);
        };
        let open = || endpoint.streams.lock().clients[&guest.number].asked().len();
        for id in 0..200 {
            say(Some(id), "roots/list", None);
            assert_eq!(open(), 1, "{id} is asked");
            say(None, "notifications/cancelled", Some(format!(r#"{{"requestId":{id}}}"#)));
            assert_eq!(open(), 0, "{id} is taken back");
            for heard in ["roots/list", "notifications/cancelled"] {
                let message = turn.heard().await.expect("a message");
                assert!(String::from_utf8_lossy(&message).contains(heard), "{id}");
            }
        }
    }
}
