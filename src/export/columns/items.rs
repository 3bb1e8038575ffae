//! Columns of `items`: one row per topic and item, as it is known now.

use crate::export::column::{Cell, Column};
use crate::model::ItemRow;

pub(in crate::export) const ITEMS: &[Column<ItemRow>] = &[
    Column::id("topic", "id of the topic", |r| Cell::Id(&r.topic)),
    Column::id("key", "public key of the item; never changes", |r| Cell::Id(&r.key)),
    Column::word("kind", "`post` or `page`", |r| Cell::Word(r.kind.as_str())),
    Column::text("url", "address to show, as first learned; it may differ from the canonical one in the key", |r| {
        Cell::text(&r.url)
    }),
    Column::text("author", "handle, without `@`", |r| Cell::text(&r.author)),
    Column::text("author_name", "display name", |r| Cell::text(&r.author_name)),
    Column::text("title", "title of a page", |r| Cell::text(&r.title)),
    Column::text("text", "text of a post, snippet of a page; the latest wording", |r| Cell::text(&r.text)),
    Column::text("lang", "language tag as the service gave it", |r| Cell::text(&r.lang)),
    Column::time("published_at", "when it was published; empty when no date could be read", |r| {
        Cell::time(r.published_at)
    }),
    Column::time("first_seen", "when this topic first saw it; never changes", |r| Cell::Time(r.first_seen)),
    Column::id("first_run", "id of that run", |r| Cell::Id(&r.first_run)),
    Column::time("last_seen", "when this topic last saw it", |r| Cell::Time(r.last_seen)),
    Column::id("last_run", "id of that run", |r| Cell::Id(&r.last_run)),
    Column::integer("times_seen", "runs", "in how many runs of this topic", |r| Cell::Integer(r.times_seen)),
    Column::flag("is_repost", "whether the service calls it a repost", |r| Cell::flag(r.is_repost)),
    Column::flag("is_quote", "whether the service calls it a quote", |r| Cell::flag(r.is_quote)),
    Column::id("conversation_id", "thread it belongs to", |r| Cell::id(&r.conversation_id)),
    Column::integer("likes", "likes", "likes, as last seen by any topic", |r| Cell::integer(r.engagement.likes)),
    Column::integer("reposts", "reposts", "reposts without comment, as last seen", |r| {
        Cell::integer(r.engagement.reposts)
    }),
    Column::integer("replies", "replies", "replies, as last seen", |r| Cell::integer(r.engagement.replies)),
    Column::integer("quotes", "quotes", "reposts with a comment, as last seen", |r| Cell::integer(r.engagement.quotes)),
    Column::integer("bookmarks", "bookmarks", "bookmarks, as last seen", |r| Cell::integer(r.engagement.bookmarks)),
    Column::integer("views", "views", "views, as last seen", |r| Cell::integer(r.engagement.views)),
    Column::integer("revisions", "edits", "how often its title or text was seen to change", |r| {
        Cell::Integer(r.revisions)
    }),
    Column::id(
        "cluster",
        "key of the item that its near-copies began with, its own when it is the first or alone; empty while nobody looked ([near-copies.md](../explanation/near-copies.md))",
        |r| Cell::id(&r.cluster),
    ),
    Column::word(
        "tone",
        "`negative`, `neutral`, `positive`, or `unsupported` for a language the scorer does not know; empty when it was not judged ([sentiment.md](../explanation/sentiment.md))",
        |r| r.tone.tone.map_or(Cell::Empty, |tone| Cell::Word(tone.as_str())),
    ),
    Column::decimal("score", "-1 to 1", "how it sounds, from -1.000 to 1.000", |r| {
        r.tone.score.map_or(Cell::Empty, |score| Cell::Decimal(score, 3))
    }),
    Column::id("scorer", "version of the scorer; scores of different versions cannot be compared", |r| {
        Cell::id(&r.tone.scorer)
    }),
    Column::time(
        "pruned_at",
        "when its words, author and address were let go for their age ([operate.md](../how-to/operate.md#bounded-history)); empty while they are here",
        |r| Cell::time(r.pruned_at),
    ),
    Column::word("mark", "`good` or `noise`, as people marked it for this topic; empty where nobody did", |r| {
        r.mark.map_or(Cell::Empty, |mark| Cell::Word(mark.as_str()))
    }),
    Column::decimal(
        "relevance",
        "0 to 1",
        "how likely it is good for this topic; empty with fewer than 20 marks ([relevance.md](../explanation/relevance.md))",
        |r| r.relevance.map_or(Cell::Empty, |relevance| Cell::Decimal(relevance, 3)),
    ),
    Column::time("starred_at", "when it was starred, for every topic; empty without a star", |r| {
        Cell::time(r.starred_at)
    }),
    Column::text("note", "what somebody wrote about it, for every topic", |r| Cell::text(&r.note)),
];
