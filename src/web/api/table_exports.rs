//! The operation that exports rows, with its many parameters. It has a file of its own because `table` is long
//! enough; `exports` answers it.

use super::operation::{Operation, ResponseKind, get};
use super::parameter::{Kind, Parameter};
use super::parameters::{
    AUTHOR, BEGIN_AT, FILES, FILTERED, ITEM_KIND, LANGUAGE, MARKED, NEW_FROM, NOTED, PROFILES, SEARCH, SOURCE, STARRED,
    TONE, TOPICS,
};
use super::{exports, form};
use crate::model::Role::Read;
use crate::web::downloads::{CSV, JSONL};
use crate::web::need::Need::InScope;

static PARAMETERS: [&Parameter; 19] = [
    &Parameter::path("file", FILES, "Which rows, in which format", "items.csv"),
    &Parameter::query("profile", PROFILES, "CSV for programs [`machine`] or for spreadsheets", "excel"),
    &TOPICS,
    &Parameter::query("tag", Kind::Text(64), "Only topics with this tag; give it again for more", "news").many(),
    &SOURCE,
    &BEGIN_AT,
    &Parameter::query("until", Kind::Written(&form::INSTANT), "Before an instant", "2026-03-11"),
    &TONE,
    &NEW_FROM,
    &AUTHOR,
    &SEARCH,
    &Parameter::query("seq", Kind::Written(&form::SEQ), "Only runs with numbers above A up to B", "120..180"),
    &Parameter::query("timezone", Kind::Written(&form::ZONE), "Whose days `daily` tells of [`UTC`]", "Europe/Berlin"),
    &Parameter::query(
        "filtered",
        FILTERED,
        "Rows that topics' filters hide: with them [`keep`], without, or only them",
        "hide",
    ),
    &ITEM_KIND,
    &LANGUAGE,
    &MARKED,
    &STARRED,
    &NOTED,
];

pub(super) const EXPORT: Operation = Operation {
    answered: ResponseKind::Stream(&[CSV, JSONL]),
    refuses: &[404, 409],
    ..get(
        "/api/v1/exports/{file}",
        InScope(Read),
        "export",
        "Rows as CSV or as JSON Lines, streamed",
        "The bytes of `topicwatch export` with the options of the same names, which mean the same and are refused for the \
         same kinds of rows (docs/reference/exports.md). Two at a time, an hour at most. A file is whole when its last chunk came: \
         after a failure the connection breaks.",
        &PARAMETERS,
        "",
        |call| Box::pin(exports::file(call)),
    )
};
