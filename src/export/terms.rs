//! `terms`: which terms of a topic's span are news, as `topicwatch terms` tells them. One topic is held at a time.

use super::columns::{self, TermNewsRow};
use super::order::{ExportError, Order};
use super::rows::Rows;
use crate::compare::terms_between;
use crate::model::{Span, Time};
use crate::store::Store;

/// Milliseconds of the span where nobody says another.
const DAY: i64 = 86_400_000;

/// Writes the terms of all topics that are watched, or of those that are named or tagged.
pub(super) async fn write(store: &Store, order: &Order, rows: &mut Rows<'_>) -> Result<(), ExportError> {
    for (_, topic) in order.topics(store).await? {
        let until = match order.filter.until {
            Some(until) => until,
            None => match last_run(store, &topic.id).await? {
                // What it saw first and has no date counts at this very instant.
                Some(last) => Time(last.0.saturating_add(1)),
                None => continue,
            },
        };
        let since = order.filter.since.unwrap_or(Time(until.0 - DAY));
        let Some(span) = Span::new(since, until) else { continue };
        let told = terms_between(store, &topic, span, false).await?;
        for term in told.terms {
            let row = TermNewsRow { topic: topic.id.clone(), span, before_days: told.before_days, term };
            rows.put(columns::TERMS, &row)?;
        }
    }
    Ok(())
}

async fn last_run(store: &Store, topic: &str) -> Result<Option<Time>, ExportError> {
    let mut moment = store.moment().await?;
    let last = moment.last_run(topic).await;
    moment.end().await?;
    Ok(last?)
}
