//! Lines on their way to a child: many callers append, one task writes them in as few calls as it can.

use std::future::poll_fn;
use std::sync::Mutex;
use std::task::Poll;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::Notify;

/// The most bytes that wait for a child which does not read.
const WAITING_MAX: usize = 16 * 1024 * 1024;

/// Room kept between writes.
const ROOM: usize = 64 * 1024;

/// The queue of bytes for one child.
#[derive(Default)]
pub(crate) struct Outbox {
    state: Mutex<State>,
    wake: Notify,
}

#[derive(Default)]
struct State {
    waiting: Vec<u8>,
    closed: bool,
}

/// The line was not taken: the connection is closed, or the child does not read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refused;

impl Outbox {
    /// Appends what `write` writes, followed by a newline.
    pub(crate) fn push(&self, write: impl FnOnce(&mut Vec<u8>)) -> Result<(), Refused> {
        let mut state = self.lock();
        if state.closed || state.waiting.len() > WAITING_MAX {
            return Err(Refused);
        }
        let first = state.waiting.is_empty();
        write(&mut state.waiting);
        state.waiting.push(b'\n');
        drop(state);
        if first {
            self.wake.notify_one();
        }
        Ok(())
    }

    /// How many bytes wait for the child to read them.
    pub(crate) fn waiting(&self) -> usize {
        self.lock().waiting.len()
    }

    /// Refuses further lines and lets the writer end.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.wake.notify_one();
    }

    /// Writes until the outbox is closed and empty, or the pipe breaks, which is an error. The pipe is
    /// closed on return. While the child is `busy`, lines of callers that are ready to run go out together.
    pub(crate) async fn drain<W: AsyncWrite + Unpin>(
        &self,
        mut pipe: W,
        busy: impl Fn() -> bool,
    ) -> std::io::Result<()> {
        let mut batch = Vec::new();
        loop {
            let closed = {
                let mut state = self.lock();
                std::mem::swap(&mut batch, &mut state.waiting);
                state.closed
            };
            if batch.is_empty() {
                if closed {
                    return Ok(());
                }
                self.wake.notified().await;
                if busy() {
                    step_back().await;
                }
                continue;
            }
            if let Err(error) = pipe.write_all(&batch).await {
                self.lock().closed = true;
                return Err(error);
            }
            batch.clear();
            batch.shrink_to(ROOM);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// Lets everything run first that is ready to.
async fn step_back() {
    let mut first = true;
    poll_fn(|task| {
        if !std::mem::take(&mut first) {
            return Poll::Ready(());
        }
        task.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use tokio::io::AsyncReadExt;

    /// How many writes it takes to pass on what two callers say.
    async fn writes(busy: bool) -> usize {
        let outbox = Arc::new(Outbox::default());
        let (near, mut far) = tokio::io::duplex(1024);
        let writer = outbox.clone();
        tokio::spawn(async move { writer.drain(near, || busy).await });
        tokio::task::yield_now().await;
        for _ in 0..2 {
            let outbox = outbox.clone();
            tokio::spawn(async move { outbox.push(|out| out.push(b'x')) });
        }
        let (mut lines, mut reads) = (0, 0);
        while lines < 2 {
            let mut heard = [0; 64];
            lines += far.read(&mut heard).await.expect("text") / 2;
            reads += 1;
        }
        reads
    }

    #[test]
    fn lines_for_a_busy_child_go_out_together_and_the_only_line_at_once() {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().expect("a runtime");
        let count =
            |busy| runtime.block_on(async move { tokio::spawn(writes(busy)).await.expect("it counts") });
        assert_eq!((count(true), count(false)), (1, 2));
    }

    #[tokio::test]
    async fn lines_arrive_whole_and_in_order_until_the_box_is_closed() {
        let outbox = Arc::new(Outbox::default());
        let (near, mut far) = tokio::io::duplex(64);
        let writer = tokio::spawn({
            let outbox = outbox.clone();
            async move { outbox.drain(near, || true).await }
        });
        for i in 0..100 {
            outbox.push(|out| out.extend_from_slice(format!("line {i}").as_bytes())).expect("open");
        }
        outbox.close();
        assert_eq!(outbox.push(|_| {}), Err(Refused));
        let mut text = String::new();
        far.read_to_string(&mut text).await.expect("text");
        writer.await.expect("ends").expect("the pipe holds");
        let expected: String = (0..100).map(|i| format!("line {i}\n")).collect();
        assert_eq!(text, expected);
    }

    #[tokio::test]
    async fn a_child_that_does_not_read_fills_the_box_and_no_more() {
        let outbox = Outbox::default();
        let line = vec![b'x'; 1024 * 1024];
        let taken = (0..100).take_while(|_| outbox.push(|out| out.extend_from_slice(&line)).is_ok()).count();
        assert!((16..=17).contains(&taken), "{taken} MiB were taken");
    }
}
