//! Looking after a living child: its end, its pings, its tool list, and orders that concern it.

use super::control::{Control, EXIT_LAG};
use super::launch::{Running, masked};
use super::supervisor::{GRACE, Next, Order, Supervisor, tell};
use super::{Connection, Ending, Server};
use mcp::{Client, End, Era, Kind, Outcome, Said};
use model::settings::Refresh;
use model::{Code, Status};
use process::Exit;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::Instant as Moment;

/// How long a list that changed may take.
const LIST_MAX: Duration = Duration::from_secs(10);

/// How long a server is left alone that said that its lists have changed, until they are read again.
const RELIST: Duration = Duration::from_millis(50);

/// For how long a session that was begun anew must hold before its loss may be made up for again.
const STEADY: Duration = Duration::from_secs(10);

/// What a watch noticed.
enum Seen {
    Ended(Exit),
    Output(End),
    Broken,
    Ping(bool),
    Order(Order),
}

/// How a child's life ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Over {
    Ended(Exit),
    Mute,
    Deaf,
    Lost,
    Overrun,
    Silent(u32),
}

impl Over {
    fn exit_code(self) -> Option<i32> {
        match self {
            Over::Ended(exit) => exit.code(),
            _ => None,
        }
    }

    /// What the server is now, and what its callers are told.
    fn meaning(self) -> (Status, Ending) {
        match self {
            Over::Ended(exit) if exit.is_clean() => (Status::Stopped, Ending::Left(Status::Stopped)),
            Over::Deaf => (Status::Crashed, Ending::Deaf),
            _ => (Status::Crashed, Ending::Crashed(self.exit_code())),
        }
    }
}

impl std::fmt::Display for Over {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Over::Ended(exit) => write!(f, "the server ended ({exit})"),
            Over::Mute => f.write_str("the server closed its standard output"),
            Over::Deaf => f.write_str("the server closed its standard input"),
            Over::Lost => f.write_str("the connection to the server was lost"),
            Over::Overrun => f.write_str("the server sent more than 10 MiB in one message"),
            Over::Silent(1) => f.write_str("the server did not answer a ping"),
            Over::Silent(3) => f.write_str("the server did not answer three pings in a row"),
            Over::Silent(pings) => write!(f, "the server did not answer {pings} pings in a row"),
        }
    }
}

impl Supervisor {
    /// Returns when the child is gone or given up.
    pub(super) async fn watch(&mut self, mut running: Running) -> Next {
        let mut missed = 0;
        let ready_at = Instant::now();
        let _listener = self.listen(&mut running);
        let mut ping = Box::pin(self.next_ping(&running, Moment::now()));
        loop {
            let seen = tokio::select! {
                exit = running.control.exited() => Seen::Ended(exit),
                end = &mut running.reader => Seen::Output(end.unwrap_or(End::Eof)),
                Ok(true) = &mut running.writer => Seen::Broken,
                Some(order) = self.inbox.recv() => Seen::Order(order),
                (good, sent) = &mut ping => {
                    ping = Box::pin(self.next_ping(&running, sent));
                    Seen::Ping(good)
                }
            };
            match seen {
                Seen::Ping(true) => self.answered(&running, &mut missed),
                Seen::Ping(false) => {
                    if let Some(next) = self.unanswered(&running, &mut missed, ready_at).await {
                        return next;
                    }
                }
                Seen::Order(order) => return self.interrupt(&running, order).await,
                Seen::Ended(exit) => {
                    // Replies written just before the end still count.
                    let end = tokio::time::timeout(EXIT_LAG, &mut running.reader).await;
                    let overran = matches!(end, Ok(Ok(End::Overrun)));
                    return self.over(
                        &running,
                        if overran { Over::Overrun } else { Over::Ended(exit) },
                        ready_at,
                    );
                }
                Seen::Output(End::Overrun) => return self.give_up(&running, Over::Overrun, ready_at).await,
                Seen::Output(End::Forgotten) => return self.renew(&running, ready_at),
                Seen::Output(End::Eof) => return self.give_up(&running, Over::Mute, ready_at).await,
                Seen::Broken => return self.give_up(&running, Over::Deaf, ready_at).await,
            }
        }
    }

    /// A pipe is closed: either the child just ended, or it lives and is of no use any more. Or a remote
    /// server is out of reach.
    async fn give_up(&mut self, running: &Running, over: Over, ready_at: Instant) -> Next {
        let exit = running.control.exiting().await;
        running.control.kill();
        let over = match (exit, over) {
            (Some(exit), Over::Mute | Over::Deaf) => Over::Ended(exit),
            (None, Over::Mute) if matches!(running.control, Control::Remote { .. }) => Over::Lost,
            (_, over) => over,
        };
        self.over(running, over, ready_at)
    }

