//! A bounded queue for what is said besides a reply. Most often nothing is: then it costs one allocation,
//! and nobody is woken when its ends are dropped.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

/// The end where messages go in. Clones lead to the same queue.
pub struct Sender<T>(Arc<Shared<T>>);

/// The end where messages come out.
pub struct Receiver<T>(Arc<Shared<T>>);

struct Shared<T> {
    room: usize,
    state: Mutex<State<T>>,
}

struct State<T> {
    waiting: VecDeque<T>,
    /// The receiver is gone.
    closed: bool,
    /// No more will come.
    ended: bool,
    reader: Option<Waker>,
    /// Senders that wait for room, or for the end.
    writers: Vec<Waker>,
}

/// A queue for at most `room` messages at a time.
pub fn mail<T>(room: usize) -> (Sender<T>, Receiver<T>) {
    let state =
        State { waiting: VecDeque::new(), closed: false, ended: false, reader: None, writers: Vec::new() };
    let shared = Arc::new(Shared { room, state: Mutex::new(state) });
    (Sender(shared.clone()), Receiver(shared))
}

impl<T> Shared<T> {
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> State<T> {
    fn put(&mut self, message: T) {
        self.waiting.push_back(message);
        if let Some(reader) = self.reader.take() {
            reader.wake();
        }
    }

    fn wait_to_write(&mut self, waker: &Waker) {
        if !self.writers.iter().any(|other| other.will_wake(waker)) {
            self.writers.push(waker.clone());
        }
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> Sender<T> {
    /// Waits for room; the message comes back when nobody will take it.
    pub async fn send(&self, message: T) -> Result<(), T> {
        let mut message = Some(message);
        poll_fn(|context| {
            let mut state = self.0.lock();
            let Some(ready) = message.take() else { return Poll::Ready(Ok(())) };
            if state.closed || state.ended {
                return Poll::Ready(Err(ready));
            }
            if state.waiting.len() < self.0.room {
                state.put(ready);
                return Poll::Ready(Ok(()));
            }
            message = Some(ready);
            state.wait_to_write(context.waker());
            Poll::Pending
        })
        .await
    }

    /// Puts the message in if there is room now.
    pub fn offer(&self, message: T) -> Result<(), T> {
        let mut state = self.0.lock();
        if state.closed || state.ended || state.waiting.len() >= self.0.room {
            return Err(message);
        }
        state.put(message);
        Ok(())
    }

    /// Says that no more will come: the receiver gets what waits, then `None`.
    pub fn end(&self) {
        let mut state = self.0.lock();
        state.ended = true;
        state.reader.take().into_iter().for_each(Waker::wake);
        std::mem::take(&mut state.writers).into_iter().for_each(Waker::wake);
    }

    /// How many messages wait to be taken out.
    pub fn waiting(&self) -> usize {
        self.0.lock().waiting.len()
    }

    /// Whether nothing that is put in will be taken out any more.
    pub fn is_over(&self) -> bool {
        let state = self.0.lock();
        state.closed || state.ended
    }

    /// Waits until the receiver is gone.
    pub async fn closed(&self) {
        poll_fn(|context| {
            let mut state = self.0.lock();
            if state.closed {
                return Poll::Ready(());
            }
            state.wait_to_write(context.waker());
            Poll::Pending
        })
        .await;
    }
}

impl<T> Receiver<T> {
    /// The next message. It waits for ever when all senders are gone without a word.
    pub async fn recv(&mut self) -> Option<T> {
        poll_fn(|context| {
            let mut state = self.0.lock();
            if let Some(message) = state.take() {
                return Poll::Ready(Some(message));
            }
            if state.ended {
                return Poll::Ready(None);
            }
            if !state.reader.as_ref().is_some_and(|reader| reader.will_wake(context.waker())) {
                state.reader = Some(context.waker().clone());
            }
            Poll::Pending
        })
        .await
    }

    /// The next message, if it is there.
    pub fn try_recv(&mut self) -> Option<T> {
        self.0.lock().take()
    }
}

impl<T> State<T> {
    fn take(&mut self) -> Option<T> {
        let message = self.waiting.pop_front()?;
        std::mem::take(&mut self.writers).into_iter().for_each(Waker::wake);
        Some(message)
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.closed = true;
        let lost = std::mem::take(&mut state.waiting);
        std::mem::take(&mut state.writers).into_iter().for_each(Waker::wake);
        drop(state);
        drop(lost);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn messages_come_out_in_order_and_a_full_queue_makes_the_sender_wait() {
        let (sender, mut receiver) = mail(2);
        for n in 0..2 {
            sender.send(n).await.expect("there is room");
        }
        assert_eq!(sender.offer(9), Err(9));
        let more = tokio::spawn({
            let sender = sender.clone();
            async move { sender.send(2).await }
        });
        for n in 0..3 {
            assert_eq!(receiver.recv().await, Some(n));
        }
        assert_eq!(more.await.expect("no panic"), Ok(()));
        assert_eq!(receiver.try_recv(), None);
    }

    #[tokio::test]
    async fn an_end_comes_after_what_waits() {
        let (sender, mut receiver) = mail(2);
        sender.offer(1).expect("there is room");
        sender.end();
        assert_eq!(sender.offer(2), Err(2));
        assert_eq!((receiver.recv().await, receiver.recv().await), (Some(1), None));
    }

    #[tokio::test]
    async fn a_sender_learns_that_the_receiver_is_gone() {
        let (sender, receiver) = mail(1);
        sender.offer(1).expect("there is room");
        let waits = tokio::spawn({
            let sender = sender.clone();
            async move { (sender.send(2).await, sender.closed().await) }
        });
        tokio::task::yield_now().await;
        drop(receiver);
        assert_eq!(waits.await.expect("no panic"), (Err(2), ()));
    }
}
