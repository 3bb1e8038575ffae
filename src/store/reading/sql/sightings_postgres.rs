//! Decodes a run's sightings in the form that is cheapest for PostgreSQL: numbers as arrays, so that they are never
//! formatted as digits, and the few words joined in one text. `sql/sightings.rs` chooses the runs.

use sqlx::Row as _;

use super::Row;
use crate::model::{Engagement, Source, WindowFit};
use crate::store::StoreError;
use crate::store::database::cells::unreadable;
use crate::store::reading::sighting_page::RawSighting;

/// Selects the runs `p` with their sightings `s`; conditions go between the two parts.
pub(in crate::store) const OF_RUNS: (&str, &str) = (
    "SELECT p.place, p.run, p.topic, p.started_at, p.seq, p.id, c.* FROM p CROSS JOIN LATERAL (SELECT array_agg(s.item) AS item, \
     string_agg(s.source, ',') AS source, array_agg(s.rank) AS rank, string_agg(s.fit, ',') AS fit, \
     array_agg(s.likes) AS likes, array_agg(s.reposts) AS reposts, array_agg(s.replies) AS replies, \
     array_agg(s.quotes) AS quotes, array_agg(s.bookmarks) AS bookmarks, array_agg(s.views) AS views \
     FROM sighting s WHERE s.run = p.id",
    ") AS c",
);

/// Returns the sightings of a run.
pub(in crate::store) fn of(row: &Row) -> Result<Vec<RawSighting>, StoreError> {
    let (mut sources, mut fits) = (words(row, "source")?, words(row, "fit")?);
    let mut ranks = numbers(row, "rank")?;
    let (mut likes, mut reposts, mut replies) =
        (numbers(row, "likes")?, numbers(row, "reposts")?, numbers(row, "replies")?);
    let (mut quotes, mut bookmarks, mut views) =
        (numbers(row, "quotes")?, numbers(row, "bookmarks")?, numbers(row, "views")?);
    numbers(row, "item")?
        .map(|item| {
            Ok(RawSighting {
                item: item.ok_or_else(unreadable)?,
                source: sources.next().and_then(Source::parse).ok_or_else(unreadable)?,
                rank: ranks.next().flatten().unwrap_or_default(),
                fit: fits.next().and_then(WindowFit::parse).ok_or_else(unreadable)?,
                engagement: Engagement {
                    likes: likes.next().flatten(),
                    reposts: reposts.next().flatten(),
                    replies: replies.next().flatten(),
                    quotes: quotes.next().flatten(),
                    bookmarks: bookmarks.next().flatten(),
                    views: views.next().flatten(),
                },
            })
        })
        .collect()
}

fn numbers(row: &Row, column: &str) -> Result<impl Iterator<Item = Option<i64>> + use<>, StoreError> {
    Ok(row.try_get::<Option<Vec<Option<i64>>>, _>(column)?.unwrap_or_default().into_iter())
}

fn words<'a>(row: &'a Row, column: &str) -> Result<std::str::Split<'a, char>, StoreError> {
    Ok(row.try_get::<Option<&str>, _>(column)?.unwrap_or_default().split(','))
}
