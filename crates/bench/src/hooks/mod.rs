//! `bench hooks`: what hooks add to a call, on one Lockgate whose hooks change from window to window.

mod admin;
mod cases;
mod killed;
mod report;
mod results;
mod targets;

use std::path::PathBuf;
use std::time::Duration;

use crate::hop;
use crate::load::{Door, Length, Plan, measure};
use crate::rows::Row;
use crate::run::{Lab, Place, Running, Spec, window};
use admin::Admin;
use cases::{Case, NONE, PAYLOADS, Payload};
use results::{Results, Workers};

/// Concurrencies: alone, and with neighbours.
const CONNECTIONS: [usize; 2] = [1, 16];

/// The row of the least a gateway can be, by which machines are compared.
const FLOOR: &str = "floor";

/// How long a message to a process that waits is measured each time.
const HOP: Duration = Duration::from_millis(200);

/// What `bench hooks` is told on its command line.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Rounds; every round measures every set of hooks with every payload.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Length of each window in seconds.
    #[arg(long, default_value_t = 1.0)]
    secs: f64,
    /// The lockgate binary; by default the one beside this program.
    #[arg(long)]
    lockgate: Option<PathBuf>,
    /// Executes a hook a million times and watches the memory.
    #[arg(long)]
    million: bool,
    /// Measures only the rows whose name contains one of these, such as `1 KB: 1` or `branch`, and kills no workers.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
}

impl Options {
    /// Whether these hooks are measured with this payload.
    fn wants(&self, payload: &Payload, case: &Case) -> bool {
        let row = payload.row(case);
        self.only.is_empty() || self.only.iter().any(|part| row.contains(part))
    }
}

/// Measures everything and prints the report.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let lab = Lab::with_lockgate(options.lockgate.as_deref())?;
    let spec = Spec::lockgate(&lab, &["echo".into()], &["echo"])?;
    let running = Running::start(&spec, &lab)?;
    let floor = Running::start(&Spec::floor(&lab, 0, &["echo"])?, &lab)?;
    let mut bench =
        Bench { admin: Admin::new(running.doors[0].1.port), running, floor, results: Results::default() };
    for round in 1..=options.rounds {
        for connections in CONNECTIONS {
            eprintln!("round {round}/{}, concurrency {connections}", options.rounds);
            bench.visit_floor(&Place(FLOOR, round, connections), options)?;
            bench.results.hops.push(hop::measure(HOP)?);
            for payload in &PAYLOADS {
                bench.visit(payload, round, connections, options)?;
            }
        }
    }
    bench.results.workers = Workers::now(bench.running.pid());
    bench.admin.set(&cases::BRANCH)?;
    if options.only.is_empty() {
        killed::measure_all(&bench.door(&PAYLOADS[0]), bench.running.pid(), &mut bench.results)?;
    }
    if options.million {
        bench.million()?;
    }
    report::print(&bench.results);
    Ok(())
}

struct Bench {
    running: Running,
    floor: Running,
    admin: Admin,
    results: Results,
}

impl Bench {
    /// Measures the floor, with the message that the load brings by itself.
    fn visit_floor(&mut self, place: &Place<'_>, options: &Options) -> anyhow::Result<()> {
        let row = window(place, &self.floor, &self.floor.doors[0].1, options.secs)?;
        self.results.rows.0.push(row);
        Ok(())
    }

    /// Measures every set of hooks with one payload; every other round in reverse order.
    fn visit(
        &mut self,
        payload: &Payload,
        round: usize,
        connections: usize,
        options: &Options,
    ) -> anyhow::Result<()> {
        if !payload.cases.iter().any(|case| case.count > 0 && options.wants(payload, case)) {
            return Ok(());
        }
        let wanted = |case: &&Case| case.count == 0 || options.wants(payload, case);
        let mut cases: Vec<&Case> = payload.cases.iter().filter(wanted).collect();
        if round.is_multiple_of(2) {
            cases.reverse();
        }
        let door = self.door(payload);
        for case in cases {
            self.admin.set(case)?;
            let name = payload.row(case);
            let row = window(&Place(&name, round, connections), &self.running, &door, options.secs)?;
            self.check(case, &row)?;
            self.results.rows.0.push(row);
        }
        self.admin.set(&NONE)
    }

    /// Makes sure that the hooks did run, each for each call.
    fn check(&mut self, case: &Case, row: &Row) -> anyhow::Result<()> {
        let expected = row.sample.calls * case.count as u64;
        let seen = self.admin.executions()?;
        if seen < expected {
            self.results.notes.push(format!("{}: {seen} executions for {expected} expected", row.name));
        }
        Ok(())
    }

    fn door(&self, payload: &Payload) -> Door {
        Door { rest: payload.rest(), ..self.running.doors[0].1.clone() }
    }

    /// Executes one hook a million times and notes the memory after every tenth.
    fn million(&mut self) -> anyhow::Result<()> {
        self.admin.set(&cases::BRANCH)?;
        let door = self.door(&PAYLOADS[0]);
        for tenth in 1..=10 {
            eprintln!("a million executions: {tenth}/10");
            let plan = Plan {
                connections: 16,
                warmup: Duration::ZERO,
                length: Length::Calls(100_000),
                gateway: None,
            };
            let sample = measure(&door, &plan)?;
            self.running.trim_log();
            self.results.million.0.push(Row { name: "a million executions".into(), round: tenth, sample });
            self.results.growth.push(Workers::now(self.running.pid()));
        }
        Ok(())
    }
}
