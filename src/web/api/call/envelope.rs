//! The parts that all answers share: paging, and whether their data was invented.

use axum::response::{IntoResponse as _, Response};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::Call;
use crate::model::DataOrigin;
use crate::web::problem::Problem;

/// Cuts rows to a page. Returns whether there were more.
pub(in crate::web::api) fn cut_page<R>(rows: &mut Vec<R>, limit: u32) -> bool {
    let more = rows.len() > limit as usize;
    rows.truncate(limit as usize);
    more
}

/// A row as JSON, with more fields.
pub(in crate::web::api) fn with<const N: usize>(
    row: &impl Serialize,
    more: [(&str, Value); N],
) -> Result<Value, Problem> {
    let mut value = serde_json::to_value(row).map_err(|error| {
        tracing::warn!("cannot write a row as JSON: {error}");
        let status = axum::http::StatusCode::INTERNAL_SERVER_ERROR;
        Problem::new(status, "This answer could not be written", "The log says why.")
    })?;
    if let Some(fields) = value.as_object_mut() {
        fields.extend(more.map(|(name, value)| (name.to_owned(), value)));
    }
    Ok(value)
}

/// An answer with these fields, and whether its data was invented.
pub(in crate::web::api) async fn answer<const N: usize>(
    call: &Call,
    fields: [(&str, Value); N],
) -> Result<Response, Problem> {
    let mut all: Map<String, Value> = fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    all.insert("sandbox".to_owned(), json!(call.site().origin().await? == Some(DataOrigin::Sandbox)));
    Ok(axum::Json(Value::Object(all)).into_response())
}
