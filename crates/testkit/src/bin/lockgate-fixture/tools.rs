//! What each tool does.

use crate::protocol::{self, Job};
use crate::{Fixture, effects, fidelity, hostile, resources};
use serde_json::{Map, Value, json};
use std::thread;
use std::time::{Duration, Instant};

const NOISE: &str = "this line is noise, not a message";
const CITIES: [&str; 4] = ["tokyo", "nagoya", "osaka", "fukuoka"];

/// Carries out one call and answers it, unless the tool's point is not to.
pub(crate) fn call(fixture: &Fixture, job: &Job) {
    let arguments = &job.arguments;
    let result = match job.tool.as_str() {
        "calculate-bmi" => bmi(arguments),
        "fetch-weather" => weather(arguments),
        "echo" => text(&arguments.to_string()),
        "plain" => text("hello"),
        "parts" => content(&json!([text_part("a"), text_part("b")])),
        "sleep" => sleep(fixture, job),
        "crash" => std::process::exit(i32::try_from(integer(arguments, "code", 1)).unwrap_or(1)),
        "env" => structured(&environment()),
        "argv" => structured(&json!({"argv": std::env::args().skip(1).collect::<Vec<_>>()})),
        "big" => text(&"x".repeat(size(arguments))),
        "err-empty" => failed(&json!([])),
        "err-image" => failed(&json!([{"type": "image", "data": "AA==", "mimeType": "image/png"}])),
        "err-blank" => failed(&json!([text_part("")])),
        "rpc" => return rpc(fixture, job),
        "nil" => Value::Null,
        "noise" => {
            fixture.wire.line(NOISE);
            ok()
        }
        "flood" => return fixture.wire.bytes(&vec![b'x'; size(arguments)]),
        "stats" => structured(&stats(fixture, job)),
        "grow" => grow(fixture, arguments),
        "touch" => {
            resources::touch(fixture, arguments["uri"].as_str().unwrap_or_default());
            ok()
        }
        "log" => return log(fixture, job),
        "effect" | "effect-once" => effects::leave(fixture, job),
        "raw-params" => text(&job.raw_params),
        "raw-result" => return fidelity::answer(fixture, job),
        "bad" => return hostile::misbehave(fixture, job),
        _ => ok(),
    };
    fixture.wire.result(&job.id, result);
}

/// The result of tools that only have to succeed.
pub(crate) fn ok() -> Value {
    structured(&json!({"ok": true}))
}

fn bmi(arguments: &Value) -> Value {
    let number = |name: &str| arguments[name].as_f64().unwrap_or(0.0);
    let (weight, height) = (number("weight_kg"), number("height_m"));
    if weight <= 0.0 || height <= 0.0 {
        return failed(&json!([text_part("Invalid input: height and weight must be positive values")]));
    }
    structured(&json!({"result": weight / (height * height)}))
}

fn weather(arguments: &Value) -> Value {
    let city = arguments["city"].as_str().unwrap_or_default();
    if !CITIES.contains(&city) {
        return failed(&json!([text_part("Invalid city.")]));
    }
    structured(&json!({"city": city, "weather": "sunny"}))
}

fn sleep(fixture: &Fixture, job: &Job) -> Value {
    let ms = integer(&job.arguments, "ms", 0);
    let end = Instant::now() + Duration::from_millis(u64::try_from(ms).unwrap_or(0));
    let mut progress = 0;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        match (fixture.switches.progress, &job.progress_token) {
            (Some(every), Some(token)) if every < left => {
                thread::sleep(every);
                progress += 1;
                let mut params = json!({"progressToken": token, "progress": progress});
                if fixture.switches.progress_bytes > 0 {
                    params["message"] = "x".repeat(fixture.switches.progress_bytes).into();
                }
                fixture.wire.notify("notifications/progress", &params);
            }
            _ => {
                thread::sleep(left);
                return structured(&json!({"slept": ms}));
            }
        }
    }
}

/// Answers first, so that the message belongs to no request.
fn log(fixture: &Fixture, job: &Job) {
    fixture.wire.result(&job.id, ok());
    let level = job.arguments["level"].as_str().unwrap_or_default();
    if fixture.state.admits(level) {
        let params = json!({"level": level, "data": job.arguments["text"]});
        fixture.wire.notify("notifications/message", &params);
    }
}

fn rpc(fixture: &Fixture, job: &Job) {
    let arguments = &job.arguments;
    let message = arguments["message"].as_str().unwrap_or_default();
    fixture.wire.error(&job.id, &arguments["code"], message, arguments.get("data"));
}

fn stats(fixture: &Fixture, job: &Job) -> Value {
    let mut stats = fixture.state.stats(&job.before, &fixture.switches);
    if !fixture.descendants.is_empty() {
        stats["grandchildren"] = json!(fixture.descendants.pids());
    }
    stats
}

fn grow(fixture: &Fixture, arguments: &Value) -> Value {
    fixture.state.grow(arguments["name"].as_str().unwrap_or_default());
    protocol::list_changed(fixture);
    ok()
}

fn environment() -> Value {
    let variables = std::env::vars_os()
        .map(|(name, value)| (name.to_string_lossy().into_owned(), value.to_string_lossy().into()));
    Value::Object(variables.collect::<Map<_, _>>())
}

pub(crate) fn integer(arguments: &Value, name: &str, default: i64) -> i64 {
    arguments[name].as_i64().unwrap_or(default)
}

fn size(arguments: &Value) -> usize {
    usize::try_from(integer(arguments, "bytes", 0)).unwrap_or(0)
}

pub(crate) fn text_part(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn content(parts: &Value) -> Value {
    json!({"content": parts})
}

fn text(text: &str) -> Value {
    content(&json!([text_part(text)]))
}

pub(crate) fn structured(value: &Value) -> Value {
    json!({"content": [text_part(&value.to_string())], "structuredContent": value})
}

pub(crate) fn failed(parts: &Value) -> Value {
    json!({"content": parts, "isError": true})
}
