//! From an event to a line.

use super::line::{Line, Style};
use super::time;
use super::writer::Writer;
use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::layer::{Context, Layer};

/// Room that a thread keeps for its next line.
const KEPT: usize = 16 * 1024;

thread_local! {
    static SCRATCH: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Writes every event that passes the level as one line. Spans are not written.
pub(super) struct Lines {
    pub(super) level: Level,
    pub(super) style: Style,
    pub(super) writer: Writer,
}

impl Lines {
    /// Builds a line with `fill` and hands it to the writer. The line is built outside the
    /// writer's lock, in a buffer of the thread: a value that logs or panics while it is being
    /// written blocks nobody.
    pub(super) fn write(&self, level: Level, fill: impl FnOnce(&mut Line<'_>)) {
        let build = |out: &mut Vec<u8>| {
            out.clear();
            let mut line = Line::new(out, self.style, time::now(), level);
            fill(&mut line);
            line.end();
            self.writer.append(out, level <= Level::WARN || self.style != Style::Json);
            out.shrink_to(KEPT);
        };
        let mut build = Some(build);
        let _ = SCRATCH.try_with(|scratch| {
            if let Ok(mut scratch) = scratch.try_borrow_mut()
                && let Some(build) = build.take()
            {
                build(&mut scratch);
            }
        });
        // Inside another line, or in a thread that is ending.
        if let Some(build) = build {
            build(&mut Vec::new());
        }
    }

    fn passes(&self, metadata: &Metadata<'_>) -> bool {
        // Libraries print whole messages at the lower levels, which must never be logged.
        let ours = metadata.target().starts_with("lockgate");
        let level = if ours { self.level } else { self.level.min(Level::WARN) };
        *metadata.level() <= level
    }
}

/// The lines as a layer; the panic hook has the same ones.
pub(super) struct Shared(pub(super) Arc<Lines>);

impl<S: Subscriber> Layer<S> for Shared {
    fn enabled(&self, metadata: &Metadata<'_>, _: Context<'_, S>) -> bool {
        self.0.passes(metadata)
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::from_level(self.0.level))
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let metadata = event.metadata();
        self.0.write(*metadata.level(), |line| {
            event.record(&mut Fields(line));
            if self.0.level >= Level::DEBUG {
                line.target(metadata.target());
            }
        });
    }
}

struct Fields<'a, 'b>(&'a mut Line<'b>);

impl Visit for Fields<'_, '_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.text(field.name(), value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.0.bare(field.name(), format_args!("{value}"));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.bare(field.name(), format_args!("{value}"));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.0.bare(field.name(), format_args!("{value}"));
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        // JSON has no word for infinity or for what is not a number.
        if value.is_finite() {
            self.0.bare(field.name(), format_args!("{value:?}"));
        } else {
            self.0.display(field.name(), format_args!("{value}"));
        }
    }

    fn record_error(&mut self, field: &Field, value: &(dyn std::error::Error + 'static)) {
        self.0.display(field.name(), format_args!("{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.display(field.name(), format_args!("{value:?}"));
    }
}
