//! A million calls: does memory stay where it is?

use std::time::Duration;

use super::{Moment, Results, Running};
use crate::load::{Length, Plan, measure};

/// Makes a million calls and notes the memory after every tenth of them.
pub(super) fn measure_all(lockgate: &Running, results: &mut Results) -> anyhow::Result<()> {
    for tenth in 1..=10 {
        eprintln!("a million calls: {tenth}/10");
        let plan =
            Plan { connections: 64, warmup: Duration::ZERO, length: Length::Calls(100_000), gateway: None };
        measure(&lockgate.doors[0].1, &plan)?;
        lockgate.trim_log();
        results.memory.push(lockgate.memory(Moment::AfterCalls(tenth * 100_000)));
    }
    Ok(())
}
