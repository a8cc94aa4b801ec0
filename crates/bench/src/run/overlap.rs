//! Do calls to one slow server overlap, or queue behind each other?

use std::time::Duration;

use super::{Lab, Results, Running, Spec};
use crate::load::{Length, Plan, measure};

/// Sends 64 calls at once to a server that answers after 20 ms, several times.
pub(super) fn measure_all(lab: &Lab, results: &mut Results) -> anyhow::Result<()> {
    eprintln!("overlapping calls");
    let slow = ["echo", "--delay-ms", "20"];
    let mut specs = vec![Spec::floor(lab, 0, &slow)?];
    if lab.lockgate.is_some() {
        specs.push(Spec::lockgate(lab, &["echo".into()], &slow)?);
    }
    for spec in specs {
        let running = Running::start(&spec, lab)?;
        for _ in 0..10 {
            let plan =
                Plan { connections: 64, warmup: Duration::ZERO, length: Length::Calls(64), gateway: None };
            let sample = measure(&running.doors[0].1, &plan)?;
            if sample.calls == 64 {
                results.overlaps.push((spec.name.clone(), sample.seconds * 1e3));
            } else {
                results.notes.push(format!("overlap: {} answered {} of 64 calls", spec.name, sample.calls));
            }
        }
    }
    Ok(())
}
