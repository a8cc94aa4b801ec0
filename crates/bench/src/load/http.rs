//! Just enough of HTTP/1.1 to read an answer from a buffer.

use std::borrow::Cow;

use anyhow::Context;

/// One whole answer.
#[derive(Debug, PartialEq)]
pub(crate) struct Response<'a> {
    pub(crate) status: u16,
    pub(crate) session: Option<String>,
    /// The connection cannot be used again.
    pub(crate) close: bool,
    pub(crate) body: Cow<'a, [u8]>,
}

/// Reads one answer; `None` while it is not all there. `ended` says that nothing more will come.
pub(crate) fn parse(bytes: &[u8], ended: bool) -> anyhow::Result<Option<Response<'_>>> {
    let mut headers = [httparse::EMPTY_HEADER; 48];
    let mut head = httparse::Response::new(&mut headers);
    let httparse::Status::Complete(start) = head.parse(bytes)? else { return Ok(None) };
    let status = head.code.context("an answer without a status")?;
    let find = |name: &str| {
        let header = head.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name))?;
        str::from_utf8(header.value).ok()
    };
    let session = find("mcp-session-id").map(str::to_owned);
    let close = find("connection").is_some_and(|value| value.eq_ignore_ascii_case("close"));
    let rest = &bytes[start..];
    let body =
        if find("transfer-encoding").is_some_and(|value| value.to_ascii_lowercase().ends_with("chunked")) {
            let Some(body) = unchunk(rest)? else { return Ok(None) };
            Cow::Owned(body)
        } else if let Some(length) = find("content-length") {
            let length = length.trim().parse().context("reading Content-Length")?;
            let Some(body) = rest.get(..length) else { return Ok(None) };
            Cow::Borrowed(body)
        } else if matches!(status, 204 | 304) {
            Cow::Borrowed(&rest[..0])
        } else if ended {
            return Ok(Some(Response { status, session, close: true, body: Cow::Borrowed(rest) }));
        } else {
            return Ok(None);
        };
    Ok(Some(Response { status, session, close, body }))
}

/// Joins the chunks; `None` while the last one is missing.
fn unchunk(mut bytes: &[u8]) -> anyhow::Result<Option<Vec<u8>>> {
    let mut body = Vec::new();
    loop {
        let httparse::Status::Complete((start, size)) =
            httparse::parse_chunk_size(bytes).map_err(|_| anyhow::anyhow!("a malformed chunk"))?
        else {
            return Ok(None);
        };
        let end = start + usize::try_from(size)?;
        let (Some(chunk), Some(rest)) = (bytes.get(start..end), bytes.get(end + 2..)) else {
            return Ok(None);
        };
        if size == 0 {
            return Ok(Some(body));
        }
        body.extend_from_slice(chunk);
        bytes = rest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bytes: &str, ended: bool, expected: Option<(u16, bool, &str)>) {
        let found = parse(bytes.as_bytes(), ended).unwrap();
        let found = found.map(|r| (r.status, r.close, String::from_utf8(r.body.into_owned()).unwrap()));
        assert_eq!(found, expected.map(|(status, close, body)| (status, close, body.to_owned())));
    }

    #[test]
    fn a_body_with_a_length() {
        let whole = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi";
        check(whole, false, Some((200, true, "hi")));
        for end in 0..whole.len() {
            check(&whole[..end], false, None);
        }
    }

    #[test]
    fn a_body_in_chunks() {
        let whole = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n";
        check(whole, false, Some((200, false, "abc0123456789")));
        for end in 0..whole.len() {
            check(&whole[..end], false, None);
        }
    }

    #[test]
    fn a_body_up_to_the_end_and_none_at_all() {
        check("HTTP/1.1 200 OK\r\n\r\nall", false, None);
        check("HTTP/1.1 200 OK\r\n\r\nall", true, Some((200, true, "all")));
        check("HTTP/1.1 204 No Content\r\n\r\n", false, Some((204, false, "")));
    }

    #[test]
    fn a_session_is_kept() {
        let answer = parse(b"HTTP/1.1 204 x\r\nMCP-Session-Id: s1\r\n\r\n", false).unwrap().unwrap();
        assert_eq!(answer.session.as_deref(), Some("s1"));
    }
}
