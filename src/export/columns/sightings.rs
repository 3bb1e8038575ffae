//! Columns of `sightings`: one row per run, item and source, the time series.

use crate::export::column::{Cell, Column};
use crate::model::SightingRow;

pub(in crate::export) const SIGHTINGS: &[Column<SightingRow>] = &[
    Column::id("run", "run id: `topic:ID@SLOT`, or a ULID for a manual run", |r| Cell::Id(&r.run)),
    Column::id("topic", "topic id", |r| Cell::Id(&r.topic)),
    Column::time("seen_at", "when the run searched", |r| Cell::Time(r.seen_at)),
    Column::word("source", "`social`, `web`, `ai`, or the name of a provider", |r| Cell::Word(r.source.as_str())),
    Column::integer("rank", "place", "place among the readable entries of that source's reply, from 1", |r| {
        Cell::Integer(r.rank)
    }),
    Column::id("key", "public key of the item; never changes", |r| Cell::Id(&r.key)),
    Column::word("kind", "`post` or `page`", |r| Cell::Word(r.kind.as_str())),
    Column::word(
        "fit",
        "published `in` the requested window or `outside` it, or `undated`; checked by topicwatch",
        |r| Cell::Word(r.fit.as_str()),
    ),
    Column::flag("new", "this run was the first of the topic to see it", |r| Cell::Flag(r.new)),
    Column::time("published_at", "time of publication; empty if no date could be read", |r| Cell::time(r.published_at)),
    Column::text("url", "address", |r| Cell::text(&r.url)),
    Column::text("author", "handle, without `@`", |r| Cell::text(&r.author)),
    Column::text("title", "title of a page", |r| Cell::text(&r.title)),
    Column::text("text", "text of a post, snippet of a page", |r| Cell::text(&r.text)),
    Column::integer("likes", "likes", "likes", |r| Cell::integer(r.engagement.likes)),
    Column::integer("reposts", "reposts", "reposts without comment", |r| Cell::integer(r.engagement.reposts)),
    Column::integer("replies", "replies", "replies", |r| Cell::integer(r.engagement.replies)),
    Column::integer("quotes", "quotes", "reposts with a comment", |r| Cell::integer(r.engagement.quotes)),
    Column::integer("bookmarks", "bookmarks", "bookmarks", |r| Cell::integer(r.engagement.bookmarks)),
    Column::integer("views", "views", "views", |r| Cell::integer(r.engagement.views)),
    Column::word("provider", "`service`, or a name of `[providers]`", |r| Cell::Word(r.source.provider())),
    Column::word("mark", "as in `items`, as of now; empty with `--seq` and in incremental exports", |r| {
        r.mark.map_or(Cell::Empty, |mark| Cell::Word(mark.as_str()))
    }),
    Column::decimal(
        "relevance",
        "0 to 1",
        "as in `items`, for the text at that time; empty with `--seq` and in incremental exports",
        |r| r.relevance.map_or(Cell::Empty, |relevance| Cell::Decimal(relevance, 3)),
    ),
];
