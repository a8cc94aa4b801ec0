//! As much HTTP as it takes to ask a gateway on loopback: one request, one connection.

use super::program::PATIENCE;
use anyhow::{Context, bail};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// The address of a gateway.
#[derive(Clone, Copy)]
pub(super) struct Http {
    pub(super) port: u16,
}

/// An answer.
pub(super) struct Answer {
    pub(super) status: u16,
    head: String,
    pub(super) body: String,
}

impl Answer {
    /// One header; empty when it is absent.
    pub(super) fn header(&self, name: &str) -> &str {
        let mut headers = self.head.lines().filter_map(|line| line.split_once(':'));
        let found = headers.find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map_or("", |(_, value)| value.trim())
    }
}

impl Http {
    /// Sends a request with a JSON body, where there is one, and reads the whole answer.
    pub(super) async fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&str>,
    ) -> anyhow::Result<Answer> {
        let mut stream = self.begin(method, path, headers, body).await?;
        let mut bytes = Vec::new();
        timeout(PATIENCE, stream.read_to_end(&mut bytes)).await.context("no answer in time")??;
        let text = String::from_utf8_lossy(&bytes);
        let (head, body) = text.split_once("\r\n\r\n").context("the answer is not HTTP")?;
        let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or_default();
        Ok(Answer { status, head: head.to_owned(), body: body.to_owned() })
    }

    /// Opens a stream of events.
    pub(super) async fn events(&self, path: &str) -> anyhow::Result<Events> {
        let accept = [("Accept", "text/event-stream")];
        let stream = self.begin("GET", path, &accept, None).await?;
        Ok(Events(BufReader::new(stream).lines()))
    }

    async fn begin(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&str>,
    ) -> anyhow::Result<TcpStream> {
        let mut text = format!("{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n");
        for (name, value) in headers {
            text += &format!("{name}: {value}\r\n");
        }
        if let Some(body) = body {
            text += &format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
        }
        text += "\r\n";
        text += body.unwrap_or_default();
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).await.context("connecting")?;
        stream.write_all(text.as_bytes()).await.context("sending")?;
        Ok(stream)
    }
}

/// An open stream of events. The gateway sends each event in a chunk of its own.
pub(super) struct Events(Lines<BufReader<TcpStream>>);

impl Events {
    /// The data of the next event that has this text.
    pub(super) async fn data_with(&mut self, text: &str) -> anyhow::Result<String> {
        let reading = async {
            while let Some(line) = self.0.next_line().await? {
                if let Some(data) = line.strip_prefix("data:").filter(|data| data.contains(text)) {
                    return Ok(data.trim().to_owned());
                }
            }
            bail!("the stream ended")
        };
        timeout(PATIENCE, reading).await.context("no event in time")?
    }
}
