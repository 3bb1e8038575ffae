//! Columns of `searches`: one row per search of a finished run, lost attempts included, with its calls and cost.

use std::borrow::Cow;

use crate::export::column::{Cell, Column};
use crate::model::SearchExportRow;

pub(in crate::export) const SEARCHES: &[Column<SearchExportRow>] = &[
    Column::id("run", "run id: `topic:ID@SLOT`, or a ULID for a manual run", |r| Cell::Id(&r.search.run)),
    Column::id("topic", "topic id", |r| Cell::Id(&r.topic)),
    Column::integer("attempt", "attempt", "attempt of the run, from 1", |r| Cell::Integer(r.search.attempt)),
    Column::word("source", "`social`, `web`, `ai`, or the name of a provider", |r| {
        Cell::Word(r.search.source.as_str())
    }),
    Column::word("operation", "the call, as in `jobs.toml`", |r| Cell::Word(&r.search.operation)),
    Column::text("query", "the query", |r| Cell::Text(Cow::Borrowed(&r.search.query))),
    Column::word("state", "`ok`, `empty`, `error`, `over_quota`, `not_run` or `lost`", |r| {
        Cell::Word(r.search.state.as_str())
    }),
    Column::text("reason", "why it was not made, covers nothing, or looked back further than configured", |r| {
        Cell::text(&r.search.reason)
    }),
    Column::integer("http_status", "", "status of the last reply", |r| Cell::integer(r.search.http_status)),
    Column::integer("tries", "calls", "calls made, retries included", |r| Cell::Integer(r.search.tries)),
    Column::time("started_at", "when it started", |r| Cell::Time(r.search.started_at)),
    Column::time("finished_at", "when its end was recorded", |r| Cell::time(r.finished_at)),
    Column::integer("latency_ms", "ms", "duration of the last try", |r| Cell::integer(r.search.latency_ms)),
    Column::integer("found", "entries", "entries that could be read", |r| Cell::Integer(r.search.counts.found)),
    Column::integer("new", "entries", "items the topic had not seen before", |r| Cell::Integer(r.search.counts.new)),
    Column::integer("duplicate", "entries", "the other entries: `found` = `new` + `duplicate`", |r| {
        Cell::Integer(r.search.counts.duplicate)
    }),
    Column::integer("outside", "entries", "entries published outside the window", |r| {
        Cell::Integer(r.search.counts.outside)
    }),
    Column::integer("undated", "entries", "entries without a readable date", |r| {
        Cell::Integer(r.search.counts.undated)
    }),
    Column::integer("unreadable", "entries", "entries that could not be read; not in `found`", |r| {
        Cell::Integer(r.search.unreadable)
    }),
    Column::flag("saturated", "the reply was full: there may be more", |r| Cell::Flag(r.search.saturated)),
    Column::money("expected_cost_usd", "expected cost when it started", |r| Cell::Money(r.expected)),
    Column::money("cost_usd", "actual cost, or the price where it is unknown", |r| {
        r.actual.map_or(Cell::Empty, Cell::Money)
    }),
    Column::word("cost_basis", "`billed` by the service, `assumed` from the price, or `none`", |r| {
        r.search.cost_basis.as_deref().map_or(Cell::Empty, Cell::Word)
    }),
    Column::text("error_class", "error class (for a run, of the first error), such as `rate_limited`", |r| {
        Cell::text(&r.search.error_class)
    }),
    Column::text("error_text", "error message", |r| Cell::text(&r.search.error_text)),
    Column::time("asked_from", "start of the requested span; empty if none was requested", |r| {
        Cell::time(r.search.asked_from)
    }),
    Column::time("asked_until", "its end", |r| Cell::time(r.search.asked_until)),
    Column::time("covered_from", "start of the [covered](../explanation/coverage.md) span; empty if none", |r| {
        Cell::time(r.search.covered_from)
    }),
    Column::time("covered_until", "its end", |r| Cell::time(r.search.covered_until)),
    Column::word("provider", "`service`, or a name of `[providers]`", |r| Cell::Word(r.search.source.provider())),
];