    /// A remote server has forgotten the session: no failure, but the beginning of another one, at once. One
    /// that forgets it again and again has crashed.
    fn renew(&mut self, running: &Running, ready_at: Instant) -> Next {
        if std::mem::replace(&mut self.renewed, true) && ready_at.elapsed() < STEADY {
            return self.over(running, Over::Lost, ready_at);
        }
        tracing::info!(server = self.server.name(), "the server has forgotten the session; connecting again");
        {
            let mut state = self.server.state();
            state.ended(Status::Restarting, None, None);
            state.restarts += 1;
        }
        if let Some(connection) = self.server.connection.swap(None) {
            connection.end(Ending::Left(Status::Restarting));
        }
        running.client.close();
        // A client's own connection is made again by the client's next request.
        if self.server.client.is_some() { Next::Rest } else { Next::Start(Vec::new()) }
    }

    /// Asks a health interval after the last ping; whether a reply came in time, and when it was asked.
    fn next_ping(
        &self,
        running: &Running,
        last: Moment,
    ) -> impl Future<Output = (bool, Moment)> + Send + use<> {
        let interval = self.around.pings.subscribe();
        let (client, era) = (running.client.clone(), running.peer.era);
        ask_after(last, interval, move || async move {
            let params = era.params("");
            let ping = client.request(era.ping(), |_, out| out.extend_from_slice(params.as_bytes()));
            let Ok(ping) = ping else { return false };
            matches!(ping.await, Ok(Outcome::Result(_) | Outcome::Error(..)))
        })
    }

    /// Hears what the server says outside of any request, until the watch ends: lists that changed are
    /// fetched again, everything else goes to the hub.
    fn listen(&self, running: &mut Running) -> AbortOnDrop {
        let (_, closed) = mpsc::channel(1);
        let mut events = std::mem::replace(&mut running.events, closed);
        let (server, around) = (self.server.clone(), self.around.clone());
        let (client, era) = (running.client.clone(), running.peer.era);
        let task = tokio::spawn(async move {
            let (mut next, mut rested) = (None, Moment::now());
            while let Some(said) = next_of(&mut next, &mut events).await {
                let kinds = changed_lists(&said.method);
                if kinds.is_empty() {
                    around.hub.heard(server.name(), *said);
                } else if around.settings.load().tools.refresh == Refresh::OnChange {
                    // One that says nothing else is not asked without end.
                    tokio::time::sleep_until(rested).await;
                    next = another(&said.method, &mut events);
                    refresh(&server, &client, era, kinds).await;
                    rested = Moment::now() + RELIST;
                    (around.relisted)(server.name(), kinds[0]);
                }
            }
        });
        AbortOnDrop(task)
    }

    /// A good ping clears the count and brings a server back that was given up for its silence.
    fn answered(&mut self, running: &Running, missed: &mut u32) {
        if *missed > 0 {
            self.attempts.forget();
        }
        *missed = 0;
        if self.server.status() == Status::Crashed {
            tracing::info!(server = self.server.name(), "server answers pings again");
            let connection = Connection::new(running.client.clone(), running.peer.clone());
            self.server.connection.store(Some(Arc::new(connection)));
            self.server.state().running(running.control.pid(), running.peer.clone());
            self.announce();
        }
    }

    async fn unanswered(&mut self, running: &Running, missed: &mut u32, ready_at: Instant) -> Option<Next> {
        *missed += 1;
        tracing::warn!(server = self.server.name(), missed = *missed, "server did not answer a ping");
        let max = self.around.settings.load().missed_pings;
        // Who is given up already is so once, however many more are missed.
        if *missed < max || self.server.status() == Status::Crashed {
            return None;
        }
        let next = self.over(running, Over::Silent(*missed), ready_at);
        match next {
            // The child is left alone and may come back by itself.
            Next::Rest if self.server.client.is_none() => {
                self.server.state().pid = running.control.pid();
                self.announce();
                None
            }
            next => {
                running.client.close();
                running.control.stop(GRACE).await;
                Some(next)
            }
        }
    }

    /// The child ended by itself, or is given up: calls in flight are answered before anything else.
    fn over(&mut self, running: &Running, over: Over, ready_at: Instant) -> Next {
        let (name, process) = (self.server.name().to_owned(), self.server.process());
        let code = over.exit_code();
        let (status, ending) = over.meaning();
        let reason = over.to_string();
        self.server.state().ended(status, code, Some(reason.clone()));
        if let Some(connection) = self.server.connection.swap(None) {
            connection.end(ending);
        }
        if !matches!(over, Over::Silent(_)) {
            running.client.close();
        }
        if status == Status::Stopped {
            tracing::info!(server = name, process, "server ended");
            return Next::Rest;
        }
        let crashed = Code::ServerCrashed.name();
        tracing::error!(server = name, process, code = crashed, exit_code = code, reason, "server crashed");
        self.attempts.ended_after(ready_at.elapsed());
        self.again_or_rest()
    }

