//! What to say to a request for the page: which bytes, and with which headers.

use crate::asset::{Asset, MISSING, find};
use std::borrow::Cow;

/// Scripts and requests stay on this origin; nothing may frame the page. Styles may be set by scripts, because
/// editors and charts place things that way.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
     img-src 'self' data: blob:; media-src 'self' data: blob:; connect-src 'self'; font-src 'self'; \
     base-uri 'self'; form-action 'none'; frame-ancestors 'none'";

/// What a request for the page says.
#[derive(Clone, Copy, Debug, Default)]
pub struct Question<'a> {
    /// The path with its leading slash.
    pub path: &'a str,
    /// `Accept-Encoding`.
    pub accept_encoding: Option<&'a str>,
    /// `If-None-Match`.
    pub if_none_match: Option<&'a str>,
}

/// What to answer.
#[derive(Debug, PartialEq, Eq)]
pub struct Answer {
    /// 200, 304, or 500 when the embedded bytes are damaged.
    pub status: u16,
    /// Names in lower case, with their values.
    pub headers: Vec<(&'static str, &'static str)>,
    /// The content, compressed where the headers say so.
    pub body: Cow<'static, [u8]>,
}

/// Answers a request for the page; `None` when it has no such file.
pub fn answer(question: &Question<'_>) -> Option<Answer> {
    let path = question.path.strip_prefix('/')?;
    match find(path) {
        Some(asset) => Some(serve(asset, question)),
        None if path.is_empty() => Some(missing()),
        None => None,
    }
}

fn serve(asset: &Asset, question: &Question<'_>) -> Answer {
    let keep = if asset.is_hashed() { "public, max-age=31536000, immutable" } else { "no-cache" };
    let mut headers = guarded();
    headers.extend([("cache-control", keep), ("etag", asset.etag), ("vary", "accept-encoding")]);
    if question.if_none_match.is_some_and(|tags| names(tags, asset.etag)) {
        return Answer { status: 304, headers, body: Cow::Borrowed(&[]) };
    }
    headers.push(("content-type", asset.kind()));
    if question.accept_encoding.is_some_and(takes_gzip) {
        headers.push(("content-encoding", "gzip"));
        return Answer { status: 200, headers, body: Cow::Borrowed(asset.gzip) };
    }
    match asset.plain() {
        Ok(plain) => Answer { status: 200, headers, body: Cow::Owned(plain) },
        Err(_) => Answer { status: 500, headers: guarded(), body: Cow::Borrowed(&[]) },
    }
}

fn missing() -> Answer {
    let mut headers = guarded();
    headers.extend([("cache-control", "no-store"), ("content-type", "text/html; charset=utf-8")]);
    Answer { status: 200, headers, body: Cow::Borrowed(MISSING.as_bytes()) }
}

/// The headers that keep the page to itself.
fn guarded() -> Vec<(&'static str, &'static str)> {
    vec![
        ("content-security-policy", POLICY),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
    ]
}

/// Whether a list of tags names this one. A weak tag of the same content counts: the client has it.
fn names(tags: &str, etag: &str) -> bool {
    tags.split(',').map(str::trim).any(|tag| tag == "*" || tag.trim_start_matches("W/") == etag)
}

/// Whether `Accept-Encoding` permits gzip, by name or by `*`, with a weight above zero.
fn takes_gzip(accepted: &str) -> bool {
    let weight = |wanted: &str| {
        accepted.split(',').find_map(|part| {
            let (name, parameters) = part.split_once(';').unwrap_or((part, ""));
            let weight =
                parameters.trim().strip_prefix("q=").map_or(1.0, |q| q.trim().parse().unwrap_or(0.0));
            name.trim().eq_ignore_ascii_case(wanted).then_some(weight)
        })
    };
    weight("gzip").or_else(|| weight("*")).is_some_and(|weight: f32| weight > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text "hello", as gzip.
    const HELLO: &[u8] = &[
        0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 3, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 7, 0, 0x86, 0xa6, 0x10, 0x36, 5, 0,
        0, 0,
    ];
    const PAGE: Asset = Asset { path: "index.html", etag: "\"a\"", gzip: HELLO };
    const SCRIPT: Asset = Asset { path: "assets/index-Ab12.js", etag: "\"b\"", gzip: HELLO };

    fn header<'a>(answer: &'a Answer, name: &str) -> Option<&'a str> {
        answer.headers.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    #[test]
    fn gzip_is_sent_to_those_who_take_it_and_the_content_to_others() {
        for (accepted, compressed) in [
            (Some("gzip, deflate, br"), true),
            (Some("br;q=1.0, *;q=0.5"), true),
            (Some("GZIP;q=0.2"), true),
            (Some("gzip;q=0, *"), false),
            (Some("identity"), false),
            (Some(""), false),
            (None, false),
        ] {
            let question = Question { path: "/", accept_encoding: accepted, if_none_match: None };
            let answer = serve(&PAGE, &question);
            assert_eq!(header(&answer, "content-encoding").is_some(), compressed, "{accepted:?}");
            assert_eq!(&*answer.body, if compressed { HELLO } else { b"hello" });
            assert_eq!(header(&answer, "vary"), Some("accept-encoding"));
        }
    }

    #[test]
    fn what_the_client_has_is_not_sent_again() {
        for (tags, status) in
            [("\"a\"", 304), ("\"x\", W/\"a\"", 304), ("*", 304), ("\"x\"", 200), ("a", 200), ("", 200)]
        {
            let question = Question { path: "/", if_none_match: Some(tags), accept_encoding: None };
            let answer = serve(&PAGE, &question);
            assert_eq!(answer.status, status, "{tags}");
            assert_eq!(header(&answer, "etag"), Some("\"a\""));
            assert_eq!(answer.body.is_empty(), status == 304);
        }
    }

    #[test]
    fn only_files_whose_name_changes_are_kept_for_ever() {
        let keep = |asset| header(&serve(asset, &Question::default()), "cache-control").map(str::to_owned);
        assert_eq!(keep(&PAGE).as_deref(), Some("no-cache"));
        assert_eq!(keep(&SCRIPT).as_deref(), Some("public, max-age=31536000, immutable"));
    }

    #[test]
    fn every_answer_has_the_strict_policy() {
        let damaged = Asset { gzip: b"no gzip", ..SCRIPT };
        let answers = [serve(&PAGE, &Question::default()), serve(&damaged, &Question::default()), missing()];
        assert_eq!(answers.each_ref().map(|answer| answer.status), [200, 500, 200]);
        for answer in answers {
            let policy = header(&answer, "content-security-policy").unwrap_or_default();
            assert!(
                policy.contains("script-src 'self';") && policy.contains("default-src 'none'"),
                "{policy}"
            );
            assert!(!policy.contains("unsafe-eval"), "{policy}");
            assert_eq!(header(&answer, "x-content-type-options"), Some("nosniff"));
            assert_eq!(header(&answer, "referrer-policy"), Some("no-referrer"));
        }
    }

    #[test]
    fn there_is_always_a_page_and_nothing_besides_its_files() {
        let at = |path| answer(&Question { path, ..Question::default() });
        assert_eq!(at("/").map(|answer| answer.status), Some(200));
        for path in ["/nowhere", "/api", "/assets", "/assets/", "/../Cargo.toml", "//", "", "/index.html/"] {
            assert_eq!(at(path), None, "{path}");
        }
    }
}
