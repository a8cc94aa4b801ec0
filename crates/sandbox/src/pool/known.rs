//! Which scripts a worker has compiled. The gateway decides what is forgotten, so both sides agree.

use crate::Step;

/// The most scripts, and the most bytes of their sources, that one worker keeps.
const MOST: usize = 128;
const MOST_BYTES: usize = 4 << 20;

/// The scripts that a worker has compiled, the latest used last.
#[derive(Debug, Default)]
pub(crate) struct Known {
    scripts: Vec<(u64, usize)>,
    bytes: usize,
}

/// What a worker must be told before it can run some steps.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct News {
    /// The numbers of the scripts whose source it needs.
    pub(crate) fresh: Vec<u64>,
    /// The numbers it must forget.
    pub(crate) forget: Vec<u64>,
}

impl Known {
    /// Notes that these steps run next.
    pub(crate) fn learn(&mut self, steps: &[Step]) -> News {
        let mut news = News::default();
        for step in steps {
            let (number, bytes) = (step.script.number(), step.script.source.len());
            match self.scripts.iter().rposition(|(known, _)| *known == number) {
                Some(at) if at + 1 == self.scripts.len() => {}
                Some(at) => {
                    let script = self.scripts.remove(at);
                    self.scripts.push(script);
                }
                None => {
                    self.scripts.push((number, bytes));
                    self.bytes += bytes;
                    news.fresh.push(number);
                }
            }
        }
        // What these steps use stands at the end and is never forgotten.
        let spare = self.scripts.len().saturating_sub(steps.len());
        let mut gone = 0;
        while gone < spare && (self.scripts.len() - gone > MOST || self.bytes > MOST_BYTES) {
            self.bytes -= self.scripts[gone].1;
            gone += 1;
        }
        news.forget = self.scripts.drain(..gone).map(|(number, _)| number).collect();
        news
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Script;

    fn step(source: &str) -> Step {
        Step::new(Script::new("test", source), false)
    }

    #[test]
    fn a_source_is_sent_once_and_the_oldest_is_forgotten() {
        let mut known = Known::default();
        let steps: Vec<Step> = (0..=MOST).map(|_| step("1")).collect();
        let numbers: Vec<u64> = steps.iter().map(|step| step.script.number()).collect();
        assert_eq!(known.learn(&steps[..MOST]), News { fresh: numbers[..MOST].to_vec(), forget: vec![] });
        assert_eq!(known.learn(&steps[..1]), News::default());
        let last = News { fresh: vec![numbers[MOST]], forget: vec![numbers[1]] };
        assert_eq!(known.learn(&steps[MOST..]), last, "the first was used since");
        assert_eq!(known.learn(&steps[1..2]).fresh, [numbers[1]]);
    }

    #[test]
    fn large_sources_are_forgotten_sooner() {
        let mut known = Known::default();
        let large: Vec<Step> = (0..6).map(|_| step(&"x".repeat(1 << 20))).collect();
        assert_eq!(known.learn(&large).forget, [0_u64; 0], "all six run now");
        assert_eq!(known.learn(&[step("1")]).forget.len(), 3);
    }
}
