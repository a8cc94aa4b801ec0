//! Questions of servers, put to the client that they are for: on the stream of its request, or, where only one client
//! can be meant and nothing is asked of the server, on the client's standing stream.

use super::guest::is_question;
use super::streams::Open;
use super::{Endpoint, Guest};
use crate::caller::Caller;
use crate::server::Audience;
use mcp::{Era, GONE, NOBODY, Said, WeakClient};
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::sync::atomic::Ordering::Relaxed;

/// How many questions may wait on one standing stream.
const WAITING_MAX: usize = 64;

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
    fn meant(&self, session: Option<u64>, streams: &HashMap<u64, Vec<Open>>) -> Option<u64> {
        session.or_else(|| self.alone.load(Relaxed).then(|| streams.keys().next().copied()).flatten())
    }
}

impl Audience for Endpoint {
    fn listens(&self, session: u64) -> bool {
        self.streams.has(session)
    }

    fn ask(&self, server: &str, session: Option<u64>, said: Said) {
        let mut streams = self.streams.lock();
        let streams = self.meant(session, &streams).and_then(|session| streams.get_mut(&session));
        let streams = streams.map(Vec::as_mut_slice).unwrap_or_default();
        let Some(id) = said.id.clone() else {
            let params = said.params.as_deref().map_or("{}", RawValue::get);
            for stream in streams {
                let taken_back = self.questions.withdraw(&stream.questions, &said.from, params);
                taken_back.into_iter().for_each(|message| _ = stream.asked.offer(message));
            }
            return;
        };
        let from = said.from.clone();
        let reached = |stream: &&mut Open| Caller::new(None).with(stream.pass.as_deref()).sees(server);
        let Some(stream) = streams.last_mut().filter(reached) else { return from.answer(&id, NOBODY) };
        self.questions.keep_open(&mut stream.questions);
        if stream.questions.len() >= WAITING_MAX {
            return from.answer(&id, GONE);
        }
        let Some((number, message)) = self.put(&stream.guest, said) else { return };
        match stream.asked.offer(message) {
            Ok(()) => stream.questions.push(number),
            Err(_) => self.questions.abandon(&[number]),
        }
    }

    fn ended(&self, session: Option<u64>, from: &WeakClient) {
        let mut streams = self.streams.lock();
        let streams = self.meant(session, &streams).and_then(|session| streams.get_mut(&session));
        for stream in streams.into_iter().flatten() {
            let taken_back = self.questions.withdraw_all(&stream.questions, from);
            taken_back.into_iter().for_each(|message| _ = stream.asked.offer(message));
        }
    }
}
