//! The usual causes of a server that does not start or cannot be reached, and what helps.

use model::Harden;
use std::io::ErrorKind;

/// A cause: words in the reason or in the last lines of standard error, and the fix.
struct Cause {
    words: &'static [&'static str],
    fix: &'static str,
}

/// Causes for a server with `command`. The first that matches wins, so the more telling ones come first.
const OF_CHILDREN: [Cause; 9] = [
    Cause {
        words: &["names a place that does not exist"],
        fix: "make that file or folder before the server starts, or correct the setting",
    },
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

/// A cause for a server that reaches only some files; it goes before the others.
const OF_WALLED: [Cause; 1] = [Cause {
    words: &["permission denied", "eacces", "operation not permitted"],
    fix: "what it wants is outside its walls; add that to harden.landlock.read or harden.landlock.write",
}];

/// Causes for a server with `url`.
const OF_REMOTES: [Cause; 13] = [
    Cause {
        words: &["wants the gateway to sign in"],
        fix: "start the gateway, and sign in on its page of servers; the sign-in is kept for later",
    },
    Cause {
        words: &["outbound.allow"],
        fix: "it was added over the API: add its origin, such as https://example.com, to outbound.allow",
    },
    Cause {
        words: &["connection refused"],
        fix: "nothing listens there; start the server, and compare host and port of its url",
    },
    Cause {
        words: &["status 401", "status 403", "unauthorized", "forbidden", "invalid token"],
        fix: "the server wants other credentials; set them under `headers`, and check that a variable named there is set",
    },
    Cause {
        words: &["lookup address", "name has no address", "name resolution"],
        fix: "the name is not known here; compare the host of its url, and ask the DNS of this machine",
    },
    Cause { words: &["no certificate authorities"], fix: "install ca-certificates, or set SSL_CERT_FILE" },
    Cause {
        words: &["unknown authority", "certificate is not valid"],
        fix: "for an authority of your own, name the file of its certificate in SSL_CERT_FILE",
    },
    Cause { words: &["for another name"], fix: "write the host in its url as the certificate has it" },
    Cause {
        words: &["has expired"],
        fix: "renew the server's certificate, and look at the clock of this machine",
    },
    Cause {
        words: &["tls handshake", "connection broke"],
        fix: "perhaps one side speaks TLS and the other does not; try http for https, or the other way round",
    },
    Cause {
        words: &["status 301", "status 302", "status 303", "status 307", "status 308"],
        fix: "redirects are not followed; write the address where it leads as the url",
    },
    Cause {
        words: &["status 404", "status 405", "neither json nor", "address for messages"],
        fix: "look at the path of its url, which often ends with /mcp or /sse",
    },
    Cause {
        words: &["within 10 seconds", "timed out", "unreachable", "no route"],
        fix: "the host does not answer; look for a firewall, and mind that proxies are not used",
    },
];

/// What may help a server with `command`, given why it did not start, what it wrote last, and what it gives up.
pub(super) fn for_child(reason: &str, lines: &[String], harden: Option<&Harden>) -> Option<&'static str> {
    let text = format!("{reason}\n{}", lines.join("\n"));
    let walled = harden.is_some_and(|harden| harden.landlock.is_some());
    walled.then(|| find(&OF_WALLED, &text)).flatten().or_else(|| find(&OF_CHILDREN, &text))
}

/// What may help a server with `url`, given why it could not be used.
pub(super) fn for_remote(reason: &str) -> Option<&'static str> {
    find(&OF_REMOTES, reason)
}

fn find(causes: &[Cause], text: &str) -> Option<&'static str> {
    let text = text.to_lowercase();
    causes.iter().find(|cause| cause.words.iter().any(|word| text.contains(word))).map(|cause| cause.fix)
}

