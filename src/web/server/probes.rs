//! Probes for programs: is the process alive (`/healthz`), can it work (`/readyz`), and its metrics (`/metrics`). The
//! first two answer everyone and reveal no content; the last is for visitors who see all topics.

use std::time::Duration;

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, Json};
use serde_json::json;

use super::app::App;
use crate::metrics::CONTENT_TYPE;
use crate::web::access::visitor::Visitor;
use crate::web::layout;
use crate::web::problem::Problem;

/// Paths that are answered without a token.
pub(in crate::web) const OPEN: [&str; 2] = ["/healthz", "/readyz"];

/// How long the database may take before this process counts as not ready.
const SOON: Duration = Duration::from_secs(2);

/// Whether the loop is running. Uses no database: one that is away is no reason to restart the process.
pub(super) async fn healthz(State(app): State<App>) -> Response {
    let Some(beat) = &app.site.process_status.beat else {
        return response(&[
            ("process", None, json!({})),
            ("scheduler", None, json!({ "output": "not in this process" })),
        ]);
    };
    let (ago, _) = beat.last();
    let why = beat
        .is_late()
        .then(|| format!("the loop has stopped: ticks must be at most {} s apart", beat.max_interval().as_secs()));
    let observed = json!({ "observedValue": ago.as_secs(), "observedUnit": "s" });
    response(&[("process", None, json!({})), ("scheduler", why, observed)])
}

/// Whether the database can be reached, has the tables of this version, and has room for what this process stores.
pub(super) async fn readyz(State(app): State<App>) -> Response {
    let ready = tokio::time::timeout(SOON, app.site.ready.ask()).await;
    let why = ready.unwrap_or(Some("does not answer in time"));
    response(&[("database", why.map(str::to_owned), json!({}))])
}

/// A small answer in the format `application/health+json` (draft-inadarei-api-health-check-06): what was checked, and
/// what is wrong with it.
fn response(checks: &[(&str, Option<String>, serde_json::Value)]) -> Response {
    let mut list = serde_json::Map::new();
    for (name, why, observed) in checks {
        let mut check = json!({ "status": if why.is_some() { "fail" } else { "pass" } });
        for (key, value) in observed.as_object().into_iter().flatten() {
            check[key] = value.clone();
        }
        if let Some(why) = why {
            check["output"] = json!(why);
        }
        list.insert((*name).to_owned(), json!([check]));
    }
    let good = checks.iter().all(|(_, why, _)| why.is_none());
    let status = if good { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let body = Json(json!({ "status": if good { "pass" } else { "fail" }, "checks": list }));
    (status, [(header::CONTENT_TYPE, "application/health+json")], body).into_response()
}

/// Metrics in Prometheus' text format.
pub(in crate::web) async fn metrics(State(app): State<App>, Extension(visitor): Extension<Visitor>) -> Response {
    let site = &app.site;
    match site.metrics.text(&site.settings().limits, visitor.version(), site.now()).await {
        Ok(text) => ([(header::CONTENT_TYPE, CONTENT_TYPE)], text).into_response(),
        Err(error) => {
            tracing::error!("cannot write the metrics, please report it: {error}");
            let status = StatusCode::INTERNAL_SERVER_ERROR;
            layout::problem(site, &Problem::new(status, "The metrics could not be written", "The log says why."))
        }
    }
}
