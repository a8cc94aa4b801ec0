//! A program that ran to its end.

use std::io::Read;
use std::process::{Command, Stdio};
use std::thread::JoinHandle;
use std::time::Duration;

/// Longer than the ten seconds a server may take to start.
const DEADLINE: Duration = Duration::from_secs(40);

/// How a program ended and what it wrote.
#[derive(Clone, Debug)]
pub struct Output {
    /// The exit code; `None` after a signal.
    pub code: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Output {
    /// Runs a program to its end; one that does not end is killed and fails the test.
    #[track_caller]
    pub fn of(command: &mut Command) -> Self {
        let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program can be started");
        let stdout = collect(child.stdout.take());
        let stderr = collect(child.stderr.take());
        let ended = crate::within(DEADLINE, || child.try_wait().expect("a child can be waited for"));
        if ended.is_none() {
            let _ = child.kill();
            let _ = child.wait();
        }
        let join = |reader: JoinHandle<String>| reader.join().expect("a reader does not panic");
        let output = Self { code: ended.and_then(|e| e.code()), stdout: join(stdout), stderr: join(stderr) };
        assert!(ended.is_some(), "the program did not end within {DEADLINE:?}: {output:#?}");
        output
    }

    /// Both streams, one after the other.
    pub fn text(&self) -> String {
        format!("{}{}", self.stdout, self.stderr)
    }

    /// The lines of both streams that are not blank.
    pub fn lines(&self) -> Vec<String> {
        self.text().lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect()
    }

    /// Fails unless the program ended with this exit code.
    #[track_caller]
    pub fn expect_code(&self, code: i32) -> &Self {
        assert_eq!(self.code, Some(code), "{self:#?}");
        self
    }

    /// Fails unless either stream has this text.
    #[track_caller]
    pub fn expect_text(&self, text: &str) -> &Self {
        assert!(self.text().contains(text), "{text:?} is missing in {self:#?}");
        self
    }

    /// Fails if either stream has this text.
    #[track_caller]
    pub fn refuse_text(&self, text: &str) -> &Self {
        assert!(!self.text().contains(text), "{text:?} is in {self:#?}");
        self
    }
}

fn collect(stream: Option<impl Read + Send + 'static>) -> JoinHandle<String> {
    let mut stream = stream.expect("the stream is piped");
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}
