//! Keeps one connection told of what clients want of its server: a legacy server is asked for each thing,
//! a modern one speaks only to those who listen. What it does not take is noted, what ends is begun again.

use super::Server;
use super::listening::{Listen, Refused};
use super::supervisor::Surroundings;
use super::watch::refresh;
use super::wishes::{Standing, Wanted};
use crate::hub::Hub;
use mcp::{Client, Era, Kind, Outcome, Peer, Pending};
use model::settings::Refresh;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// Waits before listening again: the first, and the longest.
const WAIT: Duration = Duration::from_secs(1);
const WAIT_MAX: Duration = Duration::from_secs(60);

/// How long a legacy server may take to answer to wishes before the next ones are told.
const ANSWER_MAX: Duration = Duration::from_secs(5);

/// How many wishes a legacy server is told at once.
const AT_ONCE: usize = 64;

/// What every modern server is listened to for.
const LISTS: &str =
    r#""notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true}"#;

/// The wishes of clients on their way to one connection; dropping it ends that.
pub(super) struct Subscription(JoinHandle<()>);

impl Drop for Subscription {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Subscription {
    /// Begins to tell a server that has just been connected to.
    pub(super) fn open(server: &Arc<Server>, around: &Surroundings, client: &Client, peer: &Peer) -> Self {
        server.wishes().note(|known| *known = Default::default());
        let told = Told { server: server.clone(), around: around.clone(), client: client.clone() };
        let wanted = server.wishes().wanted();
        match peer.era {
            Era::Legacy => {
                let can = Abilities {
                    logs: peer.can("logging"),
                    tells: peer.capabilities.get("resources").is_some_and(|all| all["subscribe"] == true),
                };
                Self(tokio::spawn(async move { told.ask(wanted, can).await }))
            }
            Era::Modern => {
                // The first one is sent before anybody can call the server, so that no change is missed.
                let first = Listen::send(client, LISTS);
                let listed = |kind: &Kind| *kind == Kind::Tools || peer.can(kind.capability());
                let kinds: Vec<Kind> = Kind::ALL.into_iter().filter(listed).collect();
                Self(tokio::spawn(async move {
                    tokio::join!(told.hear_lists(first, &kinds), told.hear_resources(wanted));
                }))
            }
        }
    }
}

/// What a legacy server can be asked for.
#[derive(Clone, Copy)]
struct Abilities {
    logs: bool,
    /// It tells of updates of resources.
    tells: bool,
}

/// One connection and where what is learnt on it goes.
struct Told {
    server: Arc<Server>,
    around: Surroundings,
    client: Client,
}

impl Told {
    /// Asks a legacy server for everything that is wanted, whenever that changes.
    async fn ask(&self, mut wanted: watch::Receiver<Wanted>, can: Abilities) {
        let mut told = Wanted::default();
        // What it has not refused, and so must be told when it is not wanted any more.
        let mut holds: BTreeSet<String> = BTreeSet::new();
        loop {
            let now = wanted.borrow_and_update().clone();
            if let Some(level) = now.level.filter(|_| can.logs && now.level != told.level) {
                self.ask_all("logging/setLevel", "level", &[level]).await;
                self.server.wishes().note(|known| known.level = Some(level));
            }
            let less: Vec<&str> = told.uris.difference(&now.uris).map(String::as_str).collect();
            self.server.wishes().note(|known| less.iter().for_each(|uri| drop(known.uris.remove(*uri))));
            let held: Vec<&str> = less.into_iter().filter(|uri| holds.remove(*uri)).collect();
            self.ask_all("resources/unsubscribe", "uri", &held).await;
            let more: Vec<&str> = now.uris.difference(&told.uris).map(String::as_str).collect();
            let answers = match can.tells {
                true => self.ask_all("resources/subscribe", "uri", &more).await,
                false => more.into_iter().map(|uri| (uri, Standing::Refused(None))).collect(),
            };
            let taken = answers.iter().filter(|(_, standing)| matches!(standing, Standing::Held));
            holds.extend(taken.map(|(uri, _)| (*uri).to_owned()));
            self.server.wishes().note(|known| {
                known.uris.extend(answers.into_iter().map(|(uri, standing)| (uri.to_owned(), standing)));
            });
            told = now;
            if wanted.changed().await.is_err() {
                return;
            }
        }
    }

