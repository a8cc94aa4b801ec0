//! Standard input and output.

use super::lines;
use crate::fixture::Fixture;
use std::io;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::sync::mpsc;

pub(crate) async fn serve(fixture: Fixture) -> io::Result<()> {
    let (received, incoming) = mpsc::channel(16);
    let (outgoing, mut to_send) = mpsc::channel::<String>(16);
    tokio::spawn(async move {
        let mut lines = BufReader::new(tokio::io::stdin()).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            if received.send(line).await.is_err() {
                return;
            }
        }
    });
    let connection = tokio::spawn(lines::serve(fixture, incoming, outgoing));
    let mut stdout = tokio::io::stdout();
    while let Some(line) = to_send.recv().await {
        stdout.write_all(format!("{line}\n").as_bytes()).await?;
        stdout.flush().await?;
    }
    connection.await.map_err(io::Error::other)
}