    /// An order while the child lives: it is ended, with its calls told why.
    async fn interrupt(&mut self, running: &Running, order: Order) -> Next {
        let (status, next) = match order {
            // It is running already.
            Order::Start(done) => {
                tell(done);
                (Status::Restarting, Next::Start(Vec::new()))
            }
            Order::Restart(done) => (Status::Restarting, Next::Start(vec![done])),
            Order::Stop(done) => (Status::Stopped, Next::End(done)),
        };
        self.attempts.forget();
        self.renewed = false;
        {
            let mut state = self.server.state();
            state.ended(status, None, None);
            state.restarts += u64::from(status == Status::Restarting);
        }
        if let Some(connection) = self.server.connection.swap(None) {
            connection.end(Ending::Left(status));
        }
        self.announce();
        running.client.close();
        running.control.stop(GRACE).await;
        next
    }
}

/// Asks when the interval since the last time is over: the wait for an answer is part of the next interval. Whether a
/// good answer came in time (spec 1.10), and when it was asked.
async fn ask_after<F: Future<Output = bool>>(
    last: Moment,
    mut interval: watch::Receiver<Duration>,
    ask: impl FnOnce() -> F,
) -> (bool, Moment) {
    let interval = loop {
        let now = *interval.borrow_and_update();
        tokio::select! {
            () = tokio::time::sleep_until(last + now) => break now,
            Ok(()) = interval.changed() => {}
        }
    };
    let sent = Moment::now();
    let limit = (interval / 2).clamp(Duration::from_secs(3), Duration::from_secs(10));
    (tokio::time::timeout(limit, ask()).await.unwrap_or(false), sent)
}

/// What was taken already, else what comes next.
async fn next_of(next: &mut Option<Box<Said>>, events: &mut mpsc::Receiver<Box<Said>>) -> Option<Box<Said>> {
    match next.take() {
        None => events.recv().await,
        said => said,
    }
}

/// Passes over what has come that says the same again: a list that is read now is read for all of them. The first that
/// says something else.
fn another(method: &str, events: &mut mpsc::Receiver<Box<Said>>) -> Option<Box<Said>> {
    std::iter::from_fn(|| events.try_recv().ok()).find(|said| said.method != method)
}

/// The lists that a notification says have changed.
fn changed_lists(method: &str) -> &'static [Kind] {
    match method {
        "notifications/tools/list_changed" => &[Kind::Tools],
        "notifications/prompts/list_changed" => &[Kind::Prompts],
        "notifications/resources/list_changed" => &[Kind::Resources, Kind::Templates],
        _ => &[],
    }
}

pub(super) async fn refresh(server: &Server, client: &Client, era: Era, kinds: &[Kind]) {
    for &kind in kinds {
        match tokio::time::timeout(LIST_MAX, mcp::list(client, era, kind)).await {
            Ok(Ok(entries)) => {
                tracing::info!(
                    server = server.name(),
                    list = kind.member(),
                    entries = entries.len(),
                    "list changed"
                );
                server.set_list(kind, entries);
            }
            Ok(Err(error)) => {
                let reason = masked(error, &server.tail);
                tracing::warn!(server = server.name(), %reason, "list not refreshed");
            }
            Err(_) => tracing::warn!(server = server.name(), "list not refreshed in time"),
        }
    }
}

/// A task that ends with its owner.
struct AbortOnDrop(JoinHandle<()>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_server_is_asked_every_interval_whether_it_answers_or_not() {
        let began = Moment::now();
        let (interval, _) = watch::channel(Duration::from_secs(5));
        let (mut last, mut ends) = (began, Vec::new());
        for answers in [false, false, true, false] {
            let ask = move || async move { answers || std::future::pending().await };
            let (good, sent) = ask_after(last, interval.subscribe(), ask).await;
            assert_eq!((good, (sent - last).as_secs()), (answers, 5));
            ends.push(began.elapsed().as_secs());
            last = sent;
        }
        assert_eq!(ends, [8, 13, 15, 23]);
    }

    #[tokio::test(start_paused = true)]
    async fn another_interval_counts_from_the_last_time_at_once() {
        let began = Moment::now();
        let (interval, _) = watch::channel(Duration::from_secs(300));
        let asked = ask_after(began, interval.subscribe(), || async { true });
        let shortened = async {
            tokio::time::sleep(Duration::from_secs(20)).await;
            interval.send_replace(Duration::from_secs(30));
        };
        let ((good, sent), ()) = tokio::join!(asked, shortened);
        assert_eq!((good, (sent - began).as_secs()), (true, 30));
    }
}
