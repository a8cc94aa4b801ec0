//! A view of a `CallToolResult`, made only where somebody asks for it.

use crate::splice::member_at;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use std::borrow::Cow;

/// The members of a tool result that the gateway looks at; everything else stays raw.
#[derive(Debug)]
pub struct CallResult<'a> {
    /// Whether the tool says that it failed.
    pub is_error: bool,
    /// `structuredContent`, when present and not null.
    pub structured: Option<&'a RawValue>,
    /// `resultType` of the modern era: `complete` when absent.
    pub kind: Option<Cow<'a, str>>,
    parts: Vec<Part<'a>>,
    whole: &'a RawValue,
}

/// One content part. Its text is unescaped when somebody asks for it.
#[derive(Debug, Default, Deserialize)]
struct Part<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    text: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", bound(deserialize = "C: Deserialize<'de>"))]
struct Wire<'a, C> {
    #[serde(default, deserialize_with = "lenient")]
    is_error: bool,
    #[serde(borrow, default)]
    structured_content: Option<&'a RawValue>,
    #[serde(default = "Option::default")]
    content: Option<C>,
    #[serde(borrow, default)]
    result_type: Option<Cow<'a, str>>,
}

fn lenient<'de, D: Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
    let raw = <&RawValue>::deserialize(from)?;
    Ok(raw.get() == "true")
}

impl<'a> CallResult<'a> {
    /// Reads what is there; a result of another shape is one without parts.
    pub fn read(whole: &'a RawValue) -> Self {
        let text = whole.get();
        if let Ok(wire) = serde_json::from_str::<Wire<'a, Vec<Part<'a>>>>(text) {
            return Self::of(wire, whole, |parts| parts);
        }
        match serde_json::from_str::<Wire<'a, &'a RawValue>>(text) {
            Ok(wire) => Self::of(wire, whole, read_parts),
            Err(_) => Self { is_error: false, structured: None, kind: None, parts: Vec::new(), whole },
        }
    }

    fn of<C>(wire: Wire<'a, C>, whole: &'a RawValue, parts: impl FnOnce(C) -> Vec<Part<'a>>) -> Self {
        Self {
            is_error: wire.is_error,
            structured: wire.structured_content,
            kind: wire.result_type,
            parts: wire.content.map(parts).unwrap_or_default(),
            whole,
        }
    }

    /// The image and audio parts, whole. A failed tool may have more to show than a message says.
    pub fn media(&self) -> Vec<serde_json::Value> {
        let is_media = |part: &Part<'_>| matches!(&*part.kind, "image" | "audio");
        if !self.parts.iter().any(is_media) {
            return Vec::new();
        }
        let text = self.whole.get();
        let all = member_at(text, "content").and_then(|at| serde_json::from_str(&text[at]).ok());
        let all: Vec<serde_json::Value> = all.unwrap_or_default();
        all.into_iter().zip(&self.parts).filter(|(_, part)| is_media(part)).map(|(whole, _)| whole).collect()
    }

    /// The text of the only part, when there is one part and it is text that may be JSON.
    pub fn only_text(&self) -> Option<Cow<'a, str>> {
        match &self.parts[..] {
            [only] if only.kind == "text" && only.may_be_json() => only.text(),
            _ => None,
        }
    }

    /// What a failed tool has to say (spec 1.7).
    pub fn complaint(&self) -> String {
        let texts = self.parts.iter().filter(|part| part.kind == "text").filter_map(Part::text);
        match (texts.into_iter().find(|text| !text.is_empty()), self.parts.first()) {
            (Some(text), _) => text.into_owned(),
            (None, Some(first)) => format!("Tool execution failed: unexpected content type: {}", first.kind),
            (None, None) => "Tool execution failed: no error details provided".to_owned(),
        }
    }
}

