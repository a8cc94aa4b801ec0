//! The instances: all on one store, killed in turn and started again.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::json;

use super::STEPS;
use crate::procfs::{Tree, is_gone};
use crate::run::{Lab, Memory, Moment, Running, Spec};
use crate::walk;

/// Every step counts itself, and gives a mark that no other run of it would give.
const SCRIPT: &str = "context.memory.count = (context.memory.count || 0) + 1; \
     return {data: {mark: String(Math.random())}};";

/// How long the children of a killed instance may outlive it.
const ORPHANED: Duration = Duration::from_secs(5);

/// The instances, and what became of them.
pub(super) struct Fleet<'a> {
    lab: &'a Lab,
    /// Each with its process; there is none for a moment after a kill.
    instances: Vec<(Spec, Option<Running>)>,
    /// Milliseconds from each start after a kill to the first right answer.
    pub(super) back: Vec<f64>,
    /// Processes of killed instances that were still there some seconds later.
    pub(super) orphans: usize,
    /// Seconds since the beginning, and what each instance held then.
    pub(super) marks: Vec<(f64, Vec<Memory>)>,
}

impl<'a> Fleet<'a> {
    /// Starts so many instances on this store, one after the other.
    pub(super) fn start(lab: &'a Lab, count: usize, store: Option<&str>) -> anyhow::Result<Self> {
        let activities: Vec<String> = (0..STEPS).map(activity).collect();
        let mut settings = walk::settings(&activities, SCRIPT);
        if let Some(url) = store {
            settings["store"] = json!({"url": url});
        }
        let mut instances = Vec::new();
        for number in 1..=count {
            eprintln!("starting instance {number}/{count}");
            let spec = Spec::lockgate_with(lab, &["echo".into()], &["echo"], settings.clone())?;
            let spec = Spec { name: format!("instance {number}"), ..spec };
            let running = Running::start(&spec, lab)?;
            instances.push((spec, Some(running)));
        }
        Ok(Self { lab, instances, back: Vec::new(), orphans: 0, marks: Vec::new() })
    }

    /// The ports of all instances.
    pub(super) fn ports(&self) -> Vec<u16> {
        self.instances.iter().map(|(spec, _)| spec.doors[0].1.port).collect()
    }

    /// Kills an instance every so many seconds, and notes memory now and then, until the time is over.
    pub(super) fn tend(&mut self, time: Duration, kill_every: f64) -> anyhow::Result<()> {
        let began = Instant::now();
        let pause = (time / 10).clamp(Duration::from_secs(5), Duration::from_secs(60));
        let (mut kill, mut mark) = (kill_every, pause.min(time / 2));
        let mut turn = 0;
        while began.elapsed() < time {
            if kill_every > 0.0 && began.elapsed().as_secs_f64() >= kill {
                kill += kill_every;
                self.kill(turn % self.instances.len())?;
                turn += 1;
            }
            if began.elapsed() >= mark {
                mark += pause;
                self.mark(began.elapsed());
            }
            thread::sleep(Duration::from_millis(20));
        }
        // Marks that are minutes apart find instances of the same ages, which one at the end would not.
        if self.marks.len() < 2 {
            self.mark(began.elapsed());
        }
        Ok(())
    }

    /// Kills one instance and starts it again at once.
    fn kill(&mut self, index: usize) -> anyhow::Result<()> {
        let (spec, running) = &mut self.instances[index];
        let running = running.take().context("the instance runs")?;
        let tree = Tree::of(running.pid());
        running.kill()?;
        let again = Running::start(spec, self.lab)
            .with_context(|| format!("starting {} again after a kill", spec.name))?;
        self.back.push(again.cold.as_secs_f64() * 1e3);
        eprintln!("killed {}, back after {:.0} ms", spec.name, again.cold.as_secs_f64() * 1e3);
        self.instances[index].1 = Some(again);
        let children: Vec<u32> = [tree.guards, tree.workers, tree.servers].concat();
        let end = Instant::now() + ORPHANED;
        while Instant::now() < end && !children.iter().all(|pid| is_gone(*pid)) {
            thread::sleep(Duration::from_millis(20));
        }
        self.orphans += children.iter().filter(|pid| !is_gone(**pid)).count();
        Ok(())
    }

    fn mark(&mut self, since: Duration) {
        let running = self.instances.iter().filter_map(|(_, running)| running.as_ref());
        let held = running.map(|running| {
            running.trim_log();
            running.memory(Moment::AfterLoad)
        });
        self.marks.push((since.as_secs_f64(), held.collect()));
    }
}

/// The name of the activity of one step; its result stands in memory under that name.
pub(super) fn activity(step: usize) -> String {
    format!("s{step}")
}
