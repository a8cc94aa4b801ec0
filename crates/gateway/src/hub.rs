//! Where servers are heard when they speak outside of any request, and where clients listen. What was said
//! lately is kept, once for all, for clients whose stream broke.

use mcp::{Kind, Said};
use model::Status;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::broadcast;

/// How much a slow listener may lag behind before it loses something.
const LAG_MAX: usize = 256;

/// How much of the past is kept, in news and in bytes.
const PAST_MAX: usize = 256;
const PAST_BYTES_MAX: usize = 256 * 1024;

/// Something that concerns more than one client.
#[derive(Clone, Debug)]
pub enum News {
    /// A list of the gateway changed, by what these servers have in it (the gateway's own under its own name); by none
    /// where that cannot be told apart.
    Changed(Kind, Arc<[Box<str>]>),
    /// The tools of a server are others, or those of the gateway itself, under its own name.
    Tools(Arc<str>),
    /// A list passes through other scripts, so MCP clients may see another one.
    Rerouted(Kind),
    /// A server is now in another status.
    Status(Arc<str>, Status),
    /// The hooks changed.
    Hooks,
    /// The workflows changed.
    Workflows,
    /// A server said something: a log message, a resource that was updated, a task that moved.
    Said {
        /// The server.
        server: Arc<str>,
        /// The client session whose own process said it; `None` for a process that all share.
        session: Option<u64>,
        /// The method of its notification.
        method: Arc<str>,
        /// Its parameters, as they were written, where it has any.
        params: Option<Arc<str>>,
    },
}

/// News with their number; numbers grow.
pub(crate) type Numbered = (u64, News);

/// One sender, any number of listeners; nobody waits for anybody.
pub(crate) struct Hub {
    shared: Arc<Shared>,
    /// The client session whose own process speaks here.
    session: Option<u64>,
}

struct Shared {
    news: broadcast::Sender<Numbered>,
    past: Mutex<Past>,
}

/// What was said lately.
#[derive(Default)]
struct Past {
    /// The number of the newest.
    newest: u64,
    /// The number of the newest that is no longer kept.
    lost: u64,
    kept: VecDeque<Numbered>,
    bytes: usize,
}

impl Default for Hub {
    fn default() -> Self {
        let shared = Shared { news: broadcast::channel(LAG_MAX).0, past: Mutex::default() };
        Self { shared: Arc::new(shared), session: None }
    }
}

impl Hub {
    /// The same for what the own process of one client says.
    pub(crate) fn of_session(&self, session: u64) -> Self {
        Self { shared: self.shared.clone(), session: Some(session) }
    }

    /// A server said something that belongs to no request.
    pub(crate) fn heard(&self, server: &str, mut said: Said) {
        // What belongs to a listening concerns those alone who listen there.
        if !matches!(&*said.method, "notifications/subscriptions/acknowledged" | "notifications/tasks") {
            let params = said.params.take().map(|raw| raw.get().into());
            let (server, method) = (server.into(), std::mem::take(&mut said.method).into());
            self.tell(News::Said { server, session: self.session, method, params });
        }
    }

    /// Tells everybody who listens. Lists and status of a client's own process concern nobody: clients see
    /// those of the process that all share.
    pub(crate) fn tell(&self, news: News) {
        if self.session.is_some() && !matches!(news, News::Said { .. }) {
            return;
        }
        let mut past = self.past();
        let numbered = (past.newest + 1, news);
        past.add(numbered.clone());
        // Nobody listening is fine. The lock is held, so that nobody who begins to listen misses anything.
        let _ = self.shared.news.send(numbered);
    }

    /// Listens from now on; the number of what came last is given too.
    pub(crate) fn listen(&self) -> (u64, broadcast::Receiver<Numbered>) {
        let past = self.past();
        (past.newest, self.shared.news.subscribe())
    }

    /// Listens from now on, after what was missed since the news of that number. What is not all kept any
    /// more is not given at all.
    pub(crate) fn listen_since(&self, number: u64) -> (VecDeque<Numbered>, broadcast::Receiver<Numbered>) {
        let past = self.past();
        (past.since(number), self.shared.news.subscribe())
    }

    fn past(&self) -> MutexGuard<'_, Past> {
        self.shared.past.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Past {
    fn add(&mut self, news: Numbered) {
        self.newest = news.0;
        // No MCP client hears of anything else.
        if !matches!(news.1, News::Changed(..) | News::Rerouted(_) | News::Said { .. }) {
            return;
        }
        self.bytes += size(&news);
        self.kept.push_back(news);
        while self.kept.len() > PAST_MAX || self.bytes > PAST_BYTES_MAX {
            let Some(oldest) = self.kept.pop_front() else { return };
            self.bytes -= size(&oldest);
            self.lost = oldest.0;
        }
    }

    fn since(&self, number: u64) -> VecDeque<Numbered> {
        if number < self.lost {
            return VecDeque::new();
        }
        let first = self.kept.partition_point(|(at, _)| *at <= number);
        self.kept.range(first..).cloned().collect()
    }
}

fn size((_, news): &Numbered) -> usize {
    match news {
        News::Said { params, .. } => size_of::<Numbered>() + params.as_ref().map_or(0, |text| text.len()),
        News::Changed(_, servers) => {
            size_of::<Numbered>() + servers.iter().map(|name| name.len()).sum::<usize>()
        }
        _ => size_of::<Numbered>(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(hub: &Hub, bytes: usize) {
        let params = Some("x".repeat(bytes).into());
        hub.tell(News::Said { server: "s".into(), session: None, method: "m".into(), params });
    }

    fn missed(hub: &Hub, since: u64) -> Vec<u64> {
        hub.listen_since(since).0.iter().map(|(at, _)| *at).collect()
    }

    #[test]
    fn what_was_missed_is_given_once_and_in_order() {
        let hub = Hub::default();
        (0..3).for_each(|_| said(&hub, 1));
        hub.tell(News::Status("s".into(), Status::Running));
        said(&hub, 1);
        assert_eq!((missed(&hub, 0), missed(&hub, 2)), (vec![1, 2, 3, 5], vec![3, 5]));
        assert_eq!(missed(&hub, 5), Vec::<u64>::new());
        assert_eq!(missed(&hub, 99), Vec::<u64>::new());
    }

    #[test]
    fn the_past_is_bounded_in_count_and_in_bytes() {
        let hub = Hub::default();
        (0..PAST_MAX + 10).for_each(|_| said(&hub, 1));
        assert_eq!(missed(&hub, 9), Vec::<u64>::new(), "number 10 is not kept any more");
        assert_eq!(missed(&hub, 10).len(), PAST_MAX);
        said(&hub, PAST_BYTES_MAX - 1000);
        let newest = (PAST_MAX + 11) as u64;
        assert_eq!(missed(&hub, newest - 1), [newest]);
        assert!(hub.past().bytes <= PAST_BYTES_MAX && hub.past().kept.len() < PAST_MAX);
        said(&hub, PAST_BYTES_MAX + 1);
        assert_eq!(missed(&hub, newest), Vec::<u64>::new(), "nothing larger than the whole is kept");
    }
}
