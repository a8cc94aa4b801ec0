//! How the entries of many servers are told apart towards one client (spec 6.3).

use mcp::Kind;

/// Between server and name in the long form of tools and prompts.
const JOINT: &str = "__";

/// The long form of an entry: `<server>__<name>`, or `<server>+<uri>` for resources.
pub(super) fn long(kind: Kind, server: &str, key: &str) -> String {
    let joint = if matches!(kind, Kind::Tools | Kind::Prompts) { JOINT } else { "+" };
    format!("{server}{joint}{key}")
}

/// Every way to read a text as the long form of server and name, the longest server first.
pub(super) fn splits(kind: Kind, text: &str) -> impl Iterator<Item = (&str, &str)> {
    let joint = if matches!(kind, Kind::Tools | Kind::Prompts) { JOINT } else { "+" };
    let split = move |at| Some((text.get(..at)?, text.get(at..)?.strip_prefix(joint)?));
    (1..text.len()).rev().filter_map(split).filter(|(_, key)| !key.is_empty())
}

/// Cuts a name to `max` characters, with a short stable hash of the whole at its end. 0 is no limit.
pub(super) fn cut(name: String, max: usize) -> String {
    if max == 0 || name.chars().count() <= max {
        return name;
    }
    apart(&name, &name, max)
}

/// A name with a short stable hash of something at its end, which tells it from others that read the same; cut to
/// `max` characters. 0 is no limit.
pub(super) fn apart(name: &str, of: &str, max: usize) -> String {
    let hash = format!("_{:08x}", fold(of));
    let room = if max == 0 { usize::MAX } else { max.saturating_sub(hash.len()) };
    name.chars().take(room).collect::<String>() + &hash
}

/// The hash of a text, folded to 32 bits.
fn fold(text: &str) -> u32 {
    let hash = stable(text.bytes());
    (hash >> 32) as u32 ^ hash as u32
}

/// FNV-1a: the same in every build and on every machine.
pub(super) fn stable(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_forms_are_made_and_taken_apart() {
        assert_eq!(long(Kind::Tools, "s", "echo"), "s__echo");
        assert_eq!(long(Kind::Resources, "s", "file:///a"), "s+file:///a");
        let all = |kind, text| splits(kind, text).collect::<Vec<_>>();
        assert_eq!(all(Kind::Tools, "a__b__c"), [("a__b", "c"), ("a", "b__c")]);
        assert_eq!(all(Kind::Prompts, "a___b"), [("a_", "b"), ("a", "_b")]);
        assert_eq!(all(Kind::Tools, "a__"), []);
        assert_eq!(all(Kind::Tools, "été_x"), []);
        assert_eq!(all(Kind::Resources, "a+u://x+y"), [("a+u://x", "y"), ("a", "u://x+y")]);
    }

    #[test]
    fn a_long_name_is_cut_with_a_hash_that_tells_it_from_its_neighbours() {
        let (a, b) = ("x".repeat(70) + "a", "x".repeat(70) + "b");
        let (short_a, short_b) = (cut(a.clone(), 64), cut(b, 64));
        assert_eq!((short_a.len(), short_b.len()), (64, 64));
        assert_ne!(short_a, short_b);
        assert_eq!(cut(a.clone(), 64), short_a);
        assert_eq!(cut(a.clone(), 0), a);
        assert_eq!(cut("short".into(), 64), "short");
    }

    #[test]
    fn names_that_read_the_same_are_told_apart_by_what_they_stand_for() {
        let (one, two) = (apart("a__b__c", "a b__c", 64), apart("a__b__c", "a__b c", 64));
        assert_ne!(one, two);
        assert!(one.starts_with("a__b__c_") && one.len() == 16, "{one}");
        assert_eq!(apart("a__b__c", "a b__c", 0), one);
        assert_eq!(apart("a__b__c", "a b__c", 12).len(), 12);
    }
}
