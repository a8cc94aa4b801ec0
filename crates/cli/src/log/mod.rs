//! The log: one JSON object per line on standard error, or short lines when that is a terminal.
//!
//! Logging costs a request about a microsecond: a line is formatted straight into a buffer and
//! leaves in a batch. Neither a closed nor a stuck standard error stops the gateway. What is
//! logged is up to the callers, who give names and codes, never inputs, results or environment
//! values (1.15); the log sees to it that libraries and panics do not give them either.

mod layer;
mod line;
mod time;
mod writer;

use layer::Lines;
use line::Style;
use std::io::{self, IsTerminal};
use std::panic::PanicHookInfo;
use std::sync::Arc;
use std::time::Duration;
use tracing::{Level, Subscriber};
use tracing_subscriber::layer::SubscriberExt;
use writer::{Sink, Writer};

/// How to log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    /// `LOG_LEVEL`: the least important lines that are written.
    pub(crate) level: Level,
    /// `LOG_INCLUDE_STACK`: whether panics come with their stack at every level.
    pub(crate) include_stack: bool,
    /// Whether lines are for people; when not told, they are on a terminal.
    pub(crate) text: Option<bool>,
}

impl Default for Options {
    fn default() -> Self {
        Self { level: Level::INFO, include_stack: false, text: None }
    }
}

/// Keeps the log complete: when it is dropped, what was logged is written.
pub(crate) struct Handle {
    writer: Writer,
}

impl Handle {
    /// Waits until everything logged so far is written, for two seconds at most.
    pub(crate) fn flush(&self) {
        self.writer.flush(Duration::from_secs(2));
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.flush();
    }
}

/// Sends events and panics to standard error from now on. Call it once, at the start.
pub(crate) fn init(options: Options) -> Handle {
    let terminal = io::stderr().is_terminal();
    let style = match options.text.unwrap_or(terminal) {
        false => Style::Json,
        true if terminal => Style::Colour,
        true => Style::Text,
    };
    let writer = Writer::start(style, standard_error());
    let lines = Arc::new(Lines { level: options.level, style, writer: writer.clone() });
    // A second call finds the first in place, and changes nothing.
    if tracing::subscriber::set_global_default(subscriber(&lines)).is_ok() {
        let with_stack = options.include_stack || options.level >= Level::DEBUG;
        std::panic::set_hook(Box::new(move |panic| report(&lines, panic, with_stack)));
    }
    Handle { writer }
}

fn subscriber(lines: &Arc<Lines>) -> impl Subscriber + Send + Sync + use<> {
    tracing_subscriber::registry().with(layer::Shared(Arc::clone(lines)))
}

/// A file of its own for standard error: a write that is stuck then holds no lock that others want.
fn standard_error() -> Sink {
    #[cfg(unix)]
    if let Ok(fd) = std::os::fd::AsFd::as_fd(&io::stderr()).try_clone_to_owned() {
        return Box::new(std::fs::File::from(fd));
    }
    Box::new(io::stderr())
}

/// Logs a panic. Its text is left out when it was made from values: these may be a caller's.
fn report(lines: &Lines, panic: &PanicHookInfo<'_>, with_stack: bool) {
    let stack = with_stack.then(std::backtrace::Backtrace::force_capture);
    lines.write(Level::ERROR, |line| {
        line.text("message", "panic");
        if let Some(reason) = panic.payload().downcast_ref::<&'static str>() {
            line.text("reason", reason);
        }
        if let Some(location) = panic.location() {
            line.display("location", format_args!("{location}"));
        }
        if let Some(thread) = std::thread::current().name() {
            line.text("thread", thread);
        }
        if let Some(stack) = stack {
            line.display("stack", format_args!("{stack}"));
        }
    });
    // The process may be about to end.
    lines.writer.flush(Duration::from_millis(200));
}

#[cfg(test)]
mod tests;
