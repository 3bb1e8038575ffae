//! A report of one topic, made on request. It is a page with its own style, served as if it came from another site:
//! nothing in it may run or request anything.

use axum::Extension;
use axum::extract::{Path, State};
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse as _, Response};

use super::edit::editing;
use crate::web::access::visitor::Visitor;
use crate::web::layout;
use crate::web::page_request::PageRequest;
use crate::web::problem::Problem;
use crate::web::server::app::App;

const POLICY: &str =
    "sandbox allow-popups; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'";

pub(in crate::web) async fn show(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Path(topic): Path<String>,
    uri: Uri,
) -> Response {
    match render(&app, visitor, &topic, &uri).await {
        Ok(response) => response,
        Err(problem) => layout::problem(&app.site, &problem),
    }
}

async fn render(app: &App, visitor: Visitor, topic: &str, uri: &Uri) -> Result<Response, Problem> {
    let among = visitor.visible_topics();
    let request = PageRequest::of(uri, visitor, &["as"])?;
    let as_file = request.word("as", |word| (word == "file").then_some(()))?.is_some();
    let site = &app.site;
    if !site.store.topic_ids().await?.iter().any(|known| known == topic) {
        return Err(Problem::not_found("There is no such topic"));
    }
    let report = editing(site)?.file.report(topic, among.as_deref()).await;
    let page = report.map_err(|wrong| Problem::new(StatusCode::SERVICE_UNAVAILABLE, wrong.message, wrong.hint))?;
    // Ids of topics hold only characters that a file's name may have.
    let kind = if as_file { "attachment" } else { "inline" };
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8".to_owned()),
        (header::CONTENT_SECURITY_POLICY, POLICY.to_owned()),
        (header::CONTENT_DISPOSITION, format!("{kind}; filename=\"topicwatch-{topic}.html\"")),
    ];
    Ok((headers, page).into_response())
}
