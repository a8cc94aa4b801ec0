//! How long a slow client is waited for. A body that does not go on and a reply that is not read end their
//! connection; without this a few thousand idle hands could hold every connection there is.
//!
//! A clock only runs while something is waited for: what comes in one piece never starts one.

use axum::body::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use std::io;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

/// A body gets its time again with every so many bytes, so that a large one may take longer.
const PORTION: u64 = 1 << 20;

/// The time left for one wait.
struct Clock {
    time: Duration,
    runs: Option<Pin<Box<Sleep>>>,
}

impl Clock {
    fn new(time: Duration) -> Self {
        Self { time, runs: None }
    }

    fn stop(&mut self) {
        self.runs = None;
    }

    /// Ready when the time is over, counted from the first question after a stop.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<io::Error> {
        let time = self.time;
        let sleep = self.runs.get_or_insert_with(|| Box::pin(tokio::time::sleep(time)));
        ready!(sleep.as_mut().poll(cx));
        Poll::Ready(io::Error::new(io::ErrorKind::TimedOut, "the client took too long"))
    }
}

/// The timer of one connection, for the time until the next request. Requests come far more often than it is over: the
/// alarm rings as it was set once, and is then set again for what is left.
pub(crate) struct Alarm(Arc<Mutex<Pin<Box<Sleep>>>>);

impl Alarm {
    pub(crate) fn new(time: Duration) -> Self {
        Self(Arc::new(Mutex::new(Box::pin(tokio::time::sleep(time)))))
    }
}

impl hyper::rt::Timer for Alarm {
    fn sleep(&self, time: Duration) -> Pin<Box<dyn hyper::rt::Sleep>> {
        self.sleep_until(Instant::now() + time)
    }

    fn sleep_until(&self, end: Instant) -> Pin<Box<dyn hyper::rt::Sleep>> {
        Box::pin(Until { alarm: self.0.clone(), end: end.into() })
    }
}

/// One wait on the alarm of a connection.
struct Until {
    alarm: Arc<Mutex<Pin<Box<Sleep>>>>,
    end: tokio::time::Instant,
}

impl hyper::rt::Sleep for Until {}

impl Future for Until {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut alarm = self.alarm.lock().unwrap_or_else(PoisonError::into_inner);
        if alarm.deadline() > self.end {
            alarm.as_mut().reset(self.end);
        }
        loop {
            ready!(alarm.as_mut().poll(cx));
            if alarm.deadline() >= self.end {
                return Poll::Ready(());
            }
            alarm.as_mut().reset(self.end);
        }
    }
}

/// The body of a request, which fails when a portion of it takes too long.
pub(crate) struct Upload<B> {
    body: B,
    left: u64,
    clock: Clock,
}

impl<B> Upload<B> {
    pub(crate) fn new(body: B, time: Duration) -> Self {
        Self { body, left: PORTION, clock: Clock::new(time) }
    }
}

