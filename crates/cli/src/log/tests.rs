//! Events to lines, end to end.

use super::*;
use serde_json::{Value, json};
use std::io::Write;
use std::sync::Mutex;

/// Keeps what is written.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no panic").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn lines(level: Level, style: Style) -> (Arc<Lines>, Kept) {
    let kept = Kept::default();
    let writer = Writer::start(style, Box::new(kept.clone()));
    (Arc::new(Lines { level, style, writer }), kept)
}

fn text(lines: &Lines, kept: &Kept) -> String {
    lines.writer.flush(Duration::from_secs(20));
    String::from_utf8(kept.0.lock().expect("no panic").clone()).expect("UTF-8")
}

/// What `work` logs at `level`, with the times replaced, which differ.
fn logged(level: Level, style: Style, work: impl FnOnce()) -> String {
    let (lines, kept) = lines(level, style);
    tracing::subscriber::with_default(subscriber(&lines), work);
    let text = text(&lines, &kept);
    let timeless = |line: &str| match style {
        Style::Json => format!("{{{}\n", &line[r#"{"time":"2026-11-15T04:12:00.123Z","#.len()..]),
        _ => format!("{}\n", &line["04:12:00.123Z ".len()..]),
    };
    text.lines().map(timeless).collect()
}

fn check(work: impl FnOnce(), expected: &str) {
    assert_eq!(logged(Level::INFO, Style::Json, work), expected);
}

#[test]
fn an_event_is_one_line_of_json_with_its_fields_in_order() {
    check(
        || tracing::info!(target: "lockgate::http", method = "POST", status = 200u16, ms = 1.5, ok = true, "request"),
        "{\"level\":\"info\",\"message\":\"request\",\"method\":\"POST\",\"status\":200,\"ms\":1.5,\"ok\":true}\n",
    );
    check(
        || tracing::warn!(target: "lockgate", signed = -3i64, large = u64::MAX, nan = f64::NAN, tiny = 1e-300, "n"),
        "{\"level\":\"warn\",\"message\":\"n\",\"signed\":-3,\"large\":18446744073709551615,\"nan\":\"NaN\",\"tiny\":1e-300}\n",
    );
    let error = io::Error::other("it \"failed\"");
    let dynamic: &(dyn std::error::Error + 'static) = &error;
    check(
        || tracing::error!(target: "lockgate", error = dynamic, shown = %error, debug = ?Some("x"), r#type = 1, "a {}", 1),
        "{\"level\":\"error\",\"message\":\"a 1\",\"error\":\"it \\\"failed\\\"\",\"shown\":\"it \\\"failed\\\"\",\
         \"debug\":\"Some(\\\"x\\\")\",\"type\":1}\n",
    );
    check(|| tracing::info!(target: "lockgate", only = 1), "{\"level\":\"info\",\"only\":1}\n");
}

#[test]
fn a_line_carries_the_present_time() {
    let (lines, kept) = lines(Level::INFO, Style::Json);
    let before = time::now();
    lines.write(Level::INFO, |line| line.text("message", "now"));
    let line: Value = serde_json::from_str(&text(&lines, &kept)).expect("JSON");
    let range = [before, time::now()].map(|t| String::from_utf8(time::format(t).into()).expect("ASCII"));
    let found = line["time"].as_str().expect("a time");
    assert!((range[0].as_str()..=range[1].as_str()).contains(&found), "{found}");
}

#[test]
fn a_level_lets_itself_and_the_more_important_pass() {
    let all = || {
        tracing::error!(target: "lockgate_x", "e");
        tracing::warn!(target: "lockgate_x", "w");
        tracing::info!(target: "lockgate_x", "i");
        tracing::debug!(target: "lockgate_x", "d");
        tracing::error!(target: "hyper", "E");
        tracing::warn!(target: "hyper", "W");
        tracing::info!(target: "hyper", "I");
        tracing::debug!(target: "hyper", "D");
    };
    for (level, expected) in [
        (Level::ERROR, vec!["e", "E"]),
        (Level::WARN, vec!["e", "w", "E", "W"]),
        (Level::INFO, vec!["e", "w", "i", "E", "W"]),
        (Level::DEBUG, vec!["e", "w", "i", "d", "E", "W"]),
    ] {
        let text = logged(level, Style::Json, all);
        let found: Vec<Value> = text.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect();
        assert_eq!(found.iter().map(|line| line["message"].clone()).collect::<Vec<_>>(), expected);
        assert_eq!(found[0].get("target").is_some(), level == Level::DEBUG);
    }
}

#[test]
fn a_level_that_is_off_is_not_even_formatted() {
    let never = || -> &'static str { panic!("formatted") };
    check(|| tracing::debug!(target: "lockgate", value = never(), "off"), "");
}

#[test]
fn on_a_terminal_a_line_is_short() {
    let text = logged(Level::INFO, Style::Text, || {
        tracing::info!(target: "lockgate", port = 3001, host = "127.0.0.1", "ready");
    });
    assert_eq!(text, "INFO  ready port=3001 host=\"127.0.0.1\"\n");
}

#[test]
fn a_value_that_logs_while_it_is_written_gets_a_line_of_its_own() {
    struct Chatty(Arc<Lines>);
    impl std::fmt::Display for Chatty {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            self.0.write(Level::INFO, |line| line.text("message", "inner"));
            f.write_str("outer")
        }
    }
    let (lines, kept) = lines(Level::INFO, Style::Json);
    let chatty = Chatty(Arc::clone(&lines));
    lines.write(Level::INFO, |line| line.display("message", format_args!("{chatty}")));
    let text = text(&lines, &kept);
    let found: Vec<Value> = text.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect();
    assert_eq!(found[0]["message"], json!("inner"));
    assert_eq!(found[1]["message"], json!("outer"));
}

/// The only test that touches the hook of the process, in turn for each case.
#[test]
fn a_panic_is_logged_with_its_place_and_without_values() {
    let previous = std::panic::take_hook();
    let panics = |with_stack: bool, work: fn()| -> Value {
        let (lines, kept) = lines(Level::INFO, Style::Json);
        let hook = Arc::clone(&lines);
        std::panic::set_hook(Box::new(move |panic| {
            if std::thread::current().name() == Some("panicking") {
                report(&hook, panic, with_stack);
            }
        }));
        let thread = std::thread::Builder::new().name("panicking".into()).spawn(work).expect("started");
        assert!(thread.join().is_err());
        serde_json::from_str(&text(&lines, &kept)).expect("one line of JSON")
    };
    let plain = panics(false, || panic!("a fault"));
    let formatted = panics(false, || panic!("input was {}", std::hint::black_box("s3cret")));
    let with_stack = panics(true, || panic!("a fault"));
    std::panic::set_hook(previous);

    assert_eq!((&plain["level"], &plain["message"]), (&json!("error"), &json!("panic")));
    assert_eq!((&plain["reason"], &plain["thread"]), (&json!("a fault"), &json!("panicking")));
    let location = plain["location"].as_str().expect("a place");
    assert!(location.contains("tests.rs:"), "{location}");
    assert!(plain.get("stack").is_none());
    assert!(!formatted.to_string().contains("s3cret"), "{formatted}");
    assert!(
        with_stack["stack"].as_str().is_some_and(|stack| stack.contains("panicking") || stack.len() > 100)
    );
}
