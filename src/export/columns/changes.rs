//! Columns of `changes`: one row per change of a topic between two runs.

use std::borrow::Cow;

use crate::export::column::{Cell, Column};
use crate::insight::{EditedItem, GoneItem, NewItem, Rising};
use crate::model::{Engagement, ItemSummary, Time};

/// A change, as `insight` found it.
#[derive(Debug)]
pub(in crate::export) enum ChangeKind {
    New(NewItem),
    Gone(GoneItem),
    Edited(EditedItem),
    Rising(Rising),
}

/// A change of a topic.
#[derive(Debug)]
pub(in crate::export) struct ChangeRow {
    pub(in crate::export) topic: String,
    pub(in crate::export) since_run: Option<String>,
    pub(in crate::export) until_run: Option<String>,
    pub(in crate::export) change: ChangeKind,
}

impl ChangeRow {
    fn item(&self) -> &ItemSummary {
        match &self.change {
            ChangeKind::New(new) => &new.item,
            ChangeKind::Gone(gone) => &gone.item,
            ChangeKind::Edited(edited) => &edited.item,
            ChangeKind::Rising(rising) => &rising.item,
        }
    }

    fn word(&self) -> &'static str {
        match self.change {
            ChangeKind::New(_) => "new",
            ChangeKind::Gone(_) => "gone",
            ChangeKind::Edited(_) => "edited",
            ChangeKind::Rising(_) => "rising",
        }
    }

    fn at(&self) -> Time {
        match &self.change {
            ChangeKind::New(new) => new.first_seen,
            ChangeKind::Gone(gone) => gone.missed,
            ChangeKind::Edited(edited) => edited.at,
            ChangeKind::Rising(rising) => rising.until,
        }
    }

    fn before(&self) -> Option<Time> {
        match &self.change {
            ChangeKind::New(_) | ChangeKind::Edited(_) => None,
            ChangeKind::Gone(gone) => Some(gone.last_seen),
            ChangeKind::Rising(rising) => Some(rising.from),
        }
    }

    fn sources(&self) -> Cell<'_> {
        match &self.change {
            ChangeKind::New(new) => {
                let names: Vec<&str> = new.sources.iter().map(crate::model::Source::as_str).collect();
                Cell::Text(Cow::Owned(names.join(" ")))
            }
            ChangeKind::Gone(gone) => Cell::Text(Cow::Borrowed(gone.source.as_str())),
            ChangeKind::Rising(rising) => Cell::Text(Cow::Borrowed(rising.source.as_str())),
            ChangeKind::Edited(_) => Cell::Empty,
        }
    }

    fn edited(&self) -> Option<&EditedItem> {
        if let ChangeKind::Edited(edited) = &self.change { Some(edited) } else { None }
    }

    fn rising(&self) -> Option<&Rising> {
        if let ChangeKind::Rising(rising) = &self.change { Some(rising) } else { None }
    }

    /// A reaction of a rising item, at the start or (`after`) at the end of the rise.
    fn reaction(&self, after: bool, of: fn(&Engagement) -> Option<i64>) -> Cell<'static> {
        Cell::integer(self.rising().and_then(|rising| of(if after { &rising.after } else { &rising.before })))
    }
}

/// A rate rounded to tenths, as in `insight`.
#[expect(clippy::cast_possible_truncation, reason = "a rate in tenths; a cast of a float stays in bounds")]
fn tenths(rate: f64) -> Cell<'static> {
    Cell::Decimal((rate * 10.0).round() as i64, 1)
}

pub(in crate::export) const CHANGES: &[Column<ChangeRow>] = &[
    Column::id("topic", "topic id", |r| Cell::Id(&r.topic)),
    Column::word("change", "`new`, `gone`, `edited` or `rising` ([words](../explanation/changes.md#words))", |r| {
        Cell::Word(r.word())
    }),
    Column::id("since_run", "run compared with; empty if the span starts with the topic", |r| Cell::id(&r.since_run)),
    Column::id("until_run", "last run compared", |r| Cell::id(&r.until_run)),
    Column::time("at", "when it was first seen, missed, edited, or last counted", |r| Cell::Time(r.at())),
    Column::time("before_at", "gone: last seen; rising: first counted", |r| Cell::time(r.before())),
    Column::id("run", "new: run that first saw it", |r| {
        if let ChangeKind::New(new) = &r.change { Cell::Id(&new.run) } else { Cell::Empty }
    }),
    Column::text(
        "sources",
        "new: sources that found it, separated by spaces; gone, rising: the source",
        ChangeRow::sources,
    ),
    Column::word("fit", "new: published `in` the requested window, or `undated`", |r| {
        if let ChangeKind::New(new) = &r.change { Cell::Word(new.fit.as_str()) } else { Cell::Empty }
    }),
    Column::id("key", "public key of the item; never changes", |r| Cell::Id(&r.item().key)),
    Column::word("kind", "`post` or `page`", |r| Cell::Word(r.item().kind.as_str())),
    Column::text("url", "address", |r| Cell::text(&r.item().url)),
    Column::text("author", "handle, without `@`", |r| Cell::text(&r.item().author)),
    Column::text("title", "title; edited: after the span's last edit", |r| Cell::text(&r.item().title)),
    Column::text("text", "text or snippet; edited: after the span's last edit", |r| Cell::text(&r.item().text)),
    Column::text("old_title", "edited: title before the span, changed or not", |r| {
        r.edited().map_or(Cell::Empty, |edited| Cell::text(&edited.old_title))
    }),
    Column::text("old_text", "edited: text before the span, changed or not", |r| {
        r.edited().map_or(Cell::Empty, |edited| Cell::text(&edited.old_text))
    }),
    Column::integer("edits", "edits", "edited: changes seen", |r| Cell::integer(r.edited().map(|edited| edited.edits))),
    Column::time("published_at", "time of publication; empty if no date could be read", |r| {
        Cell::time(r.item().published_at)
    }),
    Column::integer(
        "reactions_before",
        "reactions",
        "rising, at `before_at`: likes, reposts, replies, quotes and bookmarks, only those known at both times",
        |r| Cell::integer(r.rising().map(|rising| rising.had)),
    ),
    Column::integer("reactions_after", "reactions", "the same at `at`", |r| {
        Cell::integer(r.rising().map(|rising| rising.had.saturating_add(rising.gain)))
    }),
    Column::decimal(
        "per_hour",
        "reactions per hour",
        "gain per hour between the two; the total gain if they are less than an hour apart",
        |r| r.rising().map_or(Cell::Empty, |rising| tenths(rising.per_hour)),
    ),
    Column::integer("likes_before", "likes", "rising: likes at `before_at`", |r| r.reaction(false, |e| e.likes)),
    Column::integer("likes_after", "likes", "the same at `at`", |r| r.reaction(true, |e| e.likes)),
    Column::integer("reposts_before", "reposts", "rising: reposts without comment at `before_at`", |r| {
        r.reaction(false, |e| e.reposts)
    }),
    Column::integer("reposts_after", "reposts", "the same at `at`", |r| r.reaction(true, |e| e.reposts)),
    Column::integer("replies_before", "replies", "rising: replies at `before_at`", |r| {
        r.reaction(false, |e| e.replies)
    }),
    Column::integer("replies_after", "replies", "the same at `at`", |r| r.reaction(true, |e| e.replies)),
    Column::integer("quotes_before", "quotes", "rising: reposts with a comment at `before_at`", |r| {
        r.reaction(false, |e| e.quotes)
    }),
    Column::integer("quotes_after", "quotes", "the same at `at`", |r| r.reaction(true, |e| e.quotes)),
];
