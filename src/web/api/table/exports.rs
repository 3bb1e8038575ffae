//! The operation that exports rows, with its many parameters. It has a file of its own because `table` is long
//! enough; `api::exports` answers it.

use super::operation::{Operation, ResponseKind, get};
use super::parameter::{Kind, Parameter};
use super::parameters::{
    AUTHOR, BEGIN_AT, FILES, FILTERED, ITEM_KIND, LANGUAGE, MARKED, NEW_FROM, NOTED, PROFILES, SEARCH, SOURCE, STARRED,
    TONE, TOPICS,
};
use crate::model::Role::Read;
use crate::web::access::access_rule::AccessRule::InScope;
use crate::web::api::call::form;
use crate::web::api::exports;
use crate::web::downloads::{CSV, JSONL};

static PARAMETERS: [&Parameter; 19] = [
    &Parameter::path("file", FILES, "Which rows, in which format", "items.csv"),
    &Parameter::query("profile", PROFILES, "CSV for programs [`machine`] or for spreadsheets", "excel"),
    &TOPICS,
    &Parameter::query("tag", Kind::Text(64), "Only topics with this tag; repeat for more", "news").many(),
    &SOURCE,
    &BEGIN_AT,
    &Parameter::query("until", Kind::Written(&form::INSTANT), "Before this time", "2026-03-11"),
    &TONE,
    &NEW_FROM,
    &AUTHOR,
    &SEARCH,
    &Parameter::query("seq", Kind::Written(&form::SEQ), "Only runs with numbers above A up to B", "120..180"),
    &Parameter::query(
        "timezone",
        Kind::Written(&form::ZONE),
        "Time zone of the days in `daily` [`UTC`]",
        "Europe/Berlin",
    ),
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

pub(in crate::web::api) const EXPORT: Operation = Operation {
    answered: ResponseKind::Stream(&[CSV, JSONL]),
    refuses: &[404, 409],
    ..get(
        "/api/v1/exports/{file}",
        InScope(Read),
        "export",
        "Rows as CSV or as JSON Lines, streamed",
        "The same bytes as `topicwatch export` with the options of the same names, which mean the same and are refused \
         for the same kinds of rows (docs/reference/exports.md). At most two at a time, for at most an hour. A file is \
         complete when its last chunk arrives: after a failure the connection breaks.",
        &PARAMETERS,
        "",
        |call| Box::pin(exports::file(call)),
    )
};
