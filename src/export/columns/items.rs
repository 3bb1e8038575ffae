//! Columns of `items`: one row per topic and item, as known now.

use crate::export::column::{Cell, Column};
use crate::model::ItemRow;

pub(in crate::export) const ITEMS: &[Column<ItemRow>] = &[
    Column::id("topic", "topic id", |r| Cell::Id(&r.topic)),
    Column::id("key", "public key of the item; never changes", |r| Cell::Id(&r.key)),
    Column::word("kind", "`post` or `page`", |r| Cell::Word(r.kind.as_str())),
    Column::text("url", "address to show, as first seen; the key contains the canonical one", |r| Cell::text(&r.url)),
    Column::text("author", "handle, without `@`", |r| Cell::text(&r.author)),
    Column::text("author_name", "display name", |r| Cell::text(&r.author_name)),
    Column::text("title", "title of a page", |r| Cell::text(&r.title)),
    Column::text("text", "text of a post, snippet of a page", |r| Cell::text(&r.text)),
    Column::text("lang", "language tag from the service", |r| Cell::text(&r.lang)),
    Column::time("published_at", "time of publication; empty if no date could be read", |r| Cell::time(r.published_at)),
    Column::time("first_seen", "when this topic first saw it; never changes", |r| Cell::Time(r.first_seen)),
    Column::id("first_run", "run that first saw it", |r| Cell::Id(&r.first_run)),
    Column::time("last_seen", "when this topic last saw it", |r| Cell::Time(r.last_seen)),
    Column::id("last_run", "run that last saw it", |r| Cell::Id(&r.last_run)),
    Column::integer("times_seen", "runs", "runs of this topic that saw it", |r| Cell::Integer(r.times_seen)),
    Column::flag("is_repost", "the service calls it a repost", |r| Cell::flag(r.is_repost)),
    Column::flag("is_quote", "the service calls it a quote", |r| Cell::flag(r.is_quote)),
    Column::id("conversation_id", "thread it belongs to", |r| Cell::id(&r.conversation_id)),
    Column::integer("likes", "likes", "likes", |r| Cell::integer(r.engagement.likes)),
    Column::integer("reposts", "reposts", "reposts without comment", |r| Cell::integer(r.engagement.reposts)),
    Column::integer("replies", "replies", "replies", |r| Cell::integer(r.engagement.replies)),
    Column::integer("quotes", "quotes", "reposts with a comment", |r| Cell::integer(r.engagement.quotes)),
    Column::integer("bookmarks", "bookmarks", "bookmarks", |r| Cell::integer(r.engagement.bookmarks)),
    Column::integer("views", "views", "views", |r| Cell::integer(r.engagement.views)),
    Column::integer("revisions", "edits", "observed changes to its title or text", |r| Cell::integer(r.revisions)),
    Column::id(
        "cluster",
        "key of the first of its [near-copies](../explanation/near-copies.md), its own if there are none; empty until computed",
        |r| Cell::id(&r.cluster),
    ),
    Column::word(
        "tone",
        "`negative`, `neutral`, `positive`, or `unsupported` (a language the scorer does not know); empty if not scored ([tone](../explanation/sentiment.md))",
        |r| r.tone.tone.map_or(Cell::Empty, |tone| Cell::Word(tone.as_str())),
    ),
    Column::decimal("score", "-1 to 1", "tone from -1.000 to 1.000", |r| {
        r.tone.score.map_or(Cell::Empty, |score| Cell::Decimal(score, 3))
    }),
    Column::id("scorer", "version of the scorer; scores of different versions are not comparable", |r| {
        Cell::id(&r.tone.scorer)
    }),
    Column::time(
        "pruned_at",
        "when [pruning](../how-to/operate.md#bounded-history) removed its text, author and address; empty while they are kept",
        |r| Cell::time(r.pruned_at),
    ),
    Column::word("mark", "`good` or `noise`, as marked for this topic; empty if unmarked", |r| {
        r.mark.map_or(Cell::Empty, |mark| Cell::Word(mark.as_str()))
    }),
    Column::decimal(
        "relevance",
        "0 to 1",
        "probability that it is good; empty below 20 marks ([relevance](../explanation/relevance.md))",
        |r| r.relevance.map_or(Cell::Empty, |relevance| Cell::Decimal(relevance, 3)),
    ),
    Column::time("starred_at", "when it was starred, for every topic", |r| Cell::time(r.starred_at)),
    Column::text("note", "note on it, for every topic", |r| Cell::text(&r.note)),
];
