//! Messages on their way, each on a task of its own: bounded in number, each can be called back, and all
//! of them end with the connection.

use crate::client::End;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot, watch};

/// The most requests that wait for a reply, and the most other messages that wait to be taken.
const MOST: usize = 256;

/// Everything on its way over one connection.
pub(super) struct Flights {
    requests: Arc<Semaphore>,
    others: Arc<Semaphore>,
    callbacks: Arc<Mutex<HashMap<u64, oneshot::Sender<()>>>>,
    end: watch::Sender<Option<End>>,
}

/// Too many are on their way, or the connection has ended.
#[derive(Debug)]
pub(super) struct Full;

impl Default for Flights {
    fn default() -> Self {
        Self {
            requests: Arc::new(Semaphore::new(MOST)),
            others: Arc::new(Semaphore::new(MOST)),
            callbacks: Arc::default(),
            end: watch::Sender::new(None),
        }
    }
}

impl Flights {
    /// Runs `work` for the request `id`, or for a message that wants no reply.
    pub(super) fn launch(
        &self,
        id: Option<u64>,
        work: impl Future<Output = ()> + Send + 'static,
    ) -> Result<(), Full> {
        if self.end.borrow().is_some() {
            return Err(Full);
        }
        let room = if id.is_some() { &self.requests } else { &self.others };
        let permit = room.clone().try_acquire_owned().map_err(|_| Full)?;
        let (callback, called_back) = oneshot::channel();
        if let Some(id) = id {
            lock(&self.callbacks).insert(id, callback);
        }
        let flight = Flight { id, callbacks: self.callbacks.clone(), _permit: permit };
        let is_request = id.is_some();
        self.spawn(async move {
            let _flight = flight;
            tokio::select! {
                () = work => {}
                _ = called_back, if is_request => {}
            }
        });
        Ok(())
    }

    /// Runs `work` until the connection ends, apart from the count.
    pub(super) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        let mut end = self.end.subscribe();
        tokio::spawn(async move {
            tokio::select! {
                () = work => {}
                _ = end.wait_for(Option::is_some) => {}
            }
        });
    }

    /// Ends the task of a request.
    pub(super) fn call_back(&self, id: u64) {
        lock(&self.callbacks).remove(&id);
    }

    /// Ends all of them; the first reason counts. Whether this was the first.
    pub(super) fn end(&self, end: End) -> bool {
        self.end.send_if_modified(|known| match known {
            Some(_) => false,
            None => {
                *known = Some(end);
                true
            }
        })
    }

    /// Waits for the end.
    pub(super) async fn ended(&self) -> End {
        let mut end = self.end.subscribe();
        let found = end.wait_for(Option::is_some).await.ok().and_then(|found| *found);
        found.unwrap_or(End::Eof)
    }
}

struct Flight {
    id: Option<u64>,
    callbacks: Arc<Mutex<HashMap<u64, oneshot::Sender<()>>>>,
    _permit: OwnedSemaphorePermit,
}

impl Drop for Flight {
    fn drop(&mut self) {
        if let Some(id) = self.id {
            lock(&self.callbacks).remove(&id);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn flights_are_bounded_called_back_and_ended() {
        let flights = Flights::default();
        let probe = Arc::new(());
        let hold = |probe: &Arc<()>| {
            let probe = probe.clone();
            async move {
                let _probe = probe;
                std::future::pending::<()>().await;
            }
        };
        for id in 0..MOST as u64 {
            flights.launch(Some(id), hold(&probe)).expect("room");
        }
        assert!(flights.launch(Some(999), hold(&probe)).is_err());
        flights.launch(None, hold(&probe)).expect("other messages have room of their own");
        flights.call_back(7);
        while flights.launch(Some(1000), hold(&probe)).is_err() {
            tokio::task::yield_now().await;
        }
        assert!(flights.end(End::Overrun));
        assert!(!flights.end(End::Eof));
        assert_eq!(flights.ended().await, End::Overrun);
        while Arc::strong_count(&probe) > 1 {
            tokio::task::yield_now().await;
        }
        assert!(lock(&flights.callbacks).is_empty());
        assert!(flights.launch(None, hold(&probe)).is_err());
    }
}
