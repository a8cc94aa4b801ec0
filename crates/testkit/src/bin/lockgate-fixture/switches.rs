//! What the environment asks of the fixture; the list is in the header of `main.rs`.

use std::time::Duration;

/// The switches, read once.
pub(crate) struct Switches {
    pub(crate) modern: bool,
    pub(crate) no_ping: bool,
    pub(crate) skip_pings: u64,
    pub(crate) hang_init: bool,
    pub(crate) pages: usize,
    pub(crate) exit0_after: Option<Duration>,
    pub(crate) progress: Option<Duration>,
    pub(crate) progress_bytes: usize,
    pub(crate) list_changed: bool,
    pub(crate) resources: Vec<String>,
    pub(crate) logs: bool,
    pub(crate) hostile: bool,
    pub(crate) fidelity: bool,
    pub(crate) effects: Option<String>,
    pub(crate) tools: Option<String>,
    pub(crate) stderr: Option<String>,
    pub(crate) exit_at_start: Option<i32>,
    pub(crate) start_delay: Duration,
    pub(crate) grandchild: bool,
    pub(crate) ignore_term: bool,
}

impl Switches {
    pub(crate) fn from_environment() -> Self {
        Self {
            modern: text("FX_ERA").as_deref() == Some("modern"),
            no_ping: on("FX_NO_PING"),
            skip_pings: number("FX_SKIP_PINGS").unwrap_or(0),
            hang_init: on("FX_HANG_INIT"),
            pages: number("FX_PAGES").unwrap_or(1).max(1),
            exit0_after: number("FX_EXIT0_AFTER").map(Duration::from_millis),
            progress: number("FX_PROGRESS_MS").map(Duration::from_millis),
            progress_bytes: number("FX_PROGRESS_BYTES").unwrap_or(0),
            list_changed: on("FX_LIST_CHANGED"),
            resources: text("FX_RESOURCES")
                .map_or_else(Vec::new, |all| all.split(',').map(Into::into).collect()),
            logs: on("FX_LOGS"),
            hostile: on("FX_HOSTILE"),
            fidelity: on("FX_FIDELITY"),
            effects: text("FX_EFFECTS"),
            tools: text("FX_TOOLS").map(|path| std::fs::read_to_string(path).expect("FX_TOOLS is a file")),
            stderr: text("FX_STDERR"),
            exit_at_start: number("FX_EXIT_AT_START"),
            start_delay: Duration::from_millis(number("FX_START_DELAY").unwrap_or(0)),
            grandchild: on("FX_GRANDCHILD"),
            ignore_term: on("FX_IGNORE_TERM"),
        }
    }
}

fn text(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn on(name: &str) -> bool {
    text(name).is_some_and(|value| value == "1")
}

fn number<T: std::str::FromStr>(name: &str) -> Option<T> {
    text(name)?.parse().ok()
}