/// What helps where the gateway cannot listen.
pub(super) fn for_port(kind: ErrorKind) -> Option<&'static str> {
    match kind {
        ErrorKind::AddrInUse => {
            Some("stop the program that uses it (perhaps another gateway), or choose another with --port")
        }
        ErrorKind::AddrNotAvailable => {
            Some("this machine does not have that address; name one that it has with --host or HOST")
        }
        ErrorKind::PermissionDenied => {
            Some("lower ports are for root on most systems; choose one from 1024 with --port or PORT")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Landlock;

    #[test]
    fn an_address_that_cannot_be_used_has_the_fix_for_its_cause() {
        for (kind, expected) in [
            (ErrorKind::AddrInUse, Some("stop the program")),
            (ErrorKind::AddrNotAvailable, Some("--host or HOST")),
            (ErrorKind::PermissionDenied, Some("from 1024")),
            (ErrorKind::OutOfMemory, None),
        ] {
            let found = for_port(kind);
            assert_eq!(found.is_some(), expected.is_some(), "{kind:?}");
            assert!(found.unwrap_or_default().contains(expected.unwrap_or_default()), "{found:?}");
        }
    }

    #[test]
    fn the_usual_causes_of_a_child_are_recognised() {
        for (reason, line, expected) in [
            ("command 'npx' not found on PATH; install it", "", "install the program"),
            ("ended", "Error: listen EADDRINUSE: address already in use :::3000", "another port"),
            ("ended", "Error: HOME is not defined", "inheritEnv: [PATH, HOME]"),
            ("ended", "Error: Cannot find module 'express'", "package"),
            ("ended", "GITHUB_TOKEN environment variable is required", "under `envs`"),
            ("the server was not ready within 10 seconds", "", "by hand"),
            ("harden.landlock.read[0] names a place that does not exist, or", "", "correct the setting"),
            ("ended", "cat: /srv/x: Permission denied", "the right to execute"),
            ("ended", "fatal: all is lost", "nothing"),
        ] {
            let found = for_child(reason, &[line.to_owned()], None).unwrap_or("nothing");
            assert!(found.contains(expected), "{reason} / {line}: {found}");
        }
    }

    #[test]
    fn what_a_hardened_server_may_not_reach_is_said_to_be_outside_its_walls() {
        let walled = Harden { landlock: Some(Landlock::default()), ..Harden::default() };
        for (harden, line, expected) in [
            (&walled, "cat: /srv/x: Permission denied", "harden.landlock.read"),
            (&walled, "Error: HOME is not defined", "inheritEnv: [PATH, HOME]"),
            (&Harden::default(), "cat: /srv/x: Permission denied", "the right to execute"),
        ] {
            let found = for_child("ended", &[line.to_owned()], Some(harden)).unwrap_or("nothing");
            assert!(found.contains(expected), "{line}: {found}");
        }
    }

    #[test]
    fn the_usual_causes_of_a_remote_server_are_recognised() {
        let unreachable = |cause: &str| format!("the server cannot be reached: {cause}");
        let status = |status: u16| format!("the server answered with HTTP status {status}");
        for (reason, expected) in [
            (unreachable("Connection refused (os error 111)"), "nothing listens"),
            (unreachable("failed to lookup address information: Name or service not known"), "DNS"),
            (unreachable("its name has no address"), "DNS"),
            (unreachable("its certificate comes from an unknown authority"), "SSL_CERT_FILE"),
            (unreachable("its certificate is not valid"), "SSL_CERT_FILE"),
            (unreachable("no certificate authorities were found"), "ca-certificates"),
            (unreachable("its certificate is for another name"), "as the certificate has it"),
            (unreachable("its certificate has expired"), "renew"),
            (unreachable("the TLS handshake failed"), "http for https"),
            (unreachable("its address is private, which outbound.allow does not permit"), "outbound.allow"),
            (unreachable("no connection within 10 seconds"), "firewall"),
            ("the connection broke before the reply was there".into(), "http for https"),
            (status(401), "under `headers`"),
            (status(403), "under `headers`"),
            ("the server refused initialize: Unauthorized".into(), "under `headers`"),
            (status(302), "redirects"),
            (status(404), "/mcp or /sse"),
            ("the server's answer is neither JSON nor an event stream".into(), "/mcp or /sse"),
            ("the server was not ready within 10 seconds".into(), "firewall"),
            (status(500), "nothing"),
        ] {
            let found = for_remote(&reason).unwrap_or("nothing");
            assert!(found.contains(expected), "{reason}: {found}");
        }
    }
}