    /// Sends one request for each value; what came back for each. No answer in time is no refusal.
    async fn ask_all<'v>(&self, method: &str, name: &str, values: &[&'v str]) -> Vec<(&'v str, Standing)> {
        let mut answers = Vec::with_capacity(values.len());
        for some in values.chunks(AT_ONCE) {
            let deadline = Instant::now() + ANSWER_MAX;
            let sent: Vec<(&'v str, Option<Pending>)> = some
                .iter()
                .map(|value| {
                    let mut params = format!(r#"{{"{name}":"#).into_bytes();
                    mcp::quote(value, &mut params);
                    params.push(b'}');
                    (*value, self.client.request(method, |_, out| out.extend_from_slice(&params)).ok())
                })
                .collect();
            for (value, pending) in sent {
                let answer = match pending {
                    Some(pending) => tokio::time::timeout_at(deadline, pending).await.ok(),
                    None => None,
                };
                answers.push((
                    value,
                    match answer {
                        Some(Ok(Outcome::Error(error, _))) => Standing::Refused(Some(error.into())),
                        _ => Standing::Held,
                    },
                ));
            }
        }
        answers
    }

    /// Listens for changed lists; a stream that ends is opened again, and what may have changed meanwhile is
    /// fetched.
    async fn hear_lists(&self, first: Option<Listen>, kinds: &[Kind]) {
        let mut wait = WAIT;
        let mut next = first;
        while let Some(mut listen) = next {
            let began = Instant::now();
            let done = listen.end(self.server.name(), &self.around.hub).await;
            let Some(refused) = done.filter(|refused| !refused.is_final()) else { return };
            wait = next_wait(wait, began.elapsed(), &refused);
            tokio::time::sleep(wait).await;
            next = Listen::send(&self.client, LISTS);
            if next.is_some() && self.around.settings.load().tools.refresh == Refresh::OnChange {
                refresh(&self.server, &self.client, Era::Modern, kinds).await;
                (self.around.changed)();
            }
        }
    }

    /// Listens for updates of the wanted resources. Another set of them is listened to before the old
    /// listening ends, so that nothing is missed in between; an update may then be told twice.
    async fn hear_resources(&self, mut wanted: watch::Receiver<Wanted>) {
        let (mut open, mut heard) = (None, BTreeSet::new());
        let mut asked = Some(BTreeSet::new());
        let mut wait = WAIT;
        loop {
            let now = wanted.borrow_and_update().uris.clone();
            if asked.as_ref() != Some(&now) {
                self.server.wishes().note(|known| known.uris.retain(|uri, _| now.contains(uri)));
                let began = if now.is_empty() { Ok(None) } else { self.hear(&now).await.map(Some) };
                match began {
                    Ok(listen) => (open, heard) = (listen, now.clone()),
                    // What was listened to before goes on.
                    Err(Some(refused)) => self.note_refused(now.difference(&heard), &refused),
                    Err(None) => return,
                }
                asked = Some(now);
            }
            let began = Instant::now();
            let ended = tokio::select! {
                changed = wanted.changed() => match changed {
                    Ok(()) => continue,
                    Err(_) => return,
                },
                ended = end_of(&mut open, self.server.name(), &self.around.hub) => ended,
            };
            open = None;
            heard.clear();
            let refused = match ended {
                None => return,
                Some(refused) if refused.is_final() => continue,
                Some(refused) => refused,
            };
            asked = None;
            wait = next_wait(wait, began.elapsed(), &refused);
            // Another wish is a reason not to wait.
            let _ = tokio::time::timeout(wait, wanted.changed()).await;
        }
    }

    /// Begins to listen to exactly these; `Err(None)` when the connection is gone.
    async fn hear(&self, uris: &BTreeSet<String>) -> Result<Listen, Option<Refused>> {
        let list = serde_json::to_string(uris).unwrap_or_default();
        let filter = format!(r#""notifications":{{"resourceSubscriptions":{list}}}"#);
        let mut listen = Listen::send(&self.client, &filter).ok_or(None)?;
        let accepted = listen.accepted("resourceSubscriptions").await?;
        self.server.wishes().note(|known| {
            let standing = |uri: &String| match &accepted {
                Some(accepted) if !accepted.contains(uri) => Standing::Refused(None),
                _ => Standing::Held,
            };
            known.uris = uris.iter().map(|uri| (uri.clone(), standing(uri))).collect();
        });
        Ok(listen)
    }

    fn note_refused<'u>(&self, uris: impl Iterator<Item = &'u String>, refused: &Refused) {
        let refused = Standing::Refused(refused.error());
        self.server.wishes().note(|known| {
            known.uris.extend(uris.map(|uri| (uri.clone(), refused.clone())));
        });
    }
}

/// How long to wait after a listening of that length. A server that ended it in good order is not asked again soon.
fn next_wait(last: Duration, lasted: Duration, refused: &Refused) -> Duration {
    match refused {
        Refused::Orderly => WAIT_MAX,
        _ if lasted > WAIT_MAX => WAIT,
        _ => (last * 2).min(WAIT_MAX),
    }
}

/// Comes when the open listening ends; never while there is none.
async fn end_of(open: &mut Option<Listen>, server: &str, hub: &Hub) -> Option<Refused> {
    match open {
        Some(listen) => listen.end(server, hub).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_ended_in_good_order_is_left_alone_for_longer() {
        let seconds = Duration::from_secs;
        assert_eq!(next_wait(WAIT, seconds(1), &Refused::Orderly), WAIT_MAX);
        assert_eq!(next_wait(WAIT, seconds(9000), &Refused::Orderly), WAIT_MAX);
        assert_eq!(next_wait(WAIT, seconds(1), &Refused::Broken), WAIT * 2);
        assert_eq!(next_wait(seconds(50), seconds(1), &Refused::Broken), WAIT_MAX);
        assert_eq!(next_wait(seconds(50), seconds(9000), &Refused::Broken), WAIT);
    }
}
