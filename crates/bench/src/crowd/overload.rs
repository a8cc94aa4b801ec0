//! Three times as many calls as the gateway can serve.

use std::time::Duration;

use super::paced::{Crowd, Flow};
use crate::load::{Door, Length, Plan, Sample, measure};

/// How many times what it can serve is offered.
const TIMES: f64 = 3.0;

/// Connections of the window that tells what it can serve.
const CAPACITY: usize = 64;

/// One round: what it can serve, and what it does when more is asked.
pub(super) struct Overload {
    pub(super) capacity: Sample,
    pub(super) flow: Flow,
}

/// Measures what the gateway can serve, then offers three times that over so many connections.
pub(super) fn measure_all(door: &Door, callers: usize, secs: f64) -> anyhow::Result<Overload> {
    let length = Length::Time(Duration::from_secs_f64(secs));
    let plan = Plan { connections: CAPACITY, warmup: Duration::from_millis(200), length, gateway: None };
    let capacity = measure(door, &plan)?;
    let mut crowd = Crowd::open(door, callers)?;
    let flow = crowd.run(capacity.rps * TIMES, Duration::from_secs_f64(secs))?;
    Ok(Overload { capacity, flow })
}
