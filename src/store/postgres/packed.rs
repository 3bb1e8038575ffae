//! Sightings as they leave PostgreSQL: as rows, which it hands over as they are, while putting texts together would cost it
//! more than finding them.

use sqlx::Row as _;

use super::{Row, pages::Cell, read};
use crate::store::StoreError;
use crate::store::pages::Page;

/// What stands before and after the tables of sightings in a selection from runs, `p`. `OFFSET 0` has each run looked up by
/// itself, whatever the planner thinks of the number of runs.
pub(super) fn around(cells: &[Cell]) -> (String, &'static str) {
    let named: Vec<String> = cells.iter().map(|(name, column, _)| format!("{column} AS {name}")).collect();
    (format!("l.* FROM p LEFT JOIN LATERAL (SELECT {}", named.join(", ")), " OFFSET 0) l ON true")
}

/// Reads a sighting, or a run without any.
pub(super) fn unpack(row: &Row, page: &mut Page) -> Result<(), StoreError> {
    let rows = page.entry((row.try_get("place")?, row.try_get("run")?)).or_default();
    if row.try_get::<Option<&str>, _>("key")?.is_some() {
        rows.push(read::sighting(row)?);
    }
    Ok(())
}
