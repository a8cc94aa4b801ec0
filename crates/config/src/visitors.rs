//! Who may come in, as the file names them: what the headers `Host` and `Origin` of a request can be.

use crate::shape::filled;
use model::Address;

/// What a `Host` header can be.
pub(crate) fn host(entry: &str) -> Option<&'static str> {
    let fine = !entry.contains(['/', '?', '@']) && Address::parse(&format!("https://{entry}")).is_ok();
    filled(entry)
        .or((!fine).then_some("must be a host, with or without a port, such as gate.example.com:8080"))
}

/// What an `Origin` header can be: that of a page, of an app, whose scheme is its own, or of a page that tells none.
/// A slash at the end, which addresses are often copied with, does no harm.
pub(crate) fn origin(entry: &str) -> Option<&'static str> {
    let fine = entry.eq_ignore_ascii_case("null")
        || entry.split_once("://").is_some_and(|(scheme, rest)| {
            let rest = rest.strip_suffix('/').unwrap_or(rest);
            let is_web = ["http", "https"].iter().any(|web| scheme.eq_ignore_ascii_case(web));
            let named = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
            let plain = |c: char| c.is_ascii_graphic() && !"/?#@*".contains(c);
            let app = !scheme.is_empty() && scheme.chars().all(named) && rest.chars().all(plain);
            if is_web { host(rest).is_none() } else { app }
        });
    filled(entry).or((!fine).then_some("must be an origin such as https://app.example.com, without a path"))
}

#[cfg(test)]
mod tests {
    use crate::settings::settings;
    use serde_json::{Value, json};

    fn check(root: Value, expected: &str) {
        let found = settings(root.as_object().unwrap()).map_or_else(|e| e.under(""), |_| "ok".into());
        assert_eq!(found, expected, "{root}");
    }

    #[test]
    fn who_may_come_in_is_written_as_a_request_says_it() {
        let hosts = |entry: &str, expected: &str| {
            let root = json!({"http": {"allowedHosts": ["ok.example", entry]}});
            check(root, expected);
        };
        for good in
            ["gate.example.com", "GATE:8080", "10.0.0.1", "[2001:db8::1]", "[::2]:80", "a_b.c", "gate."]
        {
            hosts(good, "ok");
        }
        for bad in
            ["https://a.b", "*", "*.a.b", "a.b/", "a.b:99999", "a.b:", "u@a.b", "a b", "::2", "${HOST}"]
        {
            hosts(
                bad,
                "http.allowedHosts[1] must be a host, with or without a port, such as gate.example.com:8080",
            );
        }
        hosts(" ", "http.allowedHosts[1] must not be empty");
        let origins =
            |entry: &str, expected: &str| check(json!({"http": {"allowedOrigins": [entry]}}), expected);
        for good in [
            "https://a.b",
            "https://a.b/",
            "HTTPS://a.b:443",
            "http://[2001:db8::1]:8080",
            "null",
            "file://",
            "vscode-webview://0a1b",
            "chrome-extension://abcdef",
        ] {
            origins(good, "ok");
        }
        for bad in
            ["a.b", "*", "https://", "https://*.a.b", "https://a.b/x", "https://a.b//", "https://a.b:x"]
        {
            origins(
                bad,
                "http.allowedOrigins[0] must be an origin such as https://app.example.com, without a path",
            );
        }
        origins("", "http.allowedOrigins[0] must not be empty");
    }
}
