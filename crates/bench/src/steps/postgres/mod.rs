//! `bench steps --store`: what a continue costs on PostgreSQL, next to plain SQL on the same server.
//!
//! A step calls the echo tool, so it is recorded when it begins and when it ends: two commits, as many as the
//! floor's. One instance and then three walk 64 sessions. Beside that: what a call costs that needs no store, and how
//! soon the step of a killed instance is begun again by another.

mod calls;
mod floor;
mod report;
mod server;
mod takeover;

use std::time::Duration;

use anyhow::Context;
use serde_json::{Value, json};

use super::Options;
use super::walkers::Walkers;
use crate::load::{Length, Plan, Sample, measure};
use crate::rows::{Row, Rows};
use crate::run::{Lab, Running, Spec};
use crate::walk;
use floor::Floor;
use server::Server;
pub(super) use server::THROW_AWAY;

/// How many sessions are walked at once.
const SESSIONS: usize = 64;

/// Connections of the floor: as many as the pool of one instance has at most.
const CONNECTIONS: usize = 16;

/// Instances that share the database.
const INSTANCES: usize = 3;

/// Load before each window.
const WARMUP: Duration = Duration::from_secs(1);

/// The rows: the floor with the connections of one instance and of three, and continues through one and three.
const FLOOR: &str = "floor";
const WIDE: &str = "floor of three";
const ONE: &str = "one instance";
const THREE: &str = "three instances";

/// Everything that is measured.
struct Results {
    /// What the server is.
    server: String,
    steps: Rows,
    /// Calls that need no store.
    calls: Rows,
    /// Milliseconds from each kill to the moment at which another instance has begun the step again.
    takeovers: Vec<f64>,
}

/// What takes part in the rounds.
struct Stage<'a> {
    options: &'a Options,
    lab: &'a Lab,
    floor: Floor,
    /// The instance that runs throughout.
    one: Running,
    /// Those that run only while three are measured.
    others: Vec<Spec>,
}

/// Measures everything and prints the report.
pub(super) fn run(options: &Options, store: &str) -> anyhow::Result<()> {
    let lab = Lab::with_lockgate(options.lockgate.as_deref())?;
    let server = Server::find(store);
    let floor = Floor::open(&server.url).context("making the tables of the floor")?;
    let about = format!("{}, {}", server.origin, floor.about()?);
    let settings = settings(options.steps.max(2));
    let results = Results {
        server: about,
        steps: Stage::set(options, &lab, &settings, &server.url, floor)?.play()?,
        calls: calls::measure_all(options, &lab, &settings, &server.url)?,
        takeovers: takeover::measure_all(&lab, &server.url)?,
    };
    report::print(&results);
    Ok(())
}

impl<'a> Stage<'a> {
    /// Starts what runs throughout.
    fn set(
        options: &'a Options,
        lab: &'a Lab,
        settings: &Value,
        url: &str,
        floor: Floor,
    ) -> anyhow::Result<Self> {
        let mut settings = settings.clone();
        settings["store"] = json!({"url": url});
        let specs = (1..=INSTANCES).map(|number| instance(lab, &format!("instance {number}"), &settings));
        let mut others = specs.collect::<anyhow::Result<Vec<_>>>()?;
        let one = Running::start(&others.remove(0), lab)?;
        Ok(Self { options, lab, floor, one, others })
    }

    /// The rounds: every row next to those it is compared with, every other round in reverse.
    fn play(self) -> anyhow::Result<Rows> {
        let mut rows = Rows::default();
        let mut names = [FLOOR, ONE, WIDE, THREE];
        for round in 1..=self.options.rounds {
            for name in names {
                eprintln!("round {round}/{}, {name}", self.options.rounds);
                let sample = self.step(name).with_context(|| format!("measuring {name}"))?;
                rows.0.push(Row { name: name.into(), round, sample });
            }
            names.reverse();
        }
        self.floor.close()?;
        Ok(rows)
    }

    /// One window of steps.
    fn step(&self, name: &str) -> anyhow::Result<Sample> {
        let time = Duration::from_secs_f64(self.options.secs);
        match name {
            FLOOR => self.floor.measure(CONNECTIONS, time),
            WIDE => self.floor.measure(CONNECTIONS * INSTANCES, time),
            ONE => self.walk(&[], Some(self.one.pid()), time),
            _ => {
                let start = |spec| Running::start(spec, self.lab);
                let others = self.others.iter().map(start).collect::<anyhow::Result<Vec<_>>>()?;
                self.walk(&others, None, time)
            }
        }
    }

    /// Walks sessions through the first instance and these; the CPU is that of one gateway, where it is named.
    fn walk(&self, others: &[Running], gateway: Option<u32>, time: Duration) -> anyhow::Result<Sample> {
        let ports = [&self.one].into_iter().chain(others).map(|running| running.doors[0].1.port);
        let walkers = Walkers::new(&ports.collect::<Vec<_>>(), self.options.steps.max(2) as u64);
        let plan = |length| Plan { connections: SESSIONS, warmup: WARMUP, length, gateway };
        // An instance that was just started makes its connections to the database before it counts.
        measure(&walkers, &plan(Length::Calls(2 * SESSIONS as u64)))?;
        let sample = measure(&walkers, &plan(Length::Time(time)))?;
        self.one.trim_log();
        Ok(sample)
    }
}

/// How to start a Lockgate with these settings, in front of an echo server.
fn instance(lab: &Lab, name: &str, settings: &Value) -> anyhow::Result<Spec> {
    let spec = Spec::lockgate_with(lab, &["echo".into()], &["echo"], settings.clone())?;
    Ok(Spec { name: name.into(), ..spec })
}

/// Settings with one workflow of so many steps, each of which calls the echo tool.
fn settings(steps: usize) -> Value {
    let mut settings = walk::settings(&vec!["echo".into(); steps], "");
    settings["activities"][0]["run"] = json!({"tool": {"server": "echo", "name": "echo"}});
    for step in settings["workflows"][0]["steps"].as_array_mut().into_iter().flatten() {
        // What comes back is an empty object, which adds nothing to the input of the next step.
        step["input"] = json!({"message": "{}"});
    }
    settings
}
