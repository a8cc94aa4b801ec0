//! The one rule for names of servers, tools, workflows and activities.

/// The longest server name, in characters.
pub const SERVER_NAME_MAX: usize = 50;

/// The longest tool name, in characters.
pub const TOOL_NAME_MAX: usize = 100;

/// Why a name is refused. Checks run in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameError {
    /// Absent or empty.
    Missing,
    /// Longer than the limit, in characters.
    TooLong(usize),
    /// Outside `[a-zA-Z0-9-_]`.
    Characters,
}

/// Whether `name` is made of the characters `a-z A-Z 0-9 - _` only. An empty name is not.
pub fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
}

/// Checks presence, then length, then characters.
pub fn check_name(name: &str, max: usize) -> Result<(), NameError> {
    if name.is_empty() {
        return Err(NameError::Missing);
    }
    if name.len() > max && name.chars().count() > max {
        return Err(NameError::TooLong(max));
    }
    if is_name(name) { Ok(()) } else { Err(NameError::Characters) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked_for_presence_then_length_then_characters() {
        let long = "a".repeat(51);
        let loud = "!".repeat(60);
        for (name, expected) in [
            ("health-server_2", Ok(())),
            ("", Err(NameError::Missing)),
            (long.as_str(), Err(NameError::TooLong(50))),
            (loud.as_str(), Err(NameError::TooLong(50))),
            (&long[..50], Ok(())),
            ("invalid@server", Err(NameError::Characters)),
            ("a b", Err(NameError::Characters)),
            ("../etc", Err(NameError::Characters)),
            ("nul\0", Err(NameError::Characters)),
            ("日本", Err(NameError::Characters)),
        ] {
            assert_eq!(check_name(name, 50), expected, "{name:?}");
        }
    }
}
