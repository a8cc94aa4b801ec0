//! The connection that listens: what other instances say and change arrives here at once.

use super::connect::Dialer;
use super::refusal::Place;
use super::text::plain;
use crate::Error;
use crate::news::{AGAIN, Ear, News};
use std::sync::Arc;
use tokio::task::JoinHandle;
use tokio_postgres::{Client, Notification};

/// A connection that listens, with the task that ends with it.
type Line = (Client, JoinHandle<()>);

/// Begins to listen. Where that fails now it is tried again and again.
pub(super) async fn listen(dialer: Arc<Dialer>, place: Arc<Place>) -> News {
    let ear = Arc::<Ear>::default();
    let first = connect(&ear, &dialer, &place).await;
    let task = tokio::spawn(stay(Arc::clone(&ear), first, dialer, place)).abort_handle();
    News::new(ear, task)
}

async fn connect(ear: &Arc<Ear>, dialer: &Dialer, place: &Place) -> Result<Line, Error> {
    let its = Arc::clone(ear);
    let line = dialer.dial_with(place, move |said| take(&its, &said)).await?;
    let listen = line.0.batch_execute("LISTEN lockgate_marks; LISTEN lockgate_bus");
    place.answer("listen", listen).await?;
    ear.listens(true);
    Ok(line)
}

/// Listens for ever, on one connection after the other.
async fn stay(ear: Arc<Ear>, mut line: Result<Line, Error>, dialer: Arc<Dialer>, place: Arc<Place>) {
    loop {
        match line {
            Ok((_client, task)) => {
                // Who waits may have missed something before.
                ear.mark();
                let _ = task.await;
                ear.listens(false);
                tracing::debug!("the store is not listened to any more");
            }
            Err(error) => tracing::debug!(reason = %error, "the store cannot be listened to"),
        }
        tokio::time::sleep(AGAIN).await;
        line = connect(&ear, &dialer, &place).await;
        if line.is_ok() {
            ear.bus.miss();
        }
    }
}

fn take(ear: &Ear, said: &Notification) {
    match said.channel() {
        "lockgate_marks" => ear.mark(),
        _ => ear.bus.say(&plain(said.payload())),
    }
}
