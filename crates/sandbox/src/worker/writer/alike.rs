//! Arrays with numbers that the engine cannot tell apart.
//!
//! Beyond 2^53 several numbers are one to a script. An array of such that was only changed in its places is held against
//! what stood there. Where items were taken out, put in or moved, those that are left are found by their order and by
//! what else they say; and where that leaves open which number is meant, nothing is sent.

use super::super::tape::{Kind, Tape, numbers};
use super::{Trouble, Writer, length};
use rquickjs::{Array, Ctx, Value};
use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::Range;

/// What is said of an array of which it is not known what is left.
const ALIKE: &str = "in an array that was shortened or put in another order it holds numbers that JavaScript cannot tell apart, so it is not known which of them are meant";

/// Which place of the original each item of an array is held against.
pub(super) struct Plan {
    places: Vec<usize>,
}

impl Plan {
    pub(super) fn place(&self, index: usize) -> usize {
        self.places.get(index).copied().unwrap_or(usize::MAX)
    }

    /// Whether every item stands where it stood in an original of that length, or behind it.
    pub(super) fn is_still(&self, length: usize) -> bool {
        self.places.iter().enumerate().all(|(index, place)| *place == index || index.min(*place) >= length)
    }
}

impl<'js> Writer<'_, 'js> {
    /// How an array is held against its original; nothing where all numbers of that are told apart.
    pub(super) fn plan(
        &mut self,
        array: &Array<'js>,
        original: Option<usize>,
    ) -> Result<Option<Plan>, Trouble> {
        let (Some(node), Some(tape)) = (original, self.original.clone()) else { return Ok(None) };
        if tape.kind(node) != Kind::Array || !numbers(tape.text(node)).any(is_long) {
            return Ok(None);
        }
        let alike = alike(tape.text(node));
        if alike.is_empty() {
            return Ok(None);
        }
        let (mut kinds, mut old) = (HashMap::new(), Vec::new());
        for item in tape.inside(node) {
            self.look()?;
            let count = kinds.len();
            old.push(*kinds.entry(seen(self.ctx, &tape, item)).or_insert(count));
        }
        let (mut new, mut doubtful, mut texts) = (Vec::new(), Vec::new(), Vec::new());
        for index in 0..length(array)? {
            self.look()?;
            let text = written(self.ctx, &array.get(index)?);
            doubtful.push(numbers(text.as_deref().unwrap_or_default()).any(|it| alike.contains(&bits(it))));
            new.push(kinds.get(&text).copied());
            texts.push(text.unwrap_or_default());
        }
        let values = tape.inside(node).map(|item| numbers(tape.text(item)).map(exact).collect()).collect();
        let items = Items { old, values, new, doubtful };
        let places = items.places().ok_or(Trouble::TooMuch(ALIKE))?;
        let changed = |index: &usize| items.new[*index].is_none() && items.doubtful[*index];
        let changed = (0..texts.len()).filter(changed).map(|index| (texts[index].as_str(), places[index]));
        self.check_changed(&tape, node, &alike, changed)?;
        Ok(Some(Plan { places }))
    }

    /// Refuses items that were changed, and of which another place of the original with the same numbers says more than
    /// the one that they have: they were moved too.
    fn check_changed<'t>(
        &mut self,
        tape: &Tape<'_>,
        node: usize,
        alike: &HashSet<u64>,
        changed: impl Iterator<Item = (&'t str, usize)>,
    ) -> Result<(), Trouble> {
        let (nodes, mut holders) = (tape.inside(node).collect::<Vec<_>>(), HashMap::<u64, Vec<usize>>::new());
        let mut parts_of: HashMap<usize, Parts> = HashMap::new();
        for (text, place) in changed.filter(|(_, place)| *place < nodes.len()) {
            if holders.is_empty() {
                for (at, item) in nodes.iter().enumerate() {
                    let held = numbers(tape.text(*item)).map(bits).filter(|it| alike.contains(it));
                    held.for_each(|it| holders.entry(it).or_default().push(at));
                }
            }
            let item = parts(text);
            let rivals: HashSet<usize> =
                numbers(text).filter_map(|it| holders.get(&bits(it))).flatten().copied().collect();
            let mut best = (0, true);
            for at in std::iter::once(place).chain(rivals) {
                self.look()?;
                let to_engine = || parts(&seen(self.ctx, tape, nodes[at]).unwrap_or_default());
                let original = parts_of.entry(at).or_insert_with(to_engine);
                let said = item.iter().filter(|(name, part)| original.get(*name) == Some(part)).count();
                if said > best.0 {
                    best = (said, at == place);
                }
            }
            if !best.1 {
                return Err(Trouble::TooMuch(ALIKE));
            }
        }
        Ok(())
    }
}

