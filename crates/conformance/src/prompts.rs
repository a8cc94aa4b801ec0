//! The prompts, and the completion of their arguments.

use crate::call::{Asked, Call, from_json};
use crate::tools::content::PIXEL;
use rmcp::ErrorData;
use rmcp::model::{CompleteResult, GetPromptResponse, Prompt};
use serde_json::{Value, json};

pub(crate) fn list() -> Vec<Prompt> {
    from_json(json!([
        {"name": "test_simple_prompt", "description": "A prompt without arguments"},
        {"name": "test_prompt_with_arguments", "description": "A prompt with two arguments", "arguments": [
            {"name": "arg1", "description": "First test argument", "required": true},
            {"name": "arg2", "description": "Second test argument", "required": true},
        ]},
        {"name": "test_prompt_with_embedded_resource", "description": "A prompt with a resource in it",
         "arguments": [
            {"name": "resourceUri", "description": "URI of the resource to embed", "required": true},
        ]},
        {"name": "test_prompt_with_image", "description": "A prompt with an image in it"},
        {"name": "test_input_required_result_prompt", "description": "A prompt that asks for its context"},
    ]))
}

pub(crate) async fn get(name: &str, call: &Call<'_>) -> Result<GetPromptResponse, ErrorData> {
    let contents = match name {
        "test_simple_prompt" => vec![text("This is a simple prompt for testing.")],
        "test_prompt_with_arguments" => {
            let (first, second) = (call.text("arg1"), call.text("arg2"));
            vec![text(&format!("Prompt with arguments: arg1='{first}', arg2='{second}'"))]
        }
        "test_prompt_with_embedded_resource" => vec![
            json!({"type": "resource", "resource": {
                "uri": call.text("resourceUri"),
                "mimeType": "text/plain",
                "text": "Embedded resource content for testing.",
            }}),
            text("Please process the embedded resource above."),
        ],
        "test_prompt_with_image" => vec![
            json!({"type": "image", "data": PIXEL, "mimeType": "image/png"}),
            text("Please analyze the image above."),
        ],
        "test_input_required_result_prompt" => match call.ask(context(), None).await? {
            Asked::Required(result) => return Ok(GetPromptResponse::InputRequired(result)),
            Asked::Answered(answers) => {
                vec![text(&format!("Context: {}", answers["user_context"]["content"]["context"]))]
            }
        },
        _ => return Err(ErrorData::invalid_params(format!("Unknown prompt: {name}"), None)),
    };
    let messages: Vec<Value> =
        contents.into_iter().map(|content| json!({"role": "user", "content": content})).collect();
    Ok(GetPromptResponse::Complete(from_json(json!({"resultType": "complete", "messages": messages}))))
}

/// Completes a name of a city.
pub(crate) fn complete(start: &str) -> CompleteResult {
    let found: Vec<&str> = ["paris", "park", "party"].into_iter().filter(|c| c.starts_with(start)).collect();
    let completion = json!({"total": found.len(), "values": found, "hasMore": false});
    from_json(json!({"resultType": "complete", "completion": completion}))
}

fn context() -> Value {
    json!({"user_context": {"method": "elicitation/create", "params": {
        "message": "What context should the prompt use?",
        "requestedSchema": {
            "type": "object", "properties": {"context": {"type": "string"}}, "required": ["context"],
        },
    }}})
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}
