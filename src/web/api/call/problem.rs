//! A problem as programs read it, in the format of RFC 9457. `title` is the status in words, `detail` what happened,
//! `hint` what to do.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use serde_json::json;

use crate::web::problem::Problem;

/// The media type of a problem.
pub(in crate::web::api) const MEDIA: &str = "application/problem+json";

/// Seconds after which to try again if there was too much at once.
const AGAIN: &str = "5";

pub(in crate::web) fn answer(problem: &Problem) -> Response {
    let status = if problem.status.is_success() { StatusCode::INTERNAL_SERVER_ERROR } else { problem.status };
    let body = json!({
        "type": "about:blank",
        "title": status.canonical_reason().unwrap_or("Error"),
        "status": status.as_u16(),
        "detail": problem.title,
        "hint": problem.hint,
    });
    let mut response = (status, [(header::CONTENT_TYPE, MEDIA)], body.to_string()).into_response();
    let more = match status {
        StatusCode::UNAUTHORIZED => Some((header::WWW_AUTHENTICATE, "Bearer")),
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => Some((header::RETRY_AFTER, AGAIN)),
        _ => None,
    };
    if let Some((name, value)) = more {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// The problem that an address does not exist.
pub(in crate::web) fn not_found() -> Problem {
    let hint = "/api/v1/openapi.json lists all addresses.";
    Problem::new(StatusCode::NOT_FOUND, "There is nothing at this address", hint)
}

/// The problem that an address does not accept this method.
pub(in crate::web) fn method_not_allowed() -> Problem {
    let hint = "`Allow` names the accepted methods; see also /api/v1/openapi.json.";
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, "This method is not allowed here", hint)
}

/// Whether an address is for programs, as those of the API and of MCP are: its problems are then JSON.
pub(in crate::web) fn is_api_path(path: &str) -> bool {
    path == "/mcp" || path == "/api" || path.starts_with("/api/")
}
