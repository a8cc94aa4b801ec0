//! Where in the script of a node the expressions stand that somebody wrote, so that an error is told in their own lines.

use sandbox::{Report, ScriptError, Verdict};

/// The line and the column at which each expression begins, from 1, in their order.
#[derive(Debug, Default)]
pub(crate) struct Origins(Vec<(u32, u32)>);

impl Origins {
    /// An expression follows this text.
    pub(crate) fn add(&mut self, before: &str) {
        let (lines, last) = (before.matches('\n').count(), before.rsplit('\n').next().unwrap_or_default());
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX - 1) + 1;
        self.0.push((number(lines), number(last.chars().count())));
    }

    /// Tells the place of an error from the beginning of its expression.
    pub(crate) fn place(&self, report: &mut Report) {
        let Verdict::Failed(ScriptError { line: Some(line), column: Some(column), .. }) = &mut report.verdict
        else {
            return;
        };
        let Some((first, start)) = self.0.iter().rev().find(|origin| **origin <= (*line, *column)) else {
            return;
        };
        if line == first {
            *column -= start - 1;
        }
        *line -= first - 1;
    }
}
