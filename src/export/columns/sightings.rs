//! Columns of `sightings`: one row per run, item and source, the time series.

use crate::export::column::{Cell, Column};
use crate::model::SightingRow;

pub(in crate::export) const SIGHTINGS: &[Column<SightingRow>] = &[
    Column::id("run", "id of the run", |r| Cell::Id(&r.run)),
    Column::id("topic", "id of the topic", |r| Cell::Id(&r.topic)),
    Column::time("seen_at", "when the run looked", |r| Cell::Time(r.seen_at)),
    Column::word("source", "`social`, `web`, `ai`, or the name of a provider", |r| Cell::Word(r.source.as_str())),
    Column::integer("rank", "place", "place in that source's reply, from 1", |r| Cell::Integer(r.rank)),
    Column::id("key", "key of the item", |r| Cell::Id(&r.key)),
    Column::word("kind", "`post` or `page`", |r| Cell::Word(r.kind.as_str())),
    Column::word(
        "fit",
        "published `in` the window that was asked for, `outside` it, or `undated`; checked here",
        |r| Cell::Word(r.fit.as_str()),
    ),
    Column::flag("new", "whether this run was the topic's first to see the item", |r| Cell::Flag(r.new)),
    Column::time("published_at", "when the item was published, as known then", |r| Cell::time(r.published_at)),
    Column::text("url", "address of the item, as known then", |r| Cell::text(&r.url)),
    Column::text("author", "handle, as known then", |r| Cell::text(&r.author)),
    Column::text("title", "title, as known then", |r| Cell::text(&r.title)),
    Column::text("text", "text, as known then", |r| Cell::text(&r.text)),
    Column::integer("likes", "likes", "likes at that moment", |r| Cell::integer(r.engagement.likes)),
    Column::integer("reposts", "reposts", "reposts without comment at that moment", |r| {
        Cell::integer(r.engagement.reposts)
    }),
    Column::integer("replies", "replies", "replies at that moment", |r| Cell::integer(r.engagement.replies)),
    Column::integer("quotes", "quotes", "reposts with a comment at that moment", |r| {
        Cell::integer(r.engagement.quotes)
    }),
    Column::integer("bookmarks", "bookmarks", "bookmarks at that moment", |r| Cell::integer(r.engagement.bookmarks)),
    Column::integer("views", "views", "views at that moment", |r| Cell::integer(r.engagement.views)),
    Column::word("provider", "who showed it: `service`, or a name of `[providers]`", |r| {
        Cell::Word(r.source.provider())
    }),
    Column::word("mark", "as in `items`, today; empty in files of `--seq` and of incremental exports", |r| {
        r.mark.map_or(Cell::Empty, |mark| Cell::Word(mark.as_str()))
    }),
    Column::decimal(
        "relevance",
        "0 to 1",
        "the same, by the words of then; empty in files of `--seq` and of incremental exports",
        |r| r.relevance.map_or(Cell::Empty, |relevance| Cell::Decimal(relevance, 3)),
    ),
];
