//! Parses a message of a client. Bytes that are no JSON, or no message, get the error that JSON-RPC prescribes.

use rmcp::model::{ClientJsonRpcMessage, ErrorData, RequestId, ServerJsonRpcMessage};
use serde_json::Value;

/// The result of parsing.
#[derive(Debug)]
pub(super) enum Parsed {
    Message(Box<ClientJsonRpcMessage>),
    /// An unknown notification, which needs no answer.
    Ignored,
    /// No message; this is the error to answer.
    Wrong(Box<ServerJsonRpcMessage>),
}

/// Parses one message.
pub(super) fn read(bytes: &[u8]) -> Parsed {
    let value: Value = match serde_json::from_slice(bytes) {
        Ok(value) => value,
        Err(_) => return invalid(ErrorData::parse_error("this is not JSON", None), None),
    };
    let id = value.get("id").cloned();
    let named = value.get("method").is_some_and(Value::is_string);
    match serde_json::from_value(value) {
        Ok(message) => Parsed::Message(Box::new(message)),
        Err(_) if named && id.is_none() => Parsed::Ignored,
        Err(_) => {
            let id = id.and_then(|id| serde_json::from_value::<RequestId>(id).ok());
            invalid(ErrorData::invalid_request("this is not a JSON-RPC 2.0 message as MCP defines it", None), id)
        }
    }
}

/// The error for a message that is too long.
pub(super) fn too_long(most: usize) -> ServerJsonRpcMessage {
    ServerJsonRpcMessage::error(ErrorData::invalid_request(format!("a message has at most {most} bytes"), None), None)
}

/// Formats an error. JSON-RPC requires an id: it is `null` where the message had none.
pub(super) fn refusal_json(refusal: &ServerJsonRpcMessage) -> Option<String> {
    let mut value = serde_json::to_value(refusal).ok()?;
    value.as_object_mut()?.entry("id").or_insert(Value::Null);
    Some(value.to_string())
}

fn invalid(error: ErrorData, id: Option<RequestId>) -> Parsed {
    Parsed::Wrong(Box::new(ServerJsonRpcMessage::error(error, id)))
}

/// The result of checking the body of an HTTP request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Checked {
    Message,
    /// An unknown notification.
    Ignored,
    /// No message; this is the error to answer, as JSON.
    Wrong(String),
}

/// Checks a body.
#[must_use]
pub fn check(body: &[u8]) -> Checked {
    match read(body) {
        Parsed::Message(_) => Checked::Message,
        Parsed::Ignored => Checked::Ignored,
        Parsed::Wrong(answer) => Checked::Wrong(refusal_json(&answer).unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_messages_get_an_error_with_their_id() {
        for good in [
            r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":"a","method":"no/such/method","params":{}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        ] {
            assert_eq!(check(good.as_bytes()), Checked::Message, "{good}");
        }
        for (wrong, code, id) in [
            ("{", "-32700", r#""id":null"#),
            ("", "-32700", r#""id":null"#),
            ("\u{0}", "-32700", r#""id":null"#),
            ("7", "-32600", r#""id":null"#),
            ("[]", "-32600", r#""id":null"#),
            (r#"{"id":1}"#, "-32600", r#""id":1"#),
            (r#"{"jsonrpc":"1.0","id":"a","method":"ping"}"#, "-32600", r#""id":"a""#),
        ] {
            let Checked::Wrong(error) = check(wrong.as_bytes()) else { panic!("{wrong} is taken") };
            assert!(error.contains(code) && error.contains(id), "{wrong}: {error}");
        }
        assert!(matches!(read(&[0xff, 0xfe]), Parsed::Wrong(_)));
    }
}
