//! What clients ask to hear, and how it is told.

use super::*;
use serde_json::json;

#[test]
fn a_filter_is_read_whole_or_refused() {
    let read = |text: &str| Filter::read(Some(text)).map(|filter| json!(filter).to_string());
    let none = r#""promptsListChanged":false,"resourcesListChanged":false,"resourceSubscriptions":[]"#;
    let asked = r#"{"toolsListChanged":true,"resourceSubscriptions":null,"more":1,"taskIds":["t"]}"#;
    assert_eq!(read(asked), Ok(format!(r#"{{"toolsListChanged":true,{none},"taskIds":["t"]}}"#)));
    assert_eq!(read("{}"), Ok(format!(r#"{{"toolsListChanged":false,{none}}}"#)));
    for wrong in ["null", "[]", r#""x""#, r#"{"toolsListChanged":"yes"}"#, r#"{"resourceSubscriptions":"r"}"#]
    {
        assert!(read(wrong).is_err(), "{wrong}");
    }
    assert!(Filter::read(None).is_err());
}

#[test]
fn a_client_hears_its_own_address_and_its_own_subscription() {
    let check = |params: &str, address: Option<&str>, id: Option<&str>, expected: &str| {
        let told = Told { server: "s", session: None, method: UPDATED, params: Some(params) };
        assert_eq!(told.params_as(address, id), expected);
    };
    let own = r#"{"uri":"u", "x":1.0}"#;
    check(own, None, None, own);
    check(own, Some("s+u"), None, r#"{"uri":"s+u", "x":1.0}"#);
    check("{}", None, Some("7"), r#"{"_meta":{"io.modelcontextprotocol/subscriptionId":7}}"#);
    let tagged = r#"{"uri":"u","_meta":{"k":1.0,"io.modelcontextprotocol/subscriptionId":3}}"#;
    check(tagged, None, None, r#"{"uri":"u","_meta":{"k":1.0}}"#);
    check(
        tagged,
        Some("s+u"),
        Some(r#""a""#),
        r#"{"uri":"s+u","_meta":{"io.modelcontextprotocol/subscriptionId":"a","k":1.0}}"#,
    );
    check(r#"{"uri":"u","_meta":null}"#, None, None, r#"{"uri":"u","_meta":null}"#);
    check("[1]", None, Some("7"), "[1]");
    check(
        r#"{"uri":"u","_meta":null}"#,
        None,
        Some("7"),
        r#"{"uri":"u","_meta":{"io.modelcontextprotocol/subscriptionId":7}}"#,
    );
    check(
        r#"{"uri":"u","_meta":{"k":2}}"#,
        None,
        Some("7"),
        r#"{"uri":"u","_meta":{"io.modelcontextprotocol/subscriptionId":7,"k":2}}"#,
    );
}
