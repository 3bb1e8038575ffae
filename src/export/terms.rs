//! `terms`: the terms of a topic's span that are news, or stand out, as `topicwatch terms` shows them. One topic is held in memory at a time.

use super::columns::{self, TermNewsRow};
use super::request_options::{ExportError, ExportOptions};
use super::rows::OutputRows;
use crate::compare::{TermsOptions, terms_between};
use crate::model::{Span, Time};
use crate::store::Store;

/// The default length of the span, in milliseconds.
const DAY: i64 = 86_400_000;

/// Writes the terms of all watched topics, or of those that are named or tagged.
pub(super) async fn write(
    store: &Store,
    options: &ExportOptions,
    rows: &mut OutputRows<'_>,
) -> Result<(), ExportError> {
    for (_, topic) in options.topics(store).await? {
        let until = match options.filter.until {
            Some(until) => until,
            None => match last_run(store, &topic.id).await? {
                // Includes the instant of the last run: undated items that it saw first count there.
                Some(last) => Time(last.0.saturating_add(1)),
                None => continue,
            },
        };
        let since = options.filter.since.unwrap_or(Time(until.0 - DAY));
        let Some(span) = Span::new(since, until) else { continue };
        let terms = terms_between(
            store,
            &topic,
            span,
            TermsOptions { alone: options.without_shared_fields, ..TermsOptions::default() },
        )
        .await?;
        if let Some(sample) = terms.sample_words() {
            tracing::warn!(topic = %topic.id, "{sample}");
        }
        let news = terms.terms.into_iter().map(|term| ("past", term));
        let standouts = terms.stand_out.into_iter().flat_map(|rows| {
            let with = rows.compared_with.as_str();
            rows.terms.into_iter().map(move |term| (with, term))
        });
        for (compared_with, term) in news.chain(standouts) {
            let row =
                TermNewsRow { topic: topic.id.clone(), span, before_days: terms.before_days, compared_with, term };
            rows.write(columns::TERMS, &row)?;
        }
    }
    Ok(())
}

async fn last_run(store: &Store, topic: &str) -> Result<Option<Time>, ExportError> {
    let mut snapshot = store.snapshot().await?;
    let last = snapshot.last_run(topic).await;
    snapshot.end().await?;
    Ok(last?)
}