/// The members of an object, or the items of an array.
type Parts = HashMap<String, serde_json::Value>;

fn parts(text: &str) -> Parts {
    match serde_json::from_str(text) {
        Ok(serde_json::Value::Object(members)) => members.into_iter().collect(),
        Ok(serde_json::Value::Array(items)) => {
            items.into_iter().enumerate().map(|(at, item)| (at.to_string(), item)).collect()
        }
        _ => Parts::new(),
    }
}

/// Whether a number may be the same to the engine as another one: up to 15 digits it never is as another so short.
fn is_long(number: &str) -> bool {
    number.len() > 15 || number.contains(['e', 'E'])
}

/// The numbers of a text that have another beside them which is the same to the engine.
fn alike(json: &str) -> HashSet<u64> {
    let mut known: HashMap<u64, String> = HashMap::new();
    let mut alike = HashSet::new();
    for number in numbers(json) {
        let exact = exact(number);
        if *known.entry(bits(number)).or_insert_with(|| exact.clone()) != exact {
            alike.insert(bits(number));
        }
    }
    alike
}

/// A number as the engine has it; both zeros are one.
fn bits(number: &str) -> u64 {
    (number.parse().unwrap_or(f64::NAN) + 0.0).to_bits()
}

/// A number in the one writing that all its writings have in common.
fn exact(number: &str) -> String {
    let (sign, rest) = number.strip_prefix('-').map_or(("", number), |rest| ("-", rest));
    let (digits, power) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let Ok(power) = power.parse::<i64>() else { return number.to_owned() };
    let all = [whole, fraction].concat();
    let (all, short) = (all.trim_start_matches('0'), all.trim_matches('0'));
    if short.is_empty() {
        return "0".to_owned();
    }
    format!(
        "{sign}{short}e{}",
        power.saturating_add((all.len() - short.len()) as i64 - fraction.len() as i64)
    )
}

/// What the engine makes of an item of the original.
fn seen<'js>(ctx: &Ctx<'js>, tape: &Tape<'_>, item: usize) -> Option<String> {
    match ctx.json_parse(tape.text(item)) {
        Ok(value) => written(ctx, &value),
        Err(_) => {
            ctx.catch();
            None
        }
    }
}

/// What the engine writes of a value.
pub(super) fn written<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Option<String> {
    let text = ctx.json_stringify(value.clone()).and_then(|text| text.map(|it| it.to_string()).transpose());
    text.unwrap_or_else(|_| {
        // What cannot be written is told when it is to be.
        ctx.catch();
        None
    })
}

/// The items of an array, by numbers that are the same for what is the same to the engine.
struct Items {
    old: Vec<usize>,
    /// The exact numbers in each item of the original.
    values: Vec<Vec<String>>,
    /// Nothing for what the original does not have.
    new: Vec<Option<usize>>,
    /// Whether an item holds a number that could be several.
    doubtful: Vec<bool>,
}

impl Items {
    /// The place of each new item in the original, or one behind it. Nothing where one is not known that must be.
    fn places(&self) -> Option<Vec<usize>> {
        let stays = |(new, old): (&Option<usize>, &usize)| new.is_none_or(|new| new == *old);
        if self.old.len() == self.new.len() && self.new.iter().zip(&self.old).all(stays) {
            return Some((0..self.old.len()).collect());
        }
        match self.first().zip(self.last()) {
            Some((first, last)) => self.in_order(&first, &last),
            None => self.in_disorder(),
        }
    }

    /// The first places where all items that are known can stand in this order.
    fn first(&self) -> Option<Vec<usize>> {
        let mut at = 0;
        let mut place = |new: &Option<usize>| {
            let Some(kind) = new else { return Some(at) };
            let found = at + self.old[at..].iter().position(|old| old == kind)?;
            at = found + 1;
            Some(found)
        };
        self.new.iter().map(&mut place).collect()
    }

    /// The last such places.
    fn last(&self) -> Option<Vec<usize>> {
        let mut end = self.old.len();
        let mut place = |new: &Option<usize>| {
            let Some(kind) = new else { return Some(end) };
            end = self.old[..end].iter().rposition(|old| old == kind)?;
            Some(end)
        };
        let mut places: Vec<usize> = self.new.iter().rev().map(&mut place).collect::<Option<_>>()?;
        places.reverse();
        Some(places)
    }

