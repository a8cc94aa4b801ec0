//! The usual causes of a server that does not start, and what helps.

/// A cause: words in the reason or in the last lines of standard error, and the fix.
struct Cause {
    words: &'static [&'static str],
    fix: &'static str,
}

/// The first cause that matches wins, so the more telling ones come first.
const CAUSES: [Cause; 8] = [
    Cause {
        words: &["not found on path"],
        fix: "install the program, or write its full path; the server only sees the PATH that inheritEnv gives it",
    },
    Cause {
        words: &["eaddrinuse", "address already in use", "port is already"],
        fix: "the server wants a port that another program uses; stop that one or give the server another port",
    },
    Cause {
        words: &[
            "home is not",
            "home environment",
            "home directory",
            "$home",
            "'home'",
            "\"home\"",
            "homedir",
            "could not determine home",
            "userprofile",
        ],
        fix: "the server wants HOME, which servers do not get by default; add `inheritEnv: [PATH, HOME]` to it",
    },
    Cause {
        words: &[
            "cannot find module",
            "modulenotfounderror",
            "no module named",
            "could not determine executable",
        ],
        fix: "a package of the server is missing; install it, or run the command once by hand to see",
    },
    Cause {
        words: &["api key", "api_key", "unauthorized", "environment variable", "is not set", "must be set"],
        fix: "the server wants an environment variable; set it under `envs` (`${NAME}` takes it from the gateway)",
    },
    Cause {
        words: &["permission denied", "eacces", "not executable"],
        fix: "give the user that runs the gateway the right to execute and read it",
    },
    Cause {
        words: &["within 10 seconds"],
        fix: "the server is slow or waits for something; npx and uvx download on first use: run it once by hand",
    },
    Cause {
        words: &["does not exist", "no such file", "enoent"],
        fix: "a file or folder in the command or its arguments does not exist; relative paths start where the gateway runs",
    },
];

/// What may help, given why a server did not start and what it wrote last.
pub(super) fn hint(reason: &str, lines: &[String]) -> Option<&'static str> {
    let text = format!("{reason}\n{}", lines.join("\n")).to_lowercase();
    CAUSES.iter().find(|cause| cause.words.iter().any(|word| text.contains(word))).map(|cause| cause.fix)
}

#[cfg(test)]
mod tests {
    use super::hint;

    fn check(reason: &str, line: &str, expected: &str) {
        let found = hint(reason, &[line.to_owned()]).unwrap_or("nothing");
        assert!(found.contains(expected), "{reason} / {line}: {found}");
    }

    #[test]
    fn the_usual_causes_are_recognised() {
        check("command 'npx' not found on PATH; install it", "", "install the program");
        check("ended", "Error: listen EADDRINUSE: address already in use :::3000", "another port");
        check("ended", "Error: HOME is not defined", "inheritEnv: [PATH, HOME]");
        check("ended", "Error: Cannot find module 'express'", "package");
        check("ended", "GITHUB_TOKEN environment variable is required", "under `envs`");
        check("the server was not ready within 10 seconds", "", "by hand");
        check("ended", "fatal: all is lost", "nothing");
    }
}
