//! One client: walks sessions at its pace, asks again until it is answered, and writes down what it was told.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::STEPS;
use crate::line::Line;
use crate::walk::{Taken, Walk};

/// How long one answer may take before another instance is asked.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long a client waits before it asks again.
const AGAIN: Duration = Duration::from_millis(20);

/// How long a client asks again for one step before it gives the session up.
const STUCK: Duration = Duration::from_secs(60);

/// One session, as its client knows it.
#[derive(Default)]
pub(super) struct Walked {
    /// None when no start was acknowledged.
    pub(super) session: Option<String>,
    /// What each acknowledged step gave, in order.
    pub(super) marks: Vec<String>,
}

/// What one client wrote down.
#[derive(Default)]
pub(super) struct Diary {
    pub(super) walked: Vec<Walked>,
    /// Microseconds from the first attempt of each step to its acknowledgement.
    pub(super) waits: Vec<u32>,
    /// Attempts that were not acknowledged: refused, or cut off.
    pub(super) retries: u64,
    /// Sessions that were given up.
    pub(super) stuck: u64,
    /// Answers that do not fit where the session stands.
    pub(super) wrong: u64,
    /// The first answer that was wrong, or on which a session was given up.
    pub(super) trouble: Option<String>,
    /// What was refused or cut off, and how often.
    pub(super) reasons: HashMap<String, u64>,
}

/// One client.
pub(super) struct Client {
    number: usize,
    ports: Vec<u16>,
    lines: Vec<Option<Line>>,
    pause: Duration,
    /// Counts calls: the instance that is asked, and the id of the call.
    turn: u64,
    diary: Diary,
}

impl Client {
    /// A client that takes one step per `pause`, through these instances in turn.
    pub(super) fn new(number: usize, ports: Vec<u16>, pause: Duration) -> Self {
        let lines = ports.iter().map(|_| None).collect();
        Self { number, ports, lines, pause, turn: number as u64, diary: Diary::default() }
    }

    /// Walks until it is told to stop.
    pub(super) fn walk(mut self, stop: &AtomicBool) -> Diary {
        let mut due = Instant::now() + self.pause.mul_f64(self.number as f64 % 16.0 / 16.0);
        while !stop.load(Ordering::Relaxed) {
            let key = format!("{}-{}", self.number, self.diary.walked.len());
            let mut walk = Walk::new(STEPS as u64, Some(format!("{}-{key}", std::process::id())));
            self.diary.walked.push(Walked::default());
            while !stop.load(Ordering::Relaxed) {
                thread::sleep(due.saturating_duration_since(Instant::now()));
                // One that has fallen behind keeps its pace and does not make up for it in a burst.
                due = (due + self.pause).max(Instant::now());
                if !self.step(&mut walk, stop) {
                    break;
                }
            }
        }
        self.diary
    }

    /// Takes one step, however often it must be asked for; false when the session is at its end.
    fn step(&mut self, walk: &mut Walk, stop: &AtomicBool) -> bool {
        let began = Instant::now();
        loop {
            let taken = match self.attempt(walk) {
                Ok(taken) => taken,
                Err(error) => Taken::Refused(error.root_cause().to_string()),
            };
            match taken {
                Taken::Step(data) => {
                    self.note(walk, data["mark"].as_str(), began);
                    return true;
                }
                Taken::End(results) => {
                    let last = &results[super::fleet::activity(STEPS - 1)]["mark"];
                    self.note(walk, last.as_str(), began);
                    return false;
                }
                Taken::Wrong(body) => {
                    self.diary.wrong += 1;
                    self.diary.trouble.get_or_insert(body);
                    return false;
                }
                Taken::Refused(why) => {
                    self.diary.retries += 1;
                    *self.diary.reasons.entry(kind(&why)).or_default() += 1;
                    if began.elapsed() > STUCK {
                        self.diary.stuck += 1;
                        self.diary.trouble.get_or_insert(why);
                        return false;
                    }
                    if stop.load(Ordering::Relaxed) {
                        return false;
                    }
                    thread::sleep(AGAIN);
                }
            }
        }
    }

    /// Asks the next instance once.
    fn attempt(&mut self, walk: &mut Walk) -> anyhow::Result<Taken> {
        self.turn += 1;
        let index = self.turn as usize % self.ports.len();
        let mut line = match self.lines[index].take() {
            Some(line) => line,
            None => Line::open(self.ports[index], PATIENCE)?,
        };
        let (tool, arguments) = walk.next();
        line.call(self.turn, &tool, &arguments)?;
        let reply = line.wait()?;
        if !reply.close {
            self.lines[index] = Some(line);
        }
        Ok(walk.take(self.turn, reply.status, &reply.body))
    }

    /// Writes an acknowledged step down.
    fn note(&mut self, walk: &Walk, mark: Option<&str>, began: Instant) {
        let waited = u32::try_from(began.elapsed().as_micros()).unwrap_or(u32::MAX);
        self.diary.waits.push(waited);
        if let Some(walked) = self.diary.walked.last_mut() {
            walked.session.clone_from(&walk.session);
            walked.marks.push(mark.unwrap_or_default().to_owned());
        }
    }
}

/// The same trouble in the same words: its status, and what follows without ids and numbers.
fn kind(why: &str) -> String {
    let why = why.split(" (os error").next().unwrap_or_default();
    let words = why.split_whitespace().enumerate();
    let kept = words.filter(|(at, word)| *at == 0 || !word.contains(|c: char| c.is_ascii_digit()));
    kept.map(|(_, word)| word).collect::<Vec<_>>().join(" ").chars().take(120).collect()
}
