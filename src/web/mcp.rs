//! `/mcp`: MCP over HTTP. Who gets an answer is `guard`'s, what is answered the room `mcp`'s.

use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{MethodRouter, post};

use super::api;
use super::app::App;
use super::ask::LARGEST_FORM;
use super::problem::Problem;
use super::site::Site;
use crate::mcp::{Checked, Http, Server, Settings, check, http};

/// Answers each message that is posted, with the settings that hold then.
pub(super) fn route(site: &Arc<Site>) -> MethodRouter<App> {
    let site = Arc::clone(site);
    let service = http(move || {
        let settings = site.settings();
        let told =
            Settings { version: site.version(), reports: settings.reports.clone(), limits: settings.limits.clone() };
        Server::new(site.store.clone(), site.clock(), told)
    });
    post(move |request: Request| answer(service.clone(), request))
}

async fn answer(service: Http, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let Ok(body) = to_bytes(body, LARGEST_FORM).await else {
        let hint = "Send one message at a time.";
        return api::answer(&Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "This request carries too much", hint));
    };
    match check(&body) {
        Checked::Message => service.handle(Request::from_parts(head, Body::from(body))).await.map(Body::new),
        Checked::Ignored => StatusCode::ACCEPTED.into_response(),
        Checked::Wrong(told) => {
            (StatusCode::BAD_REQUEST, [(header::CONTENT_TYPE, "application/json")], told).into_response()
        }
    }
}
