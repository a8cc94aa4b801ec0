//! The runs area in memory.

use super::Memory;
use crate::{Error, StoredRun};
use model::RunId;

impl Memory {
    pub(crate) fn keep_runs(&self, runs: Vec<StoredRun>) -> Result<(), Error> {
        self.with(|data| {
            data.runs.extend(runs.into_iter().map(|run| (run.id, run)));
            Ok(())
        })
    }

    pub(crate) fn list_runs(
        &self,
        workflow: Option<&str>,
        limit: usize,
        offset: usize,
    ) -> Result<Vec<StoredRun>, Error> {
        self.with(|data| {
            let runs = data.runs.values().rev().filter(|run| of(workflow, run));
            Ok(runs.skip(offset).take(limit).cloned().collect())
        })
    }

    pub(crate) fn count_runs(&self, workflow: Option<&str>) -> Result<u64, Error> {
        self.with(|data| Ok(data.runs.values().filter(|run| of(workflow, run)).count() as u64))
    }

    pub(crate) fn get_run(&self, id: RunId) -> Result<Option<StoredRun>, Error> {
        self.with(|data| Ok(data.runs.get(&id).cloned()))
    }

    pub(crate) fn trim_runs(&self, most: u64, before: RunId) -> Result<u64, Error> {
        self.with(|data| {
            let all = data.runs.len();
            data.runs = data.runs.split_off(&before);
            while data.runs.len() as u64 > most {
                data.runs.pop_first();
            }
            Ok((all - data.runs.len()) as u64)
        })
    }
}

fn of(workflow: Option<&str>, run: &StoredRun) -> bool {
    workflow.is_none_or(|id| run.workflow == id)
}
