//! What a server says when it refuses a request: the `Bearer` part of `WWW-Authenticate`.

use hyper::StatusCode;
use hyper::header::{HeaderMap, WWW_AUTHENTICATE};

/// Why a server refused a request, and what it wants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Challenge {
    /// The HTTP status.
    pub status: u16,
    /// Whether it says that it wants a token; a server may also refuse without a word.
    pub wants_token: bool,
    /// Where the server's metadata is.
    pub resource_metadata: Option<String>,
    /// The scopes that it takes.
    pub scopes: Vec<String>,
    /// The kind of refusal, such as `insufficient_scope`.
    pub error: Option<String>,
}

impl Challenge {
    /// The challenge of a refusal; `None` when a token is not what is missing.
    pub fn read(status: StatusCode, headers: &HeaderMap) -> Option<Self> {
        if !matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
            return None;
        }
        let values: Vec<&str> =
            headers.get_all(WWW_AUTHENTICATE).iter().filter_map(|value| value.to_str().ok()).collect();
        let mut found = Self { status: status.as_u16(), ..Self::default() };
        let says_nothing = values.is_empty();
        for value in values {
            found.take(value);
        }
        let wants_more = status == StatusCode::FORBIDDEN && found.is_insufficient();
        (wants_more || (status == StatusCode::UNAUTHORIZED && (found.wants_token || says_nothing)))
            .then_some(found)
    }

    /// Whether the token is good, and permits too little.
    pub fn is_insufficient(&self) -> bool {
        self.error.as_deref() == Some("insufficient_scope")
    }

    /// Takes over the parameters of the `Bearer` scheme in one header.
    fn take(&mut self, header: &str) {
        let mut is_bearer = false;
        let mut rest = header;
        while let Some((name, value, after)) = next(rest) {
            rest = after;
            let Some(value) = value else {
                is_bearer = name.eq_ignore_ascii_case("bearer");
                self.wants_token |= is_bearer;
                continue;
            };
            if !is_bearer {
                continue;
            }
            match name.to_ascii_lowercase().as_str() {
                "resource_metadata" => self.resource_metadata = Some(value),
                "scope" => self.scopes = value.split_whitespace().map(str::to_owned).collect(),
                "error" => self.error = Some(value),
                _ => {}
            }
        }
    }
}

/// The next word of a header: a scheme without a value, or a parameter with one.
fn next(text: &str) -> Option<(&str, Option<String>, &str)> {
    let text = text.trim_start_matches([' ', '\t', ',']);
    let end = text.find([' ', '\t', ',', '=']).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    if name.is_empty() {
        return None;
    }
    let Some(value) = rest.trim_start().strip_prefix('=') else { return Some((name, None, rest)) };
    let value = value.trim_start();
    let Some(quoted) = value.strip_prefix('"') else {
        let end = value.find([' ', '\t', ',']).unwrap_or(value.len());
        return Some((name, Some(value[..end].to_owned()), &value[end..]));
    };
    let (mut out, mut escaped) = (String::new(), false);
    for (at, c) in quoted.char_indices() {
        match c {
            _ if escaped => {
                out.push(c);
                escaped = false;
            }
            '\\' => escaped = true,
            '"' => return Some((name, Some(out), &quoted[at + 1..])),
            _ => out.push(c),
        }
    }
    Some((name, Some(out), ""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::header::HeaderValue;

    fn read(status: u16, values: &[&'static str]) -> Option<Challenge> {
        let headers = values.iter().map(|value| (WWW_AUTHENTICATE, HeaderValue::from_static(value)));
        Challenge::read(StatusCode::from_u16(status).expect("a status"), &headers.collect())
    }

    #[test]
    fn a_challenge_is_found_among_others() {
        let plain =
            read(401, &[r#"Bearer scope="a b", resource_metadata="https://h/x,y", error=invalid_token"#]);
        let expected = Challenge {
            status: 401,
            wants_token: true,
            resource_metadata: Some("https://h/x,y".into()),
            scopes: vec!["a".into(), "b".into()],
            error: Some("invalid_token".into()),
        };
        assert_eq!(plain, Some(expected));
        let among = read(401, &[r#"Basic realm="x \" scope=\"no\"", bearer scope="a""#, "Digest scope=b"]);
        assert_eq!(among.map(|found| found.scopes), Some(vec!["a".to_owned()]));
        assert!(read(401, &["Bearer"]).is_some() && read(401, &[]).is_some());
    }

    #[test]
    fn a_refusal_that_no_token_helps_is_no_challenge() {
        assert_eq!(read(401, &["Basic realm=x"]), None);
        assert_eq!(read(403, &["Bearer error=invalid_token"]), None);
        assert_eq!(read(403, &[]), None);
        assert_eq!(read(404, &["Bearer"]), None);
        assert!(read(403, &[r#"Bearer error="insufficient_scope", scope="w""#]).is_some());
        for odd in ["", "=", ",,,", "Bearer scope=\"", "Bearer =x", "Bearer scope"] {
            let _ = read(401, &[odd]);
        }
    }
}
