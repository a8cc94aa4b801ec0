//! The MCP endpoint beside its calls: the tool list, clients that do nothing, and one large result.

use super::{Lab, Options, Place, Results, Running, Spec, window};
use crate::load::{Door, Mode, Work, size};
use crate::memory;

/// Rows of the report: the tool list as clients of both eras get it.
pub(crate) const LEGACY_LIST: &str = "tools/list, legacy client";
pub(crate) const MODERN_LIST: &str = "tools/list, modern client";

/// How many clients shake hands and then do nothing.
const CLIENTS: u64 = 5_000;

/// Puts one lockgate before a server with a hundred long tools and measures all three.
pub(super) fn measure_all(lab: &Lab, options: &Options, results: &mut Results) -> anyhow::Result<()> {
    eprintln!("the MCP endpoint");
    let echo = ["echo", "--tools", "99", "--tool-bytes", "660", "--big", "1048000"];
    let spec = Spec::lockgate(lab, &["echo".into()], &echo)?;
    let running = Running::start(&Spec { name: "lockgate, 100 tools".into(), ..spec }, lab)?;
    let port = running.doors[0].1.port;
    let list = |mode| Door { work: Work::List, ..Door::to_echo(mode, port, "/mcp") };
    let doors = [(LEGACY_LIST, list(Mode::Mcp)), (MODERN_LIST, list(Mode::McpStateless))];
    results.list_bytes = size(&doors[0].1)?;
    for round in 1..=options.rounds {
        for (name, door) in &doors {
            results.lists.0.push(window(&Place(name, round, 1), &running, door, options.secs)?);
        }
    }
    let gateway = memory::Gateway { port, pid: running.pid() };
    results.peaks = memory::peaks(&gateway, "big", "{}")?.iter().map(memory::Peaked::times).collect();
    results.clients =
        memory::clients(&gateway, CLIENTS)?.iter().map(|cost| (cost.era, cost.each())).collect();
    Ok(())
}
