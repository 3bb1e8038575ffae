//! Checks the key of a request: the bare key in `Authorization`, without a scheme word. Not a security boundary: the
//! sandbox only behaves like a service with something to protect.

use axum::http::{HeaderMap, StatusCode, header};
use serde_json::{Value, json};

/// Returns the status and body of a refusal as `Err`: 401 without a key, 401 or 403 with a wrong one. Which of the two
/// depends only on the length of the key, so both occur and each is reproducible.
pub(crate) fn check(headers: &HeaderMap, key: Option<&str>) -> Result<(), (StatusCode, Value)> {
    let sent_key = headers.get(header::AUTHORIZATION).map_or(&[][..], |value| value.as_bytes()).trim_ascii();
    if sent_key.is_empty() {
        return Err((StatusCode::UNAUTHORIZED, json!({"detail": "Missing Authorization header"})));
    }
    match key {
        Some(key) if sent_key != key.as_bytes() && sent_key.len() % 2 == 0 => {
            Err((StatusCode::FORBIDDEN, json!({"detail": {"error": "Invalid API key", "code": 403}})))
        }
        Some(key) if sent_key != key.as_bytes() => {
            Err((StatusCode::UNAUTHORIZED, json!({"detail": {"error": "Invalid API key", "code": 401}})))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;

    #[test]
    fn any_key_is_accepted_unless_one_is_configured() {
        for (authorization, key, status) in [
            (None, None, Some(401)),
            (Some("  "), None, Some(401)),
            (Some("k$1"), None, None),
            (Some("k$1"), Some("k$1"), None),
            (Some("Bearer k$1"), Some("k$1"), Some(403)),
            (Some("odd"), Some("k$1"), Some(401)),
        ] {
            let mut headers = HeaderMap::new();
            if let Some(authorization) = authorization {
                headers.insert(header::AUTHORIZATION, authorization.parse().unwrap());
            }
            let refused = check(&headers, key).err().map(|(status, _)| status.as_u16());
            assert_eq!(refused, status, "{authorization:?} {key:?}");
        }
    }
}
