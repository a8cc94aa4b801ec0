//! What the tests share: commands, patience, and a look into `/proc`.

use libtest_mimic::Trial;
use lockgate_process::{Child, Command, Launcher};
use std::future::Future;
use std::path::Path;
use std::time::{Duration, Instant};
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe;

/// More than any step takes on a busy machine.
pub(crate) const DEADLINE: Duration = Duration::from_secs(20);
pub(crate) const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

pub(crate) fn trial<F: Future<Output = ()> + 'static>(name: &str, test: fn() -> F) -> Trial {
    Trial::test(name, move || {
        runtime().block_on(async {
            tokio::time::timeout(3 * DEADLINE, test()).await.expect("the test ends in time");
        });
        // The runtime is gone, and with it whatever the test had not ended.
        runtime().block_on(eventually("no child is left", || own_children().is_empty()));
        Ok(())
    })
}

pub(crate) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime")
}

pub(crate) fn launcher() -> Launcher {
    Launcher::this_binary().expect("this binary")
}

pub(crate) fn command(program: &str, args: &[&str]) -> Command {
    Command {
        program: program.into(),
        args: args.iter().map(|&arg| arg.into()).collect(),
        env: vec![("PATH".into(), PATH.into())],
        ..Command::default()
    }
}

pub(crate) async fn sh(script: &str) -> Child {
    launcher().start(&command("/bin/sh", &["-c", script])).await.expect("sh starts")
}

pub(crate) async fn read(mut pipe: pipe::Receiver) -> String {
    let mut text = String::new();
    pipe.read_to_string(&mut text).await.expect("output is text");
    text
}

pub(crate) async fn line(pipe: &mut pipe::Receiver) -> String {
    let mut text = Vec::new();
    loop {
        match pipe.read_u8().await.expect("a whole line") {
            b'\n' => return String::from_utf8(text).expect("output is text"),
            byte => text.push(byte),
        }
    }
}

/// Polls until the condition holds; fails after the deadline.
pub(crate) async fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let end = Instant::now() + DEADLINE;
    while !condition() {
        assert!(Instant::now() < end, "not in time: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// The process id that a process wrote into a file.
pub(crate) async fn recorded(folder: &Path, name: &str) -> u32 {
    let read = || {
        let text = std::fs::read_to_string(folder.join(name)).ok()?;
        text.strip_suffix('\n')?.parse().ok()
    };
    eventually(&format!("{name} is recorded"), || read().is_some()).await;
    read().expect("it was there")
}

/// State and parent of a process; `None` when it is gone.
pub(crate) fn stat(pid: u32) -> Option<(char, u32)> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = stat[stat.rfind(')')? + 1..].split_ascii_whitespace();
    Some((fields.next()?.chars().next()?, fields.next()?.parse().ok()?))
}

pub(crate) fn alive(pid: u32) -> bool {
    stat(pid).is_some_and(|(state, _)| state != 'Z' && state != 'X')
}

pub(crate) fn guard_of(pid: u32) -> u32 {
    stat(pid).expect("the child lives").1
}

fn processes() -> impl Iterator<Item = u32> {
    let entries = std::fs::read_dir("/proc").expect("/proc is there");
    entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// The children of this process, zombies included.
pub(crate) fn own_children() -> Vec<u32> {
    processes().filter(|&pid| stat(pid).is_some_and(|(_, parent)| parent == std::process::id())).collect()
}

/// Living processes that have `mark` among their arguments.
pub(crate) fn marked(mark: &str) -> usize {
    let has_mark = |pid: u32| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).split('\0').any(|arg| arg == mark)
    };
    processes().filter(|&pid| alive(pid) && has_mark(pid)).count()
}

pub(crate) fn signal(pid: u32, signal: rustix::process::Signal) {
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw).expect("a process id");
    rustix::process::kill_process(pid, signal).expect("the process is there");
}
