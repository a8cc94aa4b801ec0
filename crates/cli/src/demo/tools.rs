//! The two tools: what they say of themselves, and what they do.

use serde_json::{Map, Value, json};

/// The tools as `tools/list` gives them; always in this order.
pub(super) fn list() -> Value {
    let annotations = |title: &str| {
        json!({"title": title, "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true,
               "openWorldHint": false})
    };
    json!([
        {
            "name": "calculate-bmi",
            "title": "Calculate BMI",
            "description": "Calculates the body mass index from weight and height: kilograms divided by \
                            metres squared.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "weight_kg": {"type": "number", "exclusiveMinimum": 0, "description": "Weight in kilograms"},
                    "height_m": {"type": "number", "exclusiveMinimum": 0, "description": "Height in metres"},
                },
                "required": ["weight_kg", "height_m"],
            },
            "outputSchema": {
                "type": "object",
                "properties": {"result": {"type": "number", "description": "The body mass index"}},
                "required": ["result"],
            },
            "annotations": annotations("Calculate BMI"),
        },
        {
            "name": "fetch-weather",
            "title": "Fetch weather (demo data)",
            "description": "Reports the weather of Tokyo, Nagoya, Osaka or Fukuoka. Demo data: the report of a \
                            city is always the same and says nothing about its real weather.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "city": {
                        "type": "string",
                        "description": "tokyo, nagoya, osaka or fukuoka, in upper or lower case",
                    },
                },
                "required": ["city"],
            },
            "outputSchema": {
                "type": "object",
                "properties": {
                    "city": {"type": "string"},
                    "temperature_c": {"type": "number", "description": "Degrees Celsius"},
                    "condition": {"type": "string"},
                    "humidity": {"type": "integer", "description": "Relative humidity in percent"},
                },
                "required": ["city", "temperature_c", "condition", "humidity"],
            },
            "annotations": annotations("Fetch weather (demo data)"),
        },
    ])
}

/// Runs a tool and gives its `CallToolResult`; `None` when there is no such tool.
pub(super) fn call(name: &str, arguments: &Map<String, Value>) -> Option<Map<String, Value>> {
    let outcome = match name {
        "calculate-bmi" => bmi(arguments),
        "fetch-weather" => weather(arguments),
        _ => return None,
    };
    let (text, structured) = match outcome {
        Ok(value) => (value.to_string(), Some(value)),
        Err(text) => (text, None),
    };
    let mut result = Map::new();
    result.insert("content".into(), json!([{"type": "text", "text": text}]));
    match structured {
        Some(value) => result.insert("structuredContent".into(), value),
        None => result.insert("isError".into(), Value::Bool(true)),
    };
    Some(result)
}

fn bmi(arguments: &Map<String, Value>) -> Result<Value, String> {
    let number = |name: &str| {
        let value = arguments.get(name).and_then(Value::as_f64);
        value.ok_or_else(|| format!("Invalid input: {name} must be a number"))
    };
    let (weight, height) = (number("weight_kg")?, number("height_m")?);
    if weight <= 0.0 || height <= 0.0 {
        return Err("Invalid input: height and weight must be positive values".into());
    }
    let bmi = weight / (height * height);
    if bmi.is_finite() {
        Ok(json!({"result": bmi}))
    } else {
        Err("Invalid input: the result is out of range".into())
    }
}

fn weather(arguments: &Map<String, Value>) -> Result<Value, String> {
    let city = arguments.get("city").and_then(Value::as_str).unwrap_or_default();
    let (city, temperature, condition, humidity) = match city.to_ascii_lowercase().as_str() {
        "tokyo" => ("Tokyo", 22.5, "partly cloudy", 58),
        "nagoya" => ("Nagoya", 23.1, "sunny", 52),
        "osaka" => ("Osaka", 24.0, "sunny", 55),
        "fukuoka" => ("Fukuoka", 21.4, "light rain", 74),
        _ => return Err("Invalid city.".into()),
    };
    Ok(json!({"city": city, "temperature_c": temperature, "condition": condition, "humidity": humidity}))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(name: &str, arguments: &Value) -> Value {
        let arguments = arguments.as_object().expect("an object");
        call(name, arguments).map_or(Value::Null, Value::Object)
    }

    fn check_error(name: &str, arguments: &Value, text: &str) {
        let expected = json!({"content": [{"type": "text", "text": text}], "isError": true});
        assert_eq!(run(name, arguments), expected, "{arguments}");
    }

    fn check_value(name: &str, arguments: &Value, value: &Value) {
        let result = run(name, arguments);
        assert_eq!(&result["structuredContent"], value);
        assert!(result.get("isError").is_none());
        let text = result["content"][0]["text"].as_str().expect("text");
        assert_eq!(&serde_json::from_str::<Value>(text).expect("JSON"), value);
    }

    #[test]
    fn the_bmi_is_weight_by_height_squared() {
        let positive = "Invalid input: height and weight must be positive values";
        let tool = "calculate-bmi";
        check_value(
            tool,
            &json!({"weight_kg": 70, "height_m": 1.75}),
            &json!({"result": 22.857_142_857_142_858}),
        );
        check_value(tool, &json!({"weight_kg": 81, "height_m": 1.8, "x": 1}), &json!({"result": 25.0}));
        check_error(tool, &json!({"weight_kg": 0, "height_m": 1.75}), positive);
        check_error(tool, &json!({"weight_kg": 70, "height_m": -1}), positive);
        check_error(tool, &json!({"weight_kg": 70}), "Invalid input: height_m must be a number");
        check_error(
            tool,
            &json!({"weight_kg": "70", "height_m": 1}),
            "Invalid input: weight_kg must be a number",
        );
        check_error(
            tool,
            &json!({"weight_kg": 1, "height_m": 1e-300}),
            "Invalid input: the result is out of range",
        );
    }

    #[test]
    fn four_cities_have_weather() {
        let tool = "fetch-weather";
        let tokyo =
            json!({"city": "Tokyo", "temperature_c": 22.5, "condition": "partly cloudy", "humidity": 58});
        for city in ["tokyo", "Tokyo", "TOKYO"] {
            check_value(tool, &json!({"city": city}), &tokyo);
        }
        for city in ["nagoya", "osaka", "fukuoka"] {
            assert!(run(tool, &json!({"city": city}))["structuredContent"].is_object());
        }
        for arguments in [json!({"city": "InvalidCity"}), json!({"city": 1}), json!({}), json!({"city": ""})]
        {
            check_error(tool, &arguments, "Invalid city.");
        }
    }

    #[test]
    fn every_tool_that_is_listed_can_be_called() {
        for tool in list().as_array().expect("a list") {
            let name = tool["name"].as_str().expect("a name");
            assert!(run(name, &json!({})).is_object(), "{name}");
            for field in ["title", "description", "inputSchema", "outputSchema", "annotations"] {
                assert!(tool.get(field).is_some(), "{name} {field}");
            }
        }
        assert_eq!(run("other", &json!({})), Value::Null);
    }
}
