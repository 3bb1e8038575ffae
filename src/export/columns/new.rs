//! Columns of `new`: one row per topic and item, as known when the topic first saw it. Rows are only ever added.

use crate::export::column::{Cell, Column};
use crate::model::FirstSightingRow;

pub(in crate::export) const NEW: &[Column<FirstSightingRow>] = &[
    Column::id("topic", "topic id", |r| Cell::Id(&r.topic)),
    Column::id("key", "public key of the item; never changes", |r| Cell::Id(&r.key)),
    Column::word("kind", "`post` or `page`", |r| Cell::Word(r.kind.as_str())),
    Column::time("first_seen", "when this topic first saw it; never changes", |r| Cell::Time(r.first_seen)),
    Column::id("first_run", "run that first saw it", |r| Cell::Id(&r.first_run)),
    Column::flag(
        "baseline",
        "found by the first answer to a query, so not news ([baseline](../explanation/changes.md#words))",
        |r| Cell::Flag(r.baseline),
    ),
    Column::text("url", "address", |r| Cell::text(&r.url)),
    Column::text("author", "handle, without `@`", |r| Cell::text(&r.author)),
    Column::text("author_name", "display name", |r| Cell::text(&r.author_name)),
    Column::text("title", "title of a page", |r| Cell::text(&r.title)),
    Column::text("text", "text of a post, snippet of a page", |r| Cell::text(&r.text)),
    Column::text("lang", "language tag from the service", |r| Cell::text(&r.lang)),
    Column::time("published_at", "time of publication; empty if no date could be read", |r| Cell::time(r.published_at)),
];
