//! A million calls: does memory stay where it is?

use std::time::Duration;

use super::{Moment, Results, Running};
use crate::load::{Length, Plan, measure};
use crate::rows::Row;

/// Makes a million calls and notes the memory after every tenth of them.
pub(super) fn measure_all(lockgate: &Running, results: &mut Results) -> anyhow::Result<()> {
    for tenth in 1..=10 {
        eprintln!("a million calls: {tenth}/10");
        let plan =
            Plan { connections: 64, warmup: Duration::ZERO, length: Length::Calls(100_000), gateway: None };
        let sample = measure(&lockgate.doors[0].1, &plan)?;
        lockgate.trim_log();
        results.million.0.push(Row { name: "a million calls".into(), round: tenth, sample });
        results.memory.push(lockgate.memory(Moment::AfterCalls(tenth as u64 * 100_000)));
    }
    Ok(())
}
