//! A topic's terms that are news in a period, and its themes.

use serde::Serialize;
use serde_json::Value;

use crate::compare::{MOST_TERM_DAYS, TermRow, TermsOptions, terms_between};
use crate::mcp::answer::Answer;
use crate::mcp::call::{DAY, ToolCall};
use crate::mcp::caveats::{self, at_least};
use crate::mcp::error::ToolError;
use crate::mcp::quoting::{IN_A_LIST, quote_fields};
use crate::model::{Span, Time};

const OURS_OF_TERM: &[&str] = &["kind", "example"];
const OURS_OF_THEME: &[&str] = &["first_at", "first_key", "post", "page"];
const OURS_OF_SAMPLE: &[&str] = &["key", "kind", "at"];

pub(super) async fn answer(call: ToolCall) -> Result<Answer, ToolError> {
    let topic = call.topic().await?;
    let until = call.given.instant("until", call.now).unwrap_or(call.now).min(call.now);
    let since = call.given.instant("since", call.now).unwrap_or(Time(until.0 - DAY));
    let span = Span::new(since, until).filter(|span| span.until.0 - span.from.0 <= MOST_TERM_DAYS * DAY);
    let span = span.ok_or_else(|| {
        let hint = "`since` must be before `until`, by no more than that; get_report covers a month";
        ToolError::new(format!("the period is empty or longer than {MOST_TERM_DAYS} days"), hint)
    })?;
    let found = terms_between(&call.store, &topic, span, TermsOptions::default()).await?;
    let mut answer = Answer::default();
    answer.field("topic", &topic.id)?;
    answer.field("since", span.from)?;
    answer.field("until", span.until)?;
    let term = |row: &TermRow| with_samples(row, OURS_OF_TERM, &["example"]);
    answer.field("terms", found.terms.iter().map(term).collect::<Result<Vec<_>, _>>()?)?;
    let mut themes = Vec::with_capacity(found.themes.len());
    for row in &found.themes {
        themes.push(with_samples(row, OURS_OF_THEME, &["post", "page"])?);
    }
    answer.field("themes", themes)?;
    if let Some(rows) = &found.stand_out {
        let terms = rows.terms.iter().map(term).collect::<Result<Vec<_>, _>>()?;
        let stand_out = serde_json::json!({
            "reason": rows.reason,
            "compared_with": rows.compared_with,
            "texts": rows.texts,
            "texts_now": rows.texts_now,
            "most_texts_before": rows.most_texts_before,
            "terms": terms,
        });
        answer.field("stand_out", stand_out)?;
        answer.note(format!("stand_out: {}", rows.words()));
    } else {
        answer.field("stand_out", Value::Null)?;
    }
    answer.field("before_days", found.before_days)?;
    answer.field("no_terms", found.no_terms)?;
    // The former name, until 1.0.
    answer.field("untold", found.no_terms)?;
    answer.field("tested", found.tested)?;
    answer.field("more", found.more)?;
    answer.field("more_themes", found.more_themes)?;
    answer.field("more_items", found.more_items)?;
    answer.field("other_items", found.other_items)?;
    answer.field("items", found.items)?;
    answer.field("items_read", found.items_read)?;
    answer.field("cut", found.cut)?;
    answer.notes(found.none_words());
    if found.more > 0 {
        answer.note(format!("More terms that are news: {}.", at_least(found.more, found.more_is_least())));
    }
    if found.none_words().is_none() {
        answer.notes(found.sample_words());
    }
    answer.notes(caveats::holes(&call, &topic.id, span).await?);
    Ok(answer)
}

/// Returns a row in which the fields with these names are sample items.
fn with_samples(row: &impl Serialize, own_fields: &[&str], samples: &[&str]) -> Result<Value, ToolError> {
    let mut value = quote_fields(row, own_fields, IN_A_LIST)?;
    for name in samples {
        if let Some(sample) = value.get_mut(*name).filter(|sample| sample.is_object()) {
            *sample = quote_fields(sample, OURS_OF_SAMPLE, IN_A_LIST)?;
        }
    }
    Ok(value)
}
