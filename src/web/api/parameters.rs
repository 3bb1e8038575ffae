//! Parameters that operations share, with their limits.

use super::form::{BEGIN, INSTANT, PAGE};
use super::parameter::{Kind, Parameter};
use super::{exports, items};
use crate::compare::FilterMode;
use crate::export::Profile;
use crate::model::{Kind as Item, Mark, RunState, Tone};

fn words_of<W: Copy>(all: &[W], word: fn(W) -> &'static str) -> Vec<&'static str> {
    all.iter().map(|one| word(*one)).collect()
}

/// `social`, `web`, `ai`, or a provider.
pub(super) const SOURCES: Kind = Kind::Source;
/// The tones that can be asked for: all but `unsupported`.
pub(super) const TONES: Kind =
    Kind::Word(|| vec![Tone::Negative.as_str(), Tone::Neutral.as_str(), Tone::Positive.as_str()]);
pub(super) const STATES: Kind = Kind::Word(|| RunState::ALL.iter().map(|state| state.as_str()).collect());
pub(super) const FILTERED: Kind = Kind::Word(|| FilterMode::ALL.iter().map(|mode| mode.as_str()).collect());
pub(super) const PROFILES: Kind = Kind::Word(|| Profile::ALL.iter().map(|profile| profile.as_str()).collect());
pub(super) const ORDERS: Kind = Kind::Word(|| items::ORDERS.to_vec());
pub(super) const NOISES: Kind = Kind::Word(|| items::NOISES.to_vec());
pub(super) const COPIES: Kind = Kind::Word(|| items::COPIES.to_vec());
pub(super) const FILES: Kind = Kind::Word(exports::files);
pub(super) const ID: Kind = Kind::Text(64);
/// Maximum number of characters of an item's key.
pub(super) const KEY_CHARS: usize = 700;
pub(super) const RUN: Kind = Kind::Text(200);

pub(super) const OF_ALERT: Parameter = Parameter::path("alert", ID, "Name of a configured alert", "recalls");
pub(super) const REQUEST: Parameter = Parameter::path("request", ID, "Id of the request", "01KHXJ5W0000000000000000");
pub(super) const OF_ITEM: Parameter =
    Parameter::path("key", Kind::Text(KEY_CHARS), "A key of the item, or its address", "post:x:2031610711893905509");
pub(super) const OF_TOPIC: Parameter = Parameter::path("topic", ID, "Id of a watched topic", "acme");
pub(super) const LIMIT: Parameter = Parameter::query("limit", Kind::Number(1, 200, 50), "Maximum number of rows", "50");
pub(super) const TOKEN: Parameter =
    Parameter::query("page_token", Kind::Written(&PAGE), "`next_page_token` of the previous page, unchanged", "");
pub(super) const TOPICS: Parameter = Parameter::query("topic", ID, "Only this topic; repeat for more", "acme").many();
pub(super) const TOPIC: Parameter = Parameter::query("topic", ID, "Only this topic", "acme");
pub(super) const SOURCE: Parameter =
    Parameter::query("source", SOURCES, "Only items from this source; repeat for more", "web").many();
pub(super) const TONE: Parameter =
    Parameter::query("tone", TONES, "Only items with this tone; repeat for more", "negative").many();
pub(super) const AUTHOR: Parameter =
    Parameter::query("author", Kind::Text(100), "Only items by this handle; repeat for more", "ann").many();
pub(super) const SEARCH: Parameter = Parameter::query(
    "search",
    Kind::Text(1_000),
    "Only items with these words: all of them, \"a phrase\", prefix*, -not",
    "launch -beta",
);
pub(super) const ITEM_KIND: Parameter =
    Parameter::query("kind", Kind::Word(|| words_of(Item::ALL, Item::as_str)), "Only posts, or only pages", "post")
        .many();
pub(super) const LANGUAGE: Parameter =
    Parameter::query("lang", Kind::Text(20), "Only items in this language, `en` also `en-GB`", "en").many();
pub(super) const MARKED: Parameter = Parameter::query(
    "marked",
    Kind::Word(|| words_of(Mark::ALL, Mark::as_str)),
    "Only items with this mark for their topic",
    "good",
)
.many();
pub(super) const STARRED: Parameter =
    Parameter::query("starred", Kind::Word(|| vec!["true"]), "Only items with a star", "true");
pub(super) const NOTED: Parameter =
    Parameter::query("noted", Kind::Word(|| vec!["true"]), "Only items with a note", "true");
pub(super) const FIRST_SEEN: Parameter =
    Parameter::query("since", Kind::Written(&INSTANT), "Only items first seen at or after this time", "7d");
pub(super) const NEW_SINCE: Parameter = Parameter::query(
    "new_since",
    Kind::Written(&INSTANT),
    "Only items first seen at or after this time, and then within their topic's window",
    "24h",
);
pub(super) const KEY: Parameter =
    Parameter::query("key", Kind::Text(KEY_CHARS), "A key of the item", "post:x:2031610711893905509").needed();
pub(super) const NOISE: Parameter = Parameter::query(
    "noise",
    NOISES,
    "Likely noise, as learned from marks: listed like other rows [`all`], or left out and counted",
    "fold",
);
pub(super) const HIDDEN: Parameter = Parameter::query(
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
