//! An activity that makes an HTTP request.

use crate::session::activity::{Activity, ActivityContext, ActivityResult, Effect, Running};
use crate::session::offers::{at, text};
use model::session::HttpRun;
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;

/// Makes HTTP requests, only to where they are allowed.
pub trait CallHttp: Send + Sync {
    /// Makes one request: the answer, or why there is none.
    fn send<'a>(&'a self, request: HttpRequest) -> Running<'a, Result<HttpReply, String>>;
}

/// One request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpRequest {
    /// Its method, in capitals.
    pub method: String,
    /// Where it goes.
    pub url: String,
    /// Its headers.
    pub headers: Vec<(String, String)>,
    /// Its body.
    pub body: Option<Vec<u8>>,
    /// How long it may take.
    pub timeout: Duration,
}

/// One answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpReply {
    /// Its status.
    pub status: u16,
    /// Its body.
    pub body: Vec<u8>,
}

/// Makes a request with `{{input.path}}` and `{{memory.path}}` filled in.
pub struct HttpActivity {
    name: String,
    run: HttpRun,
    timeout: Duration,
    http: Arc<dyn CallHttp>,
}

impl HttpActivity {
    /// The activity of this name that makes this request.
    pub fn new(name: &str, run: HttpRun, timeout: Duration, http: Arc<dyn CallHttp>) -> Self {
        Self { name: name.to_owned(), run, timeout, http }
    }

    fn request(&self, context: &ActivityContext) -> Result<HttpRequest, String> {
        let memory = Value::Object(context.memory.to_map());
        let fill = Fill { input: context.input.as_ref(), memory: &memory };
        let method = self.run.method.to_ascii_uppercase();
        let mut url = fill.url(&self.run.url)?;
        let mut headers = Vec::new();
        for (name, value) in &self.run.headers {
            headers.push((name.clone(), fill.text(&text(value), str::to_owned)?));
        }
        let body = match (&self.run.body, context.input.as_ref()) {
            (Some(body), _) => Some(fill.value(body)?),
            (None, Some(input)) if matches!(method.as_str(), "GET" | "DELETE" | "HEAD") => {
                add_query(&mut url, input);
                None
            }
            (None, input) => input.cloned(),
        };
        let body = body.map(|body| match body {
            Value::String(text) if self.run.body.is_some() => text.into_bytes(),
            other => {
                if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
                    headers.push(("Content-Type".into(), "application/json".into()));
                }
                other.to_string().into_bytes()
            }
        });
        Ok(HttpRequest { method, url, headers, body, timeout: self.timeout })
    }
}

impl Activity for HttpActivity {
    fn name(&self) -> &str {
        &self.name
    }

    fn effect(&self) -> Effect {
        match self.run.method.to_ascii_uppercase().as_str() {
            "GET" | "HEAD" | "PUT" | "DELETE" | "OPTIONS" => Effect::Repeatable,
            _ => Effect::Once,
        }
    }

    fn run<'a>(&'a self, context: &'a mut ActivityContext) -> Running<'a, ActivityResult> {
        Box::pin(async move {
            let request = match self.request(context) {
                Ok(request) => request,
                Err(message) => return ActivityResult::failure(message),
            };
            match self.http.send(request).await {
                Err(message) => ActivityResult::failure(message),
                Ok(reply) => as_result(&reply),
            }
        })
    }
}

fn as_result(reply: &HttpReply) -> ActivityResult {
    if !(200..300).contains(&reply.status) {
        return ActivityResult::failure(format!("HTTP status {}", reply.status));
    }
    if reply.body.is_empty() {
        return ActivityResult { data: None, ..ActivityResult::success(Value::Null) };
    }
    match serde_json::from_slice(&reply.body) {
        Ok(data) => ActivityResult::success(data),
        Err(_) => ActivityResult::failure(format!("HTTP status {}, but the answer is no JSON", reply.status)),
    }
}

