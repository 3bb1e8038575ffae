//! Columns of `runs`: one row per finished run, missed and skipped slots included.

use crate::export::column::{Cell, Column};
use crate::model::RunRow;

pub(in crate::export) const RUNS: &[Column<RunRow>] = &[
    Column::id("run", "run id: `topic:ID@SLOT`, or a ULID for a manual run", |r| Cell::Id(&r.run)),
    Column::id("topic", "topic id", |r| Cell::id(&r.topic)),
    Column::word("trigger", "`scheduled`, `catch_up` or `manual`", |r| Cell::Word(r.trigger.as_str())),
    Column::word("state", "`ok`, `partial`, `failed`, `over_quota`, `missed`, `skipped` or `cancelled`", |r| {
        Cell::Word(r.state.as_str())
    }),
    Column::text(
        "reason",
        "why it was missed, skipped, cancelled, over quota or interrupted; of a backfill, its day",
        |r| Cell::text(&r.reason),
    ),
    Column::time("slot", "when it was due; empty for manual runs", |r| Cell::time(r.slot)),
    Column::time("started_at", "when it searched; empty if it never did", |r| Cell::time(r.started_at)),
    Column::time("finished_at", "when its end was recorded", |r| Cell::time(r.finished_at)),
    Column::integer("attempt", "attempts", "attempts it took; 0 if it never started", |r| Cell::Integer(r.attempt)),
    Column::integer("found", "entries", "entries that could be read", |r| Cell::Integer(r.counts.found)),
    Column::integer("new", "entries", "items the topic had not seen before", |r| Cell::Integer(r.counts.new)),
    Column::integer("duplicate", "entries", "the other entries: `found` = `new` + `duplicate`", |r| {
        Cell::Integer(r.counts.duplicate)
    }),
    Column::integer("outside", "entries", "entries published outside the window", |r| Cell::Integer(r.counts.outside)),
    Column::integer("undated", "entries", "entries without a readable date", |r| Cell::Integer(r.counts.undated)),
    Column::integer("unreadable", "entries", "entries that could not be read; not in `found`", |r| {
        Cell::Integer(r.unreadable)
    }),
    Column::money("cost_usd", "billed or assumed, including lost attempts", |r| Cell::Money(r.cost)),
    Column::text("error_class", "error class (for a run, of the first error), such as `rate_limited`", |r| {
        Cell::text(&r.error_class)
    }),
    Column::text("error_text", "error message", |r| Cell::text(&r.error_text)),
    Column::flag(
        "thinned",
        "[pruned](../how-to/operate.md#bounded-history): only the first and last sightings of items are left",
        |r| Cell::Flag(r.thinned),
    ),
];
