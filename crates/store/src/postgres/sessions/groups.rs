//! What comes together goes together: the pace at which groups are sent.

use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;

/// Groups that are on their way at once where the server is quick; what comes meanwhile is gathered for the next. A
/// commit costs the database many times what an append does, so that few large groups are cheaper; with a single one
/// whoever comes would wait for half a commit on average.
const GROUPS: usize = 2;

/// When none of them is back after this, another one goes all the same. The server makes durable at once what came
/// while it was busy with something else: whoever is not there then waits a whole turn longer.
const MOMENT: Duration = Duration::from_millis(1);

/// The most that are on their way, half of the connections: others have something to ask, too.
const GROUPS_MAX: usize = 8;

/// The most in one group.
const GROUP: usize = 64;

/// Sends one group after the other, until nobody is left who could ask.
pub(super) async fn send_all<T, F>(mut queue: mpsc::Receiver<T>, send: impl Fn(Vec<T>) -> F)
where
    F: Future<Output = ()> + Send + 'static,
{
    let mut away = JoinSet::new();
    let mut group = Vec::new();
    while queue.recv_many(&mut group, GROUP).await > 0 {
        while away.try_join_next().is_some() {}
        if away.len() >= GROUPS {
            let _ = timeout(MOMENT, away.join_next()).await;
        }
        while away.len() >= GROUPS_MAX {
            away.join_next().await;
        }
        while group.len() < GROUP
            && let Ok(next) = queue.try_recv()
        {
            group.push(next);
        }
        away.spawn(send(std::mem::take(&mut group)));
    }
    while away.join_next().await.is_some() {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};
    use tokio::sync::Semaphore;
    use tokio::time::sleep;

    const NONE: [usize; 0] = [];

    /// A server that keeps a group until it is let go.
    struct Server {
        came: Arc<Mutex<Vec<usize>>>,
        done: Arc<Semaphore>,
        jobs: mpsc::Sender<()>,
    }

    impl Server {
        fn start() -> Self {
            let (jobs, queue) = mpsc::channel(1024);
            let (came, done) = (Arc::<Mutex<Vec<usize>>>::default(), Arc::new(Semaphore::new(0)));
            let (seen, free) = (came.clone(), done.clone());
            tokio::spawn(send_all(queue, move |group: Vec<()>| {
                seen.lock().expect("a list").push(group.len());
                let free = free.clone();
                async move { free.acquire().await.expect("open").forget() }
            }));
            Self { came, done, jobs }
        }

        /// Asks for so many; says how large the groups are that are sent before any time goes by.
        async fn ask(&self, count: usize) -> Vec<usize> {
            for _ in 0..count {
                self.jobs.send(()).await.expect("taken");
            }
            self.came().await
        }

        async fn came(&self) -> Vec<usize> {
            for _ in 0..100 {
                tokio::task::yield_now().await;
            }
            std::mem::take(&mut self.came.lock().expect("a list"))
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_comes_while_two_are_away_is_gathered() {
        let server = Server::start();
        assert_eq!(server.ask(3).await, [3]);
        assert_eq!(server.ask(1).await, [1]);
        assert_eq!(server.ask(5).await, NONE);
        assert_eq!(server.ask(2).await, NONE);
        server.done.add_permits(1);
        assert_eq!(server.came().await, [7], "one is back before the moment is over");
        server.done.add_permits(2);
        server.came().await;
        assert_eq!(server.ask(GROUP + 1).await, [GROUP, 1], "two are free");
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_server_gets_more_of_them_but_not_all_connections() {
        let server = Server::start();
        for _ in 0..GROUPS {
            assert_eq!(server.ask(1).await, [1]);
        }
        for _ in GROUPS..GROUPS_MAX {
            assert_eq!(server.ask(1).await, NONE);
            assert_eq!(server.ask(3).await, NONE);
            sleep(MOMENT * 2).await;
            assert_eq!(server.came().await, [4]);
        }
        assert_eq!(server.ask(9).await, NONE);
        sleep(MOMENT * 1000).await;
        assert_eq!(server.came().await, NONE);
        server.done.add_permits(1);
        assert_eq!(server.came().await, [9]);
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_asked_before_the_end_is_served() {
        let (jobs, queue) = mpsc::channel(1024);
        let served = Arc::new(Mutex::new(0));
        let count = served.clone();
        let sending = tokio::spawn(send_all(queue, move |group: Vec<()>| {
            let count = count.clone();
            async move {
                sleep(MOMENT * 10).await;
                *count.lock().expect("a number") += group.len();
            }
        }));
        for _ in 0..GROUP * 3 {
            jobs.send(()).await.expect("taken");
        }
        drop(jobs);
        sending.await.expect("ended");
        assert_eq!(*served.lock().expect("a number"), GROUP * 3);
    }
}
