//! What came of a job, as a worker says it.

use super::frame::{Malformed, Reader, Writer};
use crate::{ConsoleLine, ErrorCode, Level, Limit, Report, ScriptError, Verdict};

/// How many reports are made room for at once.
const FEW: usize = 16;

/// What came of the steps that were sent.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// The number that came with the job.
    pub(crate) number: u64,
    pub(crate) reports: Vec<Report>,
    pub(crate) params: Option<String>,
    pub(crate) response: Option<String>,
    pub(crate) shared: Option<String>,
    pub(crate) variables: Option<String>,
    pub(crate) end: Ended,
    /// The worker must not be used again.
    pub(crate) renew: bool,
}

/// How the steps that were sent ended. It concerns the last one that has a report.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) enum Ended {
    #[default]
    Through,
    Answered,
    Blocked {
        code: Option<String>,
        message: Option<String>,
    },
    Failed,
    /// The worker must not go on, or the request has another name: the steps after the last report have not run.
    Left,
    /// Nobody waits for the job: the step of the last report was broken off.
    BrokenOff,
}

pub(super) fn write_outcome(writer: &mut Writer, outcome: &Outcome) {
    writer.number(outcome.number);
    writer.number(outcome.reports.len() as u64);
    outcome.reports.iter().for_each(|report| write_report(writer, report));
    writer.maybe(outcome.params.as_deref());
    writer.maybe(outcome.response.as_deref());
    writer.maybe(outcome.shared.as_deref());
    writer.maybe(outcome.variables.as_deref());
    match &outcome.end {
        Ended::Through => writer.byte(0),
        Ended::Answered => writer.byte(1),
        Ended::Blocked { code, message } => {
            writer.byte(2);
            writer.maybe(code.as_deref());
            writer.maybe(message.as_deref());
        }
        Ended::Failed => writer.byte(3),
        Ended::Left => writer.byte(4),
        Ended::BrokenOff => writer.byte(5),
    }
    writer.byte(u8::from(outcome.renew));
}

impl Outcome {
    pub(super) fn parse(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        let number = reader.number()?;
        let count = reader.count()?;
        // A count may lie.
        let mut reports = Vec::with_capacity(count.min(FEW));
        for _ in 0..count {
            reports.push(read_report(reader)?);
        }
        let owned = |text: Option<&str>| text.map(str::to_owned);
        Ok(Self {
            number,
            reports,
            params: owned(reader.maybe()?),
            response: owned(reader.maybe()?),
            shared: owned(reader.maybe()?),
            variables: owned(reader.maybe()?),
            end: match reader.byte()? {
                0 => Ended::Through,
                1 => Ended::Answered,
                2 => Ended::Blocked { code: owned(reader.maybe()?), message: owned(reader.maybe()?) },
                3 => Ended::Failed,
                4 => Ended::Left,
                5 => Ended::BrokenOff,
                _ => return Err(Malformed),
            },
            renew: reader.flag()?,
        })
    }
}

fn write_report(writer: &mut Writer, report: &Report) {
    match &report.verdict {
        Verdict::Continue { changed: false } => writer.byte(0),
        Verdict::Continue { changed: true } => writer.byte(1),
        Verdict::Answered => writer.byte(2),
        Verdict::Replaced => writer.byte(3),
        Verdict::Blocked => writer.byte(4),
        Verdict::Failed(error) => {
            writer.byte(5);
            write_error(writer, error);
        }
    }
    writer.number(report.micros);
    writer.number(report.memory);
    writer.number(report.console.len() as u64);
    for line in &report.console {
        writer.byte(line.level as u8);
        writer.text(&line.text);
    }
    writer.maybe(report.returned.as_deref());
    writer.maybe(report.changes.as_deref());
}

fn read_report(reader: &mut Reader<'_>) -> Result<Report, Malformed> {
    let verdict = match reader.byte()? {
        0 => Verdict::Continue { changed: false },
        1 => Verdict::Continue { changed: true },
        2 => Verdict::Answered,
        3 => Verdict::Replaced,
        4 => Verdict::Blocked,
        5 => Verdict::Failed(read_error(reader)?),
        _ => return Err(Malformed),
    };
    let micros = reader.number()?;
    let memory = reader.number()?;
    let count = reader.count()?;
    let mut console = Vec::with_capacity(count.min(256));
    for _ in 0..count {
        let level = LEVELS.get(usize::from(reader.byte()?)).ok_or(Malformed)?;
        console.push(ConsoleLine { level: *level, text: reader.text()?.to_owned() });
    }
    let returned = reader.maybe()?.map(str::to_owned);
    let changes = reader.maybe()?.map(str::to_owned);
    Ok(Report { verdict, micros, memory, console, returned, changes })
}

const LEVELS: [Level; 5] = [Level::Log, Level::Debug, Level::Info, Level::Warn, Level::Error];
const CODES: [ErrorCode; 3] = [ErrorCode::ScriptError, ErrorCode::Timeout, ErrorCode::ExecutionError];
const LIMITS: [Option<Limit>; 7] = [
    None,
    Some(Limit::Time),
    Some(Limit::Memory),
    Some(Limit::Stack),
    Some(Limit::Output),
    Some(Limit::Requests),
    Some(Limit::Workers),
];

pub(super) fn write_error(writer: &mut Writer, error: &ScriptError) {
    writer.byte(error.code as u8);
    writer.text(&error.message);
    writer.number(error.line.unwrap_or(0).into());
    writer.number(error.column.unwrap_or(0).into());
    writer.byte(error.limit.map_or(0, |limit| limit as u8 + 1));
}

pub(super) fn read_error(reader: &mut Reader<'_>) -> Result<ScriptError, Malformed> {
    let code = *CODES.get(usize::from(reader.byte()?)).ok_or(Malformed)?;
    let message = reader.text()?.to_owned();
    let mut place = || Ok(u32::try_from(reader.number()?).ok().filter(|place| *place > 0));
    let (line, column) = (place()?, place()?);
    let limit = *LIMITS.get(usize::from(reader.byte()?)).ok_or(Malformed)?;
    Ok(ScriptError { code, message, line, column, limit })
}
