//! Questions of servers, put to the client that they are for: on the stream of its request, or, where only one client
//! can be meant and nothing is asked of the server, on the client's standing stream.

use super::guest::is_question;
use super::questions::Answer;
use super::streams::{Reached, Turn};
use super::{Endpoint, Guest};
use crate::server::{Audience, QUESTIONS_MAX};
use mcp::{Era, GONE, NOBODY, Said, WeakClient};
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;

/// How long a question waits for a client whose stream broke.
const AWAY_MAX: Duration = Duration::from_secs(30);

impl Endpoint {
    /// A server's question as a request to the client, with its id; the server is told where it cannot be asked.
    pub(super) fn put(&self, guest: &Guest, said: Said) -> Option<(u64, Vec<u8>)> {
        let refuse = |code: i64, text: &str| {
            if let Some(id) = &said.id {
                let error = serde_json::json!({"code": code, "message": text});
                said.from.answer(id, &format!(r#""error":{error}"#));
            }
            None
        };
        let params = said.params.as_deref().map_or("{}", RawValue::get);
        if let Err(capability) = guest.can_answer(&said.method, params) {
            return refuse(-32603, &format!("The client does not offer '{capability}'"));
        }
        if guest.era() == Era::Modern && !is_question(&said.method) {
            return refuse(-32601, &format!("Method not found: {}", said.method));
        }
        if guest.era() == Era::Modern {
            return refuse(
                -32603,
                "The client speaks 2026-07-28 and cannot be asked while a request is under way",
            );
        }
        match &*said.method {
            "roots/list" => self.roots.asked(guest.number, &said.from),
            "elicitation/create" => self.elicited.asked(guest.number, params),
            _ => {}
        }
        self.questions.ask(guest.number, said)
    }
}

impl Endpoint {
    /// The session of the one client that a server can mean: that of its own process, or the only one there is.
    fn meant(&self, session: Option<u64>, clients: &HashMap<u64, Reached>) -> Option<u64> {
        session.or_else(|| self.alone.then(|| clients.keys().next().copied()).flatten())
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
        if !closed.waits {
            return;
        }
        let (endpoint, (guest, stream)) = (self.clone(), turn.of());
        let give_up = async move {
            tokio::time::sleep(AWAY_MAX).await;
            endpoint.questions.abandon(&endpoint.streams.missed(guest, stream));
        };
        // Where nothing runs any more nobody waits.
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(give_up);
        }
    }
}

impl Audience for Endpoint {
    fn listens(&self, session: u64) -> bool {
        self.streams.has(session)
    }

    fn has_one(&self, session: Option<u64>) -> bool {
        self.alone || session.is_some()
    }

    fn ask(&self, server: &str, session: Option<u64>, said: Said) {
        let mut known = self.streams.lock();
        let session = self.meant(session, &known.clients);
        let ready = session.is_some_and(|session| known.is_ready(session));
        let mut reached = session.and_then(|session| known.clients.get_mut(&session));
        let Some(id) = said.id.clone() else {
            let params = said.params.as_deref().map_or("{}", RawValue::get);
            if let Some(reached) = reached {
                let taken_back = self.questions.withdraw(&reached.asked(), &said.from, params);
                taken_back.into_iter().for_each(|(id, word)| reached.take_back(id, word));
            }
            return;
        };
        let from = said.from.clone();
        let stream =
            reached.as_mut().and_then(|reached| reached.newest()).filter(|stream| stream.sees(server));
        let Some(guest) = stream.map(|stream| stream.guest.clone()) else { return from.answer(&id, NOBODY) };
        let Some(reached) = reached.filter(|reached| reached.asked().len() < QUESTIONS_MAX) else {
            return from.answer(&id, GONE);
        };
        let Some((number, message)) = self.put(&guest, said) else { return };
        reached.add(number, server, message);
        if ready {
            self.questions.abandon(&reached.deliver(None));
        }
    }

    fn ended(&self, session: Option<u64>, from: &WeakClient) {
        let mut known = self.streams.lock();
        let session = self.meant(session, &known.clients);
        if let Some(reached) = session.and_then(|session| known.clients.get_mut(&session)) {
            let taken_back = self.questions.withdraw_all(&reached.asked(), from);
            taken_back.into_iter().for_each(|(id, word)| reached.take_back(id, word));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mcp::Client;
    use tokio::io::{AsyncBufReadExt, BufReader, duplex};
    use tokio::sync::mpsc;

    #[tokio::test(start_paused = true)]
    async fn a_client_whose_stream_broke_is_waited_for_and_not_for_ever() {
        let ((output, _silent), (input, server)) = (duplex(1), duplex(1024));
        let (from, driver) = Client::new(output, input, mpsc::channel(1).0);
        tokio::spawn(driver.split().1);
        let mut answers = BufReader::new(server).lines();
        let endpoint = Arc::new(Endpoint::default());
        let guest = Guest::from_initialize(r#"{"capabilities":{"roots":{}}}"#);
        let open = || endpoint.streams.open(&guest, None, 0, None);
        let ask = |id: &str| {
            let id = RawValue::from_string(id.to_owned()).ok();
            let said = Said { from: from.clone(), id, method: "roots/list".into(), params: None };
            endpoint.ask("s", Some(guest.number), said);
        };
        let turn = open();
        ask("5");
        endpoint.broken(&turn);
        tokio::time::sleep(AWAY_MAX - Duration::from_secs(1)).await;
        let turn = open();
        tokio::time::sleep(AWAY_MAX).await;
        assert!(endpoint.listens(guest.number), "the first wait is over");
        let began = tokio::time::Instant::now();
        endpoint.broken(&turn);
        let answer = answers.next_line().await.expect("a pipe");
        assert_eq!(answer, Some(format!(r#"{{"jsonrpc":"2.0","id":5,{GONE}}}"#)));
        assert!(began.elapsed() >= AWAY_MAX, "{:?}", began.elapsed());
        ask("6");
        let answer = answers.next_line().await.expect("a pipe");
        assert_eq!(answer, Some(format!(r#"{{"jsonrpc":"2.0","id":6,{NOBODY}}}"#)));
    }
}
