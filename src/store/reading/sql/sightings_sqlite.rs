//! Decodes a run's sightings in the form that is cheapest for SQLite: one text of cells. `sql/sightings.rs` chooses
//! the runs.

use sqlx::Row as _;

use super::Row;
use crate::model::{Engagement, Source, WindowFit};
use crate::store::StoreError;
use crate::store::database::cells::{Cells, unreadable};
use crate::store::reading::sighting_page::RawSighting;

/// Selects the runs `p` with their sightings `s`; conditions go between the two parts.
pub(in crate::store) const OF_RUNS: (&str, &str) = (
    "SELECT p.place, p.run, p.topic, p.started_at, p.seq, p.id, (SELECT string_agg(concat(s.item, ',', s.source, ',', s.rank, ',', \
     s.fit, ',', s.likes, ',', s.reposts, ',', s.replies, ',', s.quotes, ',', s.bookmarks, ',', s.views, ','), '') \
     FROM sighting s WHERE s.run = p.id",
    ") AS cells FROM p",
);

/// Returns the sightings of a run.
pub(in crate::store) fn of(row: &Row) -> Result<Vec<RawSighting>, StoreError> {
    let mut cells = Cells::of(row.try_get::<Option<&str>, _>("cells")?.unwrap_or_default());
    let mut sights = Vec::new();
    while !cells.is_empty() {
        sights.push(read_sighting(&mut cells)?);
    }
    Ok(sights)
}

/// Reads one sighting; the cells are in the order of the statement.
fn read_sighting(cells: &mut Cells<'_>) -> Result<RawSighting, StoreError> {
    Ok(RawSighting {
        item: cells.number()?.ok_or_else(unreadable)?,
        source: cells.word(Source::parse)?,
        rank: cells.number()?.unwrap_or_default(),
        fit: cells.word(WindowFit::parse)?,
        engagement: Engagement {
            likes: cells.number()?,
            reposts: cells.number()?,
            replies: cells.number()?,
            quotes: cells.number()?,
            bookmarks: cells.number()?,
            views: cells.number()?,
        },
    })
}
