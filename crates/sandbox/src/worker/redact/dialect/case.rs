//! Which letters are the same where JavaScript ignores case without the flag `u`: those with one capital letter. The
//! host would take more, such as the sign of Kelvin for a `k`, and so leave more out of a negated class.

use std::collections::BTreeSet;
use std::sync::LazyLock;

/// All letters that have a capital letter, with it.
static CAPITALS: LazyLock<Vec<(char, char)>> = LazyLock::new(|| {
    ('\0'..='\u{FFFF}').map(|c| (c, capital(c))).filter(|(letter, capital)| letter != capital).collect()
});

/// The capital letter of a letter: only one that is a single letter, and of ASCII only for one of ASCII.
fn capital(c: char) -> char {
    let mut mapped = c.to_uppercase();
    match (mapped.next(), mapped.next()) {
        (Some(capital), None) if c.is_ascii() || !capital.is_ascii() => capital,
        _ => c,
    }
}

/// Whether a character is the same as another.
pub(super) fn has_others(c: char) -> bool {
    match c.is_ascii() {
        true => c.is_ascii_alphabetic(),
        false => CAPITALS.iter().any(|(letter, capital)| *letter == c || *capital == c),
    }
}

/// What is the same as something in these ranges.
pub(super) fn others(ranges: &[(char, char)]) -> Vec<(char, char)> {
    let holds = |c: &char| ranges.iter().any(|(first, last)| (first..=last).contains(&c));
    let of_these = |(letter, capital): &&(char, char)| holds(letter) || holds(capital);
    let capitals: BTreeSet<char> = CAPITALS.iter().filter(of_these).map(|(_, capital)| *capital).collect();
    let letters =
        CAPITALS.iter().filter(|(_, capital)| capitals.contains(capital)).map(|(letter, _)| *letter);
    letters.chain(capitals.iter().copied()).map(|c| (c, c)).collect()
}
