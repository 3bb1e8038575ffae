//! Columns of `answers`: one row per run that was answered.

use std::borrow::Cow;

use crate::export::column::{Cell, Column};
use crate::model::AnswerRow;

pub(in crate::export) const ANSWERS: &[Column<AnswerRow>] = &[
    Column::id("run", "id of the run", |r| Cell::Id(&r.run)),
    Column::id("topic", "id of the topic", |r| Cell::Id(&r.topic)),
    Column::time("asked_at", "when the run looked", |r| Cell::Time(r.asked_at)),
    Column::text("model", "label of the model, when the service gave one", |r| Cell::text(&r.model)),
    Column::flag("partial", "whether the answer was cut before its end", |r| Cell::Flag(r.partial)),
    Column::text("text", "the answer", |r| Cell::Text(Cow::Borrowed(&r.text))),
    Column::text(
        "cited",
        "keys of the items it came with or whose address it names, separated by spaces; empty when there are none",
        |r| match r.cited.join(" ") {
            none if none.is_empty() => Cell::Empty,
            cited => Cell::Text(Cow::Owned(cited)),
        },
    ),
];
