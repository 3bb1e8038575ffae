//! `/mcp`: MCP over HTTP. `guard` decides who gets an answer; the module `mcp` answers.

use std::sync::Arc;

use axum::Extension;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};

use super::access::visitor::Visitor;
use super::api;
use super::page_request::LARGEST_FORM;
use super::problem::Problem;
use super::server::app::App;
use super::site::Site;
use crate::mcp::{Checked, Http, Server, Settings, check, http};

/// Answers a posted message, with the current settings.
pub(super) async fn answer(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    request: Request,
) -> Response {
    let service = service(Arc::clone(&app.site), visitor.version());
    let (head, body) = request.into_parts();
    let Ok(body) = to_bytes(body, LARGEST_FORM).await else {
        let hint = "Send one message at a time.";
        return api::answer(&Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "This request is too large", hint));
    };
    match check(&body) {
        Checked::Message => {
            let response = service.handle(Request::from_parts(head, Body::from(body))).await.map(Body::new);
            to_problem(response).await
        }
        Checked::Ignored => StatusCode::ACCEPTED.into_response(),
        Checked::Wrong(error) => {
            (StatusCode::BAD_REQUEST, [(header::CONTENT_TYPE, "application/json")], error).into_response()
        }
    }
}

/// The most bytes of a refusal that are shown.
const LONGEST_REFUSAL: usize = 1_000;

/// Gives refusals the form of those of the API: the service refuses a message that it cannot read with plain text.
/// Answers to a message are JSON and stay as they are, even if they are errors.
async fn to_problem(response: Response) -> Response {
    let status = response.status();
    let media = response.headers().get(header::CONTENT_TYPE).and_then(|media| media.to_str().ok());
    if status.is_success() || media.is_some_and(|media| media.starts_with("application/json")) {
        return response;
    }
    let text = to_bytes(response.into_body(), LONGEST_REFUSAL).await.unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let (title, hint) = match status {
        StatusCode::NOT_ACCEPTABLE => (&*text, "Send `Accept: application/json, text/event-stream`."),
        StatusCode::UNSUPPORTED_MEDIA_TYPE => {
            (&*text, "Send one JSON-RPC message, with `Content-Type: application/json`.")
        }
        _ if status.is_client_error() => (&*text, "The headers must be those of MCP over streamable HTTP."),
        _ => ("This request failed", "The log says why."),
    };
    let title = if title.is_empty() { status.canonical_reason().unwrap_or("This request was refused") } else { title };
    api::answer(&Problem::new(status, title, hint))
}

/// Returns the service. It keeps nothing from one message to the next.
fn service(site: Arc<Site>, version: Option<&'static str>) -> Http {
    http(move || {
        let settings = site.settings();
        let mcp_settings = Settings { version, reports: settings.reports.clone(), limits: settings.limits.clone() };
        Server::new(site.store.clone(), site.clock(), mcp_settings)
    })
}
