//! `lockgate-fixture`: one stdio MCP server whose tools and switches make every situation a gateway
//! has to handle (spec 1.17). It exits with code 0 when its input ends.
//!
//! Switches of the specification, in the environment:
//! - `FX_NO_PING=1` never answers `ping`
//! - `FX_HANG_INIT=1` never answers `initialize`
//! - `FX_PAGES=<n>` splits `tools/list` into n pages
//! - `FX_EXIT0_AFTER=<ms>` exits with code 0 after that time
//!
//! Further switches:
//! - `FX_ERA=modern` speaks revision 2026-07-28 only: `server/discover` instead of `initialize`, required
//!   `_meta`, `resultType`, `ttlMs` and `cacheScope`, `subscriptions/listen`. `FX_HANG_INIT` and
//!   `FX_NO_PING` then concern `server/discover`: always, or every one after the first
//! - `FX_SKIP_PINGS=<n>` leaves the first n pings without an answer
//! - `FX_PROGRESS_MS=<n>` makes `sleep` report progress every n ms when the request has a progress token
//! - `FX_PROGRESS_BYTES=<n>` gives each of these reports a message of n bytes
//! - `FX_LIST_CHANGED=1` adds the tool `grow {name}`, which adds a tool and says that the list changed
//! - `FX_RESOURCES=<uris>` offers resources at these addresses, separated by commas, and adds the tool
//!   `touch {uri}`, which tells of an update to those who asked for it; `stats.watched` has what is asked for
//! - `FX_LOGS=1` adds the tool `log {level, text}`, which answers and then sends a log message if it is of
//!   the level that was set, or above; `stats.level` has that level
//! - `FX_HOSTILE=1` adds the tool `bad {kind}`; the kinds are in `hostile.rs`
//! - `FX_FIDELITY=1` adds `raw-params`, which answers with the text of its parameters as it came, and
//!   `raw-result {text}`, whose result is exactly that text
//! - `FX_EFFECTS=<path>` adds `effect {id, ms, fail}`, which waits, then adds a line with the id and the
//!   idempotency key to that file, and `effect-once`, which is idempotent: it adds none for a key that is there
//! - `FX_TOOLS=<path>` puts the text of that file at the end of the list of tools, as it is
//! - `FX_STDERR=<text>` writes that line to standard error at start
//! - `FX_EXIT_AT_START=<code>` exits with that code before reading anything
//! - `FX_START_DELAY=<ms>` waits that long before reading anything
//! - `FX_GRANDCHILD=1` starts two `sleep 1000`, the second in a session of its own; `stats` then has
//!   `grandchildren` with both process ids
//! - `FX_IGNORE_TERM=1` ignores SIGTERM and the end of its input
//!
//! `stats.calls` counts every `tools/call`, that of `stats` included; `argv` leaves out the program's own
//! name. A cancelled call is answered all the same, late, as a careless server would.

mod catalog;
mod descendants;
mod effects;
mod fidelity;
mod hostile;
mod protocol;
mod resources;
mod state;
mod switches;
mod tools;
mod wire;

use descendants::Descendants;
use state::State;
use std::io::{BufRead, BufReader, Read, Write};
use std::sync::Arc;
use std::thread;
use switches::Switches;
use wire::Wire;

/// The longest line that is read; a request of the gateway is far below it.
const LINE_MAX: u64 = 64 << 20;

/// Everything one running fixture consists of.
struct Fixture {
    switches: Switches,
    wire: Wire,
    state: State,
    descendants: Descendants,
}

fn main() {
    let switches = Switches::from_environment();
    start(&switches);
    let fixture = Arc::new(Fixture {
        wire: Wire::new(switches.modern),
        state: State::default(),
        descendants: Descendants::start(switches.grandchild),
        switches,
    });
    read(&fixture);
    if fixture.switches.ignore_term {
        park();
    }
    std::process::exit(0);
}

/// Does what the switches ask for before the first message.
fn start(switches: &Switches) {
    if let Some(text) = &switches.stderr {
        // A closed standard error is no reason to fail.
        let _ = writeln!(std::io::stderr(), "{text}");
    }
    if let Some(code) = switches.exit_at_start {
        std::process::exit(code);
    }
    if switches.ignore_term {
        let flag = Arc::default();
        signal_hook::flag::register(signal_hook::consts::SIGTERM, flag).expect("SIGTERM can be handled");
    }
    thread::sleep(switches.start_delay);
    if let Some(after) = switches.exit0_after {
        thread::spawn(move || {
            thread::sleep(after);
            std::process::exit(0);
        });
    }
}

/// Reads lines until the input ends. Every line is handled on a thread of its own, so that a slow tool
/// never holds up another; only what must keep its order is done here.
fn read(fixture: &Arc<Fixture>) {
    let mut input = BufReader::new(std::io::stdin());
    let mut line = Vec::new();
    loop {
        line.clear();
        match input.by_ref().take(LINE_MAX).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        if let Some(job) = protocol::receive(fixture, &line) {
            if hostile::closes_stdin(&job) {
                hostile::close_stdin();
                job.run(fixture);
                park();
            }
            let fixture = Arc::clone(fixture);
            thread::spawn(move || job.run(&fixture));
        }
    }
}

fn park() -> ! {
    loop {
        thread::park();
    }
}