impl<'a> Part<'a> {
    fn text(&self) -> Option<Cow<'a, str>> {
        let written = self.text?.get();
        let inner = written.strip_prefix('"')?.strip_suffix('"')?;
        match memchr::memchr(b'\\', inner.as_bytes()) {
            None => Some(inner.into()),
            Some(_) => serde_json::from_str::<String>(written).ok().map(Cow::Owned),
        }
    }

    /// Whether its text begins as JSON does, or with white space or an escape.
    fn may_be_json(&self) -> bool {
        let first = self.text.and_then(|text| text.get().as_bytes().get(1).copied());
        first.is_some_and(|first| b"{[-0123456789tfn\\ ".contains(&first))
    }
}

/// The parts of a content; one that cannot be read has no type and no text.
fn read_parts(content: &RawValue) -> Vec<Part<'_>> {
    let each: Vec<&RawValue> = serde_json::from_str(content.get()).unwrap_or_default();
    each.into_iter().map(|part| serde_json::from_str(part.get()).unwrap_or_default()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.into()).expect("json")
    }

    #[test]
    fn a_failed_tool_complains_with_its_first_text_or_says_why_not() {
        for (content, expected) in [
            ("[]", "Tool execution failed: no error details provided"),
            (r#"[{"type":"text","text":""}]"#, "Tool execution failed: unexpected content type: text"),
            (r#"[{"type":"image","data":""}]"#, "Tool execution failed: unexpected content type: image"),
            (r#"[{"type":"image"},{"type":"text","text":"no"}]"#, "no"),
            (r#"[{"type":"text","text":""},{"type":"text","text":"b\n"}]"#, "b\n"),
            (r#"[5,{"type":"text","text":7},{"type":"text","text":"c"}]"#, "c"),
        ] {
            let result = raw(&format!(r#"{{"isError":true,"content":{content}}}"#));
            assert_eq!(CallResult::read(&result).complaint(), expected);
        }
        assert_eq!(
            CallResult::read(&raw(r#"{"isError":true}"#)).complaint(),
            "Tool execution failed: no error details provided"
        );
    }

    #[test]
    fn image_and_audio_parts_are_found_whole() {
        let image = r#"{"type":"image","data":"AA==","mimeType":"image/png","x":1}"#;
        let audio = r#"{"type":"audio","data":"BB==","mimeType":"audio/wav"}"#;
        let result = raw(&format!(
            r#"{{"isError":true,"content":[{{"type":"text","text":"no"}},{image},5,{{"type":"resource"}},{audio}]}}"#
        ));
        let whole = [image, audio].map(|part| serde_json::from_str::<serde_json::Value>(part).expect("json"));
        assert_eq!(CallResult::read(&result).media(), whole);
        for without in [r#"{"isError":true}"#, r#"{"isError":true,"content":[{"type":"text","text":"no"}]}"#]
        {
            assert!(CallResult::read(&raw(without)).media().is_empty(), "{without}");
        }
    }

    #[test]
    fn only_a_single_text_part_that_may_be_json_counts_as_the_text() {
        for (content, expected) in [
            (r#"[{"type":"text","text":"{}"}]"#, Some("{}")),
            (r#"[{"type":"text","text":" {\"a\":1}"}]"#, Some(" {\"a\":1}")),
            (r#"[{"type":"text","text":"\n1"}]"#, Some("\n1")),
            (r#"[{"type":"text","text":"\"a\""}]"#, Some("\"a\"")),
            (r#"[{"type":"text","text":"words"}]"#, None),
            (r#"[{"type":"text","text":""}]"#, None),
            (r#"[{"type":"text","text":1}]"#, None),
            (r#"[{"type":"text","text":"\ud800"}]"#, None),
            (r#"[{"type":"text","text":"a"},{"type":"text","text":"b"}]"#, None),
            (r#"[{"type":"image"}]"#, None),
            ("[]", None),
            ("5", None),
        ] {
            let result = raw(&format!(r#"{{"content":{content}}}"#));
            assert_eq!(CallResult::read(&result).only_text().as_deref(), expected, "{content}");
        }
    }
}