/// What placeholders are filled with.
struct Fill<'a> {
    input: Option<&'a Value>,
    memory: &'a Value,
}

impl Fill<'_> {
    /// The value that a placeholder names.
    fn named(&self, name: &str) -> Result<&Value, String> {
        let missing = || format!("{{{{{name}}}}} has no value");
        let (root, path) = name.split_once('.').unwrap_or((name, ""));
        let root = match root {
            "input" => self.input.ok_or_else(missing)?,
            "memory" => self.memory,
            _ => return Err(format!("{{{{{name}}}}} must begin with input or memory")),
        };
        if path.is_empty() { Ok(root) } else { at(root, path).ok_or_else(missing) }
    }

    /// An address. No part of its path becomes `.` or `..` by what fills it, which would lead elsewhere.
    fn url(&self, template: &str) -> Result<String, String> {
        let filled = self.text(template, percent)?;
        // What fills a placeholder is encoded, so both have the same parts.
        let marked = self.text(template, |_| MARK.to_owned())?;
        for (part, marked) in parts(&filled).zip(parts(&marked)).filter(|(_, marked)| marked.contains(MARK)) {
            if matches!(part.to_ascii_lowercase().replace("%2e", ".").as_str(), "." | "..") {
                let template = marked.replace(MARK, "{{…}}");
                return Err(format!(
                    "'{template}' in the path of the url becomes '{part}', which would lead to another path"
                ));
            }
        }
        Ok(filled)
    }

    fn text(&self, template: &str, encode: fn(&str) -> String) -> Result<String, String> {
        let mut out = String::new();
        let mut rest = template;
        while let Some((before, after)) = rest.split_once("{{") {
            let Some((name, after)) = after.split_once("}}") else { break };
            out.push_str(before);
            out.push_str(&encode(&text(self.named(name.trim())?)));
            rest = after;
        }
        out.push_str(rest);
        Ok(out)
    }

    /// A text that is one placeholder keeps the type of its value.
    fn value(&self, template: &Value) -> Result<Value, String> {
        Ok(match template {
            Value::String(template) => {
                let inner = template.trim().strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}"));
                match inner.filter(|name| !name.contains("{{") && !name.contains("}}")) {
                    Some(name) => self.named(name.trim())?.clone(),
                    None => Value::String(self.text(template, str::to_owned)?),
                }
            }
            Value::Array(items) => {
                Value::Array(items.iter().map(|one| self.value(one)).collect::<Result<_, _>>()?)
            }
            Value::Object(map) => {
                let all = map.iter().map(|(key, one)| Ok((key.clone(), self.value(one)?)));
                Value::Object(all.collect::<Result<Map<_, _>, String>>()?)
            }
            other => other.clone(),
        })
    }
}

/// Stands for what fills a placeholder.
const MARK: &str = "\0";

/// The parts of the path of an address, with what stands before it.
fn parts(url: &str) -> impl Iterator<Item = &str> {
    url.split(['?', '#']).take(1).flat_map(|path| path.split(['/', '\\']))
}

/// Every byte that is not plainly allowed in a part of an address, percent-encoded.
fn percent(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    text.bytes()
        .map(|byte| if plain(byte) { char::from(byte).into() } else { format!("%{byte:02X}") })
        .collect()
}