    /// What is known kept its order; what is not known stands between its neighbours.
    fn in_order(&self, first: &[usize], last: &[usize]) -> Option<Vec<usize>> {
        let (strays, rows) = (self.strays(), self.rows());
        let all_left = self.new.iter().flatten().count() == self.old.len();
        let (mut places, mut run) = (Vec::with_capacity(self.new.len()), 0..0);
        for (index, new) in self.new.iter().enumerate() {
            places.push(match new {
                Some(_) if rows[first[index]] == rows[last[index]] => first[index],
                Some(kind) if !strays.contains(kind) => index,
                Some(_) => return None,
                None => {
                    if index >= run.end {
                        let length = self.new[index..].iter().take_while(|new| new.is_none()).count();
                        run = index..index + length;
                    }
                    let room = self.between(first, &run);
                    let certain = room == self.between(last, &run) && room.len() == run.len();
                    match self.doubtful[index] && !certain {
                        false => room.start + (index - run.start),
                        // Something new, for nothing is missing.
                        true if all_left => self.old.len(),
                        true => return None,
                    }
                }
            });
        }
        Some(places)
    }

    /// For each item of the original where the row of items begins that are the same as it, with none between them that
    /// only the engine takes for the same.
    fn rows(&self) -> Vec<usize> {
        let (mut rows, mut before) = (Vec::with_capacity(self.old.len()), HashMap::new());
        for (at, kind) in self.old.iter().enumerate() {
            let other = before.insert(*kind, at).filter(|other| self.values[*other] == self.values[at]);
            rows.push(other.map_or(at, |other: usize| rows[other]));
        }
        rows
    }

    /// The places of the original between the neighbours of some items.
    fn between(&self, places: &[usize], run: &Range<usize>) -> Range<usize> {
        let start = run.start.checked_sub(1).map_or(0, |before| places[before] + 1);
        start..places.get(run.end).copied().unwrap_or(self.old.len())
    }

    /// Items changed their order: only what they say tells which they are.
    fn in_disorder(&self) -> Option<Vec<usize>> {
        let (strays, mut left, mut several) = (self.strays(), HashMap::new(), HashSet::new());
        for (at, kind) in self.old.iter().enumerate() {
            let places: &mut VecDeque<usize> = left.entry(*kind).or_default();
            if places.front().is_some_and(|other| self.values[*other] != self.values[at]) {
                several.insert(*kind);
            }
            places.push_back(at);
        }
        let mut next = 0;
        let mut place = |(index, new): (usize, &Option<usize>)| {
            let at = match new {
                None if self.doubtful[index] => return None,
                None => next,
                // The last one stands for copies of it too.
                Some(kind) if !several.contains(kind) => {
                    let places = left.get_mut(kind)?;
                    if places.len() > 1 { places.pop_front() } else { places.front().copied() }?
                }
                Some(kind) if !strays.contains(kind) => index,
                Some(_) => return None,
            };
            next = at + 1;
            Some(at)
        };
        self.new.iter().enumerate().map(&mut place).collect()
    }

    /// What does not stand everywhere where it stood, and nowhere else.
    fn strays(&self) -> HashSet<usize> {
        let at = |index: usize| [self.old.get(index).copied(), self.new.get(index).copied().flatten()];
        let places = (0..self.old.len().max(self.new.len())).map(at);
        places.filter(|[old, new]| old != new).flatten().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_number_in_several_writings_is_one() {
        for same in [["1.0", "1"], ["1e2", "100"], ["-0", "0.00"], ["0.10", "1E-1"], ["12e-1", "1.2"]] {
            assert_eq!(exact(same[0]), exact(same[1]), "{same:?}");
        }
        for other in
            [["1", "-1"], ["10", "1"], ["1234567890123456781", "1234567890123456782"], ["1e400", "1e401"]]
        {
            assert_ne!(exact(other[0]), exact(other[1]), "{other:?}");
        }
    }

    #[test]
    fn only_different_numbers_are_alike() {
        for (text, count) in [
            ("[1.0,1,\"1234567890123456781\",1234567890123456782]", 0),
            ("[1234567890123456781,{\"a\":1234567890123456782},1234567890123456781]", 1),
            ("[1e400,1e401,0,1e-400]", 2),
        ] {
            assert_eq!(alike(text).len(), count, "{text}");
        }
    }
}
