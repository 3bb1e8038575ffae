//! A client for the API: parses answers byte by byte as HTTP/1.1 requires, and validates them against the JSON Schema
//! of the document that the API serves.

use crate::support::api_client::*;

#[test]
fn the_validator_rejects_values_that_break_their_schema() {
    let document = serde_json::json!({ "s": {
        "type": "object", "additionalProperties": false, "required": ["a"],
        "properties": { "a": { "type": ["string", "null"], "enum": ["x", null] }, "b": { "type": "array", "items": { "$ref": "#/s" } } },
    } });
    let schema = &document["s"];
    let wrong = |text: &str| schema_errors(&document, schema, &serde_json::from_str(text).unwrap(), "$").len();
    assert_eq!(wrong(r#"{"a": "x", "b": [{"a": null}]}"#), 0);
    for text in
        [r#"{}"#, r#"{"a": "y"}"#, r#"{"a": null, "c": 1}"#, r#"{"a": "x", "b": {}}"#, r#"{"a": "x", "b": [{}]}"#]
    {
        assert!(wrong(text) > 0, "{text}");
    }
}
