//! Runs while they are under way, for those who watch them (spec 5.3).
//!
//! Whoever watches looks at the runs now and then; a run knows nothing of it, and a call pays nothing for it.

use crate::gateway::Gateway;
use model::RunId;
use serde_json::Value;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Interval, MissedTickBehavior, interval};

/// How often a watcher looks. People see no faster.
const LOOK: Duration = Duration::from_millis(100);

/// A run that is over sooner is not told: its end is.
const AGE: Duration = Duration::from_millis(50);

/// How many runs a watcher follows at once, the newest first.
const MOST: usize = 32;

/// Somebody who watches the runs of this instance.
pub struct Running {
    gateway: Arc<Gateway>,
    clock: Interval,
    /// What was told of each run that is still under way.
    told: HashMap<RunId, Value>,
    news: VecDeque<Value>,
}

impl Running {
    /// The next run that has come to another node: the nodes it has come to, and how far each is.
    pub async fn next(&mut self) -> Value {
        loop {
            if let Some(progress) = self.news.pop_front() {
                return progress;
            }
            self.clock.tick().await;
            self.look();
        }
    }

    fn look(&mut self) {
        let Some(recorder) = self.gateway.graphs.recorder() else { return self.told.clear() };
        let mut told = HashMap::new();
        for run in recorder.running(AGE, MOST) {
            let progress = run.progress();
            if self.told.get(&run.id()) != Some(&progress) {
                self.news.push_back(progress.clone());
            }
            told.insert(run.id(), progress);
        }
        self.told = told;
    }
}

impl Gateway {
    /// Watches runs while they are under way, from now on: first those that already are.
    pub fn running(self: &Arc<Self>) -> Running {
        let mut clock = interval(LOOK);
        clock.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Running { gateway: Arc::clone(self), clock, told: HashMap::new(), news: VecDeque::new() }
    }
}
