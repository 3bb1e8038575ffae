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
        let mut moment = store.moment().await?;
        let last = moment.last_run(&topic.id).await;
        moment.end().await?;
        let Some(until) = order.filter.until.or(last?) else { continue };
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
