//! `/mcp`: MCP over HTTP. `guard` decides who gets an answer; the module `mcp` answers.

use std::sync::Arc;

use axum::Extension;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};

use super::api;
use super::app::App;
use super::page_request::LARGEST_FORM;
use super::problem::Problem;
use super::site::Site;
use super::visitor::Visitor;
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
        Checked::Message => service.handle(Request::from_parts(head, Body::from(body))).await.map(Body::new),
        Checked::Ignored => StatusCode::ACCEPTED.into_response(),
        Checked::Wrong(error) => {
            (StatusCode::BAD_REQUEST, [(header::CONTENT_TYPE, "application/json")], error).into_response()
        }
    }
}

/// Returns the service. It keeps nothing from one message to the next.
fn service(site: Arc<Site>, version: Option<&'static str>) -> Http {
    http(move || {
        let settings = site.settings();
        let mcp_settings = Settings { version, reports: settings.reports.clone(), limits: settings.limits.clone() };
        Server::new(site.store.clone(), site.clock(), mcp_settings)
    })
}
