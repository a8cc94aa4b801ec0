//! What the demo server offers besides its tools: one resource, one template of resources, one prompt.

use serde_json::{Map, Value, json};

/// The resource.
const CATEGORIES: &str = "demo://bmi-categories";

/// What the address of a city's page begins with.
const WEATHER: &str = "demo://weather/";

/// The resources as `resources/list` gives them.
pub(super) fn resources() -> Value {
    json!([{
        "uri": CATEGORIES,
        "name": "bmi-categories",
        "title": "BMI categories",
        "description": "What a body mass index means for adults.",
        "mimeType": "text/plain",
    }])
}

/// The templates as `resources/templates/list` gives them.
pub(super) fn templates() -> Value {
    json!([{
        "uriTemplate": "demo://weather/{city}",
        "name": "weather",
        "title": "Weather of a city (demo data)",
        "description": "What fetch-weather reports of that city.",
        "mimeType": "application/json",
    }])
}

/// The contents of a resource; `None` when there is none at that address.
pub(super) fn read(uri: &str) -> Option<Value> {
    let (kind, text) = if uri == CATEGORIES {
        let text =
            "below 18.5: underweight\n18.5 to 24.9: normal\n25 to 29.9: overweight\n30 and above: obese\n";
        ("text/plain", text.to_owned())
    } else {
        let mut arguments = Map::new();
        arguments.insert("city".into(), uri.strip_prefix(WEATHER)?.into());
        let report = super::tools::call("fetch-weather", &arguments)?.remove("structuredContent")?;
        ("application/json", report.to_string())
    };
    Some(json!([{"uri": uri, "mimeType": kind, "text": text}]))
}

/// The prompts as `prompts/list` gives them.
pub(super) fn prompts() -> Value {
    json!([{
        "name": "weather-report",
        "title": "Weather report",
        "description": "Asks for a short report on the weather of a city.",
        "arguments": [{"name": "city", "description": "The city; tokyo by default", "required": false}],
    }])
}

/// The messages of a prompt; `None` when there is no such prompt.
pub(super) fn prompt(name: &str, arguments: Option<&Value>) -> Option<Value> {
    if name != "weather-report" {
        return None;
    }
    let city = arguments.and_then(|arguments| arguments["city"].as_str()).unwrap_or("tokyo");
    let text = format!("Call fetch-weather for {city} and tell me in one sentence what to wear.");
    Some(json!([{"role": "user", "content": {"type": "text", "text": text}}]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_listed_can_be_read() {
        let uri = resources()[0]["uri"].as_str().map(ToOwned::to_owned).expect("an address");
        let contents = read(&uri).expect("contents");
        assert_eq!(contents[0]["uri"], uri);
        let page = read("demo://weather/osaka").expect("contents");
        assert!(page[0]["text"].as_str().is_some_and(|text| text.contains("Osaka")), "{page}");
        for unknown in ["demo://weather/nowhere", "demo://weather/", "demo://", "file:///etc/passwd"] {
            assert_eq!(read(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn a_prompt_names_the_city_it_is_given() {
        let name = prompts()[0]["name"].as_str().map(ToOwned::to_owned).expect("a name");
        let check = |arguments: Option<&Value>, city: &str| {
            let messages = prompt(&name, arguments).expect("messages").to_string();
            assert!(messages.contains(city), "{messages}");
        };
        check(Some(&json!({"city": "osaka"})), "osaka");
        check(Some(&json!({})), "tokyo");
        check(None, "tokyo");
        assert_eq!(prompt("other", None), None);
    }
}