fn add_query(url: &mut String, input: &Value) {
    let Some(map) = input.as_object() else { return };
    let fragment = url.find('#').map(|at| url.split_off(at)).unwrap_or_default();
    for (key, value) in map {
        url.push(if url.contains('?') { '&' } else { '?' });
        url.push_str(&format!("{}={}", percent(key), percent(&text(value))));
    }
    url.push_str(&fragment);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    struct Nowhere;
    impl CallHttp for Nowhere {
        fn send<'a>(&'a self, _: HttpRequest) -> Running<'a, Result<HttpReply, String>> {
            Box::pin(std::future::ready(Err("nowhere".into())))
        }
    }

    fn request(run: Value, input: Value, memory: &Value) -> Result<HttpRequest, String> {
        let run: HttpRun = serde_json::from_value(run).expect("a request");
        let activity = HttpActivity::new("a", run, Duration::from_secs(1), Arc::new(Nowhere));
        let mut context = ActivityContext::standalone(Some(input), 0);
        context.memory = crate::session::Memory::new(memory.as_object().cloned().unwrap_or_default());
        activity.request(&context)
    }

    #[test]
    fn placeholders_are_filled_in() {
        let run = json!({"method": "post", "url": "https://x/people/{{input.id}}?q={{memory.q}}",
            "headers": {"X-Id": "n{{input.id}}"},
            "body": {"ratio": "{{memory.ratio}}", "text": "r={{memory.ratio}}", "source": "lockgate"}});
        let made =
            request(run, json!({"id": "a/b é"}), &json!({"ratio": 0.5, "q": "1&2"})).expect("a request");
        assert_eq!(made.method, "POST");
        assert_eq!(made.url, "https://x/people/a%2Fb%20%C3%A9?q=1%262");
        assert!(made.headers.contains(&("X-Id".into(), "na/b é".into())));
        let body: Value = serde_json::from_slice(&made.body.expect("a body")).expect("JSON");
        assert_eq!(body, json!({"ratio": 0.5, "text": "r=0.5", "source": "lockgate"}));
    }

    #[test]
    fn what_fills_a_part_of_a_path_does_not_climb() {
        let url = |url: &str, id: &str| {
            request(json!({"url": url}), json!({"id": id}), &json!({})).map(|made| made.url)
        };
        for (template, id) in [
            ("https://x/people/{{input.id}}", ".."),
            ("https://x/people/{{input.id}}/all", "."),
            ("https://x/people/.{{input.id}}?a=1", "."),
            ("https://x/people/%2e{{input.id}}", "."),
            ("https://x/people/{{input.id}}{{input.id}}#f", "."),
            ("https://x/people/{{input.id}}.", ""),
        ] {
            let error = url(template, id).expect_err("it climbs");
            assert!(error.contains("in the path of the url becomes '"), "{template}: {error}");
        }
        for (template, id, expected) in [
            ("https://x/people/{{input.id}}", "...", "https://x/people/...?id=..."),
            ("https://x/people/{{input.id}}", "../a", "https://x/people/..%2Fa?id=..%2Fa"),
            ("https://x/p/../{{input.id}}", "a", "https://x/p/../a?id=a"),
            ("https://x/p?q=/{{input.id}}", "..", "https://x/p?q=/..&id=.."),
        ] {
            assert_eq!(url(template, id).as_deref(), Ok(expected), "{template}");
        }
    }

    #[test]
    fn without_a_body_the_input_goes_as_query_or_as_json() {
        let made =
            request(json!({"url": "https://x/a#f"}), json!({"a": 1, "b": "x y"}), &json!({})).expect("made");
        assert_eq!((made.url.as_str(), made.body), ("https://x/a?a=1&b=x%20y#f", None));
        let made =
            request(json!({"url": "https://x", "method": "PUT"}), json!({"a": 1}), &json!({})).expect("made");
        assert_eq!(made.body.as_deref(), Some(&br#"{"a":1}"#[..]));
    }

    #[test]
    fn a_placeholder_without_a_value_is_an_error() {
        let error =
            request(json!({"url": "https://x/{{input.id}}"}), json!({}), &json!({})).expect_err("missing");
        assert_eq!(error, "{{input.id}} has no value");
    }

    #[test]
    fn only_a_good_answer_in_json_is_a_success() {
        let result = |status, body: &str| as_result(&HttpReply { status, body: body.into() });
        assert_eq!(result(200, "{\"a\":1}").data, Some(json!({"a": 1})));
        assert!(result(204, "").success);
        assert_eq!(result(404, "{}").error.as_deref(), Some("HTTP status 404"));
        assert!(!result(200, "<html>").success);
    }
}
