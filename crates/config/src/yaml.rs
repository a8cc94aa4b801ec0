//! YAML text to plain values, under a tight budget: no bombs, no duplicate keys, no surprises.

use crate::error::{Error, Position};
use model::text::shown;
use serde_json::{Map, Value};
use serde_saphyr::{DuplicateKeyPolicy, Options};

/// Levels of nesting that a file may have.
const DEPTH_MAX: usize = 32;

type YamlError = serde_saphyr::Error;

/// The settings of the file as they are written. Quoted numbers stay strings.
pub(crate) fn read(text: &str) -> Result<Map<String, Value>, Error> {
    if is_blank(text) {
        return Ok(Map::new());
    }
    match serde_saphyr::from_str_with_options::<Value>(text, options()) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(Value::Null) => Ok(Map::new()),
        Ok(_) => Err(Error::field_at("", "the file must be a map of settings")),
        Err(error) => Err(refuse(&error)),
    }
}

/// Whether the text has nothing but blank lines and comments.
fn is_blank(text: &str) -> bool {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.lines().map(str::trim).all(|line| line.is_empty() || line.starts_with('#'))
}

fn options() -> Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: DEPTH_MAX,
            flow_nesting_limit: DEPTH_MAX,
            max_events: 200_000,
            max_nodes: 100_000,
            max_aliases: 1_000,
            max_anchors: 1_000,
            max_recorded_anchor_events: 20_000,
            max_recorded_anchor_bytes: 4 * 1024 * 1024,
            max_documents: 2,
            max_merge_keys: 1_000,
            max_inclusion_depth: 0,
        },
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: 10_000,
            max_replay_stack_depth: 16,
        },
        duplicate_keys: DuplicateKeyPolicy::Error,
        // `yes` and `on` are words, as YAML 1.2 has it.
        strict_booleans: true,
        reject_unsupported_tags: true,
        emit_comments: false,
        with_snippet: false,
    }
}

fn refuse(error: &YamlError) -> Error {
    let error = error.without_snippet();
    let known = |line: u64, column: u64| (line > 0).then_some(Position { line, column });
    let position = error.location().and_then(|at| known(at.line(), at.column()));
    Error::Syntax { position, message: message(error) }
}

