//! The jobs that a worker has to do, in the order in which it does them.

use super::Lost;
use crate::wire::{Outcome, Reply};
use std::collections::VecDeque;
use std::time::Duration;
use tokio::sync::oneshot;

/// What becomes of a job that was sent.
pub(crate) enum Answer {
    /// It is done.
    Reply(Reply),
    /// It must be sent again, to another worker; where it may have ended the last one, to one it has for itself.
    Again { alone: bool },
    /// Its worker is lost, and the job was all that it did.
    Lost(Lost),
}

impl Answer {
    /// What came of the job, if anything did.
    pub(crate) fn outcome(self) -> Option<Outcome> {
        match self {
            Answer::Reply(Reply::Outcome(outcome)) => Some(outcome),
            _ => None,
        }
    }
}

/// Takes the answer to a job for which nobody waits: what came of it, if anything did.
pub(crate) type Heir = Box<dyn FnOnce(Option<Outcome>) + Send>;

/// A job that was sent and not answered.
pub(crate) struct Flight {
    pub(crate) number: u64,
    /// Nothing when it was sent elsewhere meanwhile.
    waiting: Option<oneshot::Sender<Answer>>,
    /// Who takes the answer instead.
    pub(crate) heir: Option<Heir>,
    /// The most bytes that may come back.
    pub(crate) most: usize,
    /// How often it has asked something.
    pub(crate) asked: usize,
    /// What it is expected to take, in microseconds.
    cost: u32,
    /// What it may take at most.
    pub(crate) patience: Duration,
}

impl Flight {
    pub(crate) fn new(
        number: u64,
        waiting: oneshot::Sender<Answer>,
        most: usize,
        cost: u32,
        patience: Duration,
    ) -> Self {
        Self { number, waiting: Some(waiting), heir: None, most, asked: 0, cost, patience }
    }

    /// Whether nobody waits for it.
    pub(crate) fn is_abandoned(&self) -> bool {
        self.waiting.as_ref().is_none_or(oneshot::Sender::is_closed)
    }

    pub(crate) fn answer(self, answer: Answer) {
        match (self.heir, self.waiting) {
            (Some(heir), _) => heir(answer.outcome()),
            // Whoever has gone away meanwhile needs no answer.
            (None, Some(waiting)) => _ = waiting.send(answer),
            (None, None) => {}
        }
    }
}

/// All jobs of one worker.
#[derive(Default)]
pub(crate) struct Flights {
    all: VecDeque<Flight>,
    cost: u32,
}

impl Flights {
    pub(crate) fn push(&mut self, flight: Flight) {
        self.cost = self.cost.saturating_add(flight.cost);
        self.all.push_back(flight);
    }

    pub(crate) fn pop(&mut self) -> Option<Flight> {
        let flight = self.all.pop_front();
        self.cost = flight.as_ref().map_or(0, |flight| self.cost.saturating_sub(flight.cost));
        flight
    }

    pub(crate) fn front(&mut self) -> Option<&mut Flight> {
        self.all.front_mut()
    }

    /// The one with this number.
    pub(crate) fn find(&mut self, number: u64) -> Option<&mut Flight> {
        self.all.iter_mut().find(|flight| flight.number == number)
    }

    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// What all of them are expected to take, in microseconds.
    pub(crate) const fn cost(&self) -> u32 {
        self.cost
    }

    /// Has those behind the first done elsewhere. They stay in their places, for the worker may still do them.
    pub(crate) fn free(&mut self) {
        for flight in self.all.iter_mut().skip(1) {
            if let Some(waiting) = flight.waiting.take() {
                let _ = waiting.send(Answer::Again { alone: false });
            }
        }
    }

    /// The worker does no more, because of none of these.
    pub(crate) fn release(self) {
        self.all.into_iter().for_each(|flight| flight.answer(Answer::Again { alone: false }));
    }

    /// The worker is lost. One that was late was so because of the first; else nobody can tell because of which,
    /// when there are several, but it was none from the number `unsent` on.
    pub(crate) fn lose(mut self, lost: Lost, unsent: u64) {
        let late = matches!(lost, Lost::Late);
        if !late {
            let begun = self.all.partition_point(|flight| flight.number < unsent);
            Self { all: self.all.split_off(begun), cost: 0 }.release();
        }
        if (late || self.all.len() == 1)
            && let Some(first) = self.all.pop_front()
        {
            first.answer(Answer::Lost(lost));
        }
        self.all.into_iter().for_each(|flight| flight.answer(Answer::Again { alone: !late }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn three() -> (Flights, Vec<oneshot::Receiver<Answer>>) {
        let mut flights = Flights::default();
        let flight = |number| {
            let (sender, receiver) = oneshot::channel();
            flights.push(Flight::new(number, sender, 0, 10, Duration::MAX));
            receiver
        };
        let answers = (1..=3).map(flight).collect();
        (flights, answers)
    }

    /// What each was told, in a word.
    fn told(answers: &mut [oneshot::Receiver<Answer>]) -> Vec<&'static str> {
        let word = |answer: &mut oneshot::Receiver<Answer>| match answer.try_recv() {
            Ok(Answer::Reply(_)) => "reply",
            Ok(Answer::Again { alone: true }) => "alone",
            Ok(Answer::Again { alone: false }) => "again",
            Ok(Answer::Lost(_)) => "lost",
            Err(_) => "nothing",
        };
        answers.iter_mut().map(word).collect()
    }

    #[test]
    fn only_the_first_is_to_blame_for_being_late() {
        let (flights, mut answers) = three();
        flights.lose(Lost::Late, 1);
        assert_eq!(told(&mut answers), ["lost", "again", "again"]);
    }

    #[test]
    fn nobody_is_to_blame_for_a_worker_that_ends_under_several() {
        let (flights, mut answers) = three();
        flights.lose(Lost::Broken(crate::wire::Malformed), u64::MAX);
        assert_eq!(told(&mut answers), ["alone", "alone", "alone"]);
        let (mut flights, mut answers) = three();
        assert!(flights.pop().is_some() && flights.pop().is_some());
        flights.lose(Lost::Broken(crate::wire::Malformed), u64::MAX);
        assert_eq!(told(&mut answers), ["nothing", "nothing", "lost"]);
    }

    #[test]
    fn a_job_that_was_not_written_is_not_to_blame_for_the_end_of_its_worker() {
        let lost = || Lost::Broken(crate::wire::Malformed);
        for (unsent, expected) in
            [(1, ["again"; 3]), (2, ["lost", "again", "again"]), (3, ["alone", "alone", "again"])]
        {
            let (flights, mut answers) = three();
            flights.lose(lost(), unsent);
            assert_eq!(told(&mut answers), expected, "{unsent}");
        }
    }

    #[test]
    fn those_that_are_sent_elsewhere_keep_their_places() {
        let (mut flights, mut answers) = three();
        assert_eq!((flights.len(), flights.cost()), (3, 30));
        flights.free();
        assert_eq!(told(&mut answers), ["nothing", "again", "again"]);
        flights.pop();
        assert_eq!((flights.len(), flights.cost()), (2, 20));
        assert!(flights.front().is_some_and(|flight| flight.number == 2 && flight.is_abandoned()));
    }
}
