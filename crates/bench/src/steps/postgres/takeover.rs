//! Takeover: an instance is killed in the middle of a step, and another begins the step again.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use super::instance;
use crate::admin::ask;
use crate::line::Line;
use crate::run::{Lab, Running, Spec};
use crate::walk::{self, Walk};

/// For how long a silent instance is left alone.
pub(super) const LEASE: Duration = Duration::from_secs(2);

/// How often an instance is killed.
const KILLS: u32 = 6;

/// How much later in its step each instance is killed than the one before. Signs of life come every third of the
/// lease, so the kills fall on different moments between two of them.
const LATER: Duration = Duration::from_millis(150);

/// How long the step takes: until the kill, the takeover and some time to see it are over.
const STEP: Duration = Duration::from_secs(8);

/// How long to wait for anything.
const PATIENCE: Duration = Duration::from_secs(20);

/// How long to wait before looking again.
const AGAIN: Duration = Duration::from_millis(5);

/// Kills one instance after the other beside one that lives; milliseconds from each kill to the new beginning.
pub(super) fn measure_all(lab: &Lab, url: &str) -> anyhow::Result<Vec<f64>> {
    let settings = settings(lab, url);
    let living = Running::start(&instance(lab, "living instance", &settings)?, lab)?;
    let dying = instance(lab, "dying instance", &settings)?;
    let port = living.doors[0].1.port;
    let kill = |number| {
        eprintln!("takeover {}/{KILLS}", number + 1);
        take_over(lab, &dying, port, LATER * number)
    };
    (0..KILLS).map(kill).collect()
}

/// Settings with a workflow whose second step calls a tool that sleeps, and may be repeated.
fn settings(lab: &Lab, url: &str) -> Value {
    let mut settings = walk::settings(&["begin".into(), "sleep".into()], "return {}");
    let sleep = &mut settings["activities"][1];
    sleep["run"] = json!({"tool": {"server": "slow", "name": "echo"}});
    sleep["onUnknown"] = "retry".into();
    settings["workflows"][0]["steps"][1]["input"] = json!({"message": "{}"});
    let delay = STEP.as_millis().to_string();
    settings["servers"] =
        json!([{"name": "slow", "command": lab.bench, "args": ["echo", "--delay-ms", delay]}]);
    settings["sessions"]["leaseMs"] = (LEASE.as_millis() as u64).into();
    settings["store"] = json!({"url": url});
    settings
}

/// Starts an instance, kills it so long after it began a step, and waits until the other one has begun that step.
fn take_over(lab: &Lab, dying: &Spec, other: u16, after: Duration) -> anyhow::Result<f64> {
    let running = Running::start(dying, lab)?;
    let (session, _line) = begin(running.doors[0].1.port)?;
    let path = format!("/api/sessions/{session}");
    let first = wait_for(other, &path, |since| since.is_some())?;
    thread::sleep(after);
    let killed = Instant::now();
    running.kill()?;
    wait_for(other, &path, |since| since.is_some() && since != first)?;
    Ok(killed.elapsed().as_secs_f64() * 1e3)
}

/// Starts a session and asks for the step that sleeps; nobody waits for the answer on this line.
fn begin(port: u16) -> anyhow::Result<(String, Line)> {
    let mut line = Line::open(port, PATIENCE)?;
    let mut walk = Walk::new(2, None);
    for id in 1..=2 {
        let (tool, arguments) = walk.next();
        line.call(id, &tool, &arguments)?;
        if id == 1 {
            let reply = line.wait()?;
            let taken = walk.take(id, reply.status, &reply.body);
            ensure!(walk.session.is_some(), "no session was started: {taken:?}");
        }
    }
    Ok((walk.session.context("a session that was started")?, line))
}

/// Asks the instance on this port since when the session's step runs, until the answer is as it should be.
fn wait_for(port: u16, path: &str, good: impl Fn(Option<i64>) -> bool) -> anyhow::Result<Option<i64>> {
    let end = Instant::now() + PATIENCE;
    loop {
        let session = ask(port, "GET", path, "")?;
        let since = session["running"]["since"].as_i64();
        if good(since) {
            return Ok(since);
        }
        ensure!(Instant::now() < end, "the step is not begun: {session}");
        thread::sleep(AGAIN);
    }
}
