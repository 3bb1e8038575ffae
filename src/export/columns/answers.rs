//! Columns of `answers`: one row per run that got an answer.

use std::borrow::Cow;

use crate::export::column::{Cell, Column};
use crate::model::AnswerRow;

pub(in crate::export) const ANSWERS: &[Column<AnswerRow>] = &[
    Column::id("run", "run id: `topic:ID@SLOT`, or a ULID for a manual run", |r| Cell::Id(&r.run)),
    Column::id("topic", "topic id", |r| Cell::Id(&r.topic)),
    Column::time("asked_at", "when the run searched", |r| Cell::Time(r.asked_at)),
    Column::text("model", "label of the model, if the service gave one", |r| Cell::text(&r.model)),
    Column::flag("partial", "the answer was cut short", |r| Cell::Flag(r.partial)),
    Column::text("text", "the answer", |r| Cell::Text(Cow::Borrowed(&r.text))),
    Column::text(
        "cited",
        "keys of items that came with it or whose URL it cites, separated by spaces; empty if none",
        |r| match r.cited.join(" ") {
            none if none.is_empty() => Cell::Empty,
            cited => Cell::Text(Cow::Owned(cited)),
        },
    ),
];
