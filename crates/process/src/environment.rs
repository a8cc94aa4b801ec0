//! What a child finds in its environment (1.14): the inherited variables and its own, nothing else.

/// The search path of a child that inherits `PATH` from a gateway that has none.
pub const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Joins the inherited variables that are set with the child's own, which win.
///
/// `lookup` gives the gateway's value of a name. A variable that is neither listed nor the child's own
/// never gets in, `PATH` included.
pub fn environment<'a>(
    inherit: &[String],
    own: impl Iterator<Item = (&'a str, &'a str)>,
    lookup: impl Fn(&str) -> Option<String>,
) -> Vec<(String, String)> {
    let mut variables = Vec::new();
    for name in inherit {
        let fallback = || (name == "PATH").then(|| DEFAULT_PATH.to_owned());
        if let Some(value) = lookup(name).or_else(fallback) {
            set(&mut variables, name, value);
        }
    }
    for (name, value) in own {
        set(&mut variables, name, value.to_owned());
    }
    variables
}

fn set(variables: &mut Vec<(String, String)>, name: &str, value: String) {
    match variables.iter_mut().find(|(known, _)| known == name) {
        Some((_, old)) => *old = value,
        None => variables.push((name.to_owned(), value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(inherit: &[&str], own: &[(&str, &str)], gateway: &[(&str, &str)], expected: &[(&str, &str)]) {
        let inherit: Vec<String> = inherit.iter().map(|&name| name.into()).collect();
        let lookup = |name: &str| gateway.iter().find(|(known, _)| *known == name).map(|(_, v)| (*v).into());
        let found = environment(&inherit, own.iter().copied(), lookup);
        let found: Vec<(&str, &str)> = found.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_child_gets_the_listed_variables_and_its_own() {
        let gateway = [("PATH", "/bin"), ("HOME", "/root"), ("EMPTY", "")];
        check(&["PATH"], &[], &gateway, &[("PATH", "/bin")]);
        check(&["PATH"], &[("A", "1")], &gateway, &[("PATH", "/bin"), ("A", "1")]);
        check(&["HOME", "EMPTY", "UNSET"], &[], &gateway, &[("HOME", "/root"), ("EMPTY", "")]);
        check(&[], &[], &gateway, &[]);
        check(&["HOME", "HOME"], &[], &gateway, &[("HOME", "/root")]);
    }

    #[test]
    fn path_falls_back_only_where_it_is_listed() {
        check(&["PATH"], &[], &[], &[("PATH", DEFAULT_PATH)]);
        check(&["HOME"], &[], &[], &[]);
    }

    #[test]
    fn a_variable_of_its_own_wins() {
        check(&["PATH"], &[("PATH", "/opt")], &[("PATH", "/bin")], &[("PATH", "/opt")]);
        check(&[], &[("A", "1"), ("A", "2")], &[], &[("A", "2")]);
    }
}
