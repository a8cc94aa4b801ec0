//! This same binary as a child: lines to its input, lines from its output, and its log.

use anyhow::{Context, bail};
use process::{Child, Control, Launcher};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::unix::pipe;
use tokio::time::{Instant, timeout};

/// How long an answer may take. A server may take ten seconds to start.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);

/// How long a program may take to end when it is asked to.
const GRACE: Duration = Duration::from_secs(5);

/// A running program.
pub(super) struct Program {
    input: pipe::Sender,
    output: Lines<BufReader<pipe::Receiver>>,
    log: Log,
    control: Control,
}

/// What a program wrote to standard error.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Program {
    /// Starts this binary with these words. Its environment has `PATH` only.
    pub(super) async fn start(
        launcher: &Launcher,
        program: PathBuf,
        args: Vec<String>,
    ) -> anyhow::Result<Self> {
        let env = process::environment(&["PATH".into()], std::iter::empty(), |name| std::env::var(name).ok());
        let command = process::Command { program, args, env, ..process::Command::default() };
        let Child { stdin, stdout, stderr, control, .. } = launcher.start(&command).await?;
        let log = Log::default();
        tokio::spawn(log.clone().collect(stderr));
        Ok(Self { input: stdin, output: BufReader::new(stdout).lines(), log, control })
    }

    /// Writes one line to its input.
    pub(super) async fn say(&mut self, line: &str) -> anyhow::Result<()> {
        self.input.write_all(format!("{line}\n").as_bytes()).await.context("the program does not read")
    }

    /// The next line of its output that has this text.
    pub(super) async fn line_with(&mut self, text: &str) -> anyhow::Result<String> {
        let reading = async {
            while let Some(line) = self.output.next_line().await? {
                if line.contains(text) {
                    return Ok(line);
                }
            }
            bail!("the program ended: {}", self.log.text().trim())
        };
        timeout(PATIENCE, reading).await.context("no answer in time")?
    }

    /// Waits until its log has this text.
    pub(super) async fn logged(&self, text: &str) -> anyhow::Result<()> {
        let end = Instant::now() + GRACE;
        while !self.log.text().contains(text) {
            if Instant::now() > end {
                bail!("no hook wrote '{text}' to the log");
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        Ok(())
    }

    /// Everything it writes to its output until it ends.
    pub(super) async fn finish(mut self) -> anyhow::Result<String> {
        drop(self.input);
        let mut text = String::new();
        let reading = async {
            while let Some(line) = self.output.next_line().await? {
                text += &line;
            }
            anyhow::Ok(())
        };
        timeout(PATIENCE, reading).await.context("the program does not end")??;
        if text.is_empty() { Ok(self.log.text()) } else { Ok(text) }
    }

    /// Ends it.
    pub(super) async fn stop(self) {
        self.control.stop(GRACE).await;
    }
}

impl Log {
    async fn collect(self, mut stderr: pipe::Receiver) {
        let mut part = [0; 4096];
        while let Ok(read @ 1..) = stderr.read(&mut part).await {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(&part[..read]);
        }
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }
}
