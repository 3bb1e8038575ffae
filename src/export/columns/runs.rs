//! Columns of `runs`: one row per finished run, missed and skipped slots included.

use crate::export::column::{Cell, Column};
use crate::model::RunExportRow;

pub(in crate::export) const RUNS: &[Column<RunExportRow>] = &[
    Column::id("run", "run id: `topic:ID@SLOT`, or a ULID for a manual run", |r| Cell::Id(&r.run.run)),
    Column::id("topic", "topic id", |r| Cell::id(&r.run.topic)),
    Column::word("trigger", "`scheduled`, `catch_up` or `manual`", |r| Cell::Word(r.run.trigger.as_str())),
    Column::word("state", "`ok`, `partial`, `failed`, `over_quota`, `missed`, `skipped` or `cancelled`", |r| {
        Cell::Word(r.run.state.as_str())
    }),
    Column::text(
        "reason",
        "why it was missed, skipped, cancelled, over quota or interrupted; of a backfill, its day",
        |r| Cell::text(&r.run.reason),
    ),
    Column::time("slot", "when it was due; empty for manual runs", |r| Cell::time(r.run.slot)),
    Column::time("started_at", "when it searched; empty if never", |r| Cell::time(r.run.started_at)),
    Column::time("finished_at", "when its end was recorded", |r| Cell::time(r.run.finished_at)),
    Column::integer("attempt", "attempts", "attempts it took; 0 if not started", |r| Cell::Integer(r.run.attempt)),
    Column::integer("found", "entries", "entries that could be read", |r| Cell::Integer(r.run.counts.found)),
    Column::integer("new", "entries", "items the topic had not seen before", |r| Cell::Integer(r.run.counts.new)),
    Column::integer("duplicate", "entries", "the other entries: `found` = `new` + `duplicate`", |r| {
        Cell::Integer(r.run.counts.duplicate)
    }),
    Column::integer("outside", "entries", "entries published outside the window", |r| {
        Cell::Integer(r.run.counts.outside)
    }),
    Column::integer("undated", "entries", "entries without a readable date", |r| Cell::Integer(r.run.counts.undated)),
    Column::integer("unreadable", "entries", "entries that could not be read; not in `found`", |r| {
        Cell::Integer(r.run.unreadable)
    }),
    Column::money("cost_usd", "billed or assumed, including lost attempts", |r| Cell::Money(r.run.cost)),
    Column::text("error_class", "error class (for a run, of the first error), such as `rate_limited`", |r| {
        Cell::text(&r.run.error_class)
    }),
    Column::text("error_text", "error message", |r| Cell::text(&r.run.error_text)),
    Column::flag(
        "thinned",
        "[pruned](../how-to/operate.md#bounded-history): only the first and last sightings of items are left",
        |r| Cell::Flag(r.run.thinned),
    ),
    Column::money("assumed_usd", "searches not billed in full; empty if pruned", |r| {
        r.assumed.map_or(Cell::Empty, Cell::Money)
    }),
];
