//! What gateway and worker say to each other.

use super::checked::Checked;
use super::frame::{Frame, Malformed, Reader, Writer};
use super::outcome::{Outcome, read_error, write_error, write_outcome};
use crate::{Form, Job, Phase};
use std::ops::Range;
use std::time::Duration;

const JOB: u8 = 1;
const CHECK: u8 = 2;
const ANSWER: u8 = 3;

const READY: u8 = 1;
const ASK: u8 = 2;
const OUTCOME: u8 = 3;
const CHECKED: u8 = 4;

/// What the gateway sends, besides answers.
#[derive(Debug)]
pub(crate) enum Request {
    Job(Task),
    /// Scripts to be compiled, each within the limit. The ranges are places in the frame's body.
    Check {
        number: u64,
        limit: Duration,
        sources: Vec<Range<usize>>,
    },
}

/// The answer to what a script asked.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) yes: bool,
    pub(crate) text: Option<String>,
}

/// A job as the worker sees it. The ranges are places in the frame's body.
#[derive(Debug)]
pub(crate) struct Task {
    /// What the outcome is to be known by.
    pub(crate) number: u64,
    pub(crate) phase: Phase,
    /// A step that gives the request another name is the last one for now.
    pub(crate) follow: bool,
    pub(crate) form: Form,
    pub(crate) limit: Duration,
    pub(crate) forget: Vec<u64>,
    pub(crate) steps: Vec<Source>,
    pub(crate) method: Range<usize>,
    pub(crate) params: Range<usize>,
    pub(crate) response: Option<Range<usize>>,
    pub(crate) metadata: Range<usize>,
    pub(crate) shared: Option<Range<usize>>,
    pub(crate) variables: Option<Range<usize>>,
    pub(crate) top: Range<usize>,
    /// The members of `previousResults`, where the steps are nodes.
    pub(crate) results: Option<Range<usize>>,
}

/// One step: a script that the worker knows by its number, or is told now.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) number: u64,
    pub(crate) stop_on_error: bool,
    pub(crate) tell: bool,
    pub(crate) show: bool,
    pub(crate) text: Option<Range<usize>>,
    pub(crate) place: Option<Spot>,
}

/// The place of a step that is a node of a graph.
#[derive(Debug)]
pub(crate) struct Spot {
    pub(crate) key: Range<usize>,
    pub(crate) metadata: Range<usize>,
    pub(crate) top: Range<usize>,
}

/// What the worker sends.
#[derive(Debug)]
pub(crate) enum Reply {
    Ready,
    Ask(Ask),
    Outcome(Outcome),
    Checked(Checked),
}

/// What a script asks of the gateway.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Ask {
    IsKey(String),
    ServerInfo(String),
}

/// A job, from the step `from` up to `to`.
pub(crate) fn job(
    writer: &mut Writer,
    number: u64,
    job: &Job<'_>,
    steps: Range<usize>,
    forget: &[u64],
    results: Option<&str>,
    mut knows: impl FnMut(u64) -> bool,
) {
    writer.begin(JOB);
    let texts =
        [Some(job.params), job.response, Some(job.metadata), job.shared, job.variables, Some(job.top)];
    writer.expect(texts.into_iter().flatten().map(str::len).sum::<usize>() + job.method.len());
    writer.number(number);
    writer.byte(u8::from(job.phase == Phase::Post));
    writer.byte(u8::from(job.follow.is_some()));
    writer.byte(job.form as u8);
    writer.number(micros(job.limit));
    writer.number(forget.len() as u64);
    forget.iter().for_each(|number| writer.number(*number));
    writer.number(steps.len() as u64);
    for step in &job.steps[steps] {
        writer.number(step.script.number());
        writer.byte(u8::from(step.stop_on_error) | u8::from(step.tell) << 1 | u8::from(job.show) << 2);
        let known = knows(step.script.number());
        writer.maybe(if known { None } else { Some(&step.script.source) });
        writer.byte(u8::from(step.place.is_some()));
        if let Some(place) = &step.place {
            [&place.key, &place.metadata, &place.top].into_iter().for_each(|text| writer.text(text));
        }
    }
    writer.text(job.method);
    writer.text(job.params);
    writer.maybe(job.response);
    writer.text(job.metadata);
    writer.maybe(job.shared);
    writer.maybe(job.variables);
    writer.text(job.top);
    writer.maybe(results);
}

pub(crate) fn check(writer: &mut Writer, number: u64, sources: &[&str], limit: Duration) {
    writer.begin(CHECK);
    writer.expect(sources.iter().map(|source| source.len()).sum());
    writer.number(number);
    writer.number(micros(limit));
    writer.number(sources.len() as u64);
    sources.iter().for_each(|source| writer.text(source));
}

