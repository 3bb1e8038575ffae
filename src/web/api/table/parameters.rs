//! Parameters that operations share, with their limits.

use super::parameter::{Kind, Parameter};
use crate::compare::FilterMode;
use crate::export::Profile;
use crate::model::{Kind as Item, Mark, RunState, Tone};
use crate::normalise::words::LONGEST_QUERY;
use crate::web::api::call::form::{BEGIN, INSTANT, PAGE};
use crate::web::api::{exports, items};

fn words_of<W: Copy>(all: &[W], word: fn(W) -> &'static str) -> Vec<&'static str> {
    all.iter().map(|one| word(*one)).collect()
}

/// `social`, `web`, `ai`, or a provider.
pub(super) const SOURCES: Kind = Kind::Source;
/// The tones that can be asked for: all but `unsupported`.
pub(in crate::web::api) const TONES: Kind =
    Kind::Word(|| vec![Tone::Negative.as_str(), Tone::Neutral.as_str(), Tone::Positive.as_str()]);
pub(in crate::web::api) const STATES: Kind = Kind::Word(|| RunState::ALL.iter().map(|state| state.as_str()).collect());
pub(in crate::web::api) const FILTERED: Kind =
    Kind::Word(|| FilterMode::ALL.iter().map(|mode| mode.as_str()).collect());
pub(super) const PROFILES: Kind = Kind::Word(|| Profile::ALL.iter().map(|profile| profile.as_str()).collect());
pub(in crate::web::api) const ORDERS: Kind = Kind::Word(|| items::ORDERS.to_vec());
pub(in crate::web::api) const NOISES: Kind = Kind::Word(|| items::NOISES.to_vec());
pub(in crate::web::api) const COPIES: Kind = Kind::Word(|| items::COPIES.to_vec());
pub(in crate::web::api) const FILES: Kind = Kind::Word(exports::files);
pub(super) const ID: Kind = Kind::Text(64);
/// Maximum number of characters of an item's key.
pub(in crate::web::api) const KEY_CHARS: usize = 700;
pub(in crate::web::api) const RUN: Kind = Kind::Text(200);

pub(super) const OF_ALERT: Parameter = Parameter::path("alert", ID, "Name of a configured alert", "recalls");
pub(in crate::web::api) const REQUEST: Parameter =
    Parameter::path("request", ID, "Id of the request", "01KHXJ5W0000000000000000");
pub(super) const OF_ITEM: Parameter =
    Parameter::path("key", Kind::Text(KEY_CHARS), "A key of the item, or its address", "post:x:2031610711893905509");
pub(super) const OF_TOPIC: Parameter = Parameter::path("topic", ID, "Id of a watched topic", "acme");
pub(super) const LIMIT: Parameter = Parameter::query("limit", Kind::Number(1, 200, 50), "Maximum number of rows", "50");
pub(in crate::web::api) const TOKEN: Parameter =
    Parameter::query("page_token", Kind::Written(&PAGE), "`next_page_token` of the previous page, unchanged", "");
pub(in crate::web::api) const TOPICS: Parameter =
    Parameter::query("topic", ID, "Only this topic; repeat for more", "acme").many();
pub(in crate::web::api) const TOPIC: Parameter = Parameter::query("topic", ID, "Only this topic", "acme");
pub(in crate::web::api) const SOURCE: Parameter =
    Parameter::query("source", SOURCES, "Only items from this source; repeat for more", "web").many();
pub(in crate::web::api) const TONE: Parameter =
    Parameter::query("tone", TONES, "Only items with this tone; repeat for more", "negative").many();
pub(in crate::web::api) const AUTHOR: Parameter =
    Parameter::query("author", Kind::Text(100), "Only items by this handle; repeat for more", "ann").many();
pub(in crate::web::api) const SEARCH: Parameter = Parameter::query(
    "search",
    Kind::Text(LONGEST_QUERY),
    "Only items with these words: all of them, \"a phrase\", prefix*, -not",
    "launch -beta",
);
pub(super) const ITEM_KIND: Parameter =
    Parameter::query("kind", Kind::Word(|| words_of(Item::ALL, Item::as_str)), "Only posts, or only pages", "post")
        .many();
pub(super) const LANGUAGE: Parameter =
    Parameter::query("lang", Kind::Text(20), "Only items in this language, `en` also `en-GB`", "en").many();
pub(in crate::web::api) const MARKED: Parameter = Parameter::query(
    "marked",
    Kind::Word(|| words_of(Mark::ALL, Mark::as_str)),
    "Only items with this mark for their topic",
    "good",
)
.many();
pub(super) const STARRED: Parameter =
    Parameter::query("starred", Kind::Word(|| vec!["true"]), "Only items with a star", "true");
pub(in crate::web::api) const NOTED: Parameter =
    Parameter::query("noted", Kind::Word(|| vec!["true"]), "Only items with a note", "true");
pub(super) const FIRST_SEEN: Parameter =
    Parameter::query("since", Kind::Written(&INSTANT), "Only items first seen at or after this time", "7d");
pub(super) const NEW_SINCE: Parameter = Parameter::query(
    "new_since",
    Kind::Written(&INSTANT),
    "Only items first seen at or after this time, and then within their topic's window",
    "24h",
);
pub(in crate::web::api) const KEY: Parameter =
    Parameter::query("key", Kind::Text(KEY_CHARS), "A key of the item", "post:x:2031610711893905509").needed();
pub(super) const NOISE: Parameter = Parameter::query(
    "noise",
    NOISES,
    "Likely noise, as learned from marks: listed like other rows [`all`], or left out and counted",
    "fold",
);
pub(in crate::web::api) const HIDDEN: Parameter = Parameter::query(
    "filtered",
    FILTERED,
    "Items that the topic's filter hides: without them (by default), with them, or only them",
    "keep",
);
/// For exports: of `changes` it may be a run.
pub(super) const BEGIN_AT: Parameter = Parameter::query(
    "since",
    Kind::Written(&BEGIN),
    "At or after this time; for `changes` also a run or `last-report`",
    "7d",
);
/// For exports: of `changes` it may be a run.
pub(super) const NEW_FROM: Parameter = Parameter::query(
    "new_since",
    Kind::Written(&BEGIN),
    "Only items first seen at or after this time, and then within their topic's window",
    "24h",
);
