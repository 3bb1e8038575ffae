//! Columns of `terms`: one row per term that is news in a topic's span.

use std::borrow::Cow;

use crate::compare::TermRow;
use crate::export::column::{Cell, Column};
use crate::model::Span;

/// A term of a topic.
#[derive(Debug)]
pub(in crate::export) struct TermNewsRow {
    pub(in crate::export) topic: String,
    pub(in crate::export) span: Span,
    pub(in crate::export) before_days: u64,
    pub(in crate::export) compared_with: &'static str,
    pub(in crate::export) term: TermRow,
}

fn count(value: u64) -> Cell<'static> {
    Cell::Integer(i64::try_from(value).unwrap_or(i64::MAX))
}

/// A number with two decimals.
#[expect(clippy::cast_possible_truncation, reason = "a count or a z, far below what fits")]
fn hundredths(value: f64) -> Cell<'static> {
    Cell::Decimal((value * 100.0).round() as i64, 2)
}

pub(in crate::export) const TERMS: &[Column<TermNewsRow>] = &[
    Column::id("topic", "topic id", |r| Cell::Id(&r.topic)),
    Column::time("since", "start of the span", |r| Cell::Time(r.span.from)),
    Column::time("until", "its end", |r| Cell::Time(r.span.until)),
    Column::text("term", "the term, lower case and without accents; untrusted text", |r| {
        Cell::Text(Cow::Borrowed(&r.term.term))
    }),
    Column::word("kind", "`word`, `phrase`, `hashtag`, `mention`, `domain` or `emoji`", |r| {
        Cell::Word(r.term.kind.as_str())
    }),
    Column::decimal("z", "", "log-odds ratio against the days before, divided by its standard error", |r| {
        hundredths(r.term.z)
    }),
    Column::integer("items", "items", "items that contain it", |r| count(r.term.items)),
    Column::integer("authors", "authors", "people who use it", |r| count(r.term.authors)),
    Column::integer(
        "texts",
        "texts",
        "distinct texts by distinct people, summed over days; used for the comparison",
        |r| count(r.term.texts),
    ),
    Column::integer("texts_before", "texts", "the same over all earlier days", |r| count(r.term.texts_before)),
    Column::decimal("expected", "texts", "texts expected from these", |r| hundredths(r.term.expected)),
    Column::integer("before_days", "days", "days compared with", |r| count(r.before_days)),
    Column::integer("scored", "items", "its items with a tone", |r| {
        r.term.negative.map_or(Cell::Integer(0), |share| count(share.whole))
    }),
    Column::integer("negative", "items", "negative among these", |r| {
        r.term.negative.map_or(Cell::Integer(0), |share| count(share.part))
    }),
    Column::id("example", "key of its item with the most reactions", |r| Cell::Id(&r.term.example.key)),
    Column::word(
        "compared_with",
        "`past`: the term is news; `other_topics` or `nothing`: it only stands out, in a topic's first days or on its busiest day",
        |r| Cell::Word(r.compared_with),
    ),
];
