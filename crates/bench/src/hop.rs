//! `bench hop`: what it takes to tell a process that waits something and to hear its answer, with nothing else done.

use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::procfs;

/// As many bytes as a hook is told of a call of 1 KB, and as it answers.
const QUESTION: usize = 1400;
const ANSWER: usize = 100;

/// Before anything is counted.
const WARM_UP: Duration = Duration::from_millis(50);

/// The other process: answers on the socket that stands in the place of its standard input.
pub(crate) fn serve() -> anyhow::Result<()> {
    let mut socket = UnixStream::from(rustix::io::dup(rustix::stdio::stdin())?);
    let (mut question, answer) = ([0; QUESTION], [0; ANSWER]);
    // Whoever asked is gone then.
    while socket.read_exact(&mut question).is_ok() {
        socket.write_all(&answer)?;
    }
    Ok(())
}

/// CPU of both processes for each question with its answer, in microseconds.
pub(crate) fn measure(window: Duration) -> anyhow::Result<f64> {
    let (mut socket, theirs) = UnixStream::pair()?;
    let mut other = Command::new(std::env::current_exe()?)
        .arg("hop")
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .stdout(Stdio::null())
        .spawn()?;
    let spent = || procfs::own_cpu() + procfs::cpu(&[other.id()]);
    let mut ask = |window: Duration| -> anyhow::Result<u32> {
        let (began, mut answer, mut count) = (Instant::now(), [0; ANSWER], 0);
        while began.elapsed() < window {
            socket.write_all(&[0; QUESTION])?;
            socket.read_exact(&mut answer)?;
            count += 1;
        }
        Ok(count)
    };
    ask(WARM_UP)?;
    let before = spent();
    let count = ask(window)?;
    let took = spent().saturating_sub(before);
    drop(socket);
    other.wait()?;
    Ok(took.as_secs_f64() * 1e6 / f64::from(count.max(1)))
}
