//! A topic's terms that are news in a span, and its themes.

use axum::response::Response;
use serde_json::json;

use super::call::Call;
use super::call::envelope::answer;
use super::topics::{card, unknown};
use crate::compare::{MOST_TERM_DAYS, TermsOptions, terms_between};
use crate::model::{Span, Time};
use crate::web::problem::Problem;

const DAY: i64 = 86_400_000;

pub(super) async fn list(call: Call) -> Result<Response, Problem> {
    let card = card(&call).await?;
    let Some(topic) = &card.definition else { return Err(unknown(call.required("topic"))) };
    let until = call.now;
    let since = call.instant("since").unwrap_or(Time(until.0 - DAY));
    let span = Span::new(since, until).filter(|span| span.until.0 - span.from.0 <= MOST_TERM_DAYS * DAY);
    let span = span.ok_or_else(|| {
        Problem::conflict(
            "`since` is not in the last 32 days",
            "Use a shorter span, such as 7d; reports cover longer ones.",
        )
    })?;
    let terms = terms_between(
        &call.site().store,
        topic,
        span,
        TermsOptions { alone: !call.visitor.sees_all(), ..TermsOptions::default() },
    )
    .await?;
    let fields = [("data", terms.to_json()), ("since", json!(span.from)), ("until", json!(span.until))];
    answer(&call, fields).await
}
