//! Every route of the API document, and those outside it, with no key, a wrong one, and one of each role.

use super::{CALLER, EDITOR, EXPIRED, OPERATOR, VIEWER, WRONG, with_roles};
use testkit::{Http, Request};

/// What a route takes, by the least of the keys that are enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Least {
    Nothing,
    Caller,
    Viewer,
    Editor,
    Operator,
}

/// What every operation of the API takes. An operation that is not here fails the test.
fn least(method: &str, path: &str) -> Option<Least> {
    let area = path.trim_start_matches("/api/").split('/').next().unwrap_or_default();
    Some(match (method, area) {
        _ if path == "/health" => Least::Nothing,
        _ if path.starts_with("/.well-known/") => Least::Nothing,
        _ if matches!(path, "/oauth/callback" | "/client-metadata.json") => Least::Nothing,
        _ if path.starts_with("/mcp") => Least::Caller,
        _ if path == "/metrics" => Least::Viewer,
        ("post", "session") => Least::Nothing,
        (_, "session" | "openapi.json") => Least::Caller,
        (_, "keys" | "audit") => Least::Operator,
        (
            "get",
            "servers" | "config" | "stats" | "hooks" | "captures" | "workflows" | "node-types" | "templates"
            | "runs" | "requests" | "activities" | "sessions" | "schedules" | "events",
        ) => Least::Viewer,
        (_, "servers" | "demo-server" | "config" | "sessions") => Least::Operator,
        (_, "hooks" | "workflows" | "activities" | "templates" | "schedules") => Least::Editor,
        _ => return None,
    })
}

/// The status alone; streams are not read to their end.
fn status(http: Http, method: &str, path: &str) -> u16 {
    use std::io::{BufRead, BufReader};
    let mut request = Request::new(&method.to_uppercase(), path);
    if method != "get" && method != "head" {
        // A body that no route takes: what is refused later is let in first.
        request = request.body("text/plain", "x");
    }
    let stream = http.begin(&request).expect("connected");
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).expect("an answer");
    line.split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok())
        .unwrap_or_else(|| panic!("no status in {line:?}"))
}

#[test]
fn every_route_takes_the_key_that_it_should_and_no_lesser_one() {
    let gateway = with_roles().start();
    let http = gateway.http();
    let document = http.with_key(CALLER).send(&Request::new("GET", "/api/openapi.json")).body;
    let paths = document["paths"].as_object().expect("paths");
    let mut seen = 0;
    for (path, operations) in paths {
        let concrete = path.replace('{', "no-such-").replace('}', "");
        for (method, operation) in operations.as_object().expect("operations") {
            let named = |status: u16| {
                let envelope = &operation["responses"][status.to_string()]["content"]["application/json"];
                envelope["schema"]["$ref"] == "#/components/schemas/ErrorReply"
            };
            let least = least(method, path).unwrap_or_else(|| panic!("{method} {path} is not in the table"));
            let keys = [(CALLER, Least::Caller), (VIEWER, Least::Viewer), (EDITOR, Least::Editor)];
            for (key, of) in keys.into_iter().chain([(OPERATOR, Least::Operator)]) {
                // Revoking, reloading and the like are not tried with a key that is enough for them.
                if of >= least && method != "get" && least > Least::Caller {
                    continue;
                }
                let found = status(http.with_key(key), method, &concrete);
                if of >= least {
                    assert!(!matches!(found, 401 | 403), "{method} {path} with {of:?}: {found}");
                } else {
                    assert_eq!(found, 403, "{method} {path} with {of:?}");
                    assert!(named(403), "{method} {path} does not name 403");
                }
            }
            let expected = if least == Least::Nothing { 200..=404 } else { 401..=401 };
            for (http, what) in [(http, "no key"), (http.with_key(EXPIRED), "an expired key")] {
                let found = status(http, method, &concrete);
                assert!(expected.contains(&found), "{method} {path} with {what}: {found}");
                assert!(
                    found != 401 || named(401) && named(429),
                    "{method} {path} does not name 401 and 429"
                );
            }
            let stranger = Request::new(&method.to_uppercase(), &concrete);
            let found = http.send(&stranger.header("Origin", "http://evil.example")).status;
            assert_eq!(found == 403, path != "/health", "{method} {path} from a stranger: {found}");
            assert!(found != 403 || named(403) && named(503), "{method} {path} does not name 403 and 503");
            seen += 1;
        }
    }
    assert!(seen > 70, "{seen} operations");
}

#[test]
fn what_is_enough_is_let_in_to_change_things() {
    let gateway = with_roles().start();
    for (key, method, path) in [
        (EDITOR, "post", "/api/hooks"),
        (EDITOR, "patch", "/api/workflows/none"),
        (EDITOR, "delete", "/api/activities/none"),
        (OPERATOR, "delete", "/api/hooks/none"),
        (OPERATOR, "delete", "/api/servers/none"),
        (OPERATOR, "post", "/api/config/reload"),
        (OPERATOR, "delete", "/api/keys/none"),
    ] {
        let found = status(gateway.http().with_key(key), method, path);
        assert!(matches!(found, 200 | 400 | 404), "{method} {path}: {found}");
    }
}

#[test]
fn the_endpoint_and_unknown_paths_take_a_key_and_the_page_takes_none() {
    let gateway = with_roles().start();
    let http = gateway.http();
    for (method, path) in [
        ("get", "/mcp"),
        ("post", "/mcp"),
        ("delete", "/mcp"),
        ("get", "/sse"),
        ("post", "/messages"),
        ("get", "/mcp/nothing"),
        ("get", "/api"),
        ("get", "/api/nothing"),
        ("get", "/api/../health"),
        ("post", "/api/nothing"),
        ("post", "/nothing"),
    ] {
        assert_eq!(status(http, method, path), 401, "{method} {path}");
        assert_eq!(status(http.with_key(EXPIRED), method, path), 401, "{method} {path}");
    }
    assert_eq!(status(http.with_key(WRONG), "get", "/api/hooks"), 401);
    assert_eq!(status(http, "get", "/"), 200);
    assert_eq!(status(http, "get", "/health"), 200);
    for method in ["put", "options", "post"] {
        assert_eq!(status(http, method, "/health"), 405, "{method}");
    }
    assert_eq!(status(http, "get", "/nothing"), 404);
    assert_eq!(status(http.with_key(OPERATOR), "get", "/api/nothing"), 404);
}
