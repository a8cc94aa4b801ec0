//! The connection that listens: what other instances say and change arrives here at once.

use super::{channel, database};
use crate::news::{AGAIN, Ear, News};
use futures_util::StreamExt;
use redis::aio::PubSub;
use redis::{Client, RedisResult};
use std::sync::Arc;

/// Begins to listen. Where that fails now it is tried again and again.
pub(super) async fn listen(client: Client) -> News {
    let ear = Arc::<Ear>::default();
    let first = connect(&ear, &client).await;
    let task = tokio::spawn(stay(Arc::clone(&ear), first, client)).abort_handle();
    News::new(ear, task)
}

async fn connect(ear: &Ear, client: &Client) -> RedisResult<PubSub> {
    let mut line = client.get_async_pubsub().await?;
    let database = database(client);
    line.subscribe(&[channel("marked", database), channel("bus", database)]).await?;
    ear.listens(true);
    Ok(line)
}

/// Listens for ever, on one connection after the other.
async fn stay(ear: Arc<Ear>, mut line: RedisResult<PubSub>, client: Client) {
    let bus = channel("bus", database(&client));
    loop {
        match line {
            Ok(mut line) => {
                // Who waits may have missed something before.
                ear.mark();
                let mut said = line.on_message();
                while let Some(message) = said.next().await {
                    match message.get_channel_name() == bus {
                        true => ear.bus.say(&String::from_utf8_lossy(message.get_payload_bytes())),
                        false => ear.mark(),
                    }
                }
                ear.listens(false);
            }
            Err(error) => tracing::debug!(reason = %error, "the store cannot be listened to"),
        }
        tokio::time::sleep(AGAIN).await;
        line = connect(&ear, &client).await;
        if line.is_ok() {
            ear.bus.miss();
        }
    }
}
