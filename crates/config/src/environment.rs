//! A snapshot of environment variables, so that everything below reads the same values once.

use std::collections::BTreeMap;

/// Variables by name, as they were when the snapshot was made.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Environment {
    variables: BTreeMap<String, String>,
}

impl Environment {
    /// The variables of this process. One that is not UTF-8 counts as unset.
    pub fn from_process() -> Self {
        let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        Self { variables: std::env::vars_os().filter_map(text).collect() }
    }

    /// Exactly these variables.
    pub fn from_pairs<N: Into<String>, V: Into<String>>(pairs: impl IntoIterator<Item = (N, V)>) -> Self {
        Self { variables: pairs.into_iter().map(|(name, value)| (name.into(), value.into())).collect() }
    }

    /// The value of a variable, also when it is empty.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str)
    }

    /// The value of a variable that sets something: trimmed, and unset when nothing is left.
    pub(crate) fn setting(&self, name: &str) -> Option<&str> {
        self.get(name).map(str::trim).filter(|value| !value.is_empty())
    }
}

impl std::fmt::Debug for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Environment({} variables)", self.variables.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_variable_sets_nothing_but_has_a_value() {
        let env = Environment::from_pairs([("A", ""), ("B", " 1 ")]);
        assert_eq!((env.get("A"), env.setting("A")), (Some(""), None));
        assert_eq!((env.get("B"), env.setting("B")), (Some(" 1 "), Some("1")));
        assert_eq!((env.get("C"), env.setting("C")), (None, None));
    }

    #[test]
    fn the_process_has_a_path() {
        assert!(Environment::from_process().get("PATH").is_some());
    }

    #[test]
    fn a_snapshot_is_printed_without_its_values() {
        assert_eq!(format!("{:?}", Environment::from_pairs([("A", "s3cret")])), "Environment(1 variables)");
    }
}
