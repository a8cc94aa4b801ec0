//! The targets of the MCP endpoint.

use super::{Verdict, at_least, at_most};
use crate::rows::{CPU, SPEED};
use crate::run::{LEGACY_LIST, MODERN_LIST, Results};
use crate::spread::Spread;

/// What every MCP call is compared with.
const FLOOR: &str = "floor_mcp";

/// Calls that pass as they are, by era, with the same work done by a gateway of the SDK, and translated.
const ERAS: [(&str, &str, &str, &str, &str); 2] = [
    ("legacy", "lockgate_mcp", "sdk_mcp", "to a modern server", "lockgate_legacy_to_modern"),
    ("modern", "lockgate_modern", "sdk_modern", "to a legacy server", "lockgate_modern_to_legacy"),
];

/// Judges every target of the endpoint.
pub(super) fn judge(results: &Results, all: &mut Vec<Verdict>) {
    let ratio = |name, base, at, figure| results.rows.ratio(name, base, at, figure);
    for (era, name, sdk, to, translated) in ERAS {
        for at in [1, 16, 64] {
            let figure = || format!("CPU per {era} MCP call at {at}");
            all.push(at_most(figure(), "≤ 1.6 × floor_mcp", 1.6, ratio(name, FLOOR, at, CPU)));
            let peer = ratio(name, "mcp-proxy-rs", at, CPU);
            all.push(at_most(figure(), "≤ 0.5 × mcp-proxy (Rust)", 0.5, peer));
            all.push(at_most(figure(), "≤ 0.4 × the SDK gateway", 0.4, ratio(name, sdk, at, CPU)));
            let figure = format!("CPU per {era} call {to} at {at}");
            all.push(at_most(figure, "≤ 1.3 × as it is", 1.3, ratio(translated, name, at, CPU)));
        }
        for at in [16, 64] {
            let figure = format!("{era} MCP calls/s at {at}");
            all.push(at_least(figure, "≥ 0.7 × floor_mcp", 0.7, ratio(name, FLOOR, at, SPEED)));
        }
    }
    for name in [LEGACY_LIST, MODERN_LIST] {
        let figure = format!("CPU µs per {name}, {} KB", results.list_bytes / 1000);
        all.push(at_most(figure, "≤ 100", 100.0, results.lists.spread(name, 1, CPU)));
    }
    for (era, target, limit) in [("legacy", "≤ 4 KiB", 4.0), ("modern", "none: ≤ 0.1 KiB", 0.1)] {
        let costs = results.clients.iter().filter(|(known, _)| *known == era);
        let measured = Spread::of(costs.map(|(_, bytes)| bytes / 1024.0));
        all.push(at_most(format!("memory of an idle {era} client, KiB"), target, limit, measured));
    }
    let peaks = Spread::of(results.peaks.iter().copied());
    all.push(at_most("memory while 1 MiB of result passes", "≤ 3 × its size", 3.0, peaks));
}
