//! A hundred servers with a hundred tools each: what a call and the tool list cost then.

use std::thread;
use std::time::Duration;

use super::{Lab, Moment, Options, Place, Results, Running, Spec, window};
use crate::load::{Door, Work, size};

/// Rows of the report: one server, one of a hundred, and all of them in turn.
pub(crate) const ONE: &str = "one server";
pub(crate) const ONE_OF_MANY: &str = "100 servers, one called";
pub(crate) const ALL_OF_MANY: &str = "100 servers, called in turn";
/// Rows of the report: the tool list of a hundred servers, and as many ready bytes from the floor.
pub(crate) const TOOLS: &str = "tools of 100 servers";
pub(crate) const READY: &str = "ready bytes from the floor";

/// Loads one lockgate with one server and one with a hundred, in turn.
pub(super) fn measure_all(
    one: &Running,
    lab: &Lab,
    options: &Options,
    results: &mut Results,
) -> anyhow::Result<()> {
    eprintln!("starting 100 servers with 100 tools each");
    let servers: Vec<String> = (0..100).map(|n| format!("echo-{n}")).collect();
    let spec = Spec::lockgate(lab, &servers, &["echo", "--tools", "100"])?;
    let many = Running::start(&Spec { name: "lockgate, 100 servers".into(), ..spec }, lab)?;
    thread::sleep(Duration::from_secs(1));
    results.memory.push(many.memory(Moment::Idle));

    let all = Door { servers: servers.clone(), ..many.doors[0].1.clone() };
    let last = Door { servers: servers[99..].to_vec(), ..all.clone() };
    let tools = Door { work: Work::List, path: "/mcp/tools".into(), ..all.clone() };
    results.tools_bytes = size(&tools)?;
    let floor = Running::start(&Spec::floor(lab, results.tools_bytes, &["echo"])?, lab)?;
    let ready = Door { port: floor.doors[0].1.port, ..tools.clone() };

    for round in 1..=options.rounds {
        eprintln!("round {round}/{} with many servers", options.rounds);
        for connections in [1, 16] {
            let mut note = |name, running, door| -> anyhow::Result<()> {
                results.many.0.push(window(&Place(name, round, connections), running, door, options.secs)?);
                Ok(())
            };
            note(ONE, one, &one.doors[0].1)?;
            note(ONE_OF_MANY, &many, &last)?;
            note(ALL_OF_MANY, &many, &all)?;
            if connections == 1 {
                note(READY, &floor, &ready)?;
                note(TOOLS, &many, &tools)?;
            }
        }
    }
    Ok(())
}
