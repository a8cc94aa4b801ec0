//! How far a run is, in few words: for those who watch it while it is under way.

use super::{Run, SpotRun, SpotState};
use serde_json::{Map, Value, json};

impl Run {
    /// Which nodes the run has come to, and how far each is: members of the record (spec 3.6) without what was said.
    /// It is the same as long as the run stays where it is.
    pub fn progress(&self) -> Value {
        let run = &*self.0;
        let state = self.state();
        let reached = run.graph.spots.iter().zip(&state.spots);
        let reached = reached.filter(|(_, did)| did.state != SpotState::Skipped);
        let results: Map<String, Value> =
            reached.map(|(spot, did)| (spot.id.to_string(), did.progress(run.began_at))).collect();
        json!({
            "id": run.id,
            "workflowId": &*run.graph.workflow,
            "workflowName": &*run.graph.name,
            "executedAt": run.began_at,
            "version": run.graph.revision,
            "results": results,
        })
    }
}

impl SpotRun {
    fn progress(&self, began_at: i64) -> Value {
        let at = |micros: u64| began_at.saturating_add_unsigned(micros / 1000);
        let mut told =
            json!({"state": self.state.name(), "startedAt": at(self.began), "startedMicros": self.began});
        if self.state != SpotState::Running {
            let micros = self.ended.saturating_sub(self.began);
            told["completedAt"] = at(self.ended).into();
            told["durationMs"] = (micros / 1000).into();
            told["micros"] = micros.into();
        }
        told
    }
}
