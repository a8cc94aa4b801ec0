//! The resources and the template.

use crate::call::from_json;
use crate::tools::content::PIXEL;
use rmcp::ErrorData;
use rmcp::model::{ReadResourceResponse, Resource, ResourceTemplate};
use serde_json::{Value, json};

const PREFIX: &str = "test://template/";
const SUFFIX: &str = "/data";

pub(crate) fn list() -> Vec<Resource> {
    from_json(json!([
        {"uri": "test://static-text", "name": "static-text", "description": "Text that stays as it is",
         "mimeType": "text/plain"},
        {"uri": "test://static-binary", "name": "static-binary", "description": "An image that stays as it is",
         "mimeType": "image/png"},
        {"uri": "test://watched-resource", "name": "watched-resource",
         "description": "Text that can be subscribed to", "mimeType": "text/plain"},
    ]))
}

pub(crate) fn templates() -> Vec<ResourceTemplate> {
    from_json(json!([
        {"uriTemplate": "test://template/{id}/data", "name": "template", "description": "Data by its id",
         "mimeType": "application/json"},
    ]))
}

pub(crate) fn read(uri: &str) -> Result<ReadResourceResponse, ErrorData> {
    let contents = match uri {
        "test://static-text" => text("text/plain", "This is the content of the static text resource."),
        "test://static-binary" => json!({"mimeType": "image/png", "blob": PIXEL}),
        "test://watched-resource" => text("text/plain", "Watched resource content"),
        _ => {
            let id = uri.strip_prefix(PREFIX).and_then(|rest| rest.strip_suffix(SUFFIX));
            let Some(id) = id else {
                return Err(ErrorData::resource_not_found("Resource not found", Some(json!({"uri": uri}))));
            };
            let data = json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")});
            text("application/json", &data.to_string())
        }
    };
    let mut contents = contents;
    contents["uri"] = json!(uri);
    Ok(ReadResourceResponse::Complete(from_json(json!({"resultType": "complete", "contents": [contents]}))))
}

fn text(mime_type: &str, text: &str) -> Value {
    json!({"mimeType": mime_type, "text": text})
}