/// What is wrong, in words that never quote a value of the file.
fn message(error: &YamlError) -> String {
    match error {
        // Messages of the scanner are fixed texts.
        YamlError::ExternalMessage { msg, .. } => shown(msg),
        YamlError::DuplicateMappingKey { key: Some(key), .. } => format!("duplicate key '{}'", shown(key)),
        YamlError::DuplicateMappingKey { .. } => "duplicate key".into(),
        YamlError::Budget { .. } => format!("the file is too large or nested deeper than {DEPTH_MAX} levels"),
        YamlError::AliasReplayLimitExceeded { .. }
        | YamlError::AliasExpansionLimitExceeded { .. }
        | YamlError::AliasReplayStackDepthExceeded { .. } => "aliases expand to too many values".into(),
        YamlError::AliasError { error, .. } => message(error.without_snippet()),
        YamlError::RecursiveReferencesRequireWeakTypes { .. } => {
            "an alias stands inside its own anchor".into()
        }
        YamlError::MultipleDocuments { .. } => "the file holds more than one document".into(),
        YamlError::UnknownAnchor { .. } => "an alias names an anchor that is not there".into(),
        YamlError::UnsupportedTag { .. } => "tags are not supported".into(),
        YamlError::NonFiniteFloat { .. } => "a number is not finite".into(),
        YamlError::Eof { .. } => "unexpected end of file".into(),
        YamlError::Unexpected { expected, .. } => format!("expected {expected}"),
        _ => "the value cannot be read".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::time::{Duration, Instant};

    fn check(text: &str, expected: Value) {
        assert_eq!(read(text).map(Value::Object).unwrap(), expected, "{text}");
    }

    fn refused(text: &str) -> String {
        let begun = Instant::now();
        let line = read(text).unwrap_err().to_string();
        assert!(begun.elapsed() < Duration::from_secs(5), "took {:?}", begun.elapsed());
        assert!(!line.contains('\n'), "{line}");
        line.strip_prefix("Error: Invalid config.yaml: ").expect("the prefix").to_owned()
    }

    #[test]
    fn values_keep_the_type_they_are_written_with() {
        check(
            "a: 5\nb: '5'\nc: \"5\"\nd: -1\ne: 1.5",
            json!({"a": 5, "b": "5", "c": "5", "d": -1, "e": 1.5}),
        );
        check(
            "a: true\nb: yes\nc: on\nd: ~\ne:",
            json!({"a": true, "b": "yes", "c": "on", "d": null, "e": null}),
        );
        check("a: &x {k: 1}\nb: *x", json!({"a": {"k": 1}, "b": {"k": 1}}));
        check("a: {k: 1}\r\nb: 2\r\n", json!({"a": {"k": 1}, "b": 2}));
        check("\u{feff}a: 1", json!({"a": 1}));
        check(&format!("{}a: 1", "# c\n".repeat(500)), json!({"a": 1}));
        for blank in ["", "\n \n", "# only\n", "---\n", "null"] {
            check(blank, json!({}));
        }
    }

    #[test]
    fn a_syntax_error_names_line_and_column_and_no_value() {
        let line = refused("a: 1\nb:\n  c: [s3cret\nd: 2\n");
        assert!(line.starts_with("line 4, column "), "{line}");
        assert!(!line.contains("s3cret"), "{line}");
        assert_eq!(refused("a: 1\n\tb: 2\n"), "line 1, column 4: while scanning a plain scalar, found a tab");
        let line = refused("key: \"s3cret\nother: 1\n");
        assert!(line.starts_with("line ") && !line.contains("s3cret"), "{line}");
    }

    #[test]
    fn a_duplicate_key_is_refused_at_every_level() {
        assert_eq!(refused("a: 1\nb: 2\na: 3\n"), "line 3, column 1: duplicate key 'a'");
        assert_eq!(refused("s:\n  - k: 1\n    k: 2\n"), "line 3, column 5: duplicate key 'k'");
    }

    #[test]
    fn a_file_that_is_no_map_is_refused() {
        assert_eq!(refused("- a\n"), "the file must be a map of settings");
        assert_eq!(refused("just text"), "the file must be a map of settings");
        assert!(refused("a: 1\n---\nb: 2\n").ends_with("the file holds more than one document"));
        assert!(refused("a: !thing x\n").ends_with("tags are not supported"));
        assert!(refused("a: *x\n").contains("anchor"));
        assert!(refused("a: .inf\n").ends_with("a number is not finite"));
    }

    #[test]
    fn a_bomb_of_aliases_is_refused_quickly() {
        let mut text = String::from("a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n");
        for i in 1..10 {
            let item = format!("*a{}", i - 1);
            text += &format!("a{i}: &a{i} [{}]\n", vec![item; 9].join(", "));
        }
        let line = refused(&text);
        assert!(line.contains("too many values") || line.contains("too large"), "{line}");
        let line = refused("a: &a [*a]\n");
        assert!(line.contains("anchor"), "{line}");
    }

    #[test]
    fn deep_nesting_is_refused_quickly() {
        let blocks: String = (0..2000).map(|i| format!("{}k:\n", " ".repeat(i))).collect();
        for text in [format!("a: {}", "[".repeat(50_000)), format!("a: {}", "{a: ".repeat(50_000)), blocks] {
            let line = refused(&text);
            assert!(line.contains("deeper") || line.contains("nest") || line.contains("recursion"), "{line}");
        }
        check(&format!("a: {}{}", "[".repeat(20), "]".repeat(20)), {
            let inner = (0..19).fold(json!([]), |value, _| json!([value]));
            json!({ "a": inner })
        });
    }
}
