//! A view of a `CallToolResult`, made only where somebody asks for it.

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use std::borrow::Cow;

/// The members of a tool result that the gateway looks at; everything else stays raw.
#[derive(Debug, Default)]
pub struct CallResult<'a> {
    /// Whether the tool says that it failed.
    pub is_error: bool,
    /// `structuredContent`, when present and not null.
    pub structured: Option<&'a RawValue>,
    /// The content parts.
    pub parts: Vec<Part<'a>>,
    /// `resultType` of the modern era: `complete` when absent.
    pub kind: Option<Cow<'a, str>>,
    content: Option<&'a RawValue>,
}

/// One content part.
#[derive(Debug, Default, Deserialize)]
pub struct Part<'a> {
    /// The MCP type: `text`, `image`, `audio`, …
    #[serde(borrow, default, rename = "type")]
    pub kind: Cow<'a, str>,
    /// The text of a text part.
    #[serde(borrow, default)]
    pub text: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Wire<'a> {
    #[serde(default, deserialize_with = "lenient")]
    is_error: bool,
    #[serde(borrow, default)]
    structured_content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    result_type: Option<Cow<'a, str>>,
}

fn lenient<'de, D: Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
    let raw = <&RawValue>::deserialize(from)?;
    Ok(raw.get() == "true")
}

impl<'a> CallResult<'a> {
    /// Reads what is there; a result of another shape is one without parts.
    pub fn read(raw: &'a RawValue) -> Self {
        let Ok(wire) = serde_json::from_str::<Wire<'a>>(raw.get()) else {
            return Self::default();
        };
        let skip_parts = !wire.is_error && wire.structured_content.is_some();
        let parts = match wire.content {
            Some(content) if !skip_parts => read_parts(content),
            _ => Vec::new(),
        };
        let Wire { is_error, structured_content: structured, content, result_type: kind } = wire;
        Self { is_error, structured, parts, kind, content }
    }

    /// The image and audio parts, whole. A failed tool may have more to show than a message says.
    pub fn media(&self) -> Vec<serde_json::Value> {
        let is_media = |part: &Part<'_>| matches!(&*part.kind, "image" | "audio");
        if !self.parts.iter().any(is_media) {
            return Vec::new();
        }
        let all = self.content.and_then(|content| serde_json::from_str(content.get()).ok());
        let all: Vec<serde_json::Value> = all.unwrap_or_default();
        all.into_iter().zip(&self.parts).filter(|(_, part)| is_media(part)).map(|(whole, _)| whole).collect()
    }

    /// The text of the only part, when there is one part and it is text.
    pub fn only_text(&self) -> Option<&str> {
        match &self.parts[..] {
            [only] if only.kind == "text" => only.text.as_deref(),
            _ => None,
        }
    }

    /// What a failed tool has to say (spec 1.7).
    pub fn complaint(&self) -> String {
        let text =
            self.parts.iter().filter(|part| part.kind == "text").filter_map(|part| part.text.as_deref());
        match (text.into_iter().find(|text| !text.is_empty()), self.parts.first()) {
            (Some(text), _) => text.to_owned(),
            (None, Some(first)) => format!("Tool execution failed: unexpected content type: {}", first.kind),
            (None, None) => "Tool execution failed: no error details provided".to_owned(),
        }
    }
}

/// The parts of a content; one that cannot be read has no type and no text.
fn read_parts(content: &RawValue) -> Vec<Part<'_>> {
    serde_json::from_str(content.get()).unwrap_or_else(|_| {
        let each: Vec<&RawValue> = serde_json::from_str(content.get()).unwrap_or_default();
        each.into_iter().map(|part| serde_json::from_str(part.get()).unwrap_or_default()).collect()
    })
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
    fn only_a_single_text_part_counts_as_the_text() {
        for (content, expected) in [
            (r#"[{"type":"text","text":"{}"}]"#, Some("{}")),
            (r#"[{"type":"text","text":"a"},{"type":"text","text":"b"}]"#, None),
            (r#"[{"type":"image"}]"#, None),
            ("[]", None),
            ("5", None),
        ] {
            let result = raw(&format!(r#"{{"content":{content}}}"#));
            assert_eq!(CallResult::read(&result).only_text(), expected);
        }
    }
}