impl<B> Body for Upload<B>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(cx) else {
            return self.clock.poll(cx).map(|late| Some(Err(late)));
        };
        let length = frame.as_ref().and_then(|frame| Some(frame.as_ref().ok()?.data_ref()?.len() as u64));
        match self.left.checked_sub(length.unwrap_or(0)) {
            Some(left) if left > 0 => self.left = left,
            _ => {
                self.left = PORTION;
                self.clock.stop();
            }
        }
        Poll::Ready(frame.map(|frame| frame.map_err(io::Error::other)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A connection, which fails when nothing of a reply is taken for too long, and when the client leaves.
///
/// Whoever serves it asks for no more while it has bytes that come after the request under way, and would not notice that
/// the client is gone. So the connection reads ahead.
pub(crate) struct Wire<S> {
    stream: S,
    clock: Clock,
    /// What was read ahead.
    ahead: Vec<u8>,
    /// Whether the reader has got something, and may not ask again before it is through with that.
    is_fed: bool,
    /// Whether the client was seen to leave since then.
    has_left: bool,
}

/// So much is read ahead.
const AHEAD_MAX: usize = 64 << 10;

impl<S> Wire<S> {
    pub(crate) fn new(stream: S, time: Duration) -> Self {
        Self { stream, clock: Clock::new(time), ahead: Vec::new(), is_fed: false, has_left: false }
    }
}

impl<S: AsyncRead + Unpin> Wire<S> {
    /// Looks for the end of the connection where the reader does not. The reader first has another turn: its answer may
    /// be on the way to one who sends nothing more and still listens.
    fn watch(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        if self.has_left {
            return Err(io::Error::new(io::ErrorKind::ConnectionAborted, "the client left"));
        }
        while self.is_fed && self.ahead.len() < AHEAD_MAX {
            let mut space = [MaybeUninit::uninit(); 16 << 10];
            let mut buffer = ReadBuf::uninit(&mut space);
            match Pin::new(&mut self.stream).poll_read(cx, &mut buffer)? {
                Poll::Pending => break,
                Poll::Ready(()) if buffer.filled().is_empty() => {
                    self.has_left = true;
                    cx.waker().wake_by_ref();
                    break;
                }
                Poll::Ready(()) => self.ahead.extend_from_slice(buffer.filled()),
            }
        }
        Ok(())
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Wire<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.has_left = false;
        if !self.ahead.is_empty() {
            let some = buffer.remaining().min(self.ahead.len());
            buffer.put_slice(&self.ahead[..some]);
            self.ahead.drain(..some);
            if self.ahead.is_empty() {
                self.ahead = Vec::new();
            }
            return Poll::Ready(Ok(()));
        }
        let read = Pin::new(&mut self.stream).poll_read(cx, buffer);
        self.is_fed = read.is_ready();
        read
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Wire<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match Pin::new(&mut self.stream).poll_write(cx, bytes) {
            Poll::Ready(written) => {
                // Whoever sent several requests and then no more gets the answers that are there.
                self.has_left = false;
                self.clock.stop();
                Poll::Ready(written)
            }
            Poll::Pending => self.clock.poll(cx).map(Err),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.watch(cx)?;
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::{FutureExt, StreamExt, stream};
    use http_body_util::{BodyExt, StreamBody};
    use hyper::rt::Timer;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    const TIME: Duration = Duration::from_secs(10);

    #[tokio::test(start_paused = true)]
    async fn every_wait_has_its_whole_time_whatever_the_alarm_was_set_for() {
        let (alarm, began) = (Alarm::new(TIME), tokio::time::Instant::now());
        let wait = |time: u64| alarm.sleep_until((began + Duration::from_secs(time)).into_std());
        for end in [12, 14] {
            // Whoever is waited for comes in time.
            let comes = tokio::time::sleep_until(began + Duration::from_secs(end - 9));
            tokio::select! {
                () = wait(end) => panic!("it was not over"),
                () = comes => {}
            }
        }
        for end in [16, 16, 26, 100] {
            wait(end).await;
            assert_eq!(began.elapsed().as_secs(), end);
        }
        let (long, short) = (wait(1000), wait(150));
        assert!(futures_util::future::join(long, short).now_or_never().is_none());
        wait(150).await;
        assert_eq!(began.elapsed().as_secs(), 150, "the alarm is set back for who waits less");
    }

    /// So many pieces of that size, each after that time.
    async fn upload(pieces: usize, size: usize, pause: u64) -> io::Result<usize> {
        let pieces = stream::iter(0..pieces).then(move |_| async move {
            tokio::time::sleep(Duration::from_secs(pause)).await;
            Ok::<_, io::Error>(Frame::data(Bytes::from(vec![b'x'; size])))
        });
        let body = Upload::new(StreamBody::new(Box::pin(pieces)), TIME);
        body.collect().await.map(|all| all.to_bytes().len())
    }

    async fn check(pieces: usize, size: usize, pause: u64, expected: Option<usize>) {
        let found = upload(pieces, size, pause).await;
        assert_eq!(found.as_ref().ok(), expected.as_ref(), "{pieces} x {size} each {pause} s: {found:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_may_be_slow_for_as_long_as_its_portions_come_in_time() {
        check(9, 1, 1, Some(9)).await;
        check(11, 1, 1, None).await;
        check(1, 1, 11, None).await;
        check(40, 1 << 18, 2, Some(10 << 20)).await;
        check(40, 1 << 16, 2, None).await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_reply_that_nobody_reads_ends_and_one_that_is_read_slowly_does_not() {
        let (near, mut far) = tokio::io::duplex(100);
        let mut wire = Wire::new(near, TIME);
        let reading = async {
            for _ in 0..9 {
                tokio::time::sleep(Duration::from_secs(9)).await;
                far.read_exact(&mut [0; 100]).await.expect("the writer goes on");
            }
        };
        let (written, ()) = tokio::join!(wire.write_all(&[b'x'; 1000]), reading);
        assert!(written.is_ok());
        let late = wire.write_all(b"more").await.expect_err("nobody reads");
        assert_eq!(late.kind(), io::ErrorKind::TimedOut);
    }
}