pub(crate) fn answer(writer: &mut Writer, answer: &Answer) {
    writer.begin(ANSWER);
    writer.byte(u8::from(answer.yes));
    writer.maybe(answer.text.as_deref());
}

pub(crate) fn ready(writer: &mut Writer) {
    writer.begin(READY);
}

pub(crate) fn ask(writer: &mut Writer, ask: &Ask) {
    writer.begin(ASK);
    let (kind, text) = match ask {
        Ask::IsKey(token) => (0, token),
        Ask::ServerInfo(id) => (1, id),
    };
    writer.byte(kind);
    writer.text(text);
}

pub(crate) fn checked(writer: &mut Writer, checked: &Checked) {
    writer.begin(CHECKED);
    writer.number(checked.number);
    writer.number(checked.results.len() as u64);
    for result in &checked.results {
        writer.byte(u8::from(result.is_err()));
        if let Err(error) = result {
            write_error(writer, error);
        }
    }
    writer.byte(u8::from(checked.renew));
}

pub(crate) fn outcome(writer: &mut Writer, outcome: &Outcome) {
    writer.begin(OUTCOME);
    write_outcome(writer, outcome);
}

impl Request {
    pub(crate) fn parse(frame: Frame<'_>) -> Result<Self, Malformed> {
        let mut reader = Reader::new(frame);
        let request = match reader.byte()? {
            JOB => Self::Job(Task::parse(&mut reader)?),
            CHECK => {
                let number = reader.number()?;
                let limit = Duration::from_micros(reader.number()?);
                let sources = (0..reader.count()?).map(|_| reader.range()).collect::<Result<_, _>>()?;
                Self::Check { number, limit, sources }
            }
            _ => return Err(Malformed),
        };
        reader.end()?;
        Ok(request)
    }
}

impl Answer {
    /// The answer, when that is what the frame holds.
    pub(crate) fn parse(frame: Frame<'_>) -> Result<Option<Self>, Malformed> {
        let mut reader = Reader::new(frame);
        if reader.byte()? != ANSWER {
            return Ok(None);
        }
        let answer = Self { yes: reader.flag()?, text: reader.maybe()?.map(str::to_owned) };
        reader.end()?;
        Ok(Some(answer))
    }
}

impl Task {
    fn parse(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        let number = reader.number()?;
        let phase = if reader.flag()? { Phase::Post } else { Phase::Pre };
        let follow = reader.flag()?;
        let form = match reader.byte()? {
            0 => Form::Hook,
            1 => Form::Function,
            2 => Form::Expression,
            _ => return Err(Malformed),
        };
        let limit = Duration::from_micros(reader.number()?);
        let forget = (0..reader.count()?).map(|_| reader.number()).collect::<Result<_, _>>()?;
        let count = reader.count()?;
        let mut steps = Vec::with_capacity(count);
        for _ in 0..count {
            let number = reader.number()?;
            let flags = reader.byte()?;
            if flags > 7 {
                return Err(Malformed);
            }
            let [stop_on_error, tell, show] = [1, 2, 4].map(|flag| flags & flag != 0);
            let text = reader.maybe_range()?;
            let place = match reader.flag()? {
                true => Some(Spot { key: reader.range()?, metadata: reader.range()?, top: reader.range()? }),
                false => None,
            };
            steps.push(Source { number, stop_on_error, tell, show, text, place });
        }
        Ok(Self {
            number,
            phase,
            follow,
            form,
            limit,
            forget,
            steps,
            method: reader.range()?,
            params: reader.range()?,
            response: reader.maybe_range()?,
            metadata: reader.range()?,
            shared: reader.maybe_range()?,
            variables: reader.maybe_range()?,
            top: reader.range()?,
            results: reader.maybe_range()?,
        })
    }
}

impl Reply {
    pub(crate) fn parse(frame: Frame<'_>) -> Result<Self, Malformed> {
        let mut reader = Reader::new(frame);
        let reply = match reader.byte()? {
            READY => Self::Ready,
            ASK => Self::Ask(match reader.byte()? {
                0 => Ask::IsKey(reader.text()?.to_owned()),
                1 => Ask::ServerInfo(reader.text()?.to_owned()),
                _ => return Err(Malformed),
            }),
            OUTCOME => Self::Outcome(Outcome::parse(&mut reader)?),
            CHECKED => {
                let number = reader.number()?;
                let count = reader.count()?;
                let result = |_| Ok(if reader.flag()? { Err(read_error(&mut reader)?) } else { Ok(()) });
                let results = (0..count).map(result).collect::<Result<_, _>>()?;
                Self::Checked(Checked { number, results, renew: reader.flag()? })
            }
            _ => return Err(Malformed),
        };
        reader.end()?;
        Ok(reply)
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}
